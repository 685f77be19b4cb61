"""Starts programs in order, watches them, starts some of them again, and stops them in the reverse order."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.processes import Child, Program, Sink, to_stderr
from greywind_site.embedded.restarts import PATIENCE, Patience, Restarts

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PACE_SECONDS = 0.03


class Stopped(Exception):
    """A stop signal arrived; everything started so far is being stopped."""


class Supervisor:
    """Context manager around a set of children; leaving it stops all of them, the last one started first."""

    def __init__(self, *, sink: Sink = to_stderr, patience: Patience = PATIENCE) -> None:
        self.sink = sink
        self.children: list[Child] = []
        self.restarts = Restarts(patience)
        self._due: dict[str, float] = {}
        self.stopping = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self, program: Program) -> Child:
        """Start a program that is to run until the end."""
        self._check()
        child = Child(program, sink=self.sink)
        self.children.append(child)
        return child

    def pids(self) -> dict[str, int]:
        """Return the process id of each child by its name."""
        return {child.name: child.process.pid for child in self.children}

    def run(self, program: Program, *, seconds: float = 600) -> list[str]:
        """Run a program to its end and return the lines of its standard output; raises when it fails."""
        child = Child(program, sink=self.sink, capture=True)
        try:
            self.until(lambda: child.exit_code() is not None, what=program.name, seconds=seconds)
        finally:
            code = child.stop()
        if code:
            raise EmbeddedFault(f"{program.name} failed (exit code {code}); its own words stand above")
        return child.lines

    def until(self, done: Callable[[], bool], *, what: str, seconds: float, pace: float = PACE_SECONDS) -> None:
        """Wait until `done()`; raises when a child dies, a stop is asked for, or the time is over."""
        deadline = time.monotonic() + seconds
        while not done():
            self._check()
            if time.monotonic() > deadline:
                raise EmbeddedFault(f"{what} did not get ready within {seconds:.0f} s; its own words stand above")
            self.stopping.wait(pace)

    def watch(self, *, changed: Callable[[], None] = lambda: None) -> None:
        """Return when a stop is asked for. A child whose program says `again` is started again when it ends by itself,
        and `changed` is called then; raise EmbeddedFault that names the child when it does so too often, or another.
        """
        while not self.stopping.wait(0.2):
            if self._started_again():
                changed()

    def stop(self) -> None:
        """Stop all children, last first; may be called again."""
        while self.children:
            child = self.children.pop()
            began = time.monotonic()
            code = child.stop()
            self.sink(f"stopped {child.name} ({_outcome(code)}, {time.monotonic() - began:.1f} s)")

    @contextmanager
    def obeying_signals(self) -> Iterator[None]:
        """Within the block Ctrl-C, SIGTERM and SIGHUP ask for an orderly stop instead of ending us."""
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping.set()

    def _check(self) -> None:
        if self.stopping.is_set():
            raise Stopped
        self._refuse_dead()

    def _started_again(self) -> bool:
        started = False
        for place, child in enumerate(self.children):
            if child.exit_code() is None:
                continue
            due = self._due.get(child.name)
            if due is None:
                self._due[child.name] = self._await_restart(child)
            elif time.monotonic() >= due:
                del self._due[child.name]
                # In its old place, so that everything still stops in the reverse order.
                self.children[place] = Child(child.program, sink=self.sink)
                started = True
        return started

    def _await_restart(self, child: Child) -> float:
        """When the ended child is to be started again; what it left running goes first. Raises when it is not to be."""
        ended = f"{child.name} ended by itself ({_outcome(child.stop())})"
        if not child.program.again:
            raise EmbeddedFault(f"{ended}: stopping everything")
        now = time.monotonic()
        wait = self.restarts.next_wait(child.name, now=now)
        if wait is None:
            often = f"after it was started again {self.restarts.in_words(child.name)}"
            remedy = "Its own words stand above; `python3 manage.py doctor` says what is wrong. Then start `up` again."
            raise EmbeddedFault(f"{ended}, {often}: stopping everything. {remedy}")
        self.sink(f"{ended}: starting it again in {wait:.0f} s ({self.restarts.in_words(child.name)})")
        return now + wait

    def _refuse_dead(self) -> None:
        for child in self.children:
            code = child.exit_code()
            if code is not None:
                child.drain()
                raise EmbeddedFault(f"{child.name} ended by itself ({_outcome(code)}): stopping everything")


def _outcome(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
