"""What was held true at a moment of the past: by what was known then, not by what is known now."""

from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left

from memories.models import Memory, MemoryMove, MemoryVersion
from memories.vocabulary import ArchivedFor, MemoryStatus

HEAD = 2000  # characters of a text that a list may show some of


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
