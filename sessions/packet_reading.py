"""What the page of one packet shows, read in one snapshot as the account's actor. Writes nothing."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from governance.actors import Acting
from governance.errors import NotThere
from governance.invisible import made_visible
from governance.scope import project_scope
from sessions.context.cuts import cut_head, one_line
from sessions.context.profiles import WHOLE
from sessions.context.vocabulary import Layer, Threshold, Trigger
from sessions.models import PacketOutcome
from sessions.outcomes import MOST_FIGURES
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
from sessions.packet_layers import LayerLine, Reader, layer_lines, needed_lines
from sessions.packet_memories import MemoryLine, memory_lines
from sessions.packet_opening import Head, Opened, head_of, open_packet, reader_of
from sessions.packet_prompt import PromptLines, prompt_lines
from sessions.packet_refs import Namer
from sessions.packet_sentences import GONE, missing_words
from sessions.packet_why import LossLine, ShortLine, loss_lines
from sessions.packet_words import word_of
from sessions.packets import place_of
from sessions.replay import Recompiled
from sessions.vocabulary import Recovery, VerificationState

MOST_OUTCOMES = 5
NAME_TOKENS = 24  # of a figure's name, which is the provider's own word
HIT_TOKENS = 200  # of a passage that the search brought; its ref opens the whole


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
    trigger: Promise | str
    queued: bool
    soft: int | None
    hard: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketPage:
    """Everything on the page. Without `prompt`, `closed` says why no text is shown, and `lost` which parts are gone.

    A refusal never had a prompt.
    """

    head: Head
    shortfall: Sequence[ShortLine]
    budget: BudgetLines
    prompt: PromptLines | None
    closed: Promise | str
    lost: Sequence[LossLine]
    resolution: ResolutionLines
    found: Mapping[str, Any]
    hits: Sequence[HitLine]
    continuity: Continuity
    actions: Sequence[ActionRun]
    warnings: Sequence[WarningLine]
    outcomes: Sequence[OutcomeLine]


def packet_page(acting: Acting, packet_id: uuid.UUID) -> PacketPage:
    """Return the page of a packet; raises NotThere for one that is not here. The number of statements is fixed."""
    with project_scope(acting, read_only=True):
        opened = open_packet(packet_id)
        outcomes = list(
            PacketOutcome.objects.filter(packet_id=packet_id)
            .select_related("actor")
            .order_by("-created_at", "-id")[:MOST_OUTCOMES]
        )
        memories = memory_lines(packet_id, [hit["ref"] for hit in opened.packet.receipt["hits"]])
    return _page(opened, outcomes, memories)


def layer_part(acting: Acting, packet_id: uuid.UUID, layer: Layer, *, start: int) -> tuple[LayerLine, Head]:
    """Return one layer with its items and left-out items from `start` on; raises NotThere where there is none."""
    with project_scope(acting, read_only=True):
        opened = open_packet(packet_id)
    stored = next((one for one in opened.decisions["budget"]["layers"] if one["layer"] == layer), None)
    if stored is None:
        raise NotThere.there("{layer}")
    part = {**stored, "items": stored["items"][start:], "dropped": stored["dropped"][start:]}
    [line] = layer_lines({"budget": {"used": stored["used"], "layers": [part]}}, reader_of(opened))
    return line, head_of(opened)


def _page(opened: Opened, outcomes: Sequence[PacketOutcome], memories: Mapping[str, MemoryLine]) -> PacketPage:
    packet, decisions, again = opened.packet, opened.decisions, opened.again
    reader = reader_of(opened)
    layers = _layers(opened, reader)
    return PacketPage(
        head=head_of(opened),
        shortfall=ShortLine.of(packet.decisions.get("shortfall")),
        budget=budget_lines(decisions["budget"], layers, limits=packet.receipt["limits"], refused=packet.refused),
        prompt=prompt_lines(again.compiled, again.prompt, reader) if again and again.prompt else None,
        closed=GONE.get(opened.gone, opened.gone),
        lost=loss_lines(opened.lost, reader.namer),
        resolution=resolution_lines(decisions["resolution"], opened.readable),
        found=decisions["retrieval"],
        hits=hit_lines(packet.receipt, decisions, _hit_texts(again), reader.namer, memories=memories),
        continuity=_continuity(opened, reader.namer),
        actions=action_runs(packet.decisions["actions"], place_of(packet.session), reader.namer),
        warnings=warning_lines(decisions["warnings"]),
        outcomes=[_outcome(row) for row in outcomes],
    )


def _layers(opened: Opened, reader: Reader) -> Sequence[LayerLine]:
    if not opened.packet.refused:
        return layer_lines(opened.decisions, reader)
    return needed_lines(opened.again, list(reader.texts.values()), reader) if opened.again else ()


def _hit_texts(again: Recompiled | None) -> Mapping[str, str] | None:
    return None if again is None else {hit.ref: cut_head(hit.content, HIT_TOKENS) for hit in again.material.hits}


def _continuity(opened: Opened, namer: Namer) -> Continuity:
    decisions, again = opened.decisions, opened.again
    session, summary = decisions["session"], decisions["summary"]
    thresholds = again.budget.thresholds if again else None
    cap = decisions["budget"]["input_cap"]
    asked = decisions["consolidation"]
    return Continuity(
        recovery=Recovery(session["recovery"]),
        missing=missing_words(session["missing"]),
        summary=summary,
        summary_href=namer.source(f"summary://{summary['id']}@{summary['version']}").href if summary else "",
        threshold=word_of(Threshold, asked["threshold"]),
        trigger=word_of(Trigger, asked["trigger"]) if asked["trigger"] else "",
        queued=asked["queued"],
        soft=cap * thresholds.soft // WHOLE if thresholds else None,
        hard=cap * thresholds.hard // WHOLE if thresholds else None,
    )


def _outcome(row: PacketOutcome) -> OutcomeLine:
    figures = [(name, value) for name, value in row.usage.items() if isinstance(value, int | float)]
    usage = [(made_visible(one_line(name, NAME_TOKENS)), value) for name, value in figures[:MOST_FIGURES]]
    return OutcomeLine(
        at=row.created_at,
        agent=made_visible(row.actor.name),
        result=made_visible(row.result),
        verification=VerificationState(row.verification),
        usage=usage,
        cited=len(row.cited_refs),
    )
