"""A statement as it is compared: content tokens with zones, whether it denies, and what it says of itself."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import zip_longest

from memories.claims.clauses import clauses
from memories.claims.dates import DateParts, resolve
from memories.claims.lexicon import Sense, lexicon
from memories.claims.registry import DEFAULT, Registry
from memories.claims.text import dedupe_key, plain
from memories.claims.tokens import Token, tokens
from memories.claims.verbs import with_verbs
from memories.claims.zones import Strength, Zone, zones

LATER = timedelta(days=800)  # another day, week, month and year
LONGEST, MOST = 400, 12  # characters of a sentence that is read, and sentences of a text
_END = re.compile(r"[!?;]+|\.(?=\s|$|[\u3400-\u9fff])|\n+")


@dataclass(frozen=True, slots=True)
class Part:
    """A content token and where it stands."""

    token: Token
    zone: Zone

    @property
    def key(self) -> str:
        return self.token.key

    @property
    def kind(self) -> str:
        return self.token.sense.kind


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence. `sign` is -1 where it denies; `change` and `also` are said in so many words."""

    text: str
    parts: tuple[Part, ...]
    strength: Strength
    sign: int
    change: bool
    also: bool
    carrying: frozenset[str] = frozenset()  # the words that only carry the rest, in lower case
    excluded: frozenset[str] = frozenset()  # what it says that the value is not: "port 9443, not 8443"

    def of_kind(self, *kinds: str) -> list[Part]:
        return [part for part in self.parts if part.kind in kinds]

    def values(self) -> list[Part]:
        return [part for part in self.parts if part.zone is Zone.VALUE]


@lru_cache(maxsize=4096)
def read(text: str, registry: Registry) -> tuple[Reading, ...]:
    """The sentences of `text` that say anything, each read on its own.

    What is too long to be one plain statement, and what follows the first sentences of a long text, is kept as one
    piece that equals only itself: cost stays linear, and nothing that was not read is ever called the same.
    """
    sentences = [sentence.strip() for sentence in _END.split(plain(text)) if sentence.strip()]
    said = [part for s in sentences[:MOST] for part in (clauses(s, registry) if len(s) <= LONGEST else (s,))]
    found = [_sentence(s, registry) if len(s) <= LONGEST else _opaque(s) for s in said]
    if len(sentences) > MOST:
        found.append(_opaque(" ".join(sentences[MOST:])))
    return tuple(reading for reading in found if reading.parts)


def _opaque(text: str) -> Reading:
    token = Token(text, Sense("opaque", f"x:{dedupe_key(text)}"), 0)
    return Reading(text, (Part(token, Zone.KEY),), Strength.NONE, 1, change=False, also=False)


def _sentence(sentence: str, registry: Registry) -> Reading:
    row, excluded = _without_excluded(_without_past(with_verbs(tokens(sentence, lexicon(registry)))))
    zone, strength = zones(row, registry)
    parts = _once(Part(token, place) for token, place in zip(row, zone, strict=True) if token.key)
    sign = 1
    for token in row:
        sign *= token.sense.sign
    marks = {mark for token in row for mark in token.marks}
    carrying = frozenset(
        word
        for token, after in zip_longest(row, row[1:])
        if not token.key and not (after and after.value and after.value.unit)  # "after 30 seconds" is a length of time
        for word in token.text.casefold().split()
    )
    return Reading(sentence, parts, strength, sign, "change" in marks, "also" in marks, carrying, excluded)


def _once(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Each name of something once: "listens on port 80" names the port twice."""
    kept: dict[object, Part] = {}
    for part in parts:
        known = kept.get(part.key)
        if known is None or (part.zone is Zone.VALUE and part.token.value is None):
            kept[part.key] = part
        elif part.token.value is not None:
            kept[part.key, part.token.start] = part
    return tuple(kept.values())


def dated_key(text: str, observed: datetime, registry: Registry = DEFAULT) -> str:
    """`dedupe_key`, with the days that the text's words mean where they mean others when said at another time."""
    spans = [(resolve(said, observed), resolve(said, observed + LATER)) for said in dates(read(text, registry))]
    days = [f"{now[0]}/{now[1]}" for now, later in spans if now and now != later]
    return " ".join([dedupe_key(text), *days])


def dates(readings: Iterable[Reading]) -> list[DateParts]:
    """Every date that the readings name, in the order of the text."""
    values = [part.token.value for reading in readings for part in reading.parts]
    return [value.date for value in values if value and value.date]


def is_open(reading: Reading) -> bool:
    """ "my colleague": nobody in particular, unless a name stands beside it on the same side."""
    return bool(reading.of_kind("open")) and not any(p.token.name and p.zone is Zone.KEY for p in reading.parts)


_TO_ZH = {
    *("改成", "改为", "改到", "换成", "换到", "换为", "迁移到", "迁到", "切换到"),
    *("切到", "升级到", "升到", "调整为", "调整到", "调到", "调成", "降到", "降为"),
    *("提高到", "变成", "变为", "更换为", "更新为", "涨到", "延长到", "缩短到", "搬到", "到"),
}


def _without_past(row: Sequence[Token]) -> list[Token]:
    """ "changed from A to B": A is no longer said."""
    if not any("change" in token.marks for token in row):
        return list(row)
    texts = [token.text.casefold() for token in row]
    first = next((n for n, text in enumerate(texts) if text == "从" or text.split()[-1] == "from"), None)
    last = next(
        (n for n, text in enumerate(texts) if first is not None and n > first and text in {"to", *_TO_ZH}), None
    )
    if first is None or last is None:
        return list(row)
    return [*row[:first], *row[last:]]


_EXCLUDES = {"而不是", "而非"}  # whatever stands before them
_EXCLUDES_BEHIND_A_COMMA = {"not", "不是"}


def _without_excluded(row: Sequence[Token]) -> tuple[list[Token], frozenset[str]]:
    """ "on port 9443, not 8443": what it is not, behind what it is, denies nothing. Returns the rest, and its keys."""
    for n, token in enumerate(row):
        behind_comma = n > 0 and "comma" in row[n - 1].marks and token.text.casefold() in _EXCLUDES_BEHIND_A_COMMA
        if (behind_comma or token.text in _EXCLUDES) and sum(bool(other.key) for other in row[:n]) > 1:
            return list(row[:n]), frozenset({"not", *(other.key for other in row[n + 1 :] if other.key)})
    return list(row), frozenset()
