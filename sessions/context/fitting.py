"""Choosing among admissible items: must first, then floors, then by priority, then by value."""

from collections.abc import Callable, Sequence

from governance.errors import Shortfall
from sessions.context.budget import Budget
from sessions.context.items import HEADING_LAYER, HEADINGS, Item
from sessions.context.vocabulary import DropReason, Fidelity, Layer, Section


class Tray:
    """What has been chosen so far, and what it costs. Tokens only ever grow."""

    def __init__(self, budget: Budget, count: Callable[[str], int]) -> None:
        self.cap = budget.input_cap
        self.caps = {layer: figures.cap for layer, figures in budget.layers.items()}
        self.limits = {
            "memories": budget.counts.memories_max,
            "handoff": budget.counts.handoff,
            "dialogue_items": budget.counts.dialogue_items,
        }
        self.headings = {section: count(text) if text else 0 for section, text in HEADINGS.items()}
        self.used = 0
        self.layers = dict.fromkeys(Layer, 0)
        self.chosen: list[Item] = []
        self.open: set[Section] = set()
        self.counted: dict[str, set[str]] = {name: set() for name in self.limits}

    def heading(self, section: Section) -> int:
        """Return what a further item of `section` must pay for the heading: nothing once it is there."""
        return 0 if section in self.open else self.headings[section]

    def obstacle(self, item: Item) -> DropReason | None:
        """Return the limit that `item` would break, heading included, or None when it fits."""
        if item.counted_as:
            counted = self.counted[item.counted_as]
            if item.source not in counted and len(counted) >= self.limits[item.counted_as]:
                return DropReason.COUNT_LIMIT
        layer, heading = item.layer, self.heading(item.section)
        if not heading:
            if self.layers[layer] + item.tokens > self.caps[layer]:
                return DropReason.LAYER_CAP
            return DropReason.INPUT_CAP if self.used + item.tokens > self.cap else None
        payer = HEADING_LAYER[item.section]
        own = item.tokens + (heading if payer is layer else 0)
        if self.layers[layer] + own > self.caps[layer]:
            return DropReason.LAYER_CAP
        if payer is not layer and self.layers[payer] + heading > self.caps[payer]:
            return DropReason.LAYER_CAP
        return DropReason.INPUT_CAP if self.used + item.tokens + heading > self.cap else None

    def put(self, item: Item) -> None:
        """Choose `item`, whatever the limits say."""
        heading = self.heading(item.section)
        self.open.add(item.section)
        self.layers[HEADING_LAYER[item.section]] += heading
        self.layers[item.layer] += item.tokens
        self.used += item.tokens + heading
        self.chosen.append(item)
        if item.counted_as:
            self.counted[item.counted_as].add(item.source)

    def offer(self, items: Sequence[Item], *, within: dict[Layer, int] | None = None) -> list[Item]:
        """Choose each item that fits, in order, and return the others. `within` are floors to stay under."""
        left = []
        for item in items:
            if self._above(item, within) or self.obstacle(item):
                left.append(item)
            else:
                self.put(item)
        return left

    def _above(self, item: Item, floors: dict[Layer, int] | None) -> bool:
        return floors is not None and self.layers[item.layer] + item.tokens > floors[item.layer]


def fit(tray: Tray, items: Sequence[Item], *, floors: dict[Layer, int]) -> list[Item]:
    """Put what fits of `items` (no must among them) on the tray and return what is left over.

    Items are offered again until none fits: a heading that another item has paid for makes its section cheaper.
    """
    should = sorted((item for item in items if item.fidelity is Fidelity.SHOULD), key=lambda item: item.priority)
    may = sorted((item for item in items if item.fidelity is Fidelity.MAY), key=lambda item: -item.value)
    left = tray.offer(should + may, within=floors)
    before = -1
    while len(left) != before:
        before = len(left)
        left = tray.offer(left)
    return left


def shortfalls(tray: Tray) -> tuple[Shortfall, ...]:
    """Return the layers whose must items do not fit the input cap; none when all of them do.

    Room is given to the smallest layers first, so that the layers named are the ones that make it too much.
    """
    if tray.used <= tray.cap:
        return ()
    room, short = tray.cap, []
    for layer in sorted(Layer, key=lambda layer: tray.layers[layer]):
        needed = tray.layers[layer]
        if needed > room:
            short.append(Shortfall(layer=layer.value, needed=needed, available=room))
        room -= min(needed, room)
    return tuple(short)
