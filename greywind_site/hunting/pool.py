"""Many requests over very few connections, with accidents in mid-transaction: is anything of another's ever read?

Every worker borrows a connection, works in somebody's scope and gives it back, while statements fail, exceptions fly,
and a saboteur on a connection of its own cancels and kills backends at moments of its choosing. What was read is
compared with the rows as they were written; what a connection still knows is looked at before each request.
"""

import logging
import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import psycopg
from django.conf import settings
from django.db import Error, connection
from psycopg.conninfo import make_conninfo

from greywind_site.hunting.borrowing import Accident, Borrower, Unwound
from greywind_site.hunting.crowd import Principal, make_crowd

WORKERS = 8  # as many as ask at once; four times the connections, so that each waits and meets another's leftovers
PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.004  # between two blows of the saboteur, on average
OTHERS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() AND state <> 'idle'
"""
# What tells of a lost connection and of an entry that was not written: here both are brought about on purpose.
LOUD = ("psycopg.pool", "greywind.ledger")
# What an accident may end with: cancelled, killed, our own division by zero, and what follows in that transaction.
EXPECTED = frozenset({"57014", "57P01", "22012", "25P02", "40P01"})


@dataclass(kw_only=True)
class PoolReport:
    """What was done and seen. `wrong` names every read, write or leftover that was not the reader's own."""

    requests: int
    pool: int
    workers: int
    seed: int
    reads: int = 0
    completed: int = 0
    disturbed: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    accidents: dict[str, int] = field(default_factory=dict)
    cancelled: int = 0
    killed: int = 0
    unexpected: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.wrong and not self.unexpected

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {"ok": self.ok, **asdict(self)}


def hunt_pool(requests: int, *, pool: int, seed: int, projects: int = 4) -> PoolReport:
    """Run the requests over `pool` connections of the application role to the present database, and report.

    It makes its own projects and leaves them: the database should be one to be thrown away.
    """
    crowd = make_crowd(projects)
    report = PoolReport(requests=requests, pool=pool, workers=WORKERS, seed=seed)
    shares = [requests // WORKERS + (n < requests % WORKERS) for n in range(WORKERS)]
    over = threading.Event()
    with _quiet(), pool_of(pool), ThreadPoolExecutor(WORKERS + 1) as threads:
        saboteur = threads.submit(_sabotage, over, seed)
        walks = [threads.submit(_walk, crowd, share, f"{seed}-{n}") for n, share in enumerate(shares)]
        try:
            for walk in walks:
                _add(report, *walk.result())
        finally:
            over.set()
        report.cancelled, report.killed = saboteur.result()
    return report


@contextmanager
def _quiet() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in LOUD]
    kept = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for each, level in zip(loggers, kept, strict=True):
            each.setLevel(level)


@contextmanager
def pool_of(size: int) -> Iterator[None]:
    """Give every thread of this process that many connections together, for the block's length."""
    options = connection.settings_dict["OPTIONS"]
    kept = options["pool"]
    _swap({**kept, "min_size": size, "max_size": size, "timeout": PATIENCE_SECONDS})
    try:
        yield
    finally:
        _swap(kept)


def _swap(pool: Any) -> None:
    connection.close()
    if hasattr(connection, "close_pool"):  # of PostgreSQL's backend alone
        connection.close_pool()
    connection.settings_dict["OPTIONS"]["pool"] = pool


def _walk(crowd: Sequence[Principal], requests: int, seed: str) -> tuple[Borrower, Counter[str], list[str]]:
    """Send one worker's requests; returns what it noted, how they ended, and faults that no accident explains."""
    dice = random.Random(seed)  # noqa: S311 - repeatable dice
    borrower, ends, unexpected = Borrower(crowd, dice), Counter[str](), list[str]()
    for _ in range(requests):
        try:
            borrower.request()
            ends["completed"] += 1
        except (Accident, Unwound):
            ends["disturbed"] += 1
        except Error as fault:
            ends["disturbed"] += 1
            unexpected += _unexplained(fault)
        finally:
            connection.close()
    return borrower, ends, unexpected


def _unexplained(fault: Error) -> list[str]:
    """Return what is wrong with a fault that nothing here brings about; a lost connection has no SQLSTATE."""
    state = getattr(fault.__cause__, "sqlstate", None)
    return [] if state is None or state in EXPECTED or state.startswith("08") else [f"{state}: {fault}"]


def _sabotage(over: threading.Event, seed: int) -> tuple[int, int]:
    """Cancel statements and kill backends until it is over; returns how many of each."""
    dice, blows = random.Random(f"{seed}-saboteur"), Counter[str]()  # noqa: S311 - repeatable dice
    target = settings.GREYWIND.app_database() | {"dbname": str(connection.settings_dict["NAME"])}
    with psycopg.connect(make_conninfo(**target), autocommit=True) as link:
        while not over.wait(dice.expovariate(1 / PAUSE_SECONDS)):
            busy = [row[0] for row in link.execute(OTHERS)]
            if busy:
                blow = "pg_terminate_backend" if dice.random() < 0.02 else "pg_cancel_backend"
                link.execute(f"SELECT {blow}(%s)", [dice.choice(busy)])
                blows[blow] += 1
    return blows["pg_cancel_backend"], blows["pg_terminate_backend"]


def _add(report: PoolReport, borrower: Borrower, ends: Counter[str], unexpected: list[str]) -> None:
    report.reads += borrower.reads
    report.completed += ends["completed"]
    report.disturbed += ends["disturbed"]
    report.kinds = dict(Counter(report.kinds) + borrower.kinds)
    report.accidents = dict(Counter(report.accidents) + borrower.accidents)
    report.wrong += borrower.wrong
    report.unexpected += unexpected
