"""Child processes that cannot outlive us, with their output behind a prefix."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from greywind_site.embedded.account import Account

PR_SET_PDEATHSIG = 1
ASKING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 10.0
# Loaded before any fork: a child between fork and exec must not import.
_libc = ctypes.CDLL(None, use_errno=True)

type Sink = Callable[[str], None]


@dataclass(frozen=True)
class Program:
    """What to run: its name in the log, its command line, how it is asked to stop, and as whom it runs."""

    name: str
    command: Sequence[str | Path]
    stop: signal.Signals = signal.SIGTERM
    # What the kernel sends when we are gone; a second kind where the polite one could take long.
    orphaned: signal.Signals | None = None
    # It keeps nothing that another start could harm: when it ends by itself it is started again.
    again: bool = False
    account: Account | None = None
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    inherit: tuple[int, ...] = field(default=())


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel for this signal when the thread that started us ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(number))


def to_stderr(line: str) -> None:
    """Default sink: standard output belongs to the command's result."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


class Child:
    """One started program. Start it from the main thread: its life hangs on the thread that starts it."""

    def __init__(self, program: Program, *, sink: Sink = to_stderr, capture: bool = False) -> None:
        self.program = program
        self.lines: list[str] = []
        self._sink, self._capture = sink, capture
        self.process = self._start()
        self._reader = threading.Thread(target=self._read, name=f"log-{program.name}", daemon=True)
        self._reader.start()

    @property
    def name(self) -> str:
        return self.program.name

    def exit_code(self) -> int | None:
        """None while it runs; negative when a signal ended it."""
        return self.process.poll()

    def stop(self, *, grace: float = GRACE_SECONDS) -> int:
        """Ask it to stop, wait `grace` seconds, then kill its whole process group; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(self.program.stop)
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                self._sink(f"{self.name:>8} | did not stop within {grace:.0f} s: killed")
        self._kill_group()
        code = self.process.wait()
        self.drain()
        return code

    def drain(self) -> None:
        """Wait until everything that the ended program wrote has been passed on."""
        self._reader.join(timeout=2)
        if not self._reader.is_alive() and self.process.stdout is not None:
            self.process.stdout.close()

    def _start(self) -> subprocess.Popen[bytes]:
        program, parent = self.program, os.getpid()
        orphaned = program.orphaned or program.stop

        def bind_to_parent() -> None:
            # A shell that starts us in the background lets us, and so them, ignore some of these.
            for number in ASKING_SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            die_with_parent(orphaned)
            if os.getppid() != parent:  # the parent went before the line above took effect
                os._exit(1)

        with warnings.catch_warnings():
            # Forking beside threads can hang on a lock; the calls above take none.
            warnings.simplefilter("ignore", DeprecationWarning)
            return subprocess.Popen(
                [str(part) for part in program.command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if self._capture else subprocess.STDOUT,
                env=None if program.environment is None else dict(program.environment),
                cwd=program.folder or "/",
                process_group=0,  # a Ctrl-C in the terminal reaches us only, and we stop in order
                pass_fds=program.inherit,
                preexec_fn=bind_to_parent,  # noqa: PLW1509 - no other way to set the parent-death signal
                **(program.account.popen_arguments() if program.account else {}),
            )

    def _read(self) -> None:
        stream = self.process.stdout
        if stream is None:
            return
        for raw in stream:
            line = raw.decode(errors="replace").rstrip("\n")
            if self._capture:
                self.lines.append(line)
            else:
                self._sink(f"{self.name:>8} | {line}")

    def _kill_group(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # the usual case: everybody has gone
