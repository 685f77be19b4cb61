"""An account's projects at a glance: how many threads are open in each, and when something happened last."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from governance.actors import Acting
from governance.scope import project_scope
from governance.seats import Seat
from governance.vocabulary import ActorKind
from threads.models import Thread
from threads.vocabulary import ThreadState

# Each project is a scope of its own, which is two statements: an account with very many projects gets a plain list.
MOST_GLANCES = 20


@dataclass(frozen=True, slots=True)
class Glance:
    """One project of the account. The figures are None beyond the first MOST_GLANCES projects."""

    seat: Seat
    open_threads: int | None = None
    last_active_at: datetime | None = None


def glances_of(seats: Sequence[Seat], *, trace_id: str) -> list[Glance]:
    """Return each project with its open threads, as many as the account may see there."""
    looked = [_glance(seat, trace_id=trace_id) for seat in seats[:MOST_GLANCES]]
    return looked + [Glance(seat) for seat in seats[MOST_GLANCES:]]


def _glance(seat: Seat, *, trace_id: str) -> Glance:
    # Without roles: what is for one role alone is counted on the project's own page.
    acting = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(acting, read_only=True):
        rows = Thread.objects.filter(project_id=seat.project_id, state=ThreadState.OPEN)
        found = rows.aggregate(number=Count("pk"), last=Max("last_active_at"))
    return Glance(seat, found["number"], found["last"])
