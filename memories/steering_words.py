"""Does a text steer what an agent does where people decide: checks, permissions, money, secrets, what is told? Pure.

No single word says so; two do that stand in one sentence: who is told, or for how long, and what is governed; or what
guards and what weakens it. Such a text may be true and wanted, and so it is never refused for that: a human reads it
first, unless it is that human who says it.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

TABLE = Path(__file__).with_name("steering.toml")
# Characters of a text that is one statement. A longer one is a document, in which such words meet by chance.
SHORT = 400
_END = regex.compile(r"[!?;。！？；\n]+|\.(?=\s|$)")
_BARE = frozenset({"trust", "directive"})  # these say themselves where their words begin and end


def steers(text: str) -> bool:
    """Return whether the text weakens a guard, forges a state, hands out what is secret, or hides what is done."""
    lower = text.casefold()
    if any(shape.search(lower) for shape in _shapes()):
        return True
    sentences = [sentence.strip() for sentence in _END.split(lower)]
    if len(lower) <= SHORT and any(_all(sentence, "directive", "governed") for sentence in sentences):
        return True
    addressed = len(lower) <= SHORT and _all(lower, "addressed")
    return any(_steered(sentence, addressed=addressed or _all(sentence, "addressed")) for sentence in sentences)


def _steered(sentence: str, *, addressed: bool) -> bool:
    if _all(sentence, "when", "tell") or _all(sentence, "hand", "secret", "outward"):
        return True
    return addressed and (
        _all(sentence, "guard", "weaken") or _all(sentence, "tell", "forged") or _all(sentence, "trust")
    )


def _all(text: str, *names: str) -> bool:
    return all(_class(name).search(text) for name in names)


@cache
def _class(name: str) -> regex.Pattern[str]:
    words = _joined(_table()["classes"][name])
    return regex.compile(words if name in _BARE else rf"(?<![a-z])(?:{words})(?![a-z])")


@cache
def _shapes() -> tuple[regex.Pattern[str], ...]:
    return tuple(regex.compile(_joined(shape)) for shape in _table()["alone"]["shapes"])


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def _joined(written: str) -> str:
    return written.replace("\n", "")
