"""Whether two accounts tell of the same thing at different times. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime

from memories.claims import DEFAULT, Registry, Relation, Statement, ValueType, dedupe_key, relate, similarity
from memories.claims.lexicon import lexicon
from memories.claims.reading import read
from memories.claims.shapes import Claim
from memories.claims.tokens import tokens
from memories.claims.vocabulary import Differing

# "has moved", "搬了": it came about, and is so from then on.
CAME_ABOUT = re.compile(r"\b\w+ed\b|[了过]", re.IGNORECASE)
ALIKE = 0.75  # overlap from which two accounts that differ in small words alone are one account
WHEN = (ValueType.DATE, ValueType.TIME)


def undated(text: str, *, registry: Registry = DEFAULT) -> str:
    """Return a text in the form in which it is compared, without the days and hours that it names."""
    bare = dedupe_key(text)
    for token in reversed(tokens(bare, lexicon(registry))):
        if token.value is not None and token.value.type in WHEN:
            bare = f"{bare[: token.start]} {bare[token.start + len(token.text) :]}"
    return dedupe_key(bare)


def tells_the_same(one: str, other: str, *, at: datetime, registry: Registry = DEFAULT) -> bool:
    """Return whether two accounts say the same once the days are left out: no other subject, value or number."""
    left, right = undated(one, registry=registry), undated(other, registry=registry)
    judged = relate(Statement(text=left, observed_at=at), Statement(text=right, observed_at=at), registry=registry)
    if judged.relation is Relation.DUPLICATE:
        return True
    small = judged.relation is Relation.DISTINCT and tuple(judged.differing) == (Differing.WORDS,)
    return small and similarity(left, right) >= ALIKE


def ends_by_itself(
    text: str, claims: Sequence[Claim], *, said_at: datetime, registry: Registry = DEFAULT
) -> datetime | None:
    """Return when a text stops to hold because everything that it says is of a period, as "this month the port is 90".

    What tells of a change goes on to hold after the day on which it came about, and so does what nobody knows as an
    attribute: None for both.
    """
    ends = [claim.valid_to for claim in claims]
    known = all(claim.attribute in registry.attributes for claim in claims)
    changed = CAME_ABOUT.search(text) or any(reading.change for reading in read(text, registry))
    if not claims or changed or not known:
        return None
    closed = [end for end in ends if end is not None and end > said_at]
    return max(closed) if len(closed) == len(ends) else None
