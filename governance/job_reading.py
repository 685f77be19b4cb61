"""What the page of jobs shows, read in the open scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils.functional import Promise

from governance.models import Job
from governance.vocabulary import JobState
from governance.working import most_of, title_of

SHOWN = 50  # of each state; a longer queue is a figure, and nobody reads it line by line
# What needs a person first, then what is under way, then what waits, then what was done lately.
ORDER = (JobState.QUARANTINED, JobState.RUNNING, JobState.WAITING, JobState.DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One job. `error` is a code; `part` says how far it is, where its worker tells."""

    public_id: str
    title: Promise | str
    subject: str
    state: JobState
    attempts: int
    most: int | None
    error: str
    asked_at: datetime
    due_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    lapses_at: datetime | None
    done_parts: int
    all_parts: int | None

    @property
    def of_session(self) -> bool:
        """Whether it is about a session, which has a page."""
        return self.subject.startswith("ses_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pile:
    """The jobs of one state: how many, and the first of them."""

    state: JobState
    count: int
    lines: Sequence[JobLine]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)


def piles() -> list[Pile]:
    """Return the jobs that the open scope may read, by state; states without any are left out."""
    counts = dict(Job.objects.values_list("state").annotate(Count("pk")).values_list("state", "pk__count"))
    return [Pile(state=state, count=counts[state], lines=_lines(state)) for state in ORDER if counts.get(state)]


def _lines(state: JobState) -> list[JobLine]:
    order = ("attempts", "due_at", "pk") if state is JobState.WAITING else ("-created_at", "-pk")
    return [_line(job) for job in Job.objects.filter(state=state).order_by(*order)[:SHOWN]]


def _line(job: Job) -> JobLine:
    return JobLine(
        public_id=job.public_id,
        title=title_of(job.kind),
        subject=job.subject,
        state=JobState(job.state),
        attempts=job.attempts,
        most=most_of(job.kind),
        error=job.error,
        asked_at=job.created_at,
        due_at=job.due_at,
        started_at=job.started_at,
        ended_at=job.ended_at,
        lapses_at=job.lease_until,
        done_parts=job.done_parts,
        all_parts=job.all_parts,
    )
