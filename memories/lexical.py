"""The lexical leg: what a query and a passage share, weighed by BM25. Terms and keys are made here; no row is read."""

import math
import uuid
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol

from threads.lexemes import Kind, Lexeme, lexemes

K1, B = 0.9, 0.4  # how soon a repeated term tells no more, and how much a long passage is held against it: measured
MOST_ASKED = 32  # terms of a query that are looked up: what a long one is about, it says at its beginning
MOST_TIMES = 3  # so often and more is one key: by then another occurrence tells next to nothing
MOST_COUNT = 32_767  # what a count can hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of a text: distinct and in order, how often each occurs, and how many there are in all."""

    terms: Sequence[str]
    counts: Sequence[int]
    length: int


class Counted(Protocol):
    """What says of a text what Terms says of it."""

    @property
    def terms(self) -> Sequence[str]: ...
    @property
    def counts(self) -> Sequence[int]: ...
    @property
    def length(self) -> int: ...


def terms_of(text: str) -> Terms:
    """Return what a stored text is found by."""
    counted = Counter(lexeme.term for lexeme in lexemes(text))
    distinct = sorted(counted)
    counts = [min(counted[term], MOST_COUNT) for term in distinct]
    return Terms(terms=distinct, counts=counts, length=counted.total())


@lru_cache(512)
def asked_terms(query: str) -> tuple[str, ...]:
    """Return the distinct terms of a query, the telling ones first, at most MOST_ASKED.

    Single Chinese characters stand in nearly every passage: they come after what is longer. Turns that only say
    "go on" ask the same of their thread every time, so that the last queries are remembered.
    """
    found = dict.fromkeys(lexemes(query))
    ordered = sorted(found, key=_is_single)  # a stable order: each half stays as it was said
    return tuple(dict.fromkeys(lexeme.term for lexeme in ordered))[:MOST_ASKED]


def _is_single(lexeme: Lexeme) -> bool:
    return lexeme.kind is Kind.CHARACTER


def keys_of(project_id: uuid.UUID, found: Terms) -> list[int]:
    """Return what the index holds of a stored text: one key for each term and how often it occurs."""
    pairs = zip(found.terms, found.counts, strict=True)
    return [_key(project_id, term, min(count, MOST_TIMES)) for term, count in pairs]


def keys_asked(project_id: uuid.UUID, asked: Sequence[str]) -> list[int]:
    """Return the keys that a search looks up: for each term those of all ways to occur, in order."""
    return [_key(project_id, term, times) for term in asked for times in range(1, MOST_TIMES + 1)]


def _key(project_id: uuid.UUID, term: str, times: int) -> int:
    """Return 64 bits that stand for a term of a project: the same on every machine, and in no other project."""
    told = f"{times}{term}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(told, digest_size=8, key=project_id.bytes).digest(), signed=True)


def rarities(asked: Sequence[str], spread: Mapping[str, int], *, passages: int) -> dict[str, float]:
    """Return how much each asked term tells, by in how many of the passages of the scope it stands."""
    return {
        term: math.log(1 + (max(passages, held) - held + 0.5) / (held + 0.5))
        for term in asked
        for held in (spread.get(term, 0),)
    }


def bm25(found: Counted, weights: Mapping[str, float], *, mean_length: float) -> float:
    """Return the BM25 of a passage for a query whose terms have these weights; 0 where they share nothing."""
    damped = K1 * (1 - B + B * found.length / max(mean_length, 1.0))
    total = 0.0
    for term in sorted(weights.keys() & found.terms):  # in one order, and few: most passages share a term or two
        times = _times(found, term)
        total += weights[term] * times * (K1 + 1) / (times + damped)
    return total


def _times(found: Counted, term: str) -> int:
    """Return how often one of the terms occurs; once where a passage of before does not say how often."""
    place = bisect_left(found.terms, term)
    return found.counts[place] if place < len(found.counts) else 1
