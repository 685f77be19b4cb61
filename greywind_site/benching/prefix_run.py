"""A recorded session replayed through the product: before each of its user turns the context is compiled as an agent
would ask for it, and then what was said and done in that turn is appended.
"""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from greywind_site.benching.prefix_sets import Entry, SaidTurn
from greywind_site.demo.contracts import PERSONA, POLICY, ROLES
from greywind_site.hunting.scratch import Contracts, scratch_project
from memories.embeddings.working import embed_due
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Attempt
from sessions.runtime import prepare_context
from sessions.transcripts import MOST_EVENTS, NewEvent, append
from sessions.vocabulary import AttestedBy, EventRole
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Thread, Vision
from threads.speech import title_from

ROLE = ROLES[0]["slug"]
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", PERSONA),
    (ContractKind.ROLE, ROLE, ROLES[0]),
    (ContractKind.POLICY, "default", POLICY),
)
SLOTS = ("persona", "vision", "thread")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What to replay, and within which budget."""

    turns: Sequence[SaidTurn]
    profile: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The answer for one turn. `sources` says of each slot what it was made from, to tell whether that has changed."""

    answer: Mapping[str, Any]
    idle: float
    sources: Mapping[str, str]

    def slot(self, name: str) -> bytes:
        """Return a slot of the packet as canonical bytes."""
        return json.dumps(self.answer["packet"][name], sort_keys=True, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    acting: Acting
    thread: uuid.UUID
    session: uuid.UUID


def replay(wanted: Replay) -> Iterator[Taken]:
    """Give the answer for each turn, in a new project of the database that every connection points at."""
    place, before = _opened(wanted), None
    for turn in wanted.turns:
        ask = ContextAsk(
            user_input=InputFact(raw_text=turn.words),
            session_id=place.session,
            profile=wanted.profile,
            max_input_tokens=wanted.tokens,
            dialect=Dialect.ANTHROPIC_MESSAGES,
        )
        answer = prepare_context(ask, acting=place.acting, now=timezone.now())
        yield Taken(answer=answer, idle=turn.idle_after(before), sources=_sources(place))
        _done(place, turn)
        before = turn


def _opened(wanted: Replay) -> _Place:
    """Make a project with the demo's agent, at work on a thread of the session's own name."""
    now = timezone.now()
    owner = scratch_project("prefix bench", CONTRACTS, owner="bench-prefix", now=now)
    with project_scope(owner):
        agent = acting_as(add_agent(owner, "bench", roles=(ROLE,), now=now))
    title = next((title for turn in wanted.turns if (title := title_from(turn.words))), "recorded work")
    with project_scope(agent):
        thread = create_thread(agent, ThreadWish(title=title), now=now)
        session = open_or_resume(agent, thread, OpenWish(role=ROLE), now=now).session
    return _Place(acting=agent, thread=thread.pk, session=session.pk)


def _done(place: _Place, turn: SaidTurn) -> None:
    for batch in batched(turn.entries, MOST_EVENTS):
        append(place.acting, place.session, [_event(entry) for entry in batch], now=timezone.now())
    embed_due(seconds=float("inf"))


def _event(entry: Entry) -> NewEvent:
    return NewEvent(
        client_id=f"r{entry.seq}",
        role=entry.role,
        kind=entry.kind,
        text=entry.text,
        tool=entry.tool,
        failed=entry.failed,
        attested_by=AttestedBy.HARNESS if entry.role is EventRole.USER else AttestedBy.AGENT,
        occurred_at=entry.at,
    )


def _sources(place: _Place) -> Mapping[str, str]:
    with project_scope(place.acting, read_only=True):
        attempt = Attempt.objects.filter(session=place.session).latest("number")
        thread = Thread.objects.get(pk=place.thread)
        vision = Vision.objects.filter(thread=place.thread).order_by("-version").values_list("pk", flat=True).first()
        pinned = [attempt.persona_revision_id, attempt.role_revision_id, attempt.policy_revision_id]
    # The thread has no task and nobody demands anything of it here: its slot is made of its own words.
    words = [thread.title, thread.type, thread.summary, thread.tags]
    return {"persona": repr(pinned), "vision": repr(vision), "thread": repr(words)}
