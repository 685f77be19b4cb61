"""Typed values in a text: numbers with their units, dates, times, versions, addresses and identifiers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memories.claims.addresses import ADDRESSES, CODES, IDENTIFIERS
from memories.claims.clocks import CLOCKS
from memories.claims.dates import DateParts
from memories.claims.datewords import PHRASES
from memories.claims.measures import AMOUNTS, NUMBERS
from memories.claims.readers import Fields, Match, Reader
from memories.claims.vocabulary import ValueType


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One typed value as it stands in a text. Two values of one `type` and `unit` are equal when `norm` is.

    `unit` is a dimension ("duration") or a currency; `every` marks a period ("per minute", "every 15 minutes");
    `loose` a time of day that does not say which half of the day; `counted` a number of something ("812 tests").
    """

    type: ValueType
    norm: str
    text: str
    start: int
    end: int
    unit: str | None = None
    number: float | None = None
    date: DateParts | None = None
    every: bool = False
    loose: bool = False
    counted: bool = False


def _dated(read: Callable[[Match], DateParts | None]) -> Reader:
    def reader(m: Match) -> Fields | None:
        parts = read(m)
        return None if parts is None else {"type": ValueType.DATE, "norm": parts.key, "date": parts}

    return reader


_DATES = [(pattern, _dated(read)) for pattern, read in PHRASES]
_READERS = [*ADDRESSES, *_DATES, *CODES, *CLOCKS, *AMOUNTS, *IDENTIFIERS, *NUMBERS]
_STRIP = re.compile(r"\(\?P<\w+>")


@cache
def _scanner() -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], Reader]]]:
    readers = [(re.compile(pattern, re.IGNORECASE), reader) for pattern, reader in _READERS]
    whole = "|".join(f"(?P<p{n}>{_STRIP.sub('(?:', pattern)})" for n, (pattern, _) in enumerate(_READERS))
    return re.compile(whole, re.IGNORECASE), readers


@cache
def _datelike() -> re.Pattern[str]:
    return re.compile("|".join(_STRIP.sub("(?:", pattern) for pattern, _ in _DATES), re.IGNORECASE)


def scan(text: str) -> list[Value]:
    """Every typed value of `text`, in order, none overlapping another. The first shape that fits a place wins."""
    found: list[Value] = []
    at = 0
    while at < len(text):
        value, at = _next(text, at)
        if value is not None:
            found.append(value)
    return found


def dates(text: str) -> list[Value]:
    """Every date of `text` as `scan` finds it. Most texts name none, and are then not looked at for anything else."""
    return [value for value in scan(text) if value.date] if _datelike().search(text) else []


def _next(text: str, at: int) -> tuple[Value | None, int]:
    pattern, readers = _scanner()
    match = pattern.search(text, at)
    if match is None:
        return None, len(text)
    for shape, reader in readers[int((match.lastgroup or "p0")[1:]) :]:
        inner = shape.match(text, match.start()) if not _inside_word(text, match.start()) else None
        fields = reader(inner) if inner and inner.end() > inner.start() else None
        if inner and fields:
            return Value(text=inner[0].strip(), start=inner.start(), end=inner.end(), **fields), inner.end()  # type: ignore[arg-type]  # each reader names its own fields
    return None, _past_word(text, match.start())


def _inside_word(text: str, at: int) -> bool:
    return at > 0 and _latin(text[at - 1]) and _latin(text[at])


def _past_word(text: str, at: int) -> int:
    """Behind the Latin word that begins at `at`, or the next place."""
    at += 1
    while at < len(text) and _latin(text[at - 1]) and _latin(text[at]):
        at += 1
    return at


def _latin(c: str) -> bool:
    return c.isalnum() and c < "\u2e80"
