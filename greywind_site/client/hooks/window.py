"""What is remembered of one session of the harness: a folder with its queue, its notes, and two locks."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from greywind_site.client.hooks.events import Event, compact, plain
from greywind_site.client.places import PRIVATE_FILE, private_folder, state_folder, write_whole
from greywind_site.client.profile import Profile

KEPT_CALLS = 200  # tools that are at work at the same time
KEPT_IDS = 2_000  # ids told twice lie a few lines apart; one beyond them is found out by the server
LARGEST_QUEUE = 16_000_000  # bytes that may wait for one session
LARGEST_ASIDE = 4_000_000
KEPT_SECONDS = 60 * 24 * 3600  # a session taken up later is read anew, and recognised by its ids


@dataclass
class Notes:
    """The state of one session. `offset` is how far its transcript was read, `delivered` how far its queue was sent.

    `shown` and `told` count how often the transcript showed and the harness told each prompt, by its hash; `vouched`
    holds those that the transcript is to bring on the harness's word. `packet` is the last context handed over.
    """

    harness_session: str = ""
    root: str = ""
    url: str = ""
    key_shown: str = ""
    transcript: str = ""
    offset: int = 0
    delivered: int = 0
    seen: list[str] = field(default_factory=list)
    shown: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    vouched: list[str] = field(default_factory=list)
    open_calls: dict[str, str] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    said: str = ""
    thread: str = ""
    session: str = ""
    unattested: bool = False
    context_tokens: int = 0
    packet: str = ""

    def count(self, name: str) -> int:
        """Return how often this was asked, this time included."""
        self.counted[name] = self.counted.get(name, 0) + 1
        return self.counted[name]


@dataclass(frozen=True)
class Waiting:
    """An entry of the queue, and where it ends in the file."""

    event: Event
    end: int


class Window:
    """The folder of one session under one key. Two processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.queue, self.aside = folder / "queue.jsonl", folder / "aside.jsonl"

    @contextmanager
    def open(self) -> Iterator[Notes]:
        """Hold the notes and the end of the queue; what was changed is kept when the block ends well."""
        with locked(self.folder / "lock"):
            notes = self._read()
            before = vars(notes) | {"seen": [*notes.seen]}
            stamp = json.dumps(before, sort_keys=True)
            yield notes
            notes.seen = notes.seen[-KEPT_IDS:]
            notes.open_calls = dict(list(notes.open_calls.items())[-KEPT_CALLS:])
            if json.dumps(vars(notes), sort_keys=True) != stamp:
                write_whole(self.folder / "notes.json", json.dumps(vars(notes)).encode())

    def turn(self) -> Any:
        """Hold the right to deliver: entries go out in their order, by one process at a time."""
        return locked(self.folder / "turn")

    def add(self, events: Sequence[Event]) -> None:
        """Put entries at the end of the queue, on the disk before this returns. Only inside `open`."""
        _append(self.queue, events)

    def room(self) -> int:
        """Bytes that the queue can still take."""
        return LARGEST_QUEUE - _size(self.queue)

    def waiting(self, notes: Notes) -> Iterator[Waiting]:
        """Yield what waits, in order."""
        start = notes.delivered if notes.delivered <= _size(self.queue) else 0
        if not self.queue.exists():
            return
        with self.queue.open("rb") as file:
            file.seek(start)
            while (raw := file.readline()).endswith(b"\n"):
                yield Waiting(json.loads(raw), file.tell())

    def count(self, notes: Notes) -> int:
        """Return how many entries wait."""
        if not self.queue.exists():
            return 0
        with self.queue.open("rb") as file:
            file.seek(notes.delivered if notes.delivered <= _size(self.queue) else 0)
            return sum(1 for _ in file)

    def set_aside(self, event: Event, reason: str) -> None:
        """Keep an entry that the server will never take, with its reason, out of the way of the others."""
        if _size(self.aside) < LARGEST_ASIDE:
            _append(self.aside, [{"reason": reason, "event": event}])

    def empty(self, notes: Notes) -> None:
        """Give the space of a queue back that was delivered whole. Only inside `open`."""
        if _size(self.queue) and notes.delivered >= _size(self.queue):
            # In this order: a stop in between sends everything once more, which the server recognises.
            notes.delivered = 0
            write_whole(self.folder / "notes.json", json.dumps(vars(notes)).encode())
            os.truncate(self.queue, 0)

    def _read(self) -> Notes:
        try:
            stored = json.loads((self.folder / "notes.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return Notes()
        known = {each.name for each in fields(Notes)}
        return Notes(**{name: value for name, value in stored.items() if name in known})


def window_of(profile: Profile, harness_session: str) -> Window:
    """Return the window of a session under a profile, made now when it is new.

    After a change of the key, the transcript goes on from where the last one stopped: what was meant for one
    project is not told to another.
    """
    name = hashlib.sha256(harness_session.encode("utf-8", "replace")).hexdigest()[:24]
    base = sessions_folder()
    folder = base / f"{name}-{profile.target}"
    window = Window(folder)
    if not folder.exists():
        before = [Window(other) for other in base.glob(f"{name}-*")]
        private_folder(folder)
        _begin(window, before)
    return window


def sessions_folder() -> Path:
    """The folder of all windows."""
    private_folder(state_folder())
    return private_folder(state_folder() / "sessions")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def forget_old(*, now: float) -> None:
    """Remove the windows of sessions that ended long ago and left nothing behind."""
    for folder in sessions_folder().iterdir():
        window, last = Window(folder), _age(folder / "notes.json")
        if last is not None and now - last > KEPT_SECONDS and not _size(window.queue) and not _size(window.aside):
            import shutil  # it takes its time, and is needed once in a long while

            shutil.rmtree(folder, ignore_errors=True)


def _age(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def _begin(window: Window, before: Sequence[Window]) -> None:
    read = [other._read() for other in before]  # noqa: SLF001 - of the same class
    last = max(read, key=lambda notes: notes.offset, default=Notes())
    with window.open() as notes:
        notes.offset, notes.transcript = max(notes.offset, last.offset), notes.transcript or last.transcript


def _append(path: Path, records: Sequence[Event]) -> None:
    content = b"".join(compact(plain(record)).encode() + b"\n" for record in records)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        _drop_torn_line(handle)
        os.write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def _drop_torn_line(handle: int) -> None:
    """Remove the beginning of a line whose writer was killed; nobody was told that it is kept."""
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        whole = os.pread(handle, size, 0)
        os.ftruncate(handle, whole.rfind(b"\n") + 1)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
