"""Which part of a sentence says what it is about, and which part is what it says: keys and values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from memories.claims.registry import Registry
from memories.claims.tokens import Token
from memories.claims.vocabulary import ValueType

TEMPORAL = {ValueType.DATE, ValueType.TIME}


class Zone(IntEnum):
    KEY = 0
    VALUE = 1
    LOOSE = 2  # behind the first words of a sentence without a verb that is known: a value if both sides say so


class Strength(IntEnum):
    """How sure a mark is that a value follows it."""

    NONE = 0
    PLACE = 1
    USE = 2
    SURE = 3


@dataclass(slots=True)
class _Walk:
    """The state of one pass over the tokens; zones by position of the token."""

    row: Sequence[Token]
    zone: list[Zone] = field(default_factory=list)
    now: Zone = Zone.KEY
    strength: Strength = Strength.NONE
    copula: int | None = None
    passive: bool = False

    def holds(self) -> bool:
        """Whether a value was found already."""
        return any(z is Zone.VALUE and t.key for z, t in zip(self.zone, self.row, strict=False))

    def participle(self) -> bool:
        """Whether all that stands behind the copula so far is a plain word: "are issued in", "is payable within"."""
        held = [t for z, t in zip(self.zone, self.row, strict=False) if z is Zone.VALUE and t.key]
        return len(held) <= 2 and all(
            t.sense.kind in {"word", "attr"} and t.text.islower() and t.text.isascii() for t in held
        )

    def demote(self) -> None:
        self.zone = [Zone.KEY] * len(self.zone)


def zones(row: Sequence[Token], registry: Registry) -> tuple[list[Zone], Strength]:
    """A zone for each token, and how sure the value's is."""
    walk = _Walk(row)
    for n, token in enumerate(row):
        _step(walk, n, token)
        walk.zone.append(walk.now if token.key else Zone.KEY)
    if walk.copula is not None and _is_reversed(row[: walk.copula], row[walk.copula + 1 :]):
        walk.zone = [Zone.VALUE if n < walk.copula and t.key else Zone.KEY for n, t in enumerate(row)]
        walk.strength = Strength.SURE
    return _typed_first(walk, registry), walk.strength


def _step(walk: _Walk, n: int, token: Token) -> None:
    marks = token.marks
    if "copula" in marks:
        walk.demote()
        walk.now, walk.strength = Zone.VALUE, Strength.SURE
        walk.copula = n if walk.copula is None else walk.copula
    elif "agent" in marks:
        _agent(walk)
    elif "by" in marks:
        walk.demote()
        walk.now, walk.strength, walk.passive = Zone.VALUE, Strength.SURE, True
    elif "use" in marks:
        _use(walk)
    elif "place" in marks:
        _place(walk)
    elif "for" in marks:
        walk.now = Zone.KEY


def _use(walk: _Walk) -> None:
    if walk.strength is Strength.SURE and walk.participle():
        walk.demote()
    elif walk.strength < Strength.USE or not walk.holds():
        walk.demote()
        walk.now, walk.strength = Zone.VALUE, max(walk.strength, Strength.USE)
    elif walk.strength is Strength.SURE and walk.now is Zone.VALUE:
        walk.now = Zone.KEY


def _place(walk: _Walk) -> None:
    if walk.strength is Strength.SURE and walk.participle():
        walk.demote()
    elif walk.holds():
        walk.now = Zone.KEY
    else:
        walk.now, walk.strength = Zone.VALUE, max(walk.strength, Strength.PLACE)


def _agent(walk: _Walk) -> None:
    """ "Alice owns billing": what stands before the verb is the value, unless "by" announced it."""
    if walk.passive or walk.strength is Strength.SURE:
        walk.now = Zone.KEY
        return
    before = [
        n for n, t in enumerate(walk.row[: len(walk.zone)]) if t.key and t.value is None and t.sense.kind != "attr"
    ]
    named = [n for n in before if walk.row[n].name or walk.row[n].sense.kind == "family"]
    verb = walk.row[len(walk.zone)].text
    if (
        not named
        and not verb.isascii()
        and not any(walk.row[n].sense.kind in {"person", "self", "qualifier"} for n in before)
    ):
        return  # 合同评审: a noun like any other
    for n in named or before:
        walk.zone[n] = Zone.VALUE
    if before:
        walk.strength, walk.now = Strength.SURE, Zone.KEY
    elif not walk.zone or not any(t.key for t in walk.row[: len(walk.zone)]):
        walk.now, walk.strength = Zone.VALUE, Strength.USE


def _is_reversed(left: Sequence[Token], right: Sequence[Token]) -> bool:
    """ "Redis is our cache": the value stands first."""
    said, asked = [t for t in left if t.key], [t for t in right if t.key]
    if not said:
        return False
    if any("reverse" in t.marks for t in right):
        return True
    if any(t.marks & {"place", "by", "use"} for t in right[:1] if t.sense.kind in {"attr", "mark", "frame"}):
        return False
    if right and right[0].text.casefold() in {"what", "where", "when", "who", "how"}:
        return True
    if _typed(asked) or _family_of_attribute(asked) or (_member(asked) and not _member(said)):
        return False
    attributes = any(t.sense.kind == "attr" for t in said), any(t.sense.kind == "attr" for t in asked)
    return attributes == (False, True) or (len(asked) > 0 and all(t.value is not None for t in said))


def _member(row: Sequence[Token]) -> bool:
    return any(t.name or t.sense.kind == "family" for t in row)


def _family_of_attribute(row: Sequence[Token]) -> set[int]:
    """Where a member of a family stands beside the attribute that it implies: a degree beside "graduated"."""
    named = {t.key for t in row if t.sense.kind == "attr"}
    return {n for n, t in enumerate(row) if t.sense.implies and t.sense.implies in named}


def _typed(row: Iterable[Token]) -> bool:
    return any(t.value is not None for t in row)


def _typed_first(walk: _Walk, registry: Registry) -> list[Zone]:
    """Typed values outrank words: "on Go 1.24 in the gateway" says 1.24, of Go and of the gateway."""
    row, zone = walk.row, walk.zone
    wanted = _wanted(row, registry)
    if wanted is not None:
        return [Zone.VALUE if n in wanted else Zone.KEY for n in range(len(row))]
    typed = {n for n, t in enumerate(row) if t.value is not None}
    inside = {n for n in typed if zone[n] is Zone.VALUE}
    if all(row[n].value is not None and row[n].value.every for n in inside):  # type: ignore[union-attr]  # asked just before
        inside = inside if _lasting(row, typed) == typed else set()
    words = {
        n
        for n, t in enumerate(row)
        if zone[n] is Zone.VALUE and t.value is None and t.sense.kind not in {"attr", "polar"}
    }
    if any(row[n].name or row[n].sense.kind == "family" for n in words):
        words = {n for n in words if row[n].name or row[n].sense.kind == "family" or row[n].text.isascii()}
    if words and walk.strength is Strength.SURE and not inside and not _outweighed(walk, words):
        return _kept(row, words)
    if inside:
        return _kept(row, _lasting(row, inside))
    if (
        typed
        and (not words or walk.strength < Strength.USE or _lasting(row, typed) & typed != set())
        and not _names_only(row, words)
    ):
        return _kept(row, _lasting(row, typed))
    if words:
        return _kept(row, words)
    return _loose(row)


def _outweighed(walk: _Walk, words: set[int]) -> bool:
    """A plain word behind "is" with a figure after it: "is payable within 30 days"."""
    row, start = walk.row, max(words)
    plain = all(not row[n].name and row[n].sense.kind in {"word", "qualifier"} for n in words)
    return plain and any(t.value is not None and not is_when(t) for t in row[start:])


def _kept(row: Sequence[Token], chosen: set[int]) -> list[Zone]:
    releases = {ValueType.NUMBER, ValueType.VERSION}
    products = {n - 1 for n in chosen if n and (value := row[n].value) and value.type in releases}
    chosen = chosen | {n for n in products if row[n].sense.kind == "family"}
    if chosen and all(_is_date(row[n]) for n in chosen):  # "on Tuesdays, from 9:00 to 17:00"
        chosen |= {n for n, t in enumerate(row) if _is_date(t)}
    return [Zone.VALUE if n in chosen else Zone.KEY for n in range(len(row))]


def _names_only(row: Sequence[Token], words: set[int]) -> bool:
    return bool(words) and all(row[n].name or row[n].sense.kind == "family" for n in words)


def _lasting(row: Sequence[Token], typed: set[int]) -> set[int]:
    """Without dates, times and periods where something else is said: they then tell when it holds."""
    rest = {n for n in typed if not is_when(row[n])}
    once = {n for n in typed if not (value := row[n].value) or not value.every}
    return rest or once or typed


def _is_date(token: Token) -> bool:
    return token.value is not None and token.value.type in TEMPORAL


def is_when(token: Token) -> bool:
    """Whether the token is a date, a time or a period: it may only tell when the rest holds."""
    value = token.value
    return value is not None and (value.type in TEMPORAL or value.every)


def _wanted(row: Sequence[Token], registry: Registry) -> set[int] | None:
    """The one token that is what a named attribute is made of: the person of "on call", the number of "port"."""
    members = _family_of_attribute(row)
    if len(members) == 1:
        return _with_release(row, members)
    for token in row:
        known = registry.attributes.get(token.key.removeprefix("a:")) if token.sense.kind == "attr" else None
        if known is None:
            continue
        if known.type is ValueType.PERSON:
            named = [n for n, t in enumerate(row) if t.name]
            if named and named[-1] - named[0] == len(named) - 1:
                return set(named)
        elif known.type in {ValueType.NUMBER, ValueType.QUANTITY, ValueType.MONEY, ValueType.RATE} and not known.soft:
            fitting = [n for n, t in enumerate(row) if t.value is not None and not is_when(t)]
            if len(fitting) == 1:
                return set(fitting)
    return None


def _with_release(row: Sequence[Token], members: set[int]) -> set[int]:
    """With the figure right behind a member of a family: the 18 of "React 18" says which React."""
    releases = {ValueType.NUMBER, ValueType.VERSION}
    behind = {n + 1 for n in members if n + 1 < len(row)}
    return members | {n for n in behind if (value := row[n].value) and value.type in releases}


def _loose(row: Sequence[Token]) -> list[Zone]:
    """No mark and no typed value: whatever follows the first thing that is named may be the value."""
    content = [n for n, t in enumerate(row) if t.key and t.sense.kind not in {"self", "polar"}]
    later = set(content[1:]) if len(content) > 1 else set(content)
    return [Zone.LOOSE if n in later else Zone.KEY for n in range(len(row))]
