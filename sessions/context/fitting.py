"""Choosing among admissible items: must first, then floors, then each group's own share, headroom last.

Within each of these: should by priority, then may by value. An item that has no room whole is tried as an excerpt and
as a title before it is left out, and grows again where a later round has more room.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import NamedTuple

from governance.errors import Shortfall
from sessions.context.budget import Budget
from sessions.context.items import HEADING_LAYER, HEADINGS, Item, Pen
from sessions.context.steps import shorter
from sessions.context.tokens import Counter
from sessions.context.vocabulary import GROUP_OF, DropReason, Fidelity, Group, Layer, Section, Step

LEAST_STEP = 8
"""No shortened item takes fewer tokens: its header and the line with its ref alone are more."""


type Spot = tuple[Section, str]
"""Where an item stands, and its ref: what was found again may be an entry of the dialogue as well."""


class Tray:
    """What has been chosen so far, and what it costs; tokens only grow until something is given back."""

    def __init__(self, budget: Budget, counter: Counter) -> None:
        count = counter.count
        self.method = counter.method
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
        self.groups = dict.fromkeys(Group, 0)
        self.chosen: dict[Spot, Item] = {}
        self.open: set[Section] = set()
        self.counted: dict[str, set[str]] = {name: set() for name in self.limits}

    def heading(self, section: Section) -> int:
        """Return what a further item of `section` must pay for the heading: nothing once it is there."""
        return 0 if section in self.open else self.headings[section]

    def room(self, item: Item) -> int:
        """Return the tokens that `item` may take by the layer's cap and the input cap; below 0 it has no place."""
        taken = self.taken(item)
        heading, layer, payer = self.heading(item.section), item.layer, HEADING_LAYER[item.section]
        if heading and payer is not layer and self.layers[payer] + heading > self.caps[payer]:
            return -1
        own = heading if payer is layer else 0
        return taken + min(self.caps[layer] - self.layers[layer] - own, self.cap - self.used - heading)

    def full_of(self, item: Item) -> bool:
        """Return whether as many of `item`'s kind are in as may be."""
        if not item.counted_as:
            return False
        counted = self.counted[item.counted_as]
        return item.source not in counted and len(counted) >= self.limits[item.counted_as]

    def obstacle(self, item: Item) -> DropReason | None:
        """Return the limit that `item` would break, heading included, or None when it fits."""
        if self.full_of(item):
            return DropReason.COUNT_LIMIT
        if item.tokens <= self.room(item):
            return None
        heading, payer = self.heading(item.section), HEADING_LAYER[item.section]
        added = item.tokens - self.taken(item)
        if payer is not item.layer and heading and self.layers[payer] + heading > self.caps[payer]:
            return DropReason.LAYER_CAP
        own = added + (heading if payer is item.layer else 0)
        return DropReason.LAYER_CAP if self.layers[item.layer] + own > self.caps[item.layer] else DropReason.INPUT_CAP

    def put(self, item: Item) -> None:
        """Choose `item`, whatever the limits say, in the place of an earlier step of it."""
        heading, added = self.heading(item.section), item.tokens - self.taken(item)
        if heading:
            self._charge(HEADING_LAYER[item.section], heading)
        self._charge(item.layer, added)
        self.open.add(item.section)
        self.chosen[item.section, item.ref] = item
        if item.counted_as:
            self.counted[item.counted_as].add(item.source)

    def give_back(self, items: Iterable[Item]) -> None:
        """Take chosen items off again, and the headings that nothing stands under then. Nothing is offered after it."""
        for item in items:
            del self.chosen[item.section, item.ref]
            self._charge(item.layer, -item.tokens)
        for section in self.open - {item.section for item in self.chosen.values()}:
            self._charge(HEADING_LAYER[section], -self.headings[section])
            self.open.remove(section)

    def _charge(self, layer: Layer, tokens: int) -> None:
        self.used += tokens
        self.layers[layer] += tokens
        self.groups[GROUP_OF[layer]] += tokens

    def there(self, item: Item) -> Item | None:
        """Return the step of `item` that is on the tray."""
        return self.chosen.get((item.section, item.ref))

    def taken(self, item: Item) -> int:
        """Return what an earlier step of `item` takes already."""
        before = self.there(item)
        return before.tokens if before is not None else 0


class Dropped(NamedTuple):
    """An item that was left out, why, and the tokens of the shortest that it could have been."""

    item: Item
    reason: DropReason
    least: int


class Steps:
    """An item and its shorter steps, each made when it is first asked for."""

    __slots__ = ("_short", "item", "pen")

    def __init__(self, item: Item, pen: Pen) -> None:
        self.item, self.pen = item, pen
        self._short: dict[Step, Item | None] = {}

    def at(self, step: Step) -> Item | None:
        """Return the item at a step, None where it has no such step."""
        if step is Step.FULL:
            return self.item
        if step not in self._short:
            self._short[step] = shorter(self.item, step, self.pen)
        return self._short[step]

    @property
    def least(self) -> Item:
        """The shortest that it can be: of a text that is hardly longer than its ref, the title may not be it."""
        steps = [one for step in (Step.TITLE, Step.EXCERPT, Step.FULL) if (one := self.at(step))]
        return min(steps, key=attrgetter("tokens"))


type Room = Callable[[Item], int]


class Fitting:
    """One compile's choosing: `tray` holds the must items, `items` are the admissible others."""

    def __init__(self, tray: Tray, items: Iterable[Item], *, budget: Budget, pen: Pen) -> None:
        self.tray, self.excerpt = tray, budget.item_caps.excerpt
        self.floors = {layer: figures.floor for layer, figures in budget.layers.items()}
        self.shares = _shares(budget, tray)
        self.waiting = [Steps(item, pen) for item in by_rank(items)]

    def run(self, *, at_best: Step = Step.FULL) -> list[Dropped]:
        """Put what fits on the tray and return what is left over, each with the limit that keeps it out.

        `at_best` is the most that a may item gets of itself, where it has such a step. Items that are even stand
        there in their shortest form before any of them grows.
        """
        self._round(self._under_floor, at_best, even=Step.TITLE)
        self._round(self._in_group, at_best, even=Step.TITLE)
        # What another item paid a heading for has become cheaper, so that a round may make room for one more.
        while self._round(self.tray.room, at_best):
            pass
        return [self._dropped(steps) for steps in self.waiting if self.tray.there(steps.item) is None]

    def _dropped(self, steps: Steps) -> Dropped:
        least = steps.least
        return Dropped(steps.item, self.tray.obstacle(least) or DropReason.INPUT_CAP, least.tokens)

    def _round(self, room: Room, at_best: Step, *, even: Step = Step.FULL) -> bool:
        """Offer every item that is not in whole, once; return whether any of them was put on the tray."""
        moved, waiting = False, []
        for steps in self.waiting:
            item = steps.item
            if not self.tray.full_of(item):
                usual = even if item.even else Step.FULL
                best = at_best if item.fidelity is Fidelity.MAY else usual
                moved |= self._offer(steps, room(item), best)
            if self.tray.there(item) is not item:
                waiting.append(steps)
        self.waiting = waiting
        return moved

    def _offer(self, steps: Steps, room: int, best: Step) -> bool:
        """Put the fullest step that `room` holds on the tray, unless as much of it is there."""
        item = steps.item
        if item.tokens <= room and (best is Step.FULL or steps.at(best) is None):
            self.tray.put(item)
            return True
        if room < LEAST_STEP:
            return False
        there = self.tray.there(item)
        for step in self._tries(item, room, best):
            form = steps.at(step)
            if form is not None and form.tokens <= room:
                if there is not None and form.tokens <= there.tokens:
                    return False
                self.tray.put(form)
                return True
        return False

    def _tries(self, item: Item, room: int, best: Step) -> tuple[Step, ...]:
        """An excerpt fills its cap, but for an even one, which is as long as what it says."""
        has_room = room >= self.excerpt or item.even
        return (Step.EXCERPT, Step.TITLE) if has_room and best is not Step.TITLE else (Step.TITLE,)

    def _under_floor(self, item: Item) -> int:
        """A floor is for whole items; what is larger than all of it gets a step there."""
        floor = self.floors[item.layer]
        left = min(self.tray.room(item), floor - self.tray.layers[item.layer])
        return left if item.tokens <= left or item.tokens > floor else 0

    def _in_group(self, item: Item) -> int:
        group = GROUP_OF[item.layer]
        left = self.shares[group] - self.tray.groups[group] - self.tray.heading(item.section) + self.tray.taken(item)
        return min(self.tray.room(item), left)


def by_rank(items: Iterable[Item]) -> list[Item]:
    """Return items in the order in which they are served: should by priority, then may by value."""
    should: list[Item] = []
    may: list[Item] = []
    for item in items:
        (should if item.fidelity is Fidelity.SHOULD else may).append(item)
    return sorted(should, key=lambda item: item.priority) + sorted(may, key=lambda item: -item.value)


def _shares(budget: Budget, tray: Tray) -> dict[Group, int]:
    """Return what each group may take before headroom is shared out; must items of others come out of headroom."""
    named = [group for group in Group if group is not Group.HEADROOM]
    beyond = sum([max(tray.groups[group] - budget.groups[group], 0) for group in named])
    return {**budget.groups, Group.HEADROOM: max(budget.groups[Group.HEADROOM] - beyond, 0)}


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
