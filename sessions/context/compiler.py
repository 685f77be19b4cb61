"""The compiler: material and budget in, a packet with an account of every token out. A pure function.

admit (may it enter) → rank (must, should by priority, may by value) → fit (caps and counts) → order (by section).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from governance.errors import Shortfall
from sessions.context.admission import why_not
from sessions.context.budget import Budget, LayerBudget
from sessions.context.fitting import Tray, fit, shortfalls
from sessions.context.items import HEADINGS, Item, Pen
from sessions.context.material import Material
from sessions.context.slots import fill_packet, render_items
from sessions.context.tokens import Counter
from sessions.context.vocabulary import (
    ActionKind,
    ActionReason,
    CountMethod,
    DropReason,
    Fidelity,
    Layer,
    LimitOrigin,
    Section,
)

type Action = dict[str, str]
type Warnings = tuple[dict[str, str], ...]

REASONS: Mapping[DropReason, ActionReason] = {
    DropReason.INPUT_CAP: ActionReason.TOKEN_BUDGET,
    DropReason.LAYER_CAP: ActionReason.TOKEN_BUDGET,
    DropReason.COUNT_LIMIT: ActionReason.TOKEN_BUDGET,
    DropReason.AUDIENCE: ActionReason.NOT_ELIGIBLE,
    DropReason.SENSITIVITY: ActionReason.RISK_GATE,
    DropReason.KNOWLEDGE_STATUS: ActionReason.RISK_GATE,
    DropReason.PHASE: ActionReason.PHASE,
    DropReason.DUPLICATE: ActionReason.DUPLICATE,
    DropReason.STALE: ActionReason.STALE,
}


WORDS: Mapping[StrEnum, str] = {
    word: word.value for words in (Fidelity, DropReason, ActionKind, ActionReason) for word in words
}
"""Plain texts of the words in reports: reading `.value` a thousand times a compile is what shows in a profile."""


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
class LayerReport:
    """What a layer was given and what became of its items. `used` is the items' tokens and `headings`."""

    layer: Layer
    floor: int
    cap: int
    used: int
    headings: int
    origin: LimitOrigin
    items: tuple[dict[str, Any], ...]
    dropped: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the report as the answer shows it."""
        return {
            "layer": self.layer.value,
            "floor": self.floor,
            "cap": self.cap,
            "used": self.used,
            "headings": self.headings,
            "origin": self.origin.value,
            "items": list(self.items),
            "dropped": list(self.dropped),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """The result of a compile. With `shortfalls` it is a refusal: `packet` is None and there are no sections.

    `used` is the count of the prompt's text, exact when `method` is; the layers' `used` add up to it.
    """

    packet: dict[str, Any] | None
    sections: tuple[PromptSection, ...]
    layers: tuple[LayerReport, ...]
    shortfalls: tuple[Shortfall, ...]
    actions: tuple[Action, ...]
    warnings: Warnings
    used: int
    method: CountMethod


def compile_packet(material: Material, budget: Budget, *, counter: Counter) -> Compiled:
    """Return the packet that `material` gives within `budget`, or a refusal naming the layers that fall short.

    The same arguments give the same result, byte for byte. `counter` must count in the budget's encoding.
    """
    items = render_items(material, Pen(counter, budget))
    tray = Tray(budget, counter.count)
    dropped: list[tuple[Item, DropReason]] = []
    admissible: list[Item] = []
    for item in items:
        if item.fidelity is Fidelity.MUST:
            tray.put(item)
        elif reason := why_not(item, material.eligibility, budget):
            dropped.append((item, reason))
        else:
            admissible.append(item)
    if short := shortfalls(tray):
        return _refused(short, method=counter.method, warnings=_warnings(material, ()))
    left = fit(tray, admissible, floors={layer: figures.floor for layer, figures in budget.layers.items()})
    dropped += [(item, tray.obstacle(item) or DropReason.INPUT_CAP) for item in left]
    return _compiled(material, budget, tray=tray, dropped=dropped, method=counter.method)


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
    material: Material, budget: Budget, *, tray: Tray, dropped: list[tuple[Item, DropReason]], method: CountMethod
) -> Compiled:
    sections = _sections(tray)
    ordered = [item for section in sections for item in section.items]
    return Compiled(
        packet=fill_packet(material, ordered),
        sections=sections,
        layers=_reports(budget, tray, ordered=ordered, dropped=dropped),
        shortfalls=(),
        actions=tuple(_actions(material, ordered, dropped)),
        warnings=_warnings(material, ordered),
        used=tray.used,
        method=method,
    )


def _sections(tray: Tray) -> tuple[PromptSection, ...]:
    by_section: dict[Section, list[Item]] = {}
    for item in tray.chosen:
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


def _reports(
    budget: Budget, tray: Tray, *, ordered: Sequence[Item], dropped: Sequence[tuple[Item, DropReason]]
) -> tuple[LayerReport, ...]:
    items: dict[Layer, list[dict[str, Any]]] = {layer: [] for layer in Layer}
    left: dict[Layer, list[dict[str, Any]]] = {layer: [] for layer in Layer}
    for item in ordered:
        items[item.layer].append({"ref": item.ref, "fidelity": WORDS[item.fidelity], "tokens": item.tokens})
    for item, reason in dropped:
        left[item.layer].append({"ref": item.ref, "tokens": item.tokens, "reason": WORDS[reason]})
    return tuple(
        _report(layer, budget.layers[layer], used=tray.layers[layer], items=items[layer], dropped=left[layer])
        for layer in Layer
    )


def _report(
    layer: Layer,
    figures: LayerBudget,
    *,
    used: int,
    items: list[dict[str, Any]],
    dropped: list[dict[str, Any]],
) -> LayerReport:
    return LayerReport(
        layer=layer,
        floor=figures.floor,
        cap=figures.cap,
        used=used,
        headings=used - sum(item["tokens"] for item in items),
        origin=figures.origin,
        items=tuple(items),
        dropped=tuple(dropped),
    )


def _actions(
    material: Material, ordered: Sequence[Item], dropped: Sequence[tuple[Item, DropReason]]
) -> Iterable[Action]:
    """Say what was done to which source: one load a source or run of events, one compress or evict an item."""
    for source in _loaded(material, dict.fromkeys([item.source for item in ordered])):
        yield _action(material, ActionKind.LOAD, source, ActionReason.PHASE)
    for item in ordered:
        if item.compressed:
            yield _action(material, ActionKind.COMPRESS, item.ref, ActionReason.TOKEN_BUDGET)
    for item, reason in dropped:
        yield _action(material, ActionKind.EVICT, item.ref, REASONS[reason])


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
        found.append({"code": "no_vision", "message": "No vision is recorded for this thread: ordinary dialogue."})
    if material.handoff is None:
        found.append({"code": "no_handoff", "message": "There is no handoff for this session; the slot was skipped."})
    if not any(item.section is Section.MEMORIES for item in ordered):
        message = "Nothing retrieved may enter or fits: the session stands alone."
        found.append({"code": "nothing_retrieved", "message": message})
    return tuple(found)
