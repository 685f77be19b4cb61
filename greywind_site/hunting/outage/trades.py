"""Kinds of jobs of a hunt: one leaves a mark in the ledger as it is done, one always fails, and one hangs."""

import os
import time

from governance.jobs import Held, finish
from governance.scope import project_scope, record
from governance.working import Trade, take_on
from greywind_site.hunting.scratch import point_at

NOTE, FAIL, HANG = "hunt_note", "hunt_fail", "hunt_hang"
MARK = "hunt.noted"
DATABASE = "HUNTED_DATABASE"
"""Names the variable by which a process is told which database is hunted in."""
HANG_SECONDS, NOTE_SECONDS = 4.0, 1.0


class Failed(Exception):
    """What a job of the kind that fails ends with."""


def take_on_hunted() -> None:
    """Let this process do, and name, the jobs of a hunt."""
    take_on(NOTE, Trade(run=_note, title="hunt: leave a mark", seconds=NOTE_SECONDS))
    take_on(FAIL, Trade(run=_fail, title="hunt: fail", most=3))
    take_on(HANG, Trade(run=_hang, title="hunt: hang", seconds=HANG_SECONDS, most=2))


def enter_hunted_database() -> None:
    """Point this process at the database that is hunted in."""
    point_at(os.environ[DATABASE])


def _note(held: Held) -> None:
    with project_scope(held.acting):
        record(MARK, held.subject)
        finish(held)


def _fail(_held: Held) -> None:
    raise Failed


def _hang(_held: Held) -> None:
    time.sleep(600)
