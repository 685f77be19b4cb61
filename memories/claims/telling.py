"""What keeps two statements of the same words apart: their order, and small words that turn the meaning."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from memories.claims.lexicon import groups, words
from memories.claims.reading import Part, Reading
from memories.claims.zones import Zone

SPARE = {"only"}  # said on one side alone it may be mere emphasis


def same_order(old: Reading, new: Reading) -> bool:
    """Whether numbers, members of one family and names follow each other alike: "3 in 2 zones" is not "2 in 3".

    Names may change places where each keeps its part: "Alice owns it", "it is owned by Alice". Where no verb is
    known, every word has to keep its place.
    """
    if any(part.zone is Zone.LOOSE for reading in (old, new) for part in reading.parts):
        return [p.key for p in old.parts] == [p.key for p in new.parts]
    left, right = _sequences(old), _sequences(new)
    return all(
        left[kind] == right[kind] for kind in left.keys() | right.keys() if kind != "name" or _both_keys(old, new)
    )


def same_turns(old: Reading, new: Reading) -> bool:
    """Whether both say the same of the words that turn a meaning: before and after, all and only, more and less."""
    differing = turns(old) ^ turns(new)
    return not differing or differing <= SPARE


def turns(reading: Reading) -> set[str]:
    """The turning words of a reading, by the first of their equals."""
    table = _table()
    return {table[turn] for turn in reading.carrying if turn in table}


def at_the_end(reading: Reading, parts: Sequence[Part]) -> bool:
    """Whether `parts` reach the last word of the reading: what a sentence without a known verb says stands there."""
    if any(part.kind == "family" or part.token.name for part in parts):
        return True
    row = sorted((p for p in reading.parts if p.token.value is None and p.kind != "attr"), key=lambda p: p.token.start)
    at = len(row) - 1
    while at > 0 and row[at] not in parts and _touch(row[at - 1], row[at]):
        at -= 1
    return at >= 0 and row[at] in parts


def _touch(left: Part, right: Part) -> bool:
    """Whether two Chinese words stand side by side, as in the name of a firm."""
    return not left.token.text.isascii() and left.token.start + len(left.token.text) == right.token.start


def _both_keys(old: Reading, new: Reading) -> bool:
    """Whether more than one name stands in a key: then only the order tells who does what."""
    return any(sum(p.token.name and p.zone is Zone.KEY for p in reading.parts) > 1 for reading in (old, new))


def _sequences(reading: Reading) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for part in sorted(reading.parts, key=lambda part: part.token.start):
        value = part.token.value
        if value is not None and value.number is not None:
            found[f"number {value.unit}"].append(value.norm)
        elif part.kind == "family":
            found[part.token.sense.family].append(part.key)
        elif part.token.name:
            found["name"].append(part.key)
    return found


@cache
def _table() -> dict[str, str]:
    entries = words()["turning"]
    return {form: first for language in ("en", "zh") for form, first in groups(entries[language])}
