"""How much may be in use in one place: beyond that, what is least useful is archived, and can be brought back."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from governance.vocabulary import ActorKind
from memories.effects import retire
from memories.models import ConflictSide, Feedback, Injection, Memory
from memories.models.conflict import UNSETTLED
from memories.policy import Standing
from memories.relating import Place
from memories.usefulness import USED_SINCE, Use, usefulness
from memories.vocabulary import SPOKEN, ArchivedFor, FeedbackKind, MemoryStatus, MemoryType, WriteMode

BLAMING = (FeedbackKind.WRONG, FeedbackKind.OUTDATED, FeedbackKind.DO_NOT_USE)


def keep_within(places: Iterable[Place], standing: Standing, *, now: datetime) -> int:
    """Archive the least useful of each place until the policy's bounds hold, in the open scope; returns how many.

    What a user said goes last; what never changes, and a side of an unsettled conflict, stays. A place within its
    bounds costs one statement.
    """
    return sum(_keep(place, standing, now=now) for place in places)


def use_of(row: Any) -> Use:
    """Return what usefulness is judged by, of a row of `with_use`."""
    return Use(
        type=MemoryType(row.type),
        importance=row.importance,
        confirmed_at=row.last_confirmed_at or row.said_at,
        uses=row.uses,
        praise=row.praise,
        cited=row.cited,
        blame=row.blame,
    )


def with_use(memories: QuerySet[Memory], *, now: datetime) -> QuerySet[Any]:
    """Return memories with how often packets carried them of late, and what was said of them."""
    said = Feedback.objects.filter(memory=OuterRef("pk"))
    useful = said.filter(kind=FeedbackKind.USEFUL)
    carried = Injection.objects.filter(memory=OuterRef("pk"), at__gt=now - USED_SINCE)
    return memories.annotate(
        uses=_count(carried),
        praise=_count(useful.filter(actor__kind=ActorKind.HUMAN)),
        cited=_count(useful.exclude(actor__kind=ActorKind.HUMAN)),
        blame=_count(said.filter(kind__in=BLAMING)),
    )


def _keep(place: Place, standing: Standing, *, now: datetime) -> int:
    here = Memory.objects.filter(**place.where(), status=MemoryStatus.ACTIVE)
    there = here.aggregate(number=Count("pk"), tokens=Coalesce(Sum("tokens"), 0))
    number, tokens = there["number"] - standing.memories, there["tokens"] - standing.tokens
    if number <= 0 and tokens <= 0:
        return 0
    gone = []
    for memory in _least_useful(here, now=now):
        if number <= 0 and tokens <= 0:
            break
        gone.append(memory)
        number, tokens = number - 1, tokens - (memory.tokens or 0)
    bound = f"at most {standing.memories} memories and {standing.tokens} tokens are in use in one place"
    for memory in gone:
        worth = usefulness(use_of(memory), now=now)
        retire(memory, ArchivedFor.BUDGET, reason=f"{bound}, and this was worth {worth}", now=now)
    return len(gone)


def _least_useful(here: QuerySet[Memory], *, now: datetime) -> Sequence[Any]:
    disputed = ConflictSide.objects.filter(conflict__state__in=UNSETTLED).values("memory_id")
    free = here.exclude(Q(write_mode=WriteMode.IMMUTABLE) | Q(pk__in=disputed))
    return sorted(
        with_use(free, now=now),
        key=lambda one: (one.source_rank in SPOKEN, usefulness(use_of(one), now=now), one.created_at, str(one.pk)),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.order_by().values("memory").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
