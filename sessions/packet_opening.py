"""A packet looked at: its row, what its agent was told, and the compile done once more for this reader."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import JSONField, OuterRef, Subquery
from django.db.models.expressions import RawSQL

from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.vocabulary import Audience, Phase, Risk
from sessions.context.vocabulary import Dialect
from sessions.models import ContextPacket
from sessions.packet_layers import Reader, by_ref, items_of
from sessions.packet_losses import Lost
from sessions.packet_refs import Namer
from sessions.replay import Lacking, Recompiled, Replayed, decisions_in, recompile, verdict_on

# Threads that the resolver looked at are named to those who may read them, and the row knows only their ids: the
# titles come with the packet, because row-level security decides inside the subselect as it does outside.
READABLE = """(SELECT coalesce(jsonb_object_agg('thr_' || replace(t.id::text, '-', ''), t.title), '{}')
FROM jsonb_array_elements(agent_sessions_contextpacket.decisions -> 'resolution' -> 'candidates') AS c
JOIN threads_thread t ON t.id = replace(c ->> 'thread_id', 'thr_', '')::uuid)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a packet was: whose, for what, in which window, and when. `previous` is the session's packet before it."""

    id: str
    at: datetime
    agent: str
    role: str
    thread_id: str
    thread: str
    private: bool
    session_id: str
    attempt: int
    attempt_id: str
    provider_session: str
    phase: Phase
    risk: Risk
    dialect: Dialect
    trace: str
    hash: str
    refused: bool
    previous: str

    @property
    def language(self) -> str:
        return language_of(self.thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A packet with what its row holds, and the compile done once more.

    `again` is None where `lacking` says why: `gone` is its code, and `lost` are the parts that are not what they were.
    """

    packet: ContextPacket
    decisions: Mapping[str, Any]
    readable: Mapping[str, str]
    previous: uuid.UUID | None
    again: Recompiled | None = None
    lacking: Lacking | None = None

    @property
    def gone(self) -> str:
        return self.lacking.code if self.lacking else ""

    @property
    def lost(self) -> tuple[Lost, ...]:
        return self.lacking.lost if self.lacking else ()

    @property
    def replayed(self) -> Replayed:
        """What a replay of it comes to: it has been compiled once more already."""
        again = self.again or self.lacking
        if again is None:
            raise ValueError("a packet that has not been compiled once more")
        return verdict_on(self.packet, again)


def open_packet(packet_id: uuid.UUID) -> Opened:
    """Read a packet in the open scope and compile it again; raises NotThere for one that is not here."""
    before = ContextPacket.objects.filter(session=OuterRef("session"), created_at__lt=OuterRef("created_at"))
    previous = Subquery(before.order_by("-created_at", "-id").values("id")[:1])
    readable = RawSQL(READABLE, (), output_field=JSONField())  # noqa: S611 - a literal of ours
    rows = ContextPacket.objects.annotate(previous=previous, readable=readable)
    rows = rows.select_related("thread", "session", "attempt__provider_session", "actor")
    packet = rows.filter(pk=packet_id).first()
    if packet is None:
        raise NotThere.there("{packet_id}")
    decisions = decisions_in(packet)
    opened = Opened(packet=packet, decisions=decisions, readable=packet.readable, previous=packet.previous)
    try:
        return replace(opened, again=recompile(packet, decisions))
    except Lacking as lacking:
        return replace(opened, lacking=lacking)


def head_of(opened: Opened) -> Head:
    """Return what a packet was."""
    packet, decisions = opened.packet, opened.decisions
    provider = packet.attempt.provider_session
    return Head(
        id=packet.public_id,
        at=packet.created_at,
        agent=made_visible(packet.actor.name),
        role=made_visible(packet.role),
        thread_id=packet.thread.public_id,
        thread=made_visible(packet.thread.title),
        private=packet.audience == Audience.PRIVATE,
        session_id=packet.session.public_id,
        attempt=packet.attempt.number,
        attempt_id=packet.attempt.public_id,
        provider_session=made_visible(f"{provider.harness} · {provider.external_id}") if provider else "",
        phase=Phase(decisions["phase"]),
        risk=Risk(decisions["risk"]),
        dialect=Dialect(packet.dialect),
        trace=packet.trace,
        hash=packet.packet_hash,
        refused=packet.refused,
        previous=public_id("pkt", opened.previous) if opened.previous else "",
    )


def reader_of(opened: Opened) -> Reader:
    """Return what names the items of a packet, with their texts where these are open to the reader."""
    return Reader(Namer.of(opened.packet), by_ref(items_of(opened.again)))
