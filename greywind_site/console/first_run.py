"""How far a project has come on the way from its first agent to a correction that a packet carries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from governance.actors import Acting
from governance.agents import agents, known_roles
from governance.ids import public_id
from governance.keys import KeyFacts, keys_of_project
from governance.languages import language_of
from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import KeyState
from sessions.models import ContextPacket, Event
from sessions.vocabulary import AttestedBy, EventKind

# What a human says at the console that every later packet of the thread has to carry.
STANDING = (EventKind.CORRECTION, EventKind.CONSTRAINT)
PACKET = ("id", "thread_id", "session_id", "created_at", "title")


@dataclass(frozen=True, slots=True)
class FirstPacket:
    """A packet, and the thread that it was compiled for."""

    packet_id: str
    thread_id: str
    title: str
    at: datetime

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRun:
    """What is there already. `carries` says whether `later`, the packet after the correction, holds it."""

    agents: Sequence[Actor]
    living: Sequence[KeyFacts]
    roles: Sequence[str]
    packet: FirstPacket | None
    corrected_at: datetime | None
    later: FirstPacket | None
    carries: bool

    @property
    def has_key(self) -> bool:
        return bool(self.living)

    @property
    def current(self) -> int:
        """The number of the step that is next; 6 when all are done."""
        if self.packet is None:
            return 2 if self.has_key else 1
        if self.corrected_at is None:
            return 4
        return 6 if self.later else 5

    @property
    def waits(self) -> bool:
        """Whether the next thing to happen is a request of the agent."""
        return self.current in (2, 5)


def first_run_of(acting: Acting, *, now: datetime) -> FirstRun:
    """Read how far the project has come, as far as the actor may see. Writes nothing."""
    with project_scope(acting, read_only=True):
        keys = keys_of_project(now=now)
        said = _first_correction(acting)
        later, carries = _packet_after(acting, said) if said else (None, False)
        return FirstRun(
            agents=agents(),
            living=[fact for fact in keys if fact.state == KeyState.LIVE],
            roles=known_roles(),
            packet=_first_packet(acting),
            corrected_at=said["created_at"] if said else None,
            later=later,
            carries=carries,
        )


def _first_packet(acting: Acting) -> FirstPacket | None:
    rows = ContextPacket.objects.filter(project_id=acting.project_id, refused=False)
    row = rows.annotate(title=F("thread__title")).order_by("created_at", "id").values(*PACKET).first()
    return _packet(row) if row else None


def _first_correction(acting: Acting) -> Mapping[str, Any] | None:
    said = Event.objects.filter(project_id=acting.project_id, kind__in=STANDING, attested_by=AttestedBy.CONSOLE)
    return said.order_by("created_at", "id").values("session_id", "seq", "created_at", "session__thread_id").first()


def _packet_after(acting: Acting, said: Mapping[str, Any]) -> tuple[FirstPacket | None, bool]:
    """The first packet of the same thread after the correction, and whether the correction is among its items."""
    rows = ContextPacket.objects.filter(
        project_id=acting.project_id,
        thread_id=said["session__thread_id"],
        created_at__gt=said["created_at"],
        refused=False,
    ).annotate(title=F("thread__title"), layers=F("decisions__budget__layers"))
    row = rows.order_by("created_at", "id").values(*PACKET, "layers").first()
    if row is None:
        return None, False
    refs = {item[1] for layer in row["layers"] or () for item in layer["items"]}
    # Refs of the packet's own session are kept without the session.
    own = f"/{said['seq']}" if row["session_id"] == said["session_id"] else ""
    whole = f"event://{public_id('ses', said['session_id'])}/{said['seq']}"
    return _packet(row), bool(refs & {own, whole})


def _packet(row: Mapping[str, Any]) -> FirstPacket:
    return FirstPacket(
        packet_id=public_id("pkt", row["id"]),
        thread_id=public_id("thr", row["thread_id"]),
        title=row["title"],
        at=row["created_at"],
    )
