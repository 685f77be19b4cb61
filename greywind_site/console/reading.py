"""What a project's page shows, read in one snapshot as the account's actor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from governance.actors import Acting
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.scope import project_scope
from governance.vocabulary import Audience
from greywind_site.console.attention import Attention, attention_of
from greywind_site.console.crew import SeenAgent, last_seen
from sessions.context.vocabulary import CountMethod, Layer
from sessions.gauge import Gauged
from sessions.models import ContextPacket, Session
from threads.models import Thread
from threads.vocabulary import ThreadState, ThreadType

MOST_THREADS, MOST_PACKETS = 50, 20


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """One open thread."""

    thread_id: str
    title: str
    type: ThreadType
    private: bool
    last_active_at: datetime
    sessions: int

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketLine(Gauged):
    """One compiled or refused context. `used` and `cap` are tokens; `method` is None where it was not stored."""

    packet_id: str
    at: datetime
    thread: str
    thread_id: str
    role: str
    used: int
    cap: int
    method: CountMethod | None
    refused: bool
    shortfall: tuple["Missing", ...] = ()

    @property
    def language(self) -> str:
        return language_of(self.thread)

    @property
    def figures(self) -> str:
        """Used and cap; nobody knows what a refused one would have used."""
        return f"{'—' if self.refused else f'{self.used:,}'} / {self.cap:,}"


@dataclass(frozen=True, slots=True)
class Missing:
    """A layer whose required content did not fit, in tokens."""

    layer: Layer
    needed: int
    available: int

    @property
    def needed_text(self) -> str:
        return f"{self.needed:,}"

    @property
    def available_text(self) -> str:
        return f"{self.available:,}"


@dataclass(frozen=True, slots=True)
class Overview:
    """The lists of a project's page, newest first. `more_threads` says that the list was cut."""

    threads: Sequence[ThreadLine]
    more_threads: bool
    packets: Sequence[PacketLine]
    attention: Attention
    seen: Sequence[SeenAgent]


def overview_of(acting: Acting, *, now: datetime) -> Overview:
    """Read what waits, open threads, the last packets and who was at work, as far as the actor may see.

    Writes nothing, the ledger included.
    """
    with project_scope(acting, read_only=True):
        threads = _open_threads(acting, most=MOST_THREADS + 1)
        packets = _last_packets(acting, most=MOST_PACKETS)
        more = len(threads) > MOST_THREADS
        return Overview(threads[:MOST_THREADS], more, packets, attention_of(acting, now=now), last_seen(acting))


def _open_threads(acting: Acting, *, most: int) -> list[ThreadLine]:
    counted = Session.objects.filter(project_id=acting.project_id, thread=OuterRef("pk")).order_by()
    number = counted.values("thread").annotate(number=Count("pk")).values("number")
    rows = (
        Thread.objects.filter(project_id=acting.project_id, state=ThreadState.OPEN)
        .annotate(sessions=Coalesce(Subquery(number, output_field=IntegerField()), 0))
        .order_by("-last_active_at", "-id")
        .values("id", "title", "type", "audience", "last_active_at", "sessions")
    )
    return [_thread_line(row) for row in rows[:most]]


def _last_packets(acting: Acting, *, most: int) -> list[PacketLine]:
    # Of the decisions only these two: the whole is large, and it is not shown here.
    rows = (
        ContextPacket.objects.filter(project_id=acting.project_id)
        .annotate(title=F("thread__title"), method=KT("decisions__budget__method"), shortfall=F("decisions__shortfall"))
        .order_by("-created_at", "-id")
        .values("id", "thread_id", "created_at", "title", "role", "used", "input_cap", "refused", "method", "shortfall")
    )
    return [_packet_line(row) for row in rows[:most]]


def _thread_line(row: Mapping[str, Any]) -> ThreadLine:
    private = row["audience"] == Audience.PRIVATE
    name = public_id("thr", row["id"])
    return ThreadLine(name, row["title"], ThreadType(row["type"]), private, row["last_active_at"], row["sessions"])


def _packet_line(row: Mapping[str, Any]) -> PacketLine:
    return PacketLine(
        packet_id=public_id("pkt", row["id"]),
        at=row["created_at"],
        thread=made_visible(row["title"]),
        thread_id=public_id("thr", row["thread_id"]),
        role=row["role"],
        used=row["used"],
        cap=row["input_cap"],
        method=CountMethod(row["method"]) if row["method"] else None,
        refused=row["refused"],
        shortfall=tuple(_missing(one) for one in row["shortfall"] or ()),
    )


def _missing(stored: Mapping[str, Any]) -> Missing:
    return Missing(Layer(stored["layer"]), stored["needed"], stored["available"])
