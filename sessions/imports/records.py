"""What an import is made of: lines in, sessions and events out, and the troubles met on the way."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind, EventRole

type Meta = Mapping[str, Any]
EMPTY: Meta = MappingProxyType({})


class Line(NamedTuple):
    """One line of a transcript, or a whole JSON document as its only line.

    `notes` says what reading had to do to it (bad UTF-8); `cut` that only its beginning is here, so that it is
    kept as it is and never parsed.
    """

    number: int
    text: str
    notes: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """Whose event it is. `name` tells the sessions of one file apart; `parent` names the session that
    started this one (a sub-agent's), `provider_session_id` is the harness's own id where the file states it."""

    name: str
    harness: str | None
    provider_session_id: str | None = None
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedEvent:
    """One event, ready to be stored.

    `client_id` is the same on every import of the same record. `occurred_at` is aware and in UTC, None where the
    record does not say. `failed` is None where the format does not tell. `raw` is set for what no adapter
    understands (kind UNKNOWN): the whole line, or the one part of it that was not understood.
    """

    client_id: str
    role: EventRole
    kind: EventKind
    text: str
    tool: str | None = None
    failed: bool | None = None
    occurred_at: datetime | None = None
    meta: Meta = EMPTY
    raw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRow:
    session: ImportedSession
    event: ImportedEvent


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something a person should know about line `line` (counted from 1). The record itself is always kept.

    `unread` says that the line could not be read at all: it is kept as it stands, in part where it is too long.
    """

    line: int
    message: str
    unread: bool = False


type Row = ImportedRow | Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one part of a record says, before it gets an id."""

    role: EventRole
    kind: EventKind
    text: str = ""
    tool: str | None = None
    failed: bool | None = None
    meta: Meta = EMPTY
    raw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One record of the file, mapped but without ids. Without a session it belongs to the record before it.

    `anchor` is the record's own id, or its place where it has none. `record` is the parsed value itself, `raw` its
    text where it has one of its own; a record without any piece becomes one UNKNOWN event that holds it. `meta` goes
    to every event of the record, `first_meta` (usage) only to its first. `opaque` are parts that are kept without
    being read as text (thinking); they travel in the first event's meta.
    """

    session: ImportedSession | None
    anchor: str
    record: Any
    pieces: tuple[Piece, ...] = ()
    raw: str | None = None
    occurred_at: datetime | None = None
    meta: Meta = EMPTY
    first_meta: Meta = EMPTY
    opaque: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()


type Interpreter = Callable[[Line, Any], Iterable[Draft]]


class Adapter(Protocol):
    """One format. `read` streams: it holds no more than the line at hand and small pairing tables."""

    FORMAT: TranscriptFormat

    def read(self, lines: Iterable[Line], *, fallback: str) -> Iterator[Row]:
        """Yield rows and troubles in the file's order; `fallback` names the session where no record names one."""
        ...

    def recognises(self, value: Any) -> bool:
        """Tell whether this parsed record bears a mark that only this format has."""
        ...
