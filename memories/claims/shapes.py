"""What passes in and out of this package: claims, statements and judgements, all of them plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.claims.vocabulary import Differing, ReasonCode, Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One attribute of one subject. `subject`, `attribute` and `value` are normalised, the `_text` ones as written.

    `attribute` is a key of the registry or, where none fits, the normalised words of the statement itself.
    `open_class` says that the subject names no single one ("my colleague"). The bounds of validity are aware
    datetimes; `raw_time` is the phrase that they come from. `inferred` marks what an extractor proposed.
    """

    subject_kind: str
    subject: str
    subject_text: str = ""
    open_class: bool = False
    attribute: str
    attribute_text: str = ""
    value: str
    value_text: str = ""
    unit: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    raw_time: str = ""
    negated: bool = False
    inferred: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A text that states something, when it was observed (aware), and its claims where somebody gave them.

    `claims` left empty, or all of them inferred, means that the text speaks for itself.
    """

    text: str
    observed_at: datetime
    claims: Sequence[Claim] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How a new statement stands to an old one, why, and what keeps the two apart.

    `old` and `new` are the two claims that were compared, where there were any.
    """

    relation: Relation
    reason: ReasonCode
    differing: Sequence[Differing] = ()
    old: Claim | None = None
    new: Claim | None = None
