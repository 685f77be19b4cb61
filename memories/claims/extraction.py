"""Claims proposed from a text by rule: the same text, time and registry give the same claims."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from memories.claims.dates import WEEKDAYS, DateParts, bounds, resolve
from memories.claims.reading import Part, Reading, is_open, read
from memories.claims.registry import DEFAULT, Registry
from memories.claims.shapes import Claim
from memories.claims.units import units
from memories.claims.values import Value
from memories.claims.vocabulary import SubjectKind, ValueType
from memories.claims.zones import TEMPORAL, Zone

_SINCE = re.compile(r"(?:since|from|as of|starting|自|从|自从)\s*$", re.IGNORECASE)
_UNTIL = re.compile(r"(?:until|till|through|直到|截至|到)\s*$", re.IGNORECASE)


def extract(text: str, *, observed_at: datetime, zone: tzinfo, registry: Registry = DEFAULT) -> Sequence[Claim]:
    """The claims that `text` makes, one for each sentence with a value, all of them marked inferred.

    Relative dates count from `observed_at` in `zone`. A date that says when the claim holds becomes its bounds, a
    date that is the value becomes an ISO day or span; `raw_time` keeps the words. Raises ValueError for a naive time.
    """
    if observed_at.tzinfo is None:
        message = "observed_at must carry a zone, so that a relative date means one day"
        raise ValueError(message)
    local = observed_at.astimezone(zone)
    found = (_claim(reading, (local, zone), registry) for reading in read(text, registry))
    return tuple(claim for claim in found if claim is not None)


def _claim(reading: Reading, when: tuple[datetime, tzinfo], registry: Registry) -> Claim | None:
    said = reading.values()
    polar = reading.of_kind("polar")
    if not said and not polar:
        return None
    times = [p for p in reading.parts if p.token.value and p.token.value.date]
    holds = [p for p in times if p not in said]
    attribute, named = _attribute(reading, said, registry)
    subject = [
        p
        for p in reading.parts
        if p not in said and p not in named and p not in times and p.kind != "polar" and not _says_nothing(p, registry)
    ]
    bounded = _bounds(reading, holds, when)
    return Claim(
        subject_kind=_subject_kind(reading, attribute, registry),
        subject=" ".join(sorted({_bare(part.key) for part in subject})) or "us",
        subject_text=_texts(subject),
        open_class=is_open(reading),
        attribute=attribute,
        attribute_text=_texts(named),
        value=" ".join(_value(part, when[0]) for part in said) or "yes",
        value_text=_texts(said) or _texts(polar),
        unit=_unit(said),
        valid_from=bounded[0],
        valid_to=bounded[1],
        raw_time=_texts(times),
        negated=reading.sign < 0,
    )


def _says_nothing(part: Part, registry: Registry) -> bool:
    """A soft name of an attribute: "time", "number". Any other one beside the attribute belongs to the subject."""
    return part.kind == "attr" and registry.is_soft(part.key[2:])


def _attribute(reading: Reading, said: Sequence[Part], registry: Registry) -> tuple[str, list[Part]]:
    """The key of the attribute and the parts that name it: a known one, what the value implies, or the last word."""
    known = [p for p in reading.parts if p.kind == "attr" and p not in said]
    hard = [p for p in known if not registry.is_soft(p.key[2:])]
    if hard or known:
        chosen = (hard or known)[-1]
        return chosen.key[2:], [chosen]
    implied = next((p.token.sense.implies for p in said if p.token.sense.implies), "")
    if implied:
        return implied[2:], []
    polar = reading.of_kind("polar")
    if not said and polar:
        return _bare(polar[0].key), [polar[0]]
    words = [
        p for p in reading.parts if p not in said and p.kind in {"word", "qualifier", "family"} and not p.token.name
    ]
    if len(words) > 1:
        return _bare(words[-1].key), [words[-1]]
    return "is", []


def _subject_kind(reading: Reading, attribute: str, registry: Registry) -> str:
    if any(
        p.kind in {"person", "open", "self"} or (p.token.name and not p.token.text.isascii())
        for p in reading.parts
        if p.zone is Zone.KEY
    ):
        return SubjectKind.PERSON
    known = registry.attributes.get(attribute)
    return known.subject if known else SubjectKind.THING


def _bounds(
    reading: Reading, holds: Sequence[Part], when: tuple[datetime, tzinfo]
) -> tuple[datetime | None, datetime | None]:
    for part in holds:
        value = part.token.value
        span = resolve(value.date, when[0]) if value and value.date else None
        if span is None:
            continue
        first, after = bounds(span, when[1])
        before = reading.text[: part.token.start]
        if _SINCE.search(before):
            return first, None
        return (None, after) if _UNTIL.search(before) else (first, after)
    return None, None


def _value(part: Part, observed: datetime) -> str:
    value = part.token.value
    if value is None:
        return _bare(part.key)
    if value.date is not None:
        return _day(value.date, observed)
    if value.type in TEMPORAL or value.unit is None:
        return value.norm
    return f"every {value.norm}" if value.every else value.norm


def _day(parts: DateParts, observed: datetime) -> str:
    """An ISO day, a span of two, or the rule of a day that comes again."""
    if parts.recurring:
        weekday = WEEKDAYS[parts.weekday] if parts.weekday is not None else ""
        return " ".join(piece for piece in ("every", weekday or f"day {parts.day or ''}", parts.edge) if piece).strip()
    if parts.year is None and parts.shift is None and parts.month and parts.day:
        return f"--{parts.month:02d}-{parts.day:02d}"
    span = resolve(parts, observed)
    if span is None:
        return parts.key
    first, last = span[0], span[1].toordinal() - 1
    return (
        first.isoformat() if last == first.toordinal() else f"{first.isoformat()}/{first.fromordinal(last).isoformat()}"
    )


def _unit(said: Sequence[Part]) -> str | None:
    typed: list[Value] = [p.token.value for p in said if p.token.value and p.token.value.unit]
    if not typed:
        return None
    unit = typed[0].unit or ""
    return unit if typed[0].type is ValueType.MONEY else units().bases.get(unit, unit)


def _bare(key: str) -> str:
    """A key without the mark of its kind: "s:database" → "database", "f:cache:redis" → "redis"."""
    if key.startswith("t:"):
        return key.split(":", 3)[3]
    return key.rpartition(":")[2]


def _texts(parts: Iterable[Part]) -> str:
    return " ".join(part.token.text for part in parts)
