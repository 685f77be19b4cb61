"""Does a text steer what an agent does where people decide: checks, permissions, money, secrets, what is told? Pure.

No single word says so. A shape names a thing that people decide and what is done to it, near each other: a check that
is skipped, a secret that is sent out, a failure that is called a success. Some say it by themselves; the others only
where it is told to somebody or for good, for a team may skip a check and say so. Such a text may be true and wanted,
and so it is never refused for that: a human reads it first, unless it is that human who says it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import regex

TABLE = Path(__file__).with_name("steering.toml")
# Characters of a text that is one statement. A longer one is a document, in which such words meet by chance.
SHORT = 400
DEEPEST = 3  # names inside of names
_END = regex.compile(r"[!?;。！？；\n]+|\.(?=\s|$)")


def steers(text: str) -> bool:
    """Return whether the text weakens a guard, forges a state, hands out what is secret, or hides what is done."""
    lower = text.casefold()
    sentences = [sentence.strip() for sentence in _END.split(lower) if sentence.strip()]
    if any(shape.search(part) for part in (lower, *sentences) for shape in _shapes("alone")):
        return True
    told = len(lower) <= SHORT and _is_bound(lower)
    return any(
        shape.search(sentence) for sentence in sentences if told or _is_bound(sentence) for shape in _shapes("told")
    )


def _is_bound(text: str) -> bool:
    return any(pattern.search(text) for pattern in _bound())


@cache
def _bound() -> tuple[regex.Pattern[str], ...]:
    words = _table()["words"]
    latin, chinese = _filled(words["bound"]), _filled(words["bound_zh"])
    return regex.compile(rf"(?<![a-z]){latin}(?![a-z])"), regex.compile(chinese)


@cache
def _shapes(name: str) -> Sequence[regex.Pattern[str]]:
    return tuple(regex.compile(_filled(shape)) for shape in _table()[name]["shapes"])


def _filled(written: str) -> str:
    """Return a shape with the words that it names, and without the ends of its lines."""
    words = _table()["words"]
    for _ in range(DEEPEST):
        written = regex.sub(r"\{([a-z_]+)\}", lambda name: words[name.group(1)], written)
    return written.replace("\n", "") if "\n" in written else written


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
