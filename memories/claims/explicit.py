"""Claims that somebody gave, compared field by field: here nothing has to be read out of a text."""

from memories.claims.registry import Registry
from memories.claims.shapes import Claim, Judgement, Statement
from memories.claims.vocabulary import AttributeKind, Differing, ReasonCode, Relation


def relate_claims(old: Statement, new: Statement, registry: Registry) -> Judgement | None:
    """The judgement on the first two given claims about one attribute of one subject; None where there are none."""
    for right in (claim for claim in new.claims if not claim.inferred):
        for left in (claim for claim in old.claims if not claim.inferred):
            if (left.subject_kind, left.subject, left.attribute) == (
                right.subject_kind,
                right.subject,
                right.attribute,
            ):
                return _judged(left, right, registry)
    return None


def _judged(old: Claim, new: Claim, registry: Registry) -> Judgement:
    same = (old.value, old.unit) == (new.value, new.unit)
    if same and old.negated == new.negated:
        if _bounds(old) != _bounds(new):
            return _judgement(Relation.DISTINCT, ReasonCode.OTHER_PERIOD, old, new, Differing.PERIOD)
        return _judgement(Relation.DUPLICATE, ReasonCode.SAME_CLAIM, old, new)
    if old.open_class or new.open_class:
        return _judgement(Relation.DISTINCT, ReasonCode.OPEN_CLASS, old, new, Differing.SUBJECT)
    if not _overlap(old, new):
        return _judgement(Relation.DISTINCT, ReasonCode.OTHER_PERIOD, old, new, Differing.PERIOD)
    if not same and old.negated != new.negated:
        return _judgement(Relation.DISTINCT, ReasonCode.NOT_COMPARABLE, old, new, Differing.NEGATION)
    return _contradiction(old, new, registry, same=same)


def _contradiction(old: Claim, new: Claim, registry: Registry, *, same: bool) -> Judgement:
    differing = Differing.NEGATION if same else Differing.UNIT if old.value == new.value else Differing.VALUE
    kind = registry.kind_of(old.attribute)
    if kind is AttributeKind.MULTI and not same:
        return _judgement(Relation.ADDS, ReasonCode.MULTI_VALUED, old, new, differing)
    later = old.valid_from is not None and new.valid_from is not None and new.valid_from > old.valid_from
    if kind is AttributeKind.TIME_VARYING and later:
        return _judgement(Relation.UPDATE, ReasonCode.NEWER_VALUE, old, new, differing)
    reason = ReasonCode.OPPOSITE if same else ReasonCode.OTHER_VALUE
    return _judgement(Relation.CONFLICT, reason, old, new, differing)


def _bounds(claim: Claim) -> tuple[object, object]:
    return claim.valid_from, claim.valid_to


def _overlap(old: Claim, new: Claim) -> bool:
    """Half-open periods; a missing bound is open."""
    before = old.valid_to is not None and new.valid_from is not None and old.valid_to <= new.valid_from
    after = new.valid_to is not None and old.valid_from is not None and new.valid_to <= old.valid_from
    return not before and not after


def _judgement(relation: Relation, reason: ReasonCode, old: Claim, new: Claim, *differing: Differing) -> Judgement:
    return Judgement(relation=relation, reason=reason, differing=differing, old=old, new=new)
