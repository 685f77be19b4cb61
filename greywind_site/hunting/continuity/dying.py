"""Processes that are forked to do one thing, and killed before a chosen word to the database, as by a power cut."""

import os
import signal
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from greywind_site.hunting.scratch import leave_connections

FORK = get_context("fork")  # a child needs no second to begin in: everything is imported
PATIENCE_SECONDS = 120
type Work[T] = Callable[[], T]


class Stuck(Exception):
    """A forked process did not come to its end, or ended otherwise than it should; the message says how."""


class Countdown:
    """Counts what this process says to the database, over all its connections, and kills it before word `last`.

    A commit counts as well: what is killed before it has done everything and changed nothing.
    """

    def __init__(self, last: int | None) -> None:
        self.said, self._last, self._turn = 0, last, Lock()

    def begin(self) -> None:
        """Listen to every connection that is made from now on."""
        connection_created.connect(self._listen, weak=False)

    def __call__(self, execute: Callable[..., Any], *statement: Any) -> Any:
        """Let a statement through, as Django's wrappers of statements do."""
        self.next_word()
        return execute(*statement)

    def next_word(self) -> None:
        """Count one word, or die before it."""
        with self._turn:
            if self.said == self._last:
                die()
            self.said += 1

    def _listen(self, connection: BaseDatabaseWrapper, **_: Any) -> None:
        if self in connection.execute_wrappers:
            return
        connection.execute_wrappers.append(self)
        commit, name = connection.commit, "commit"

        def counted() -> None:
            self.next_word()
            commit()

        setattr(connection, name, counted)


def die() -> None:
    """End this process at once: nothing is closed, rolled back, sent or said."""
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


@dataclass(frozen=True, slots=True)
class Came[T]:
    """What became of a forked process: what its work returned, None where it was killed, and the words it said."""

    value: T | None
    said: int

    @property
    def killed(self) -> bool:
        return self.said < 0


KILLED: Came[Any] = Came(None, -1)


def alone[T](work: Work[T]) -> T:
    """Return what `work` returns in a process of its own. Raises Stuck where it fails."""
    return together([work])[0]


def together[T](works: Sequence[Work[T]]) -> list[T]:
    """Return what each work returns, all of them begun at the same moment in processes of their own."""
    start = FORK.Barrier(len(works))

    def at_once(work: Work[T]) -> Work[T]:
        def begun() -> T:
            start.wait(PATIENCE_SECONDS)
            return work()

        return begun

    children = [_fork(at_once(work), None) for work in works]
    values = [_awaited(*child).value for child in children]
    return [value for value in values if value is not None]


def killed_before(word: int, work: Work[Any]) -> Came[Any]:
    """Do `work` in a process that is killed before it says that word, or when it is done and has said fewer."""
    return _awaited(*_fork(work, word), may_die=True)


def counted[T](work: Work[T]) -> Came[T]:
    """Return what `work` returns in a process of its own, and how many words it says to the database."""
    return _awaited(*_fork(work, None))


def _fork(work: Work[Any], word: int | None) -> tuple[BaseProcess, Connection]:
    leave_connections()
    hears, tells = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_live, args=(work, word, tells), daemon=True)
    with warnings.catch_warnings():
        # Beside threads a fork may hang on a lock that one of them holds: whoever waits for the child then says so.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    tells.close()
    return child, hears


def _live(work: Work[Any], word: int | None, tells: Connection) -> None:
    count = Countdown(word)
    count.begin()
    _want_few_connections()
    try:
        value = work()
        if word is not None:
            die()  # it is done, and nobody hears of it
        tells.send((value, count.said, ""))
    except Exception:  # noqa: BLE001 - told to whoever waits, as it would be read in a log
        tells.send((None, count.said, traceback.format_exc()))
    finally:
        connection.close()
        os._exit(0)  # nothing of the parent's is tidied up a second time


def _want_few_connections() -> None:
    """Let the pool of this short life begin with none instead of with several."""
    pool = connection.settings_dict["OPTIONS"].get("pool")
    if isinstance(pool, dict):
        pool["min_size"] = 0


def _awaited(child: BaseProcess, hears: Connection, *, may_die: bool = False) -> Came[Any]:
    try:
        if not hears.poll(PATIENCE_SECONDS):
            child.kill()
            raise Stuck(f"process {child.pid} did not come to its end in {PATIENCE_SECONDS} s")
        value, said, fault = hears.recv()
    except EOFError:
        child.join()
        if may_die and child.exitcode == -signal.SIGKILL:
            return KILLED
        raise Stuck(f"process {child.pid} ended with {child.exitcode}") from None
    finally:
        hears.close()
    child.join()
    if fault:
        raise Stuck(fault)
    return Came(value, said)
