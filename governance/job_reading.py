"""What the page of jobs shows, read in the open scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils.functional import Promise

from governance.languages import language_of
from governance.models import Job
from governance.places import page_of_id
from governance.vocabulary import JobState
from governance.working import most_of, named_subjects, title_of

SHOWN = 50  # of each state; a longer queue is a figure, and nobody reads it line by line
# What needs a person first, then what is under way, then what waits, then what was done lately.
ORDER = (JobState.QUARANTINED, JobState.RUNNING, JobState.WAITING, JobState.DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One job. `error` is a code; the parts say how far it is, where its worker tells.

    `name` is what its subject is called, or '' where the reader may not know; `href` leads there, or is ''.
    """

    public_id: str
    title: Promise | str
    subject: str
    name: str
    href: str
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
    def language(self) -> str:
        """Of the name."""
        return language_of(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pile:
    """The jobs of one state: how many, and the first of them."""

    state: JobState
    count: int
    lines: Sequence[JobLine]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)


def piles(project: str) -> list[Pile]:
    """Return the jobs that the open scope may read, by state; states without any are left out.

    `project` is the public id of the scope's project.
    """
    counts = dict(Job.objects.values_list("state").annotate(Count("pk")).values_list("state", "pk__count"))
    found = {state: _jobs(state) for state in ORDER if counts.get(state)}
    names = named_subjects((job.kind, job.subject) for jobs in found.values() for job in jobs)
    return [
        Pile(state=state, count=counts[state], lines=[_line(job, project, names) for job in jobs])
        for state, jobs in found.items()
    ]


def _jobs(state: JobState) -> list[Job]:
    order = ("attempts", "due_at", "pk") if state is JobState.WAITING else ("-created_at", "-pk")
    return list(Job.objects.filter(state=state).order_by(*order)[:SHOWN])


def _line(job: Job, project: str, names: Mapping[str, str]) -> JobLine:
    return JobLine(
        public_id=job.public_id,
        title=title_of(job.kind),
        subject=job.subject,
        name=names.get(job.subject, ""),
        href=page_of_id(project, job.subject) or "",
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
