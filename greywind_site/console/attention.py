"""What in a project waits for a human, as counts that one statement finds."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from governance.actors import Acting
from governance.models import Project
from memories.models import Memory
from memories.vocabulary import PENDING
from sessions.models import ContextPacket, Session
from sessions.vocabulary import SessionState

# A refusal that nobody minded for a week was minded by nobody on purpose.
RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Attention:
    """How many packets were refused lately, sessions stand interrupted, and memories wait to be admitted."""

    refused: int
    interrupted: int
    candidates: int

    @property
    def any(self) -> bool:
        return bool(self.refused or self.interrupted or self.candidates)


def attention_of(acting: Acting, *, now: datetime) -> Attention:
    """Count, in the open scope, what the actor may see of it."""
    refused = ContextPacket.objects.filter(refused=True, created_at__gte=now - RECENT)
    interrupted = Session.objects.filter(state=SessionState.INTERRUPTED)
    candidates = Memory.objects.filter(status__in=PENDING)
    row = (
        Project.objects.filter(pk=acting.project_id)
        .annotate(refused=_count(refused), interrupted=_count(interrupted), candidates=_count(candidates))
        .values_list("refused", "interrupted", "candidates")
        .get()
    )
    return Attention(*row)


def _count(rows: QuerySet[ContextPacket] | QuerySet[Session] | QuerySet[Memory]) -> Coalesce:
    counted = rows.filter(project_id=OuterRef("pk")).order_by().values("project_id").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
