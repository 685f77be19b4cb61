"""Transcripts of other tools, stored: each session of a file in a thread of its own, each record exactly once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from governance.actors import Acting
from governance.errors import Clash
from governance.scope import project_scope
from sessions.import_entries import new_events
from sessions.import_places import Place, Target, known_ids, place_for, place_of
from sessions.imports.opening import open_source
from sessions.imports.reading import AUTO, read_transcript
from sessions.imports.records import ImportedRow, ImportedSession, Row, Trouble
from sessions.imports.vocabulary import TranscriptFormat
from sessions.transcripts import MOST_EVENTS, append

# What is held before it is stored, whichever comes first. The second bounds files in which many sessions take turns.
HELD_ROWS = 4 * MOST_EVENTS
HELD_CHARS = 8 * 2**20
TROUBLES_SHOWN = 20

type Key = tuple[str, str]
type OnRead = Callable[[int, int], None]


@dataclass(slots=True, kw_only=True)
class SessionTally:
    """What became of one session: rows read, stored now, and there already. In a dry run: what would become of it."""

    name: str
    read: int = 0
    stored: int = 0
    there: int = 0
    place: Place | None = None
    thread_made: bool = False


@dataclass(slots=True, kw_only=True)
class FileTally:
    """What was met in one file. `troubles` holds the first ones; `unread` counts rows that could not be read."""

    name: str
    form: TranscriptFormat | None = None
    rows: int = 0
    troubles: list[Trouble] = field(default_factory=list)
    trouble_count: int = 0
    unread: int = 0

    def note(self, trouble: Trouble) -> None:
        """Count a trouble, and keep it while there are few."""
        self.trouble_count += 1
        self.unread += trouble.unread
        if len(self.troubles) < TROUBLES_SHOWN:
            self.troubles.append(trouble)


@dataclass(slots=True)
class Report:
    """What an import did, file by file and session by session."""

    dry_run: bool
    files: list[FileTally] = field(default_factory=list)
    sessions: dict[Key, SessionTally] = field(default_factory=dict)

    @property
    def unread(self) -> int:
        return sum(tally.unread for tally in self.files)

    @property
    def threads_made(self) -> int:
        return sum(tally.thread_made for tally in self.sessions.values())


class Importer:
    """One import: files in, events in the database and a report out.

    Every batch is a transaction that also opens its session, so that a stop at any line leaves nothing half done, and
    the same files again complete it. A dry run reads everything and stores nothing.
    """

    def __init__(self, acting: Acting, target: Target, *, now: datetime, dry_run: bool = False) -> None:
        self.report = Report(dry_run)
        self._acting = acting
        self._target = target
        self._now = now
        self._met: dict[Key, set[int]] = {}  # what a dry run would have stored, so that a repeated record counts once

    def read(self, path: Path, *, form: str = AUTO, on_read: OnRead = lambda _at, _size: None) -> None:
        """Import one file. `on_read` hears how many of its bytes have been read, after every batch.

        Raises OSError for a file that cannot be opened, Invalid where no format fits, TooLarge for a document that
        cannot be read at once, and Clash for a session that takes no more events or a thread where it cannot live.
        """
        with open_source(path) as source:
            chosen, rows = read_transcript(source, form=form)
            tally = FileTally(name=str(path), form=chosen)
            self.report.files.append(tally)
            for key, batch in batches(self._told(rows, tally), str(chosen)):
                self._take(key, batch)
                on_read(source.position, source.size)
            on_read(source.size, source.size)

    def _told(self, rows: Iterable[Row], tally: FileTally) -> Iterator[ImportedRow]:
        for row in rows:
            if isinstance(row, Trouble):
                tally.note(row)
            else:
                tally.rows += 1
                yield row

    def _take(self, key: Key, batch: list[ImportedRow]) -> None:
        tally = self.report.sessions.setdefault(key, SessionTally(name=batch[0].session.name))
        once = {row.event.client_id: row for row in batch}
        stored = self._counted(key, once) if self.report.dry_run else self._stored(key, once)
        tally.read += len(batch)
        tally.stored += stored
        tally.there += len(batch) - stored

    def _stored(self, key: Key, rows: dict[str, ImportedRow]) -> int:
        tally = self.report.sessions[key]
        with project_scope(self._acting):
            if tally.place is None:
                session = next(iter(rows.values())).session
                tally.place = place_for(self._acting, key, self._of(session), title=session.name, now=self._now)
                tally.thread_made = tally.place.thread_made
            known = known_ids(tally.place, rows)
            fresh = [row for client_id, row in rows.items() if client_id not in known]
            if fresh:
                self._append(tally.place, fresh)
            return len(fresh)

    def _append(self, place: Place, fresh: list[ImportedRow]) -> None:
        events = new_events(fresh, beside=place.session)
        try:
            append(
                self._acting,
                place.session.pk,
                events,
                now=self._now,
                attempt_id=place.attempt_id,
                also_archived=True,
            )
        except Clash as clash:
            raise Clash(f"{fresh[0].session.name}: {clash.detail}", code=clash.code) from clash

    def _counted(self, key: Key, rows: dict[str, ImportedRow]) -> int:
        tally, met = self.report.sessions[key], self._met.setdefault(key, set())
        with project_scope(self._acting, read_only=True):
            tally.place = tally.place or place_of(key)
            known = known_ids(tally.place, rows) if tally.place else set()
        tally.thread_made = tally.place is None and self._of(next(iter(rows.values())).session).thread_id is None
        fresh = {hash(client_id) for client_id in rows if client_id not in known} - met
        met |= fresh
        return len(fresh)

    def _of(self, session: ImportedSession) -> Target:
        """Return where a session goes: what a sub-agent did is no turn of the named thread, it gets its own."""
        return self._target.alone() if session.parent else self._target


def batches(rows: Iterable[ImportedRow], form: str) -> Iterator[tuple[Key, list[ImportedRow]]]:
    """Yield rows in batches of one session each, in the file's order within a session, holding a bounded amount."""
    held: dict[Key, list[ImportedRow]] = {}
    count = chars = 0
    for row in rows:
        key = session_key(row.session, form)
        batch = held.setdefault(key, [])
        batch.append(row)
        count, chars = count + 1, chars + _weight(row)
        if len(batch) == MOST_EVENTS:
            yield key, held.pop(key)
            count -= MOST_EVENTS
        if count >= HELD_ROWS or chars >= HELD_CHARS:
            yield from held.items()
            held, count, chars = {}, 0, 0
    yield from held.items()


def session_key(session: ImportedSession, form: str) -> Key:
    """Return harness and external id, under which a session is found again."""
    return session.harness or f"import:{form}", session.provider_session_id or session.name


def _weight(row: ImportedRow) -> int:
    return len(row.event.text) + len(row.event.raw or "")
