"""The last errors of an instance's parts, kept in the data folder for whoever looks later."""

import json
import os
from collections import deque
from pathlib import Path

from greywind_site.embedded.processes import Sink, to_stderr

FILE = "errors.log"
MOST = 50
SEVERE = frozenset({"error", "critical"})


class KeepingErrors:
    """Passes every line on, and keeps the last errors among them in a file that only its owner reads."""

    def __init__(self, folder: Path, *, sink: Sink = to_stderr) -> None:
        self._path, self._sink = folder / FILE, sink
        self._kept = deque(recent_errors(folder, most=MOST), maxlen=MOST)

    def __call__(self, line: str) -> None:
        self._sink(line)
        if is_error(line):
            self._kept.append(line)
            self._write()

    def _write(self) -> None:
        fresh = self._path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            target.write("".join(f"{line}\n" for line in self._kept))
        fresh.replace(self._path)


def recent_errors(folder: Path, *, most: int = 5) -> list[str]:
    """Return the newest lines that were kept, oldest first; none when there is no file."""
    try:
        return (folder / FILE).read_text(encoding="utf-8").splitlines()[-most:]
    except OSError:
        return []


def is_error(line: str) -> bool:
    """Return whether a part's line (`web | {…}`) is a log entry of an error."""
    name, _, entry = line.partition(" | ")
    if not name or '"level"' not in entry:
        return False
    try:
        told = json.loads(entry)
    except ValueError:
        return False
    return isinstance(told, dict) and told.get("level") in SEVERE
