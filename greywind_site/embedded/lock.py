"""One supervisor per data folder, and none before the last one's children are gone."""

import fcntl
import json
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from greywind_site.embedded.faults import EmbeddedFault

DESCENDANTS_SECONDS = 30.0


@dataclass(frozen=True)
class Holder:
    """Who holds the lock: process id and the command that it runs."""

    pid: int
    command: str


class FolderLock:
    """An advisory lock on the data folder. The kernel drops it with its process, so it is never stale."""

    def __init__(self, stream: IO[str], descendants: IO[str]) -> None:
        self._stream = stream
        self._descendants = descendants

    @property
    def heirloom(self) -> int:
        """Descriptor to be inherited by every child: while one of them lives, the next supervisor waits."""
        return self._descendants.fileno()

    def release(self) -> None:
        """Let the next one in."""
        self._stream.close()
        self._descendants.close()


def try_lock(folder: Path, *, command: str) -> FolderLock | None:
    """The lock, with our pid and command written into it; None while another process holds it."""
    with ExitStack() as undo:
        stream = undo.enter_context(_open(folder / "lock"))
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        stream.seek(0)
        stream.truncate()
        json.dump({"pid": os.getpid(), "command": command}, stream)
        stream.flush()
        descendants = undo.enter_context(_open(folder / "children.lock"))
        _await_descendants(folder, descendants)
        undo.pop_all()
    return FolderLock(stream, descendants)


def holder(folder: Path) -> Holder | None:
    """Who wrote the lock file last; None when it is empty or half-written. Says nothing about being alive."""
    try:
        told = json.loads((folder / "lock").read_text(encoding="utf-8"))
        return Holder(int(told["pid"]), str(told["command"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _await_descendants(folder: Path, stream: IO[str]) -> None:
    """Wait for the children of a killed supervisor: they are stopping, and still hold sockets and data files."""
    deadline = time.monotonic() + DESCENDANTS_SECONDS
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(stream, fcntl.LOCK_SH)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise EmbeddedFault(
                    f"processes of an earlier start still use {folder}; find them with: fuser -v {folder}/children.lock"
                ) from None
            time.sleep(0.05)


def _open(path: Path) -> IO[str]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return os.fdopen(handle, "r+", encoding="utf-8")
