"""What the playground shows of a compile that was tried out: the page of a packet that nobody recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from governance.actors import Acting
from governance.agents import known_roles
from governance.invisible import made_visible
from governance.models import Contract
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Phase
from sessions.gathering import REVISIONS
from sessions.models import BudgetProfile
from sessions.packet_budget import BudgetLines, budget_lines
from sessions.packet_compare import Comparison, Side, comparison
from sessions.packet_findings import WarningLine, warning_lines
from sessions.packet_layers import Reader, by_ref, items_of, layer_lines, needed_lines
from sessions.packet_prompt import PromptLines, prompt_lines
from sessions.packet_reading import ShortLine
from sessions.packet_refs import Namer
from sessions.packets import PacketDraft, ordered, shortfall_out
from sessions.playground import last_packet
from sessions.playground_forms import Offered
from sessions.replay import Recompiled
from threads.models import Thread
from threads.vocabulary import ThreadState

MOST_THREADS = 100  # that the form offers, the latest first


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedLines:
    """One compile that was tried out. `thread` is what it was found to belong to, '' for one that would be new."""

    phase: Phase
    thread: str
    thread_id: str
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


def offered(acting: Acting) -> Offered:
    """Return what the form may choose from, as far as the actor may see it."""
    with project_scope(acting, read_only=True):
        rows = Thread.objects.filter(state=ThreadState.OPEN).order_by("-last_active_at", "-id")[:MOST_THREADS]
        threads = [(row.public_id, made_visible(row.title)) for row in rows]
        own = Contract.objects.filter(kind=ContractKind.BUDGET_PROFILE).values_list("slug", flat=True)
        profiles = {*own, *BudgetProfile.objects.values_list("slug", flat=True)}
        return Offered(threads, known_roles(), sorted(profiles))


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
        refused=draft.refused,
        shortfall=ShortLine.of(shortfall_out(draft.compiled)),
        budget=budget_lines(decisions["budget"], layers, limits=limits, refused=draft.refused),
        prompt=prompt_lines(draft.compiled, draft.prompt, reader) if draft.prompt else None,
        warnings=warning_lines(decisions["warnings"]),
        hash=draft.packet_hash,
    )


def _side(draft: PacketDraft) -> Side:
    return Side(
        packet="",
        at=draft.thread.created_at,
        thread=made_visible(draft.thread.title),
        role=made_visible(draft.opening.session.role),
        refused=draft.refused,
        decisions=ordered(draft.decisions),
        contracts=_contracts(draft),
    )


def _contracts(draft: PacketDraft) -> Mapping[str, str]:
    """Return which contract a revision's ref is of."""
    facts = {kind: getattr(draft.gathered.material, kind) for kind in REVISIONS}
    return {fact.ref: kind for kind, fact in facts.items() if fact is not None}
