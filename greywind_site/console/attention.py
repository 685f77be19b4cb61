"""What in a project waits for a human, as counts that one statement finds."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from governance.actors import Acting
from governance.models import Project
from memories.models import ConflictSide, Memory, Offer
from memories.models.conflict import UNSETTLED
from memories.vocabulary import PENDING, OfferState
from sessions.models import ContextPacket, Session
from sessions.vocabulary import SessionState

# A refusal that nobody minded for a week was minded by nobody on purpose.
RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Attention:
    """How many packets were refused lately, sessions stand interrupted, and memories wait to be admitted; and how many
    private memories agents of the reader ask them to share, which nobody else may know.

    `disputed` of the candidates are sides of unsettled conflicts: the inbox holds those as the conflicts.
    """

    refused: int
    interrupted: int
    candidates: int
    disputed: int
    asked: int

    @property
    def any(self) -> bool:
        return bool(self.refused or self.interrupted or self.candidates or self.asked)


def attention_of(acting: Acting, *, now: datetime) -> Attention:
    """Count, in the open scope, what the actor may see of it."""
    refused = ContextPacket.objects.filter(refused=True, created_at__gte=now - RECENT)
    interrupted = Session.objects.filter(state=SessionState.INTERRUPTED)
    candidates = Memory.objects.filter(status__in=PENDING)
    sides = ConflictSide.objects.filter(conflict__state__in=UNSETTLED).values("memory_id")
    asked = Offer.objects.filter(human_id=acting.actor_id, state=OfferState.ASKED)
    counts = {
        "refused": refused,
        "interrupted": interrupted,
        "candidates": candidates,
        "disputed": candidates.filter(pk__in=sides),
        "asked": asked,
    }
    project = Project.objects.filter(pk=acting.project_id)
    row = project.annotate(**{name: _count(rows) for name, rows in counts.items()}).values_list(*counts).get()
    return Attention(*row)


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.filter(project_id=OuterRef("pk")).order_by().values("project_id").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
