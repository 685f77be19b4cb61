"""The compiler: material and budget in, a packet with an account of every token out. A pure function.

admit (may it enter) → rank (must, should by priority, may by value) → fit (caps and counts) → order (by section).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from governance.errors import Shortfall
from sessions.context.admission import for_readers, why_not
from sessions.context.budget import Budget
from sessions.context.compaction import beginning_of, settle
from sessions.context.fitting import Dropped, Fitting, Steps, Tray, shortfalls
from sessions.context.held import held_among
from sessions.context.items import HEADINGS, Item, Pen
from sessions.context.material import Beginning, Material
from sessions.context.pressure import Pressure, pressure_of
from sessions.context.reports import WORDS, LayerReport, layer_reports
from sessions.context.session_items import earlier_items
from sessions.context.slots import fill_packet, render_items
from sessions.context.tokens import Counter
from sessions.context.vocabulary import (
    ActionKind,
    ActionReason,
    CountMethod,
    DropReason,
    Fidelity,
    Section,
    Step,
)

type Action = dict[str, str]
type Warnings = tuple[dict[str, str], ...]

NO_VISION = (
    "No vision is recorded for this thread: ordinary dialogue. /context keeps no words of the turn: the first request "
    "posted to /sessions/{id}/events with attested: true, if it is no command and no small talk, becomes the vision; "
    "PUT /threads/{id}/vision, a task's brief or a maintainer in the console writes one as well."
)
REASONS: Mapping[DropReason, ActionReason] = {
    DropReason.INPUT_CAP: ActionReason.TOKEN_BUDGET,
    DropReason.LAYER_CAP: ActionReason.TOKEN_BUDGET,
    DropReason.COUNT_LIMIT: ActionReason.TOKEN_BUDGET,
    DropReason.AUDIENCE: ActionReason.NOT_ELIGIBLE,
    DropReason.SENSITIVITY: ActionReason.RISK_GATE,
    DropReason.KNOWLEDGE_STATUS: ActionReason.RISK_GATE,
    DropReason.PHASE: ActionReason.PHASE,
    DropReason.PLAN_STEP: ActionReason.PLAN_STEP_CHANGE,
    DropReason.COMPACTION: ActionReason.TOKEN_BUDGET,
    DropReason.DUPLICATE: ActionReason.DUPLICATE,
    DropReason.STALE: ActionReason.STALE,
}


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A heading (empty for some sections) and the items under it, in order; `tokens` are of all its text."""

    section: Section
    heading: str
    items: tuple[Item, ...]
    tokens: int

    @property
    def text(self) -> str:
        return self.heading + "".join([item.text for item in self.items])


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """The result of a compile. With `shortfalls` it is a refusal: `packet` is None and there are no sections.

    `used` is the count of the prompt's text, exact when `method` is; the layers' `used` add up to it. `pressure` says
    how near the session is to its budget, `beginning` from where on its dialogue is in; both None of a refusal.
    """

    packet: dict[str, Any] | None
    sections: tuple[PromptSection, ...]
    layers: tuple[LayerReport, ...]
    shortfalls: tuple[Shortfall, ...]
    actions: tuple[Action, ...]
    warnings: Warnings
    used: int
    method: CountMethod
    held: tuple[Item, ...] = ()
    pressure: Pressure | None = None
    beginning: Beginning | None = None


def compile_packet(material: Material, budget: Budget, *, counter: Counter) -> Compiled:
    """Return the packet that `material` gives within `budget`, or a refusal naming the layers that fall short.

    The same arguments give the same result, byte for byte. `counter` must count in the budget's encoding.
    """
    material = for_readers(material)
    pen = Pen(counter, budget)
    tray = Tray(budget, counter)
    admissible, dropped = _admit(render_items(material, pen), material, budget, tray)
    if short := shortfalls(tray):
        return _refused(short, method=counter.method, warnings=_warnings(material, ()))
    pressure = pressure_of(material, budget, tray, admissible)
    if pressure.tight:
        tray.limits["memories"] = budget.counts.memories_min
    settled = settle(admissible, material, tray=tray, budget=budget)
    dropped += [Dropped(item, DropReason.COMPACTION, Steps(item, pen).least.tokens) for item in settled.before]
    offered = [*settled.since(admissible), *earlier_items(material, pen, settled.beginning)]
    fitting = Fitting(tray, offered, budget=budget, pen=pen)
    dropped += fitting.run(at_best=Step.EXCERPT if pressure.tight else Step.FULL)
    beginning = settled.beginning or beginning_of(tray.chosen, admissible, material)
    held = held_among(tray.chosen.values(), material.held)
    if held:
        tray.give_back(held)
    made = _compiled(material, budget, tray=tray, dropped=dropped, held=held)
    return replace(made, pressure=pressure, beginning=beginning)


def _admit(items: Iterable[Item], material: Material, budget: Budget, tray: Tray) -> tuple[list[Item], list[Dropped]]:
    """Put must items on the tray, and return the others that may enter, and those that may not with the reason."""
    admissible: list[Item] = []
    dropped: list[Dropped] = []
    for item in items:
        if item.fidelity is Fidelity.MUST:
            tray.put(item)
        elif reason := why_not(item, material.eligibility, budget):
            dropped.append(Dropped(item, reason, item.tokens))
        else:
            admissible.append(item)
    return admissible, dropped


def _refused(short: tuple[Shortfall, ...], *, method: CountMethod, warnings: Warnings) -> Compiled:
    return Compiled(
        packet=None,
        sections=(),
        layers=(),
        shortfalls=short,
        actions=(),
        warnings=warnings,
        used=0,
        method=method,
    )


def _compiled(
    material: Material,
    budget: Budget,
    *,
    tray: Tray,
    dropped: list[Dropped],
    held: list[Item],
) -> Compiled:
    sections = _sections(tray)
    ordered = [item for section in sections for item in section.items]
    return Compiled(
        packet=fill_packet(material, ordered),
        sections=sections,
        layers=layer_reports(budget, tray, ordered, dropped=dropped, held=held),
        shortfalls=(),
        actions=(*_actions(material, ordered, dropped), *_held_actions(material, ordered, held)),
        warnings=_warnings(material, [*ordered, *held]),
        used=tray.used,
        method=tray.method,
        held=tuple(held),
    )


def _sections(tray: Tray) -> tuple[PromptSection, ...]:
    by_section: dict[Section, list[Item]] = {}
    for item in tray.chosen.values():
        by_section.setdefault(item.section, []).append(item)
    return tuple(
        _section(section, by_section[section], heading=tray.headings[section])
        for section in Section
        if section in by_section
    )


def _section(section: Section, items: list[Item], *, heading: int) -> PromptSection:
    items.sort(key=lambda item: item.order)
    tokens = heading + sum([item.tokens for item in items])
    return PromptSection(section, HEADINGS[section], tuple(items), tokens)


def _actions(material: Material, ordered: Sequence[Item], dropped: Sequence[Dropped]) -> Iterable[Action]:
    """Say what was done to which source: one load a source or run of events, one compress or evict an item."""
    for source in _loaded(material, dict.fromkeys([item.source for item in ordered])):
        yield _action(material, ActionKind.LOAD, source, ActionReason.PHASE)
    for item in ordered:
        if item.step is not Step.FULL:
            yield _action(material, ActionKind.COMPRESS, item.ref, ActionReason.TOKEN_BUDGET)
    for item, reason, _ in dropped:
        yield _action(material, ActionKind.EVICT, item.ref, REASONS[reason])


def _held_actions(material: Material, ordered: Sequence[Item], held: Sequence[Item]) -> Iterable[Action]:
    """Say what the caller holds already, and what it holds in another wording than today's."""
    for source in dict.fromkeys([item.source for item in held]):
        yield _action(material, ActionKind.CACHE_HIT, source, ActionReason.DUPLICATE)
    delivered = material.held.delivered if material.held else {}
    for item in ordered:
        if item.ref in delivered and item.fidelity is not Fidelity.MUST:
            yield _action(material, ActionKind.CACHE_MISS, item.ref, ActionReason.STALE)


def _loaded(material: Material, sources: Mapping[str, None]) -> Iterable[str]:
    """Name the sources, neighbouring events as one span: hundreds of lines would say no more than its two ends."""
    events = {event.ref: event.seq for event in material.events if event.ref in sources}
    yield from [source for source in sources if source not in events]
    for span in _neighbours(list(events.items())):
        (first, _), (_, high) = span[0], span[-1]
        yield first if len(span) == 1 else f"{first}-{high}"


def _neighbours(events: Sequence[tuple[str, int]]) -> Iterable[list[tuple[str, int]]]:
    for _, run in groupby(enumerate(events), key=lambda place: place[1][1] - place[0]):
        yield [event for _, event in run]


def _action(material: Material, kind: ActionKind, target: str, reason: ActionReason, /) -> Action:
    return {
        "ts": material.now,
        "action": WORDS[kind],
        "target": target,
        "reason": WORDS[reason],
        "trace_ref": material.trace_id,
    }


def _warnings(material: Material, ordered: Sequence[Item]) -> Warnings:
    found = [{"code": text.partition(":")[0], "message": text} for text in material.warnings]
    if material.vision is None:
        found.append({"code": "no_vision", "message": NO_VISION})
    if material.handoff is None:
        found.append({"code": "no_handoff", "message": "There is no handoff for this session; the slot was skipped."})
    if not any(item.section is Section.MEMORIES for item in ordered):
        message = "Nothing retrieved may enter or fits: the session stands alone."
        found.append({"code": "nothing_retrieved", "message": message})
    return tuple(found)
