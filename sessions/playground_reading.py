"""What the playground shows of a compile that was tried out: the page of a packet that nobody recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.actors import Acting
from governance.invisible import made_visible
from governance.vocabulary import Phase
from sessions.packet_budget import BudgetLines, budget_lines
from sessions.packet_compare import Comparison, Side, comparison, told_in
from sessions.packet_findings import WarningLine, warning_lines
from sessions.packet_layers import Reader, by_ref, items_of, layer_lines, needed_lines
from sessions.packet_prompt import PromptLines, prompt_lines
from sessions.packet_refs import Namer
from sessions.packet_why import ShortLine
from sessions.packets import PacketDraft, ordered, receipt_for, shortfall_out
from sessions.playground import last_packet
from sessions.replay import Recompiled


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedLines:
    """One compile that was tried out. `thread_id` is what it was found to belong to, '' for one that would be new.

    `task` is the title of the one in hand, '' for none.
    """

    phase: Phase
    thread: str
    thread_id: str
    task: str
    refused: bool
    shortfall: Sequence[ShortLine]
    budget: BudgetLines
    prompt: PromptLines | None
    warnings: Sequence[WarningLine]
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The answer: each compile, and beside each other all of them, or the one and the last real packet."""

    runs: Sequence[TriedLines]
    beside: Comparison | None
    profile: str


def tried(acting: Acting, drafts: Sequence[PacketDraft]) -> Tried:
    """Return what is shown of compiles that were tried out."""
    sides = [_side(draft) for draft in drafts]
    last = last_packet(acting, drafts[0]) if len(drafts) == 1 else None
    beside = [Side.of(last), *sides] if last else sides
    return Tried(
        runs=[_lines(draft, side) for draft, side in zip(drafts, sides, strict=True)],
        beside=comparison(beside, project_id=acting.project_id) if len(beside) > 1 else None,
        profile=drafts[0].chosen.slug,
    )


def _lines(draft: PacketDraft, side: Side) -> TriedLines:
    decisions = side.decisions
    again = Recompiled(
        material=draft.gathered.material,
        budget=draft.budget,
        profile=draft.chosen.profile,
        compiled=draft.compiled,
        prompt=draft.prompt,
    )
    items = items_of(again)
    reader = Reader(Namer.naming(draft.thread.project_id, side.contracts), by_ref(items))
    layers = needed_lines(again, items, reader) if draft.refused else layer_lines(decisions, reader)
    limits = [(limit.origin.value, limit.tokens) for limit in draft.limits]
    return TriedLines(
        phase=draft.gathered.material.phase,
        thread=made_visible(draft.thread.title),
        thread_id=draft.thread.public_id if draft.resolution.thread else "",
        task=made_visible(draft.gathered.task.title) if draft.gathered.task else "",
        refused=draft.refused,
        shortfall=ShortLine.of(shortfall_out(draft.compiled)),
        budget=budget_lines(decisions["budget"], layers, limits=limits, refused=draft.refused),
        prompt=prompt_lines(draft.compiled, draft.prompt, reader) if draft.prompt else None,
        warnings=warning_lines(decisions["warnings"]),
        hash=draft.packet_hash,
    )


def _side(draft: PacketDraft) -> Side:
    return Side(
        **told_in(receipt_for(draft)),
        packet="",
        at=draft.thread.created_at,
        thread=made_visible(draft.thread.title),
        role=made_visible(draft.opening.session.role),
        refused=draft.refused,
        decisions=ordered(draft.decisions),
    )
