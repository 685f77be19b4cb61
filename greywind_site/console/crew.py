"""The agents of a project: what they hold, when they were last at work, and their last packets."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Greatest

from governance.actors import Acting
from governance.agent_views import agent_at
from governance.agents import agents, known_roles
from governance.ids import public_id
from governance.keys import KeyFacts, keys_of_project
from governance.languages import language_of
from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import ActorKind
from sessions.lifecycle import LEASE
from sessions.models import Attempt, ContextPacket, Session
from sessions.vocabulary import SessionState

MOST_LAST = 5
MOST_LATELY = 100  # attempts of an agent that are looked at for the sessions that it worked in last
# A lease is renewed as the agent works, so it tells of the last sign to within half a minute.
SEEN = Greatest(F("started_at"), F("lease_until") - timedelta(seconds=LEASE))


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent as a list shows it. `seen` is None for one that never worked where the reader may look."""

    agent: Actor
    keys: Sequence[KeyFacts]
    seen: datetime | None


@dataclass(frozen=True, slots=True)
class SeenAgent:
    """An agent that has worked, and when it did last."""

    agent_id: str
    name: str
    seen: datetime


@dataclass(frozen=True, slots=True)
class LastPacket:
    """One of an agent's last packets."""

    packet_id: str
    title: str
    at: datetime
    refused: bool

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True)
class LastSession:
    """One of the sessions that an agent worked in last."""

    session_id: str
    title: str
    role: str
    state: SessionState
    at: datetime | None

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """One agent with everything that its page shows. `roles` are all that the project knows."""

    line: AgentLine
    roles: Sequence[str]
    packets: Sequence[LastPacket]
    sessions: Sequence[LastSession]


def crew_of(acting: Acting, *, now: datetime) -> list[AgentLine]:
    """Read all agents of the project with their keys, in the order in which they came."""
    with project_scope(acting, read_only=True):
        keys = keys_of_project(now=now)
        seen = {pk: at for pk, _, at in _seen(acting.project_id)}
        return [
            AgentLine(agent, [fact for fact in keys if fact.agent.pk == agent.pk], seen.get(agent.pk))
            for agent in agents()
        ]


def agent_facts(acting: Acting, agent_id: str, *, now: datetime) -> AgentFacts:
    """Read one agent by the id in its address; raises NotThere for one that is not in the project."""
    with project_scope(acting, read_only=True):
        agent = agent_at(agent_id)
        seen = _attempts_of(agent.pk).values_list(SEEN, flat=True).first()
        return AgentFacts(
            AgentLine(agent, keys_of_project(now=now, agent=agent), seen),
            known_roles(),
            _last_packets(agent.pk),
            _last_sessions(agent.pk),
        )


def last_seen(acting: Acting) -> list[SeenAgent]:
    """Return the agents that worked last, in the open scope."""
    worked = [SeenAgent(public_id("act", pk), name, at) for pk, name, at in _seen(acting.project_id) if at]
    return sorted(worked, key=attrgetter("seen"), reverse=True)[:MOST_LAST]


def _seen(project: uuid.UUID) -> list[tuple[uuid.UUID, str, datetime | None]]:
    """Return the id and name of each agent of a project, and when it was last at work, None for never."""
    latest = Subquery(_attempts_of(OuterRef("pk")).annotate(seen=SEEN).values("seen")[:1])
    return list(Actor.objects.filter(project_id=project, kind=ActorKind.AGENT).values_list("pk", "name", latest))


def _attempts_of(agent: uuid.UUID | OuterRef) -> QuerySet[Attempt]:
    """Return the attempts of an agent, the latest first: an index is read from there on, and no further than asked."""
    return Attempt.objects.filter(actor=agent).order_by("-lease_until")


def _last_packets(agent: uuid.UUID) -> list[LastPacket]:
    rows = ContextPacket.objects.filter(actor_id=agent).annotate(title=F("thread__title"))
    fields = rows.order_by("-created_at", "-id").values("id", "title", "created_at", "refused")[:MOST_LAST]
    return [LastPacket(public_id("pkt", row["id"]), row["title"], row["created_at"], row["refused"]) for row in fields]


def _last_sessions(agent: uuid.UUID) -> list[LastSession]:
    worked = _attempts_of(agent).values("session_id")[:MOST_LATELY]
    rows = Session.objects.filter(pk__in=worked).annotate(of=F("thread__title"))
    fields = rows.order_by(F("last_event_at").desc(nulls_last=True), "-id")
    return [_session(row) for row in fields.values("id", "title", "of", "role", "state", "last_event_at")[:MOST_LAST]]


def _session(row: Mapping[str, Any]) -> LastSession:
    return LastSession(
        public_id("ses", row["id"]),
        row["title"] or row["of"],
        row["role"],
        SessionState(row["state"]),
        row["last_event_at"],
    )
