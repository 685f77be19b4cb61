"""What is said of a compile, layer by layer: what each was given, what it used, and what became of its items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions.context.budget import Budget
from sessions.context.fitting import Dropped, Tray
from sessions.context.items import Item
from sessions.context.vocabulary import ActionKind, ActionReason, DropReason, Fidelity, Layer, LimitOrigin, Step

WORDS: Mapping[StrEnum, str] = {
    word: word.value for words in (Fidelity, Step, DropReason, ActionKind, ActionReason) for word in words
}
"""Plain texts of the words in reports: reading `.value` a thousand times a compile is what shows in a profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """What a layer was given and what became of its items. `used` is the items' tokens and `headings`.

    `free` is what it could still have taken, by its own cap and the input cap. `left_out` is what its items would have
    taken beyond that, cut off or left out whole; None where that is not known. `held` are items that the caller holds
    already, and `items` those that stand in the prompt.
    """

    layer: Layer
    floor: int
    cap: int
    used: int
    free: int
    left_out: int | None
    headings: int
    origin: LimitOrigin
    items: tuple[dict[str, Any], ...]
    held: tuple[dict[str, Any], ...]
    dropped: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the report as the answer shows it."""
        return {
            "layer": self.layer.value,
            "floor": self.floor,
            "cap": self.cap,
            "used": self.used,
            "free": self.free,
            "left_out": self.left_out,
            "headings": self.headings,
            "origin": self.origin.value,
            "items": list(self.items),
            "held": list(self.held),
            "dropped": list(self.dropped),
        }


def layer_reports(
    budget: Budget, tray: Tray, ordered: Sequence[Item], *, dropped: Sequence[Dropped], held: Sequence[Item]
) -> tuple[LayerReport, ...]:
    """Return a report of every layer: `ordered` are the items of the prompt, in its order."""
    there: dict[Layer, list[Item]] = {layer: [] for layer in Layer}
    for item in held:
        there[item.layer].append(item)
    items: dict[Layer, list[Item]] = {layer: [] for layer in Layer}
    left: dict[Layer, list[Dropped]] = {layer: [] for layer in Layer}
    for item in ordered:
        items[item.layer].append(item)
    for one in dropped:
        left[one.item.layer].append(one)
    return tuple(
        [_report(layer, budget, tray, items=items[layer], dropped=left[layer], held=there[layer]) for layer in Layer]
    )


def _report(
    layer: Layer,
    budget: Budget,
    tray: Tray,
    *,
    items: Sequence[Item],
    dropped: Sequence[Dropped],
    held: Sequence[Item],
) -> LayerReport:
    figures, used = budget.layers[layer], tray.layers[layer]
    return LayerReport(
        layer=layer,
        floor=figures.floor,
        cap=figures.cap,
        used=used,
        free=max(min(figures.cap - used, tray.cap - tray.used), 0),
        left_out=_left_out(items, dropped),
        headings=used - sum([item.tokens for item in items]),
        origin=figures.origin,
        items=tuple([_item_line(item) for item in items]),
        held=tuple([_item_line(item) for item in held]),
        dropped=tuple([_dropped_line(one) for one in dropped]),
    )


def _left_out(items: Sequence[Item], dropped: Sequence[Dropped]) -> int | None:
    lost = [(item.at_full, item.tokens) for item in items if item.step is not Step.FULL]
    lost += [(one.item.at_full, 0) for one in dropped]
    if any(whole is None for whole, _ in lost):
        return None
    return sum([(whole or 0) - kept for whole, kept in lost])


def _item_line(item: Item) -> dict[str, Any]:
    """An item as it is reported; `whole` is what all of it would take, None where nobody has counted."""
    return {
        "ref": item.ref,
        "fidelity": WORDS[item.fidelity],
        "tokens": item.tokens,
        "step": WORDS[item.step],
        "whole": item.at_full,
    }


def _dropped_line(one: Dropped) -> dict[str, Any]:
    """What was left out: `tokens` it would have taken, and `least` at the shortest of its steps."""
    return {"ref": one.item.ref, "tokens": one.item.tokens, "reason": WORDS[one.reason], "least": one.least}
