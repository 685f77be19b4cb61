"""What changed between two bodies: field by field, and word by word inside prose. Pure."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

import rjieba

# difflib is quadratic in the worst case: a text of this many characters is some thousand words and takes well under
# a second. A longer one is shown as replaced whole.
LONGEST_PROSE = 20_000
MOST_PAIRS = 4_000_000  # words of one text times words of the other
MOST_LINES = 400
ALIKE = 0.4  # least likeness, 0 to 1, at which a line counts as the same one rewritten


class Op(StrEnum):
    EQUAL = "equal"
    INSERT = "insert"
    DELETE = "delete"


class Change(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text that stayed, came or went: what stayed and went is the old text, what stayed and came the new."""

    op: Op
    text: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field, or one line of a list, that differs. `path` joins names by dots; `words` is set for prose."""

    path: str
    kind: Change
    before: Any
    after: Any
    words: tuple[Span, ...] | None = None


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """A top field as it stood at the common base, as it stands now, and as it is asked for.

    `clash` says that both sides changed it, and not alike.
    """

    path: str
    base: Any
    now: Any
    asked: Any
    clash: bool


def word_diff(before: str, after: str) -> tuple[Span, ...]:
    """Return how one prose becomes the other, by words of Chinese and English."""
    if max(len(before), len(after)) > LONGEST_PROSE:
        return _replaced(before, after)
    old, new = rjieba.cut(before), rjieba.cut(after)
    if len(old) * len(new) > MOST_PAIRS:
        return _replaced(before, after)
    spans: list[Span] = []
    for op, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            spans.append(Span(Op.EQUAL, "".join(old[i:j])))
            continue
        spans += _replaced("".join(old[i:j]), "".join(new[k:m]))
    return tuple(spans)


def _replaced(before: str, after: str) -> tuple[Span, ...]:
    return tuple(span for span in (Span(Op.DELETE, before), Span(Op.INSERT, after)) if span.text)


def field_diff(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[FieldChange]:
    """Return every field that differs, in the order of the new body; `before` None is a new contract."""
    return list(_fields("", before or {}, after))


def _fields(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*after, *before]):
        here = f"{path}.{name}" if path else name
        yield from _values(here, before.get(name), after.get(name))


def _values(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if before == after or (_empty(before) and _empty(after)):
        return
    if isinstance(before, Mapping) or isinstance(after, Mapping):
        yield from _fields(path, _mapping(before), _mapping(after))
    elif isinstance(before, list) or isinstance(after, list):
        yield from _lines(path, _list(before), _list(after))
    else:
        yield _one(path, before, after)


def _one(path: str, before: Any, after: Any) -> FieldChange:
    kind = Change.ADDED if _empty(before) else Change.REMOVED if _empty(after) else Change.CHANGED
    prose = isinstance(before, str) and isinstance(after, str)
    return FieldChange(path, kind, before, after, word_diff(before, after) if prose else None)


def _lines(path: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[FieldChange]:
    if max(len(before), len(after)) > MOST_LINES:
        yield FieldChange(path, Change.CHANGED, list(before), list(after))
        return
    old, new = [_key(line) for line in before], [_key(line) for line in after]
    for op, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op != "equal":
            yield from _run(path, before[i:j], after[k:m], at=k)


def _run(path: str, before: Sequence[Any], after: Sequence[Any], *, at: int) -> Iterator[FieldChange]:
    """Pair the lines of one changed run, in their order, where they are alike; the rest came or went."""
    old = list(before)
    for offset, line in enumerate(after):
        here = f"{path}.{at + offset}"
        match = next((n for n, candidate in enumerate(old) if _alike(candidate, line)), None)
        if match is None:
            yield FieldChange(here, Change.ADDED, None, line)
            continue
        for gone in old[:match]:
            yield FieldChange(here, Change.REMOVED, gone, None)
        yield _one(here, old[match], line)
        del old[: match + 1]
    for gone in old:
        yield FieldChange(f"{path}.{at}", Change.REMOVED, gone, None)


def _alike(before: Any, after: Any) -> bool:
    if not (isinstance(before, str) and isinstance(after, str)):
        return False
    if max(len(before), len(after)) > LONGEST_PROSE:
        return False
    return _likeness(before, after) >= ALIKE


def _likeness(before: str, after: str) -> float:
    """Return the share of pairs of neighbouring characters that two lines have in common: cheap, and blind to order."""
    old, new = _pairs(before), _pairs(after)
    return 2 * len(old & new) / (len(old) + len(new)) if old and new else 0.0


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(text))


def three_way(base: Mapping[str, Any], now: Mapping[str, Any], asked: Mapping[str, Any]) -> list[ThreeWay]:
    """Return the top fields in which what stands now, or what is asked for, differs from the common base."""
    found = []
    for name in dict.fromkeys([*asked, *now, *base]):
        then, here, there = base.get(name), now.get(name), asked.get(name)
        if here != then or there != then:
            found.append(ThreeWay(name, then, here, there, clash=here != then and there not in (then, here)))
    return found


def _key(line: Any) -> str:
    return line if isinstance(line, str) else repr(line)


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []
