"""How near a session is to what a prompt can hold: early enough to have it summarised before anything is lost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sessions.context.budget import Budget
from sessions.context.fitting import Tray
from sessions.context.items import HEADING_LAYER, Item
from sessions.context.material import Material
from sessions.context.profiles import WHOLE, ItemCaps
from sessions.context.session_items import NOT_DIALOGUE
from sessions.context.steps import takes
from sessions.context.vocabulary import Layer, Threshold, Trigger

GROWING = (Layer.DIALOGUE, Layer.TOOL_RESULTS)
"""Layers that a summary of the session makes smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """Which threshold a session has passed and by what; `wanted` are the tokens that everything would have taken.

    `tight` says that it is a matter of tokens: optional items then come in shorter, and fewer are retrieved.
    `uncovered` are the entries that no summary covers, up to the seq `newest`.
    """

    threshold: Threshold
    trigger: Trigger | None
    wanted: int
    tight: bool
    uncovered: int
    newest: int


def pressure_of(material: Material, budget: Budget, tray: Tray, items: Iterable[Item]) -> Pressure:
    """Return the pressure of a compile whose must items are on the tray and whose other items want to come in.

    What the current summary covers does not press: it can be left out, and nothing is lost by it.
    """
    newest = max((event.seq for event in material.events if event.kind not in NOT_DIALOGUE), default=0)
    covered = covered_to(material)
    known = {event.ref for event in material.events if event.seq <= covered}
    wanted = wanted_by_layer(tray, [item for item in items if item.ref not in known], budget.item_caps)
    total, uncovered = _pressing(wanted, budget), max(newest - covered, 0)
    shares = {
        Trigger.INPUT_SHARE: _share(total, budget.input_cap),
        Trigger.LAYER_SHARE: max(_share(wanted[layer], budget.layers[layer].cap) for layer in GROWING),
        Trigger.EVENT_COUNT: _share(uncovered, budget.counts.dialogue_items),
    }
    passed = {trigger: _threshold(share, budget) for trigger, share in shares.items()}
    highest = max(passed.values(), key=list(Threshold).index)
    by_tokens = (passed[Trigger.INPUT_SHARE], passed[Trigger.LAYER_SHARE])
    return Pressure(
        threshold=highest,
        trigger=next((one for one, level in passed.items() if level is highest is not Threshold.NONE), None),
        wanted=total,
        tight=Threshold.HARD in by_tokens,
        uncovered=uncovered,
        newest=newest,
    )


def covered_to(material: Material) -> int:
    """Return the seq up to which the current summary covers this session; 0 where there is none."""
    summary, place = material.summary, material.session.ref.partition("://")[2]
    if summary is None or not summary.covers.startswith(f"event://{place}/"):
        return 0
    last = summary.covers.rpartition("/")[2].rpartition("-")[2]
    return int(last) if last.isdigit() else 0


def wanted_by_layer(tray: Tray, items: Iterable[Item], caps: ItemCaps) -> Mapping[Layer, int]:
    """Return the tokens of each layer if every item came in, as far as the count limits allow.

    Whole, but for an entry that its whole layer could not hold: no summary makes room for more of it than an excerpt.
    """
    layers, there = dict(tray.layers), set(tray.open)
    counted = {name: set(sources) for name, sources in tray.counted.items()}
    for item in items:
        if item.counted_as:
            sources = counted[item.counted_as]
            if item.source not in sources and len(sources) >= tray.limits[item.counted_as]:
                continue
            sources.add(item.source)
        layers[item.layer] += takes(item, tray.caps[item.layer], caps) if item.layer in GROWING else item.tokens
        if item.section not in there:
            there.add(item.section)
            layers[HEADING_LAYER[item.section]] += tray.headings[item.section]
    return layers


def _pressing(wanted: Mapping[Layer, int], budget: Budget) -> int:
    """What the summaries' layer has no place for does not press: writing one more makes none of them smaller."""
    beyond = max(wanted[Layer.SUMMARY] - budget.layers[Layer.SUMMARY].cap, 0)
    return sum(wanted.values()) - beyond


def _share(tokens: int, of: int) -> int:
    if of > 0:
        return tokens * WHOLE // of
    return WHOLE if tokens else 0


def _threshold(share: int, budget: Budget) -> Threshold:
    if share >= budget.thresholds.hard:
        return Threshold.HARD
    return Threshold.SOFT if share >= budget.thresholds.soft else Threshold.NONE
