"""A project to propose memories in: two humans, an agent of each with a session, and a policy of low risk."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.keys import issue
from governance.models import Actor
from governance.people import invite
from governance.scope import project_scope
from governance.vocabulary import ContractKind, KeyScope, MembershipLevel
from greywind_site.hunting.scratch import Contracts, scratch_project
from memories.vocabulary import MemoryType, Origin
from memories.writes import EvidenceWish, MemoryWish, Written, submit
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Session
from sessions.transcripts import NewEvent, append, event_ref
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.lifecycle import ThreadWish, create_thread

NAME, ROLE = "gate bench", "dev"
POLICY = {"rules": ["Cite evidence for every claim."], "injection_rules": [], "review_mode": "low_risk_auto"}
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", {"name": NAME}),
    (ContractKind.ROLE, ROLE, {"slug": ROLE, "duties": ["note what is said"]}),
    (ContractKind.POLICY, "default", POLICY),
)
SCOPES = (KeyScope.CONTEXT_COMPILE, KeyScope.SESSION_WRITE, KeyScope.MEMORY_READ)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """A human, the agent that works for them, and the session in which that agent hears what is said."""

    human: Acting
    agent: Acting
    session: uuid.UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Two voices of one project: what one states, the other may contradict."""

    first: Voice
    second: Voice


def make_world(*, now: datetime, mark: str = "bench") -> World:
    """Make the project in the database that every connection points at; `mark` begins the names of its people."""
    owner = scratch_project(NAME, CONTRACTS, owner=f"{mark}-first", now=now)
    with project_scope(owner):
        colleague = acting_as(invite(owner, f"{mark}-second", MembershipLevel.OWNER, now=now).actor)
    return World(first=_voice(owner, f"{mark}-one", now=now), second=_voice(colleague, f"{mark}-two", now=now))


def key_of(voice: Voice, *, now: datetime) -> str:
    """Return the secret of a new key by which the voice's agent asks for context and writes its session."""
    with project_scope(voice.human):
        agent: Actor = Actor.objects.get(pk=voice.agent.actor_id)
        return issue(voice.human, agent, scopes=SCOPES, now=now).secret


@contextmanager
def undone() -> Iterator[None]:
    """Take back at the end of the block everything that is written in it."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One entry of a session that is cited."""

    text: str
    role: EventRole = EventRole.USER
    kind: EventKind = EventKind.MESSAGE
    failed: bool | None = None


def learn(voice: Voice, text: str, origin: Origin, heard: Sequence[Heard]) -> Written:
    """Let the agent propose a text that rests on what was heard in its session, vouched for by its harness."""
    with project_scope(voice.agent):
        now = timezone.now()
        events = [
            NewEvent(
                client_id=f"b{number}",
                role=one.role,
                kind=one.kind,
                text=one.text,
                failed=one.failed,
                attested_by=AttestedBy.HARNESS,
            )
            for number, one in enumerate(heard)
        ]
        session = Session.objects.get(pk=voice.session)
        done = append(voice.agent, session.pk, events, now=now)
        cited = [EvidenceWish(ref=event_ref(session, each.event.seq)) for each in done.appended]
        wish = MemoryWish(content=text, type=MemoryType.SEMANTIC, origin=origin, evidence=cited)
        return submit(voice.agent, wish, now=now)


def state(voice: Voice, text: str) -> Written:
    """Let the agent propose what its human says in so many words."""
    return learn(voice, text, Origin.USER_EXPLICIT, [Heard(text=text)])


def _voice(human: Acting, name: str, *, now: datetime) -> Voice:
    with project_scope(human):
        agent = acting_as(add_agent(human, name, roles=(ROLE,), now=now))
    with project_scope(agent):
        thread = create_thread(agent, ThreadWish(title=NAME), now=now)
        session: Session = open_or_resume(agent, thread, OpenWish(role=ROLE), now=now).session
    return Voice(human=human, agent=agent, session=session.pk)
