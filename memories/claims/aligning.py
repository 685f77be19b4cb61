"""Two readings side by side: what both say, and what only one of them says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memories.claims.dates import compare
from memories.claims.reading import Part, Reading
from memories.claims.values import Value
from memories.claims.vocabulary import ValueType
from memories.claims.zones import Zone

Observed = tuple[datetime, datetime]
Outcome = Literal["same", "differ", "unknown", "other"]


@dataclass(slots=True)
class Alignment:
    """What two readings share, what is left on each side, and the typed values that stand against each other."""

    common: list[Part] = field(default_factory=list)
    left: list[Part] = field(default_factory=list)
    right: list[Part] = field(default_factory=list)
    crossed: list[tuple[Part, Part]] = field(default_factory=list)  # the same word, a value here and not there
    shaded: bool = False  # an attribute was named by words that are near each other and not the same: owns, leads


def align(old: Reading, new: Reading, observed: Observed) -> Alignment:
    """Pair what means the same, typed values by meaning and words by key; the rest is left over."""
    found = Alignment()
    rest = list(new.parts)
    for part in old.parts:
        match = next((other for other in rest if _same(part, other, observed)), None)
        if match is None:
            found.left.append(part)
            continue
        rest.remove(match)
        found.common.append(part)
        found.shaded = found.shaded or part.token.sense.shade != match.token.sense.shade
        if part.zone is not match.zone:
            found.crossed.append((part, match))
    found.right = rest
    _match_loosely(found)
    return found


def _same(a: Part, b: Part, observed: Observed) -> bool:
    if a.token.value is None or b.token.value is None:
        return a.key == b.key
    return outcome(a.token.value, b.token.value, observed) == "same"


def outcome(a: Value, b: Value, observed: Observed) -> Outcome:
    """How two typed values stand: the same, another of the same type, not to be told, or of other types."""
    if a.type is ValueType.DATE and a.date and b.date and b.type is ValueType.DATE:
        return compare(a.date, b.date, observed)
    if a.type is ValueType.TIME and b.type is ValueType.TIME:
        return _times(a, b)
    if {a.type, b.type} == {ValueType.VERSION, ValueType.NUMBER}:
        return "same" if a.norm == b.norm else "differ"
    return _other_types(a, b) if a.type is not b.type else _one_type(a, b)


def _one_type(a: Value, b: Value) -> Outcome:
    if a.unit != b.unit:
        return "differ" if a.type is ValueType.MONEY else "other"
    if a.type is ValueType.VERSION and a.norm != b.norm and _extends(a.norm, b.norm):
        return "unknown"
    return "same" if a.norm == b.norm else "differ"


def _other_types(a: Value, b: Value) -> Outcome:
    """A bare number against one with a unit is another value unless the figures are equal: then nothing is sure."""
    mixed = {a.type, b.type} == {ValueType.NUMBER, ValueType.QUANTITY} and not (a.counted or b.counted)
    if mixed and not (a.every or b.every) and _countable(a, b):
        return "unknown" if _figures(a) == _figures(b) else "differ"
    if {a.type, b.type} == {ValueType.NUMBER, ValueType.MONEY} and not (a.counted or b.counted):
        return "unknown" if a.number == b.number else "differ"  # 8万元, 十万
    identifying = {ValueType.IDENTIFIER, ValueType.PATH, ValueType.URL}
    return "differ" if {a.type, b.type} <= identifying else "other"


def _countable(*values: Value) -> bool:
    """Seconds, bytes and shares are often given as bare numbers; ages and heights are not."""
    return {value.unit for value in values} <= {None, "duration", "bytes", "share", "tokens", "pixels"}


def _figures(value: Value) -> str:
    return "".join(c for c in value.text if c.isdigit() or c == ".")


def _times(a: Value, b: Value) -> Outcome:
    if a.norm == b.norm:
        return "same"
    if a.loose != b.loose and a.norm[3:] == b.norm[3:] and int(a.norm[:2]) % 12 == int(b.norm[:2]) % 12:
        return "same"
    return "differ"


def _extends(a: str, b: str) -> bool:
    shorter, longer = sorted((a, b), key=len)
    return longer.startswith(shorter + ".")


def _match_loosely(found: Alignment) -> None:
    """Words that were cut or inflected otherwise: 数据库 beside 数据 and 库, "config" beside "configuration"."""
    for part in list(found.left):
        other = next((o for o in found.right if _akin(part, o)), None)
        if other is not None:
            _pair(found, [part], [other])
    for zone in (Zone.KEY, Zone.VALUE):
        left, right = _han(found.left, zone), _han(found.right, zone)
        if left and right and _letters(left) == _letters(right):
            _pair(found, left, right)


def _pair(found: Alignment, left: Sequence[Part], right: Sequence[Part]) -> None:
    found.common.extend(left)
    found.left = [part for part in found.left if part not in left]
    found.right = [part for part in found.right if part not in right]


def _akin(a: Part, b: Part) -> bool:
    if a.token.value or b.token.value or a.token.name or b.token.name or not {a.kind, b.kind} <= {"word"}:
        return False
    x, y = (part.key.partition(":")[2] for part in (a, b))
    if x.isascii() and y.isascii():
        shorter, longer = sorted((x, y), key=len)
        return len(shorter) >= 5 and longer.startswith(shorter) and Zone.VALUE not in {a.zone, b.zone}
    return False


def _han(parts: Sequence[Part], zone: Zone) -> list[Part]:
    return [p for p in parts if p.kind == "word" and not p.token.text.isascii() and not p.token.name and p.zone is zone]


def _letters(parts: Sequence[Part]) -> Counter[str]:
    return Counter("".join(part.token.text for part in parts))
