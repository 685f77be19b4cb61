"""How a new statement stands to an old one. Two are only ever called the same when nothing tells them apart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from memories.claims.aligning import Alignment, Observed, align, outcome
from memories.claims.dates import resolve
from memories.claims.explicit import relate_claims
from memories.claims.reading import Part, Reading, dates, is_open, read
from memories.claims.registry import DEFAULT, Registry
from memories.claims.residue import Residue, implied, sift
from memories.claims.shapes import Judgement, Statement
from memories.claims.telling import at_the_end, same_order, same_turns
from memories.claims.text import dedupe_key
from memories.claims.vocabulary import AttributeKind, Differing, ReasonCode, Relation, ValueType
from memories.claims.zones import Strength, Zone

# Two statements on a time-varying attribute inside one day contradict each other; later ones tell of a change.
SETTLES = timedelta(days=1)
_WEIGHT = [Relation.CONFLICT, Relation.UPDATE, Relation.ADDS, Relation.DUPLICATE, Relation.DISTINCT]


def relate(old: Statement, new: Statement, *, registry: Registry = DEFAULT) -> Judgement:
    """Judge `new` against `old`: linear in the length of both texts, without a clock and without a guess.

    Claims that somebody gave (not inferred) are compared first, where both sides have them. DUPLICATE is answered
    only when subject, attribute, value, unit, date and negation are all the same.
    """
    given = relate_claims(old, new, registry)
    if given is not None:
        return given
    lefts, rights = read(old.text, registry), read(new.text, registry)
    if dedupe_key(old.text) == dedupe_key(new.text) and not _moved(lefts, old, new):
        return Judgement(relation=Relation.DUPLICATE, reason=ReasonCode.SAME_TEXT)
    pairs = [[_Pair(left, right, old, new, registry).judge() for right in rights] for left in lefts]
    if not pairs or not pairs[0]:
        return Judgement(relation=Relation.DISTINCT, reason=ReasonCode.UNRELATED)
    return _together(pairs)


def _moved(readings: Sequence[Reading], old: Statement, new: Statement) -> bool:
    """Whether the words name another day by now: "next Friday", said again a week later."""
    return any(resolve(said, old.observed_at) != resolve(said, new.observed_at) for said in dates(readings))


def _together(pairs: Sequence[Sequence[Judgement]]) -> Judgement:
    """One answer for several sentences: any contradiction wins; the same only if each sentence has its like."""
    flat = [judgement for row in pairs for judgement in row]
    best = min(flat, key=lambda judgement: _WEIGHT.index(judgement.relation))
    if best.relation is not Relation.DUPLICATE:
        return best
    rows = all(any(j.relation is Relation.DUPLICATE for j in row) for row in pairs)
    columns = all(any(j.relation is Relation.DUPLICATE for j in column) for column in zip(*pairs, strict=True))
    if rows and columns:
        return best
    return Judgement(relation=Relation.DISTINCT, reason=ReasonCode.NOT_COMPARABLE, differing=(Differing.WORDS,))


@dataclass(slots=True)
class _Pair:
    """Two sentences, what they share and what is left of each."""

    left: Reading
    right: Reading
    old: Statement
    new: Statement
    registry: Registry

    def judge(self) -> Judgement:
        found = align(self.left, self.right, self._observed())
        rest = sift(found, self.registry, (self.left, self.right))
        reason = rest.apart()
        if reason is not None:
            return _distinct(*reason)
        differing = self._values(rest)
        if differing is None or not self._placed(rest):
            return _distinct(ReasonCode.NOT_COMPARABLE, Differing.VALUE)
        opposite = self.left.sign != self.right.sign
        if not differing:
            return self._agreeing(found, rest, opposite=opposite)
        if opposite:
            return _distinct(ReasonCode.NOT_COMPARABLE, Differing.NEGATION)
        return self._differing(found, rest, differing)

    def _observed(self) -> Observed:
        return self.old.observed_at, self.new.observed_at

    def _values(self, rest: Residue) -> list[Differing] | None:
        """What differs between the values; empty where nothing does, None where they cannot be compared."""
        typed = [p for p in rest.left if p.token.value], [p for p in rest.right if p.token.value]
        words = [p for p in rest.left if not p.token.value], [p for p in rest.right if not p.token.value]
        found: list[Differing] = []
        if typed[0] and typed[1]:
            met = _typed(typed[0], typed[1], self._observed())
            if met is None:
                return None
            found.extend(met)
            if bool(words[0]) != bool(words[1]) and any(p.kind == "family" for p in (*words[0], *words[1])):
                return None  # "Debian 12" against "16 cores"
        if not found and _named_otherwise(typed, words):
            return [Differing.IDENTIFIER]
        if words[0] and words[1]:
            sure = self.left.strength is self.right.strength is Strength.SURE
            if not found and not _word_values(words, sure=sure):
                return None
            found.append(Differing.VALUE)
        elif not found and (rest.left or rest.right):
            return None
        return found

    def _placed(self, rest: Residue) -> bool:
        """Words that may be values only count as such where their sentences end."""
        sides = (self.left, rest.left), (self.right, rest.right)
        return all(at_the_end(reading, side) for reading, side in sides if any(p.zone is Zone.LOOSE for p in side))

    def _agreeing(self, found: Alignment, rest: Residue, *, opposite: bool) -> Judgement:
        if opposite:
            if rest.slack() and not rest.tolerable():
                return _distinct(ReasonCode.OTHER_SUBJECT, Differing.SUBJECT)
            return self._contradiction(ReasonCode.OPPOSITE, [Differing.NEGATION])
        if rest.slack() or not self._alike(found):
            return _distinct(ReasonCode.NOT_COMPARABLE, Differing.WORDS)
        return Judgement(relation=Relation.DUPLICATE, reason=ReasonCode.SAME_CLAIM)

    def _alike(self, found: Alignment) -> bool:
        """Whether nothing that alignment does not see tells the two apart: shades, order, small words, marked names."""
        pair = self.left, self.right
        ordered = same_order(*pair) and same_turns(*pair) and _marked(pair[0]) == _marked(pair[1])
        ordered = ordered and pair[0].excluded == pair[1].excluded
        return ordered and not found.shaded and not self._turned(found)

    def _turned(self, found: Alignment) -> bool:
        """The same words with their parts exchanged: "A reports to B", "B reports to A"."""
        words = [
            pair for pair in found.crossed if pair[0].token.value is None and Zone.LOOSE not in {p.zone for p in pair}
        ]
        return (
            len(words) > 1
            and any(a.zone is Zone.VALUE for a, _ in words)
            and any(b.zone is Zone.VALUE for _, b in words)
        )

    def _differing(self, found: Alignment, rest: Residue, differing: Sequence[Differing]) -> Judgement:
        if not rest.tolerable() or not rest.grounded(found):
            return _distinct(ReasonCode.OTHER_SUBJECT, Differing.SUBJECT, *differing)
        if self.right.also or self.left.also:
            return Judgement(relation=Relation.ADDS, reason=ReasonCode.ANOTHER_SAID, differing=tuple(differing))
        if AttributeKind.MULTI in self._kinds(found):
            return Judgement(relation=Relation.ADDS, reason=ReasonCode.MULTI_VALUED, differing=tuple(differing))
        varying = AttributeKind.TIME_VARYING in self._kinds(found)
        return self._contradiction(ReasonCode.OTHER_VALUE, differing, varying=varying)

    def _contradiction(self, reason: ReasonCode, differing: Sequence[Differing], *, varying: bool = False) -> Judgement:
        if is_open(self.left) or is_open(self.right):
            return _distinct(ReasonCode.OPEN_CLASS, Differing.SUBJECT, *differing)
        if self.right.change and self.new.observed_at >= self.old.observed_at:
            return Judgement(relation=Relation.UPDATE, reason=ReasonCode.CHANGE_SAID, differing=tuple(differing))
        if varying and self.new.observed_at - self.old.observed_at >= SETTLES:
            return Judgement(relation=Relation.UPDATE, reason=ReasonCode.NEWER_VALUE, differing=tuple(differing))
        return Judgement(relation=Relation.CONFLICT, reason=reason, differing=tuple(differing))

    def _kinds(self, found: Alignment) -> set[AttributeKind]:
        """How many values the attributes may have that both sides name or imply."""
        named = {part.key for part in found.common if part.kind == "attr"}
        shared = named | (implied(self.left) & implied(self.right))
        return {self.registry.kind_of(key.removeprefix("a:")) for key in shared}


def _distinct(reason: ReasonCode, *differing: Differing) -> Judgement:
    return Judgement(relation=Relation.DISTINCT, reason=reason, differing=differing)


_DIFFERS = {
    ValueType.DATE: Differing.DATE,
    ValueType.TIME: Differing.DATE,
    ValueType.NUMBER: Differing.NUMBER,
    ValueType.QUANTITY: Differing.NUMBER,
    ValueType.MONEY: Differing.NUMBER,
}


def _typed(left: Sequence[Part], right: Sequence[Part], observed: Observed) -> list[Differing] | None:
    """What differs between typed values that are left over; None where no two of one type do."""
    found = []
    for part in left:
        for other in right:
            a, b = part.token.value, other.token.value
            if a is not None and b is not None and outcome(a, b, observed) == "differ":
                unit = a.number == b.number and a.unit != b.unit
                found.append(Differing.UNIT if unit else _DIFFERS.get(a.type, Differing.IDENTIFIER))
    return found or None


def _named_otherwise(typed: tuple[list[Part], list[Part]], words: tuple[list[Part], list[Part]]) -> bool:
    """A name on one side against something that only looks like an identifier on the other: Okta, Auth0."""
    for code, name in ((typed[0], words[1]), (typed[1], words[0])):
        coded = len(code) == 1 and code[0].token.value and code[0].token.value.type is ValueType.IDENTIFIER
        if coded and name and all(p.token.name or p.kind == "family" for p in name):
            return True
    return False


def _marked(reading: Reading) -> set[str]:
    """Names that were set apart by quotes or a hash, as they stand."""
    return {p.token.value.norm for p in reading.parts if p.token.value and p.token.value.type is ValueType.IDENTIFIER}


def _word_values(words: tuple[list[Part], list[Part]], *, sure: bool) -> bool:
    """Whether words against words can be two values: not when only one side is a member of a known family.

    `sure` says that both sentences mark them as what they say; then one word may be a name that nobody knows as one.
    """
    left, right = ({p.token.sense.family for p in side if p.token.sense.family} for side in words)
    if left and right:
        return bool(left & right)
    if left or right:  # a member of a family against a word of its own kind is one word or name
        other = words[1] if left else words[0]
        return len(other) == 1 and not (other[0].token.name and not other[0].token.text.isascii())
    if len({_is_person(side) for side in words}) > 1 and not (sure and all(len(side) == 1 for side in words)):
        return False
    letters = [Counter(c for p in side for c in p.token.text if not c.isascii()) for side in words]
    return not (letters[0] and letters[1]) or bool(letters[0] - letters[1] and letters[1] - letters[0])


def _is_person(side: Sequence[Part]) -> bool:
    return any(p.token.name for p in side)
