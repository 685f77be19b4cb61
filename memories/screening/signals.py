"""What a signal is, and how its pattern is written.

Signals stand in `signals_en.toml` and `signals_zh.toml`, their word classes in `lexicon.toml`. In an English pattern a
blank is any gap between two words of one sentence and `..3` up to three words between; in both languages `~60` is up to
sixty characters of the same sentence and `<class>` any word of a class. Every repeat is bounded, so a pattern costs a
constant a character.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

from memories.screening.findings import Kind
from memories.screening.literals import required

HERE = Path(__file__).parent
GAP = r"(?:[^\w.!?。！？]{1,6})"
_WITHIN = r"(?:[^.!?。！？\n]|\.(?=[\w/]))"
_VERBATIM = r"\\.|\[(?:\\.|[^\]\\])+\]|\(\?<[!=][^)]*\)"
_TOKEN = re.compile(rf"({_VERBATIM})|<([a-z]+|[\u4e00-\u9fff]+)>|(?: ?)\.\.(\d+)|(?: ?)~(\d+)(?: ?)|( )")


class Weight(IntEnum):
    """Tenths of what is enough to hold a text. Hand-set: each step says how much company a signal needs."""

    HINT = 3
    HALF = 5
    STRONG = 7
    ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Signal:
    """One way in which a text steers an agent; one of `needs`, where given, stands in every match."""

    name: str
    kind: Kind
    weight: Weight
    pattern: re.Pattern[str]
    needs: frozenset[str] | None
    reason: str


def signals(language: str) -> Iterator[Signal]:
    """The signals of a language, `en` or `zh`, as they stand in its file."""
    for row in tomllib.loads((HERE / f"signals_{language}.toml").read_text(encoding="utf-8"))["signal"]:
        regex = _expand(row["pattern"], gaps=language == "en")
        yield Signal(
            row["name"], Kind(row["kind"]), Weight(row["weight"]), re.compile(regex), required(regex), row["reason"]
        )


def _expand(pattern: str, *, gaps: bool) -> str:
    def piece(match: re.Match[str]) -> str:
        verbatim, name, words, chars, _blank = match.groups()
        if words:
            return rf"(?:{GAP}\w{{1,24}}){{0,{words}}}?"
        if chars:
            return f"{_WITHIN}{{0,{chars}}}?"
        if name:
            return _lexicon().get(name, match.group())
        return verbatim or (GAP if gaps else " ")

    return _TOKEN.sub(piece, pattern)


@cache
def _lexicon() -> dict[str, str]:
    """Word classes and raw pieces as regular expressions."""
    stored = tomllib.loads((HERE / "lexicon.toml").read_text(encoding="utf-8"))
    words = {name: _class(name, words.replace("\n", "")) for name, words in stored["words"].items()}
    return words | {name: _expand(piece, gaps=name.isascii()) for name, piece in stored["pieces"].items()}


def _class(name: str, words: str) -> str:
    return rf"\b(?:{words.replace(' ', GAP)})\b" if name.isascii() else f"(?:{words})"
