"""What the page of one packet shows, read in one snapshot as the account's actor. Writes nothing."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import JSONField, OuterRef, Subquery
from django.db.models.expressions import RawSQL
from django.utils.functional import Promise

from governance.actors import Acting
from governance.errors import Gone, NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.scope import project_scope
from governance.vocabulary import Audience, Phase, Risk
from sessions.context.cuts import cut_head
from sessions.context.vocabulary import Dialect, Layer
from sessions.models import ContextPacket, PacketOutcome
from sessions.packet_budget import BudgetLines, budget_lines
from sessions.packet_findings import (
    ActionRun,
    HitLine,
    ResolutionLines,
    WarningLine,
    action_runs,
    hit_lines,
    resolution_lines,
    warning_lines,
)
from sessions.packet_layers import ItemLine, LayerLine, Reader, by_ref, items_of, layer_lines, needed_lines
from sessions.packet_prompt import PromptLines, prompt_lines
from sessions.packet_refs import Namer
from sessions.packet_sentences import GONE, THRESHOLDS, missing_words
from sessions.packets import place_of
from sessions.replay import Recompiled, decisions_in, recompile
from sessions.vocabulary import Recovery, VerificationState

MOST_OUTCOMES = 5
HIT_TOKENS = 200  # of a passage that the search brought; its ref opens the whole
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


@dataclass(frozen=True, slots=True)
class ShortLine:
    """A layer whose required content did not fit, in tokens."""

    layer: Layer
    needed: int
    available: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeLine:
    """What was reported of a packet afterwards. `usage` are figures in the provider's own words."""

    at: datetime
    agent: str
    result: str
    verification: VerificationState
    usage: Sequence[tuple[str, Any]]
    cited: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuity:
    """How the session was picked up, what it knew of its own past, and whether a summary was due."""

    recovery: Recovery
    missing: Sequence[Promise | str]
    summary: Mapping[str, Any] | None
    summary_href: str
    threshold: Promise | str
    soft: int | None
    hard: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketPage:
    """Everything on the page. Without `prompt`, `closed` says why no text is shown; a refusal never had one."""

    head: Head
    shortfall: Sequence[ShortLine]
    budget: BudgetLines
    prompt: PromptLines | None
    closed: Promise | str
    resolution: ResolutionLines
    found: Mapping[str, Any]
    hits: Sequence[HitLine]
    continuity: Continuity
    actions: Sequence[ActionRun]
    warnings: Sequence[WarningLine]
    outcomes: Sequence[OutcomeLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A packet with what its row holds, and the compile done once more; `again` is None where `gone` says why."""

    packet: ContextPacket
    decisions: Mapping[str, Any]
    readable: Mapping[str, str]
    previous: uuid.UUID | None
    again: Recompiled | None
    gone: str


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
    try:
        again, gone = recompile(packet, decisions), ""
    except Gone as refusal:
        again, gone = None, refusal.code
    return Opened(
        packet=packet, decisions=decisions, readable=packet.readable, previous=packet.previous, again=again, gone=gone
    )


def packet_page(acting: Acting, packet_id: uuid.UUID) -> PacketPage:
    """Return the page of a packet; raises NotThere for one that is not here. The number of statements is fixed."""
    with project_scope(acting, read_only=True):
        opened = open_packet(packet_id)
        outcomes = list(
            PacketOutcome.objects.filter(packet_id=packet_id)
            .select_related("actor")
            .order_by("-created_at", "-id")[:MOST_OUTCOMES]
        )
    return _page(opened, outcomes)


def layer_part(acting: Acting, packet_id: uuid.UUID, layer: Layer, *, start: int) -> tuple[LayerLine, Head]:
    """Return one layer with its items and left-out items from `start` on; raises NotThere where there is none."""
    with project_scope(acting, read_only=True):
        opened = open_packet(packet_id)
    stored = next((one for one in opened.decisions["budget"]["layers"] if one["layer"] == layer), None)
    if stored is None:
        raise NotThere.there("{layer}")
    part = {**stored, "items": stored["items"][start:], "dropped": stored["dropped"][start:]}
    [line] = layer_lines({"budget": {"used": stored["used"], "layers": [part]}}, _reader(opened))
    return line, head_of(opened)


def why_lines(opened: Opened, stored: Sequence[Mapping[str, Any]]) -> Sequence[ItemLine]:
    """Return items of an explanation as lines."""
    return _reader(opened).lines(stored)


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


def _page(opened: Opened, outcomes: Sequence[PacketOutcome]) -> PacketPage:
    packet, decisions, again = opened.packet, opened.decisions, opened.again
    reader = _reader(opened)
    layers = _layers(opened, reader)
    return PacketPage(
        head=head_of(opened),
        shortfall=[ShortLine(Layer(one["layer"]), one["needed"], one["available"]) for one in _shortfall(packet)],
        budget=budget_lines(decisions["budget"], layers, limits=packet.receipt["limits"], refused=packet.refused),
        prompt=prompt_lines(again.compiled, again.prompt, reader) if again and again.prompt else None,
        closed=GONE.get(opened.gone, opened.gone),
        resolution=resolution_lines(decisions["resolution"], opened.readable),
        found=decisions["retrieval"],
        hits=hit_lines(packet.receipt, decisions, _hit_texts(again), reader.namer),
        continuity=_continuity(opened, reader.namer),
        actions=action_runs(packet.decisions["actions"], place_of(packet.session), reader.namer),
        warnings=warning_lines(decisions["warnings"]),
        outcomes=[_outcome(row) for row in outcomes],
    )


def _reader(opened: Opened) -> Reader:
    return Reader(Namer.of(opened.packet), by_ref(items_of(opened.again)))


def _layers(opened: Opened, reader: Reader) -> Sequence[LayerLine]:
    if not opened.packet.refused:
        return layer_lines(opened.decisions, reader)
    return needed_lines(opened.again, list(reader.texts.values()), reader) if opened.again else ()


def _shortfall(packet: ContextPacket) -> Sequence[Mapping[str, Any]]:
    stored: Sequence[Mapping[str, Any]] = packet.decisions.get("shortfall", ())
    return stored


def _hit_texts(again: Recompiled | None) -> Mapping[str, str] | None:
    return None if again is None else {hit.ref: cut_head(hit.content, HIT_TOKENS) for hit in again.material.hits}


def _continuity(opened: Opened, namer: Namer) -> Continuity:
    decisions, again = opened.decisions, opened.again
    session, summary = decisions["session"], decisions["summary"]
    thresholds = again.budget.thresholds if again else None
    cap = decisions["budget"]["input_cap"]
    threshold = decisions["consolidation"]["threshold"]
    return Continuity(
        recovery=Recovery(session["recovery"]),
        missing=missing_words(session["missing"]),
        summary=summary,
        summary_href=namer.source(f"summary://{summary['id']}@{summary['version']}").href if summary else "",
        threshold=THRESHOLDS.get(threshold, threshold),
        soft=cap * thresholds.soft // 10_000 if thresholds else None,
        hard=cap * thresholds.hard // 10_000 if thresholds else None,
    )


def _outcome(row: PacketOutcome) -> OutcomeLine:
    usage = [(made_visible(str(name)), value) for name, value in row.usage.items() if isinstance(value, int | float)]
    return OutcomeLine(
        at=row.created_at,
        agent=made_visible(row.actor.name),
        result=made_visible(row.result),
        verification=VerificationState(row.verification),
        usage=usage,
        cited=len(row.cited_refs),
    )
