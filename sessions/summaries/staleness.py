"""Since when the current version of a work summary does not say how things stand, and why."""

from datetime import datetime

from sessions.fallen import MEMORY_FELL
from sessions.models import Session, SummaryRefusal, WorkSummary
from sessions.summaries.reading import fallen_of


def staleness(session: Session, row: WorkSummary) -> tuple[datetime | None, list[str]]:
    """Return since when a version is stale, and for which reasons; None and none where it is not.

    A later version was refused, by the faults that are named, or a memory that a line rests on does not hold any more.
    """
    refusal = SummaryRefusal.objects.filter(session=session, after_version=row.version).order_by("created_at").first()
    fallen = fallen_of(row)
    since = [datetime.fromisoformat(at) for at in fallen.since.values()]
    because = sorted({one["fault"] for one in refusal.problems}) if refusal else []
    if refusal is not None:
        since.append(refusal.created_at)
    return min(since, default=None), [*because, *([MEMORY_FELL] if fallen else [])]
