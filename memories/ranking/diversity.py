"""Five hits are not one fact five times: which of the ranked say what better ones say already. Pure."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil

from memories.ranking.candidate import Candidate

SAME = 0.95  # of the terms of the longer, at which two passages say the same: of short ones all, since one term
# more or less is another fact there (measured: at 0.9 one search in ten lost its evidence to a neighbour)
MOST_TOLD = 2  # times that a fact may be told: that it was said again, at another time, is worth knowing once

type _Kept = tuple[str, frozenset[str], datetime | None]


def told_already(ranked: Sequence[Candidate]) -> list[str | None]:
    """Return for each, best first, the ref of the first better one that makes it one too many; None where none does.

    A copy, which says the same of the same time, is one too many at once; what was said again later from the third on.
    """
    kept: list[_Kept] = []
    told: list[str | None] = []
    for one in ranked:
        held = one.held
        least, size = SAME * len(held), len(held)
        some = frozenset(one.terms[: size - ceil(least) + 1])
        # The shorter one bounds what they share, and what says the same lacks fewer terms than these few: nearly all
        # pairs end here, before their terms are compared.
        near = [
            each
            for each in kept
            if least <= len(each[1]) and SAME * len(each[1]) <= size and not some.isdisjoint(each[1])
        ]
        told.append(_too_often(one, [each for each in near if say_the_same(held, each[1])]))
        if told[-1] is None:
            kept.append((one.ref, held, one.as_of))
    return told


def _too_often(one: Candidate, same: Sequence[_Kept]) -> str | None:
    copied = next((ref for ref, _, as_of in same if as_of == one.as_of), None)
    return same[0][0] if len(same) >= MOST_TOLD else copied


def say_the_same(held: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two passages share nearly all terms; with another number or version they say another thing."""
    if not held or len(held & other) < SAME * max(len(held), len(other)):
        return False
    return not any(char.isdigit() for term in held ^ other for char in term)
