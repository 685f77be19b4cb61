"""Where the dialogue of a packet begins, and that it moves in steps.

A window that lost its oldest entry on every turn would change right after the stable prefix each time, and a provider
could reuse nothing of what follows. So what one packet of a session showed, the next shows too and appends to it, for
as long as there is room; then older entries give way at once, so far that the next step is a while away. Work (calls
and results) gives way before words do: what was said is shorter and worth longer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sessions.context.budget import Budget
from sessions.context.fitting import Spot, Tray
from sessions.context.items import Item
from sessions.context.material import Beginning, EventFact, Material
from sessions.context.pressure import GROWING, wanted_by_layer
from sessions.context.steps import takes
from sessions.context.vocabulary import Layer, Section, Step
from sessions.vocabulary import EventKind

MOST_WORDS = 0.6
"""Of the dialogue's room; where words take more, a step shortens them too, and else only the work."""
WORDS_LEFT, WORK_LEFT = 0.5, 0.25
"""What a step leaves: of the words' most, and of the room that the words then leave."""


EARLIER_TOKENS = 80
"""Kept for the line that says where the entries before the beginning are."""


class Size(NamedTuple):
    """Tokens of the dialogue's two layers, and how many entries."""

    said: int = 0
    results: int = 0
    entries: int = 0

    @property
    def tokens(self) -> int:
        return self.said + self.results

    def plus(self, entry: "Entry") -> "Size":
        """Return the size with one more entry."""
        if entry.result:
            return Size(self.said, self.results + entry.tokens, self.entries + 1)
        return Size(self.said + entry.tokens, self.results, self.entries + 1)


NOTHING = Size()


class Entry(NamedTuple):
    """An entry as it counts here: with the tokens that it can take of its layer."""

    seq: int
    result: bool
    tokens: int


class Room(NamedTuple):
    """How large the dialogue may be: in all, by layer, and in entries."""

    tokens: int
    said: int
    results: int
    entries: int

    def holds(self, size: Size) -> bool:
        """Return whether a dialogue of that size has room."""
        layers = size.said <= self.said and size.results <= self.results
        return layers and size.tokens <= self.tokens and size.entries <= self.entries

    def share(self, part: float, size: Size = NOTHING) -> "Room":
        """Return the room of what is there already and of that part of the rest."""
        taken = (size.tokens, size.said, size.results, size.entries)
        return Room(*(there + int(part * max(most - there, 0)) for most, there in zip(self, taken, strict=True)))


@dataclass(frozen=True, slots=True)
class Settled:
    """Where the dialogue of this packet begins, None where it takes what fits, and what stands before that."""

    beginning: Beginning | None
    before: tuple[Item, ...] = ()

    def since(self, admissible: Sequence[Item]) -> Sequence[Item]:
        """Return the items that do not stand before the beginning."""
        before = {id(item) for item in self.before}  # not by ref: what was found again may be such an entry as well
        return [item for item in admissible if id(item) not in before] if before else admissible


def settle(admissible: Sequence[Item], material: Material, *, tray: Tray, budget: Budget) -> Settled:
    """Return where the dialogue begins, once `tray` holds the must items and before it holds any other.

    The first packet of a session has no beginning to keep: it takes what fits, and `beginning_of` says what that was.
    """
    if material.beginning is None:
        return Settled(None)
    events = {event.ref: event for event in material.events}
    words: list[Item] = []
    work: list[Item] = []
    others: list[Item] = []
    for item in admissible:
        if not _is_entry(item, events):
            others.append(item)
        else:
            (words if events[item.ref].kind == EventKind.MESSAGE else work).append(item)
    room = _room(wanted_by_layer(tray, others, budget.item_caps), tray=tray, budget=budget)
    said, worked = ([_entry(item, room, budget) for item in items] for items in (words, work))
    kept = _Said(said, worked, room).kept(material.beginning, _reach(material.events))
    before = [item for item in words if _seq(item) < kept.words] + [item for item in work if _seq(item) < kept.work]
    return Settled(kept, tuple(before))


def _entry(item: Item, room: Room, budget: Budget) -> Entry:
    result = item.layer is Layer.TOOL_RESULTS
    return Entry(_seq(item), result, takes(item, room.results if result else room.said, budget.item_caps))


def beginning_of(chosen: Mapping[Spot, Item], admissible: Iterable[Item], material: Material) -> Beginning:
    """Return from where on a packet holds every entry whole: what the next packet of its session goes on from.

    Only what might have stood in the dialogue counts: a demand has a place of its own and was not given up.
    """
    begin = {True: 0, False: 0}
    events = {event.ref: event for event in material.events}
    for entry in admissible:
        if _is_entry(entry, events):
            item, event = chosen.get((Section.DIALOGUE, entry.ref)), events[entry.ref]
            if item is None or item.step is Step.TITLE:
                begin[event.kind == EventKind.MESSAGE] = event.seq + 1
    return Beginning(words=begin[True], work=begin[False])


class _Said(NamedTuple):
    """The entries of a session that may enter, words and work apart, and the room for them."""

    words: Sequence[Entry]
    work: Sequence[Entry]
    room: Room

    def kept(self, before: Beginning, reach: Beginning) -> Beginning:
        """Return where the last packet began, where that still has room, is all there and is no mere remnant.

        A remnant is less than half of what a step leaves: an input that was large for once had pushed the rest out.
        What had no room at all then, and is still the newest, is tried again.
        """
        before = self.with_newest(before)
        size = self.size(before)
        if before.words < reach.words or before.work < reach.work or not self.room.holds(size):
            return self.stepped(before, reach)
        if before == Beginning() or 2 * size.tokens >= self.room.tokens:  # no step leaves more than there is room
            return before
        anew = self.stepped(Beginning(), reach)
        return anew if self.size(anew).tokens > 2 * size.tokens else before

    def stepped(self, before: Beginning, reach: Beginning) -> Beginning:
        """Return where it begins after a step; the words stay where they began unless they are too many themselves."""
        most, words = self.room.share(MOST_WORDS), before.words
        if words < reach.words or not most.holds(_size(self.words, words)):
            words = _latest(self.words, most.share(WORDS_LEFT), self.room)
        size = _size(self.words, words)
        return Beginning(words=words, work=_latest(self.work, self.room.share(WORK_LEFT, size), self.room, size))

    def with_newest(self, begin: Beginning) -> Beginning:
        """Return the same place, or the newest entry of a kind where all of that kind stands before it."""
        words, work = (entries[-1].seq if entries else place for entries, place in zip(self[:2], begin, strict=True))
        return Beginning(min(begin.words, words), min(begin.work, work))

    def size(self, begin: Beginning) -> Size:
        """Return the size of everything from there on."""
        return _size(self.work, begin.work, _size(self.words, begin.words))


def _latest(entries: Sequence[Entry], left: Room, whole: Room, size: Size = NOTHING) -> int:
    """Return the seq from which on the latest entries have room in what is `left`; the newest may take the `whole`.

    The newest never gives way to a step: where it has no room as it is, it is shortened like anything else.
    """
    if not entries:
        return 0
    *earlier, newest = entries
    size, first = size.plus(newest), newest.seq
    if whole.holds(size):
        for entry in reversed(earlier):
            size = size.plus(entry)
            if not left.holds(size):
                break
            first = entry.seq
    return first


def _size(entries: Iterable[Entry], first: int, size: Size = NOTHING) -> Size:
    for entry in entries:
        if entry.seq >= first:
            size = size.plus(entry)
    return size


def _room(others: Mapping[Layer, int], *, tray: Tray, budget: Budget) -> Room:
    """Return what the others leave of the input, at the least what the floors promise the dialogue."""
    taken = sum(min(tokens, max(tray.caps[layer], tray.layers[layer])) for layer, tokens in others.items())
    promised = sum(budget.layers[layer].floor for layer in GROWING)
    lines = tray.headings[Section.DIALOGUE] + EARLIER_TOKENS
    tokens = max(tray.cap - taken - lines, promised)
    said, results = (tray.caps[layer] - others[layer] for layer in GROWING)
    return Room(tokens, said - lines, results, tray.limits["dialogue_items"])


def _reach(events: Sequence[EventFact]) -> Beginning:
    """Return from which entries on all are here: of a long session only the latest were read.

    One number may be missing among them: an entry that the request itself carries as its input.
    """
    seqs = sorted(event.seq for event in events)
    if not seqs or seqs[0] <= 2:
        return Beginning()
    whole = next((after for before, after in _pairs(reversed(seqs)) if after - before > 2), seqs[0])
    return Beginning(words=seqs[0], work=whole)


def _pairs(seqs: Iterable[int]) -> Iterable[tuple[int, int]]:
    later = next(iterator := iter(seqs))
    for earlier in iterator:
        yield earlier, later
        later = earlier


def _is_entry(item: Item, events: Mapping[str, EventFact]) -> bool:
    return item.section is Section.DIALOGUE and item.ref in events


def _seq(item: Item) -> int:
    """The number of an entry is its place in the section."""
    return item.order[1]
