"""Doing the work that waits as rows: who does which kind, and a run that nobody's failing or hanging job holds up.

A job that runs longer than its kind may is given back and its thread left alone: it no longer holds the job, so that
whatever it still does has no effect. What kills the whole process is counted as an attempt when it is claimed, so
that it too ends in quarantine.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, SimpleQueue
from threading import Thread

import structlog
from django.db import DatabaseError, connection
from django.utils.functional import Promise

from governance.jobs import Held, LeaseLost, claim, finish, give_back
from governance.scope import project_scope

LOOK = 0.5  # seconds between two looks at what is due, while jobs run and a slot is free
SLOTS = 4  # jobs at once in one process: one that hangs leaves three
LEASE_SLACK = 30.0  # seconds by which a lease outlives the time a job may take: whoever runs it gives it back itself
MOST_LEFT = 16  # threads that hang, after which this process takes no more work: somebody has to start it anew
TIMED_OUT = "TimedOut"
LOST = "WorkerLost"  # nobody who tried it has come back
type Run = Callable[[Held], None]
type Tally = Counter[str]
type Named = Callable[[Collection[str]], Mapping[str, str]]
log = structlog.get_logger("greywind.jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """How jobs of one kind are done.

    `title` says on a page what is done, and `named` what some subjects are called, of those that the open scope may
    read. `run` opens its own scopes, and calls `governance.jobs.finish` in the
    transaction in which its work takes effect; one that does not must do no harm when it is run twice. A job may take
    `seconds`, and is tried `most` times.
    """

    run: Run
    title: Promise | str
    seconds: float = 60.0
    most: int = 5
    named: Named | None = None


_trades: dict[str, Trade] = {}


def take_on(kind: str, trade: Trade) -> None:
    """Say who does the jobs of a kind; called once for each, as its app gets ready."""
    if kind in _trades:
        raise ValueError(f"jobs of the kind {kind} are taken on already")
    _trades[kind] = trade


def title_of(kind: str) -> Promise | str:
    """Return what jobs of a kind do, in words; the kind itself where nobody does them any more."""
    return _trades[kind].title if kind in _trades else kind


def named_subjects(subjects: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return what jobs are about in words, by their subjects, given as (kind, subject); one statement a sort of thing.

    What the open scope may not read has no name.
    """
    wanted: dict[Named, set[str]] = {}
    for kind, subject in subjects:
        named = _trades[kind].named if kind in _trades else None
        if named is not None:
            wanted.setdefault(named, set()).add(subject)
    return {subject: name for named, some in wanted.items() for subject, name in named(some).items()}


def most_of(kind: str) -> int | None:
    """Return how often a job of a kind is tried before it is put into quarantine; None where nobody does them."""
    return _trades[kind].most if kind in _trades else None


def do_one(held: Held, trade: Trade) -> str:
    """Do one job that is held, in this thread; returns what became of it: done, again, quarantined or taken_over."""
    if held.attempt > trade.most:
        give_back(held, LOST, most=trade.most)
        return "quarantined"
    try:
        trade.run(held)
        _close(held)
    except LeaseLost:
        return "taken_over"
    except Exception as fault:  # noqa: BLE001 - whatever a job raises must not stop the others
        # A traceback may quote what the job is about; its class and place do not.
        log.warning("job_failed", kind=held.kind, subject=held.subject, attempt=held.attempt, cause=_named(fault))
        return "quarantined" if give_back(held, _named(fault), most=trade.most) else "again"
    return "done"


def _close(held: Held) -> None:
    """Mark it as done where its own transaction has not done so."""
    try:
        with project_scope(held.acting):
            finish(held)
    except LeaseLost:
        log.debug("job_was_finished_within", kind=held.kind, subject=held.subject)


def _named(fault: Exception) -> str:
    kind = type(fault)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


class Shift:
    """The jobs of one process: those under way, each with its thread and the moment by which it must be over."""

    def __init__(self, *, slots: int = SLOTS) -> None:
        self.slots = slots
        self.ended: SimpleQueue[tuple[Held, str]] = SimpleQueue()
        self.under_way: dict[Held, tuple[Thread, float]] = {}
        self.left: list[Thread] = []

    def work(self, *, seconds: float = 300.0) -> Tally:
        """Do what is due until nothing is, or the time is over; returns what became of it, by outcome.

        No scope is needed. What is under way when the time is over stays so, and the next call goes on with it.
        Stopped anywhere, it is due again when its lease lapses.
        """
        until, done = time.monotonic() + seconds, Counter[str]()
        while time.monotonic() < until:
            self._take()
            if not self.under_way:
                break
            done += self._wait()
        return done

    def _take(self) -> None:
        leases = {kind: timedelta(seconds=trade.seconds + LEASE_SLACK) for kind, trade in _trades.items()}
        while leases and len(self.under_way) < self.slots and self._fit():
            held = claim(leases)
            if held is None:
                break
            thread = Thread(target=self._run, args=(held,), name=f"job-{held.kind}", daemon=True)
            self.under_way[held] = (thread, time.monotonic() + _trades[held.kind].seconds)
            thread.start()

    def _fit(self) -> bool:
        self.left = [thread for thread in self.left if thread.is_alive()]
        if len(self.left) < MOST_LEFT:
            return True
        log.error("too_many_jobs_hang", threads=len(self.left))
        return False

    def _run(self, held: Held) -> None:
        structlog.contextvars.bind_contextvars(trace_id=held.acting.trace_id, job=held.kind)
        outcome = "postponed"
        try:
            outcome = do_one(held, _trades[held.kind])
        except DatabaseError as fault:  # the row is due again when its lease is over
            log.warning("job_postponed", kind=held.kind, subject=held.subject, cause=type(fault).__name__)
        finally:
            connection.close()
            self.ended.put((held, outcome))

    def _wait(self) -> Tally:
        """Wait until a job is over or has taken too long, or, where a slot is free, for another look at what is due."""
        over = min(moment for _, moment in self.under_way.values()) - time.monotonic()
        look = LOOK if len(self.under_way) < self.slots else over
        try:
            held, outcome = self.ended.get(timeout=max(min(over, look), 0.01))
        except Empty:
            return self._leave_late()
        return Counter() if self.under_way.pop(held, None) is None else Counter([outcome])

    def _leave_late(self) -> Tally:
        done: Tally = Counter()
        for held in [held for held, (_, over) in self.under_way.items() if over <= time.monotonic()]:
            self.left.append(self.under_way.pop(held)[0])
            log.warning("job_hangs", kind=held.kind, subject=held.subject, attempt=held.attempt)
            done["quarantined" if give_back(held, TIMED_OUT, most=_trades[held.kind].most) else "timed_out"] += 1
        return done
