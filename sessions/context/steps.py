"""The steps by which an item gives way before it is left out: whole, excerpt with a ref, title with a ref.

Nobody counts a step before it is wanted: an item that fits whole never has one, and what was shortened is remembered
by its text, so that a compile tokenises the few items that have just lost their place, and not the others again.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sessions.context.cuts import excerpt, one_line, whole_at
from sessions.context.items import Entry, Item, Pen, packet_path
from sessions.context.profiles import ItemCaps
from sessions.context.project_items import shorter_stand
from sessions.context.seams import atom, block_body, list_body
from sessions.context.tokens import Counter
from sessions.context.vocabulary import Section, Slot, Step

WRITTEN_STEPS = 4_096  # remembered in a process: two for each entry of the dialogue of some ten sessions
OF_THE_REQUEST = "request://"  # what the request itself brought: whoever sent it holds the whole, and no ref opens it
WORTH_IT = 1.5
"""A step exists where what it replaces takes this many times as much."""
LINE_CHARS_PER_TOKEN = 64  # no line is counted that cannot be short enough anyway
TEXT_KEYS: Mapping[tuple[str, ...], str] = {
    packet_path(Slot.SESSION, "recent_dialogue"): "text",
    packet_path(Slot.RETRIEVED): "content",
}
"""Where in the packet an entry is an object, the key of its text."""


class Short(NamedTuple):
    """A shortened text or list as it stands in the packet, and the block that it makes."""

    shown: str | tuple[str, ...]
    text: str
    tokens: int


def takes(item: Item, most: int, caps: ItemCaps) -> int:
    """Return what an item takes of a layer that holds `most` tokens: as an excerpt, where all of the layer is less."""
    return item.tokens if item.tokens <= most else min(item.tokens, caps.excerpt)


def shorter(item: Item, step: Step, pen: Pen) -> Item | None:
    """Return `item` at a step below FULL, None where it has no such step or would gain too little by it.

    Only texts and lists have steps. What comes back takes fewer tokens than `item`, says where the whole is, and is
    cut at a sentence, a line or a grapheme.
    """
    if item.section is Section.PROJECT_STATE:
        return shorter_stand(item, step, pen)
    caps = pen.budget.item_caps
    cap = caps.excerpt if step is Step.EXCERPT else caps.title
    found = _text_in(item) if item.tokens > WORTH_IT * cap else None
    if found is None:
        return None
    value, opened_by = found
    header = item.text[: item.text.index("\n")]
    ref = None if opened_by.startswith(OF_THE_REQUEST) else atom(opened_by)
    short = _shortened(value, _Way(cap, step, header, ref, item.at_full), pen.counter)
    if short.tokens * WORTH_IT > item.tokens:
        return None
    entries = (_entry(item.entries[0], short.shown),)
    return item._replace(text=short.text, tokens=short.tokens, entries=entries, step=step, whole=item.at_full)


class _Way(NamedTuple):
    """How something is shortened: to `cap` tokens of its body, under which header; `ref` opens the `whole`.

    It is None for what the request brought.
    """

    cap: int
    step: Step
    header: str
    ref: str | None
    whole: int | None

    @property
    def opened(self) -> str | None:
        """Where the whole is, in words; a header may have said it already."""
        return "the ref above" if self.ref and self.ref in self.header else self.ref

    def told(self, total: int | None) -> str:
        """The line below a title: where the whole is, and of what no ref opens how long it is."""
        length = f"{total} tokens in all; " if self.ref is None and total is not None else ""
        return f"[… {length}{whole_at(self.opened)}]"


def _text_in(item: Item) -> tuple[str | tuple[str, ...], str] | None:
    """Return what of an item can be shortened, and the ref that opens the whole."""
    if len(item.entries) != 1:
        return None
    path, value = item.entries[0]
    if isinstance(value, str):
        return value, item.ref
    if isinstance(value, list):
        return tuple(value), item.ref
    if key := TEXT_KEYS.get(path):
        return value[key], value.get("artifact_ref") or value["ref"]
    return None


def _entry(entry: Entry, shown: str | tuple[str, ...]) -> Entry:
    path, value = entry
    if isinstance(value, dict):
        return path, value | {TEXT_KEYS[path]: shown}
    return path, shown if isinstance(shown, str) else list(shown)


@lru_cache(WRITTEN_STEPS)
def _shortened(value: str | tuple[str, ...], way: _Way, counter: Counter) -> Short:
    shown: Any
    if isinstance(value, str):
        shown = _text(value, way, counter)
        body = block_body(shown) + "\n"
    else:
        shown = _lines(value, way, counter)
        body = list_body(shown) + "\n"
    top = f"{way.header}\n"
    return Short(shown, top + body, counter.count(top) + counter.count(body))


def _text(text: str, way: _Way, counter: Counter) -> str:
    total = None if way.whole is None else way.whole - counter.count(f"{way.header}\n")
    if way.step is Step.EXCERPT:
        return excerpt(text, way.cap, ref=way.opened, total=total, encoding=counter.encoding)
    opens = way.told(total)
    room = max(way.cap - counter.count(opens) - 1, 1)
    return one_line(text, room, encoding=counter.encoding) + "\n" + opens


def _lines(lines: Sequence[str], way: _Way, counter: Counter) -> tuple[str, ...]:
    """Return the first lines that fit whole, or where not even one does, the beginning of the first."""
    room = way.cap - counter.count(f"- [… {len(lines)} more at {way.opened}]\n")
    kept: list[str] = []
    for line in lines:
        cost = room + 1 if len(line) > LINE_CHARS_PER_TOKEN * room else counter.count(f"- {line}\n")
        if cost > room:
            break
        kept.append(line)
        room -= cost
    if not kept:
        return (one_line(lines[0], max(room, 1), encoding=counter.encoding), f"[… {whole_at(way.opened)}]")
    return (*kept, f"[… {len(lines) - len(kept)} more at {way.opened}]")
