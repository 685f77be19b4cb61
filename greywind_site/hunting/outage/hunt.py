"""Marks and summaries asked for while jobs hang and fail, the broker forgets everything and stops, and processes die.

The database is the truth: everything that was committed is done in the end, nothing of it twice, soon after the broker
is back; and what hangs or fails delays nobody and is shown.
"""

import json
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from statistics import quantiles
from typing import Any

from django.utils import timezone

from governance.actors import Acting
from governance.ids import public_id
from governance.job_reading import piles
from governance.jobs import enqueue
from governance.models import AuditEvent, Job
from governance.scope import project_scope
from governance.vocabulary import JobState
from greywind_site.celery import ROUND_SECONDS
from greywind_site.embedded.processes import Child
from greywind_site.hunting.continuity.told import coverage_faults
from greywind_site.hunting.continuity.world import Place, World, make_world, settled_down
from greywind_site.hunting.outage.site import Site
from greywind_site.hunting.outage.trades import FAIL, HANG, MARK, NOTE
from greywind_site.hunting.outage.wishes import Plan
from greywind_site.hunting.telling import Tell
from sessions.models import Session, WorkSummary
from sessions.vocabulary import Chore

LINES = 3  # windows in which something is said meanwhile
POISON = 3  # jobs of each kind that hang or fail
DOOMED, WISHES_OF_DOOMED = 2, 5
PATIENCE_SECONDS = 180.0
PACE = 0.1
WARM_SECONDS = 5.0  # in which a worker comes up and reads what it reads at first use
MOST_SLOWER = 1.5
WORK_SECONDS = 5.0  # what the work itself may take, once somebody looks


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is asked for: wishes a second, the seconds of each phase, and for how long the broker is away."""

    rate: float
    seconds: float
    outage: float


@dataclass(kw_only=True)
class OutageReport:
    """What was asked for and what became of it. Times are in seconds; `p95_alone` and `p95_beside` say how long a wish
    waited until it was done, before and beside jobs that hang and fail.
    """

    asked: int = 0
    died_unheard: int = 0
    done: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    versions: int = 0
    uncovered: list[str] = field(default_factory=list)
    slowest_wish: float = 0.0
    p95_alone: float = 0.0
    p95_beside: float = 0.0
    waiting_at_return: int = 0
    caught_up: float = 0.0
    quarantined: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """Return everything that is not as it should be, in words."""
        found = [f"lost: {one}" for one in self.lost] + [f"done twice: {one}" for one in self.twice]
        found += self.uncovered + self.broken
        if self.p95_beside > MOST_SLOWER * self.p95_alone:
            found.append(f"others were delayed: {self.p95_beside} s at the 95th percentile, {self.p95_alone} s before")
        if self.caught_up > ROUND_SECONDS + WORK_SECONDS:
            found.append(f"it took {self.caught_up} s to catch up, a round is {ROUND_SECONDS:.0f} s")
        # With which error depends on whether the worker that was killed held the last try.
        shown = Counter[str]()
        for name, count in self.quarantined.items():
            shown[name.partition(":")[0]] += count
        if shown != {FAIL: POISON, HANG: POISON}:
            found.append(f"in quarantine are {self.quarantined}, not {POISON} of each kind")
        return found

    @property
    def ok(self) -> bool:
        return not self.wrong

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {"ok": self.ok, **asdict(self), "wrong": self.wrong}


class Hunt:
    """One run over a project of its own in the present database."""

    def __init__(self, site: Site, sizes: Sizes, tell: Tell) -> None:
        self.site, self.sizes, self.tell, self.report = site, sizes, tell, OutageReport()
        self.world: World = make_world(0)
        self.places: list[Place] = [settled_down(self.world) for _ in range(LINES)]
        self.asked: list[str] = []

    @property
    def acting(self) -> Acting:
        return self.world.owner

    def run(self) -> OutageReport:
        """Let it all happen, in order."""
        self._loaded("warm", seconds=WARM_SECONDS)
        self.report.p95_alone = self._loaded("alone", seconds=self.sizes.seconds)
        self._poison()
        self.report.p95_beside = self._loaded("beside", seconds=self.sizes.seconds)
        self._go_through_outage()
        self._await(lambda: sum(self._quarantined().values()) == 2 * POISON, "what hangs and fails to be given up")
        self._judge()
        return self.report

    def _loaded(self, name: str, *, seconds: float) -> float:
        """Ask for marks for a while; returns how long nineteen in twenty of them waited at most."""
        began = timezone.now()
        self._heard(self.site.caller(self._plan(name, seconds)))
        self._await(lambda: not self._open(), f"the wishes of {name}")
        slowest = self._waited(since=began)
        self.tell(f"{name}: at the 95th percentile done after {slowest} s")
        return slowest

    def _poison(self) -> None:
        with project_scope(self.acting):
            for number in range(POISON):
                for kind in (HANG, FAIL):
                    enqueue(self.acting, kind, f"poison-{number}")

    def _go_through_outage(self) -> None:
        sizes, site = self.sizes, self.site
        caller = site.caller(self._plan("outage", sizes.outage))
        self._await(lambda: bool(caller.lines), "the first wish")
        site.flush()
        site.kill(site.broker)
        gone = time.monotonic()
        site.kill(site.worker)
        site.start_worker()
        self.tell("the broker has forgotten everything and is gone; the worker was killed and started again")
        for number in range(DOOMED):
            self.report.died_unheard += self._heard(site.caller(self._doomed(number)), ends=-signal.SIGKILL)
        time.sleep(max(gone + sizes.outage - time.monotonic(), 0))
        self.report.waiting_at_return = self._open()
        site.start_broker()
        back = time.monotonic()
        self._heard(caller)
        self._await(lambda: not self._open(), "everything to be caught up with")
        self.report.caught_up = round(time.monotonic() - back, 2)
        self.tell(f"caught up {self.report.caught_up} s after its return")

    def _doomed(self, number: int) -> Plan:
        """A process that is killed before it has woken anybody."""
        return replace(self._plan(f"doomed-{number}", PATIENCE_SECONDS), many=WISHES_OF_DOOMED, dies=True)

    def _plan(self, name: str, seconds: float) -> Plan:
        return Plan(
            name=name,
            project=str(self.acting.project_id),
            actor=str(self.acting.actor_id),
            sessions=[str(place.session_pk) for place in self.places],
            many=max(int(seconds * self.sizes.rate), 1),
            seconds=seconds,
            pause=1 / self.sizes.rate,
        )

    def _heard(self, caller: Child, *, ends: int = 0) -> int:
        """Wait for a caller's end, which `ends` says, and note what it asked for; returns how much that was."""
        self._await(lambda: caller.exit_code() is not None, caller.name)
        code = caller.stop()
        if code != ends:  # whoever could not ask has lost nothing, and is wrong all the same
            self.report.broken.append(f"{caller.name} ended with {code}, not {ends}")
        told: list[tuple[str, float]] = [json.loads(line) for line in caller.lines]
        self.asked += [mark for mark, _ in told]
        # The first of each process waits for what is imported at first use.
        self.report.slowest_wish = max([self.report.slowest_wish, *(seconds for _, seconds in told[1:])])
        return len(told)

    def _open(self) -> int:
        """Return how many jobs of those that can be done wait or run."""
        with project_scope(self.acting, read_only=True):
            known = Job.objects.filter(kind__in=[NOTE, Chore.SUMMARISE])
            return known.filter(state__in=[JobState.WAITING, JobState.RUNNING]).count()

    def _waited(self, *, since: datetime) -> float:
        with project_scope(self.acting, read_only=True):
            rows = Job.objects.filter(kind=NOTE, created_at__gte=since, state=JobState.DONE)
            times = rows.values_list("created_at", "ended_at")
            waits = [(ended - asked).total_seconds() for asked, ended in times if ended is not None]
        return round(quantiles(waits, n=20)[-1], 3) if len(waits) > 1 else 0.0

    def _quarantined(self) -> dict[str, int]:
        """Return what the page of jobs shows as given up, by kind and error."""
        with project_scope(self.acting, read_only=True):
            page = piles(public_id("prj", self.acting.project_id))
            shown = [line for pile in page if pile.state is JobState.QUARANTINED for line in pile.lines]
            kinds = {job.public_id: job.kind for job in Job.objects.filter(state=JobState.QUARANTINED)}
        return dict(Counter(f"{kinds[line.public_id]}: {line.error}" for line in shown))

    def _judge(self) -> None:
        report = self.report
        with project_scope(self.acting, read_only=True):
            marks = Counter(AuditEvent.objects.filter(verb=MARK).values_list("target", flat=True))
            for place in self.places:
                report.uncovered += _uncovered(place.session_pk)
            report.versions = WorkSummary.objects.count()
        for place in self.places:
            report.uncovered += coverage_faults(self.world, place)
        report.asked, report.done = len(self.asked), len(marks)
        report.lost = sorted(set(self.asked) - set(marks))
        report.twice = sorted(mark for mark, times in marks.items() if times > 1)
        report.quarantined = self._quarantined()

    def _await(self, done: Callable[[], bool], what: str) -> None:
        self.site.supervisor.until(done, what=what, seconds=PATIENCE_SECONDS, pace=PACE)


def _uncovered(session_id: uuid.UUID) -> list[str]:
    session = Session.objects.get(pk=session_id)
    last = WorkSummary.objects.filter(session=session).order_by("-version").first()
    covered = last.to_seq if last else 0
    return [] if covered == session.head_seq else [f"{session.public_id} is covered to {covered} of {session.head_seq}"]
