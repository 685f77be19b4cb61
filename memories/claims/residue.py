"""What is left of two aligned sentences, once words are set aside that say no more than their values do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memories.claims.aligning import Alignment
from memories.claims.reading import Part, Reading
from memories.claims.registry import Registry
from memories.claims.vocabulary import Differing, ReasonCode, ValueType
from memories.claims.zones import TEMPORAL, Zone, is_when

# Attributes that a value of the type implies by itself.
_IMPLIED = {
    ValueType.EMAIL: {"email", "account", "host"},
    ValueType.PHONE: {"phone"},
    ValueType.PATH: {"path"},
    ValueType.URL: {"host", "repo", "path"},
    ValueType.VERSION: {"version"},
    ValueType.DATE: {"weekday", "meeting_time", "start", "release_date"},
    ValueType.TIME: {"time", "meeting_time", "start"},
    ValueType.MONEY: {"price"},
}
_IMPLIED_UNITS = {
    "age": {"age"},
    "per_second": {"rate_limit"},
    "duration": {"meeting_length", "interval"},
    "temperature": {"temperature"},
}
_NAMES_IT = {"called", "known as", "叫", "叫做", "名叫", "名为"}
_FIGURES = {ValueType.NUMBER, ValueType.QUANTITY, ValueType.RATE}
_NAMING = {ValueType.TERM, ValueType.TEXT, ValueType.IDENTIFIER, ValueType.PERSON, ValueType.URL, ValueType.PATH}
# What an attribute is made of that values of a type can be values of.
_ROLES = {
    ValueType.NUMBER: _FIGURES | {ValueType.MONEY, ValueType.VERSION, ValueType.IDENTIFIER},
    ValueType.QUANTITY: _FIGURES,
    ValueType.RATE: _FIGURES,
    ValueType.MONEY: {ValueType.MONEY, ValueType.NUMBER},
    ValueType.DATE: TEMPORAL,
    ValueType.TIME: TEMPORAL,
    ValueType.VERSION: {ValueType.VERSION, ValueType.NUMBER},
}
ENOUGH = 2  # words that two sentences share, from which on other verbs need not speak of something else
_HARD = {"person", "open", "qualifier", "opaque"}


@dataclass(slots=True)
class Residue:
    """`left` and `right` stand against each other as values; `loose_*` are words of the keys that one side adds."""

    left: list[Part]
    right: list[Part]
    loose_left: list[Part]
    loose_right: list[Part]
    shared: Sequence[Part]
    narrowed: bool  # a word that one side adds stands right before a noun that both share: upload limit, limit
    registry: Registry

    def apart(self) -> tuple[ReasonCode, Differing] | None:
        """Why the two are about different things, or None."""
        attributes = [
            [p for p in _attributes(side, self.registry) if self._is_role(p) or not p.token.verb]
            for side in (self.loose_left, self.loose_right)
        ]
        if attributes[0] and attributes[1]:
            return ReasonCode.OTHER_ATTRIBUTE, Differing.ATTRIBUTE
        typed = [[p for p in side if p.token.value] for side in (self.loose_left, self.loose_right)]
        if typed[0] and typed[1]:
            when = all(is_when(p.token) for p in (*typed[0], *typed[1]))
            return (ReasonCode.OTHER_PERIOD, Differing.PERIOD) if when else (ReasonCode.OTHER_SUBJECT, Differing.NUMBER)
        if self._nouns(self.loose_left) and self._nouns(self.loose_right):
            return ReasonCode.OTHER_SUBJECT, Differing.SUBJECT
        verbs = bool(self.loose_left and self.loose_right)
        if verbs and len(self.shared) < ENOUGH and not _attributes(self.shared, self.registry):
            return ReasonCode.OTHER_SUBJECT, Differing.SUBJECT
        return None

    def _nouns(self, parts: Iterable[Part]) -> list[Part]:
        """Without verbs, where figures or members of a family stand against each other: much is said in many ways."""
        sides = self.left, self.right
        comparable = all(any(p.token.value or p.kind == "family" for p in side) for side in sides)
        return [p for p in parts if not (comparable and p.token.verb and not self._is_role(p))]

    def _is_counted(self, part: Part) -> bool:
        """Whether the word stands right behind a number that counts it: the people of "twelve people"."""
        counting = [p.token.value for p in (*self.left, *self.right) if p.token.value and p.token.value.counted]
        return part.kind == "word" and any(0 <= part.token.start - value.end <= 1 for value in counting)

    def _is_role(self, part: Part) -> bool:
        """Whether a named attribute is made of what the values are: then it says which of them is meant."""
        known = self.registry.attributes.get(part.key[2:]) if part.kind == "attr" else None
        if known is None:
            return False
        types = {p.token.value.type if p.token.value else ValueType.TEXT for p in (*self.left, *self.right)}
        return any(known.type in _ROLES.get(said, _NAMING) for said in types)

    def slack(self) -> list[Part]:
        return [*self.loose_left, *self.loose_right]

    def tolerable(self) -> bool:
        """Whether what one side adds may be ornament: few plain words, no name, number or telling qualifier."""
        added = [p for p in self._nouns(self.slack()) if not is_when(p.token) and not self._is_counted(p)]
        if any(p.kind in _HARD or p.token.name or p.token.value or p.kind == "family" for p in added):
            return False
        shared = _attributes(self.shared, self.registry)
        naming = [p for p in added if p.kind == "attr" and self._is_role(p)]
        if any(p.kind == "attr" for p in added) and shared and (not naming or any(map(self._is_role, shared))):
            return False
        if self.narrowed:
            return False
        return len(added) <= max(1, len(self.shared) // 2)

    def grounded(self, found: Alignment) -> bool:
        """Whether the two share a subject or an attribute, and not just a verb."""
        families = {p.token.sense.family for p in self.left if p.token.sense.implies}
        if families & {p.token.sense.family for p in self.right}:
            return True
        return any(
            p.kind not in {"polar", "self"} for p in found.common if p.zone is not Zone.VALUE or p.token.value is None
        )


def sift(found: Alignment, registry: Registry, readings: tuple[Reading, Reading]) -> Residue:
    """Sort what is left: values against values, the words of the keys, and what can be set aside."""
    said = (implied(readings[0]) & implied(readings[1])) | _within(found)
    left = _without_soft(found.left, found.right, said, registry)
    right = _without_soft(found.right, found.left, said, registry)
    values = _values(left, right), _values(right, left)
    if not values[0] and not values[1]:
        values = _members(left, right), _members(right, left)
    return Residue(
        *values,
        [p for p in left if p not in values[0]],
        [p for p in right if p not in values[1]],
        found.common,
        any(_narrows(reading, side) for reading, side in zip(readings, (left, right), strict=True)),
        registry,
    )


def _narrows(reading: Reading, added: Sequence[Part]) -> bool:
    """Whether an added word stands right before a noun of the keys that is not added itself."""
    row = sorted(reading.parts, key=lambda p: p.token.start)
    return any(
        part in added
        and part.kind in {"word", "attr"}
        and not (part.token.verb and part.token.text.isascii())
        and part.zone is Zone.KEY is after.zone
        and after not in added
        and after.kind in {"word", "attr"}
        and not (after.token.verb and after.token.text.isascii())
        and after.token.start - (part.token.start + len(part.token.text)) <= (1 if part.token.text.isascii() else 0)
        for part, after in pairwise(row)
    )


def _values(side: Sequence[Part], other: Sequence[Part]) -> list[Part]:
    said = [p for p in side if p.zone is Zone.VALUE and p.kind not in {"attr", "self"}]
    if said:
        return said
    loose = [p for p in side if p.zone is Zone.LOOSE and p.kind not in {"attr", "self"}]
    return loose if loose and any(p.zone is not Zone.KEY for p in other) else []


def _members(side: Sequence[Part], other: Sequence[Part]) -> list[Part]:
    """Members of one family that stand on both sides: "sent as PDF", "sent as XML"."""
    families = {p.token.sense.family for p in other if p.kind == "family"}
    return [p for p in side if p.kind == "family" and p.token.sense.family in families]


def _without_soft(side: Sequence[Part], other: Sequence[Part], implied: set[str], registry: Registry) -> list[Part]:
    rival = bool(_attributes([p for p in other if p.key not in implied], registry))
    return [
        p
        for p in side
        if not _is_soft(p, implied, registry) or (rival and p.kind == "attr" and not registry.is_soft(p.key[2:]))
    ]


def _is_soft(part: Part, implied: set[str], registry: Registry) -> bool:
    if part.kind in {"polar", "self"}:
        return True
    return part.key in implied or (part.kind == "attr" and registry.is_soft(part.key[2:]))


def _within(found: Alignment) -> set[str]:
    """What the name of an attribute says already: the branch of a release branch, the connections of their pool."""
    names = [p for p in (*found.common, *found.left, *found.right) if p.kind == "attr"]
    parts = {f"a:{piece}" for p in found.common if p.kind == "attr" for piece in p.key[2:].split("_")[1:]}
    written = [p.token.text.casefold() for p in names]
    for part in (*found.left, *found.right):
        text = part.token.text.casefold()
        if part.kind == "word" and part.zone is not Zone.VALUE and any(_names(text, name) for name in written):
            parts.add(part.key)
    return parts


def _names(text: str, name: str) -> bool:
    if text.isascii():
        return len(text) > 3 and any(word.startswith(text.rstrip("s")) for word in name.split())
    return len(text) > 1 and text in name


def implied(reading: Reading) -> set[str]:
    """The keys of attributes that the values of a reading imply."""
    found: set[str] = {"a:name"} if reading.carrying & _NAMES_IT else set()
    for part in reading.parts:
        value = part.token.value
        if part.token.sense.implies:
            found.add(part.token.sense.implies)
        if part.token.name and part.zone is not Zone.KEY:
            found.add("a:name")
        if value is not None:
            names = _IMPLIED.get(value.type, set()) | _IMPLIED_UNITS.get(value.unit or "", set())
            found |= {"a:interval"} if value.every else {f"a:{name}" for name in names}
    return found


def _attributes(parts: Iterable[Part], registry: Registry) -> list[Part]:
    return [p for p in parts if p.kind == "attr" and not registry.is_soft(p.key[2:])]
