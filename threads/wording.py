"""The words of a text as counted keys: what it is about, and the turns of phrase by which its speaker is known."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import regex

from threads.lexemes import Kind, fold, lexemes

MAX_CHARS = 4000
"""How far into a text words are counted: its first paragraphs say what it is about, and who says it."""

_EDGE = (1, 2, 3)  # words at the edge of a clause: from four on they are its matter, and rarely said twice
_WHOLE = 8  # words of a clause that is counted whole: "see you next time", "谢谢你的建议"
_KEPT_TEXTS = 64
_WORD = regex.compile(r"\p{Han}|[\p{L}\p{N}][\p{L}\p{N}\p{M}']*", regex.V1)
# Marks inside an identifier or a path end no clause.
_MARK = regex.compile(r"[^\p{L}\p{N}\p{M}\s_'\-./:#@+]|[.:](?=\s|$)", regex.V1)


class Channel(StrEnum):
    """The two ways in which a text tells where it belongs; the value is part of every key."""

    MATTER = "m"
    MANNER = "p"


@dataclass(frozen=True, slots=True)
class Wording:
    """One key of a text: the words that it stands for, and of which kind they are (None for a turn of phrase)."""

    key: int
    channel: Channel
    shown: str
    kind: Kind | None = None


type Clause = tuple[Wording, ...]


def clauses(text: str) -> tuple[Clause, ...]:
    """Return the keys of a text clause by clause, in order, repeats kept.

    A key is 32 bits wide, the same on every machine. Those of one clause are no independent witnesses: they were said
    in one breath.
    """
    return _clauses(text[:MAX_CHARS])


def counted(texts: Iterable[str]) -> Counter[Wording]:
    """Return how often each key stands in the texts."""
    return Counter(wording for text in texts for clause in clauses(text) for wording in clause)


@lru_cache(maxsize=_KEPT_TEXTS)
def _clauses(text: str) -> tuple[Clause, ...]:
    # Turns that are sent together are told apart by lines.
    return tuple(clause for line in text.splitlines() for clause in _of_line(line) if clause)


def _of_line(line: str) -> Iterator[Clause]:
    start, before = 0, "^"
    for mark in _MARK.finditer(line):
        yield _of_clause(line[start : mark.start()], before, fold(mark[0]))
        start, before = mark.end(), fold(mark[0])
    yield _of_clause(line[start:], before, "$")


def _of_clause(words: str, before: str, after: str) -> Clause:
    matter = (_keyed(Channel.MATTER, one.term, one.kind) for one in lexemes(words))
    manner = (_keyed(Channel.MANNER, phrase) for phrase in _edges(_WORD.findall(fold(words)), before, after))
    return (*matter, *manner)


def _keyed(channel: Channel, term: str, kind: Kind | None = None) -> Wording:
    return Wording(zlib.crc32(f"{channel}{term}".encode("utf-8", "surrogatepass")), channel, term, kind)


def _edges(words: Sequence[str], before: str, after: str) -> Iterator[str]:
    """Yield how a clause begins and ends, with the mark beside it, and a short one whole."""
    for length in _EDGE:
        if len(words) >= length:
            yield f"<{before}{' '.join(words[:length])}"
            yield f">{' '.join(words[-length:])}{after}"
    if 0 < len(words) <= _WHOLE:
        yield f"={before}{' '.join(words)}{after}"
