"""Where the `up` of a data folder is reached: written when it is ready, removed when it ends in order."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from greywind_site.embedded.lock import holder
from greywind_site.embedded.secrets import write_stored

FILE = "running.json"
DEFAULT_ADDRESS = "http://127.0.0.1:8000"
STARTED = 19  # the field of /proc/PID/stat, counted after the name, that says when a process began


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A running `up`: its process and its address. `began` tells it from a later process of the same number."""

    pid: int
    began: int
    url: str
    port: int
    processes: Mapping[str, int]  # process id of each part by its name
    restarts: Mapping[str, int] = field(default_factory=dict)  # how often a part was started again since

    def part_runs(self, name: str) -> bool:
        """Return whether that part's process is there."""
        return name in self.processes and _began(self.processes[name]) is not None


type Tell = Callable[[Mapping[str, int], Mapping[str, int]], None]


@contextmanager
def announced(folder: Path, *, url: str, port: int, processes: Mapping[str, int]) -> Iterator[Tell]:
    """Within the block others find us; a kill leaves the file behind, and `running` sees that it is stale. What it
    gives tells of other processes and of restarts.
    """
    path, pid = folder / FILE, os.getpid()
    us = Running(pid=pid, began=_began(pid) or 0, url=url, port=port, processes=processes)
    write_stored(path, asdict(us))

    def tell(processes: Mapping[str, int], restarts: Mapping[str, int]) -> None:
        write_stored(path, asdict(replace(us, processes=processes, restarts=dict(restarts))))

    try:
        yield tell
    finally:
        path.unlink(missing_ok=True)


def running(folder: Path) -> Running | None:
    """Return the `up` that is ready on this folder now, or None; what a killed one left behind counts for nothing."""
    try:
        told = Running(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    holds = holder(folder)
    alive = holds is not None and holds.pid == told.pid and _began(told.pid) == told.began
    return told if alive else None


def address_of(folder: Path) -> str:
    """Return the address of the `up` on this folder, or the one that it would have by default."""
    found = running(folder)
    return found.url if found else DEFAULT_ADDRESS


def _began(pid: int) -> int | None:
    """Clock ticks from the machine's start to the process's, or None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name stands in brackets and may hold anything, brackets included.
    return int(text.rpartition(")")[2].split()[STARTED])
