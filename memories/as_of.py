"""What held at a moment of the past: by what was known then, or by what is known of that moment now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left

from memories.models import Memory, MemoryMove, MemoryVersion
from memories.vocabulary import ArchivedFor, MemoryStatus
from threads.lexemes import terms

HEAD = 2000  # characters of a text that a list may show some of
# Out of use for one of these, it was true in its time. One that was superseded was so where its end is known: else it
# was corrected, and never held.
TRUE_ONCE = (ArchivedFor.EXPIRED, ArchivedFor.STALE, ArchivedFor.BUDGET, ArchivedFor.BY_HAND)
MOST_TERMS, MOST_WEIGHED = 12, 400  # of a question about the past, and texts that share one of them, newest first
FLOOR = 0.34  # share of the question's terms from which on a text is about it


def held_at(moment: datetime) -> QuerySet[Any]:
    """Return the memories of the open scope that were in use at a moment and held then, each with the `version_then`
    and the beginning (`head`) of its text then.

    What was erased since is not among them. An end that was only learnt later does not count.
    """
    moves = MemoryMove.objects.filter(memory=OuterRef("pk"), at__lte=moment).order_by("-at", "-id")
    texts = MemoryVersion.objects.filter(memory=OuterRef("pk"))
    then, first = texts.filter(created_at__lte=moment).order_by("-version"), texts.filter(version=1)
    began = Q(valid_from=None) | Q(valid_from__lte=moment)
    lasted = Q(valid_to=None) | Q(valid_to__gt=moment) | Q(archived_for=ArchivedFor.SUPERSEDED)
    known = Memory.objects.filter(began, lasted, created_at__lte=moment, erased_at=None).defer("content")
    return known.annotate(
        state_then=Subquery(moves.values("there")[:1]),
        version_then=Coalesce(Subquery(then.values("version")[:1]), 1),
        head=Left(Coalesce(Subquery(then.values("content")[:1]), Subquery(first.values("content")[:1])), HEAD),
    ).filter(state_then=MemoryStatus.ACTIVE)


@dataclass(frozen=True, slots=True)
class Then:
    """A row of `held_at` or `held_on` that is about a question, and which of its terms the text shares, from 0 to 1."""

    row: Any
    score: float
    shared: Sequence[str]


def held_on(moment: datetime) -> QuerySet[Any]:
    """Return the memories of the open scope that by today's knowledge held at a moment, with the columns of `held_at`.

    One without a beginning held from when it was said; one in use, or out of use though true, holds to its end. What
    was corrected, deleted, revoked or erased never did.
    """
    texts = MemoryVersion.objects.filter(memory=OuterRef("pk"))
    then, first = texts.filter(created_at__lte=moment).order_by("-version"), texts.order_by("version")
    ended = Q(archived_for__in=TRUE_ONCE) | Q(archived_for=ArchivedFor.SUPERSEDED, valid_to__isnull=False)
    holding = Q(status=MemoryStatus.ACTIVE) | Q(status=MemoryStatus.ARCHIVED) & ended
    known = Memory.objects.filter(holding, Q(valid_to=None) | Q(valid_to__gt=moment), erased_at=None).defer("content")
    return known.annotate(
        begins=Coalesce("valid_from", "observed_at", "created_at"),
        version_then=Coalesce(Subquery(then.values("version")[:1]), Subquery(first.values("version")[:1])),
        head=Left(Coalesce(Subquery(then.values("content")[:1]), Subquery(first.values("content")[:1])), HEAD),
    ).filter(begins__lte=moment)


def about(rows: QuerySet[Any], question: str, *, most: int) -> list[Then]:
    """Return the rows of `held_at` or `held_on` that are about a question, best first; none when nothing is.

    No search copy is kept of the past: the newest texts that share a term are weighed by how many they share.
    """
    asked = dict.fromkeys(terms(question))
    telling = [term for term in asked if len(term) > 1][:MOST_TERMS] or list(asked)[:MOST_TERMS]
    if not telling:
        return []
    sharing = rows.filter(reduce(or_, (Q(head__icontains=term) for term in telling)))
    weighed = [_weighed(row, telling) for row in sharing.order_by("-created_at", "-id")[:MOST_WEIGHED]]
    close = [one for one in weighed if one.score >= FLOOR]
    return sorted(close, key=lambda one: -one.score)[:most]


def _weighed(row: Any, telling: Sequence[str]) -> Then:
    held = frozenset(terms(row.head))
    shared = [term for term in telling if term in held]
    whole = sum(min(len(term), 4) for term in telling)
    return Then(row, round(sum(min(len(term), 4) for term in shared) / whole, 3), shared)
