"""From drafts to rows: stable ids, clean texts, and a row for whatever could not be read."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from sessions.imports.cleaning import Cleaner
from sessions.imports.parsing import NotReadable, compact, digest, parse
from sessions.imports.records import (
    Draft,
    ImportedEvent,
    ImportedRow,
    ImportedSession,
    Interpreter,
    Line,
    Meta,
    Piece,
    Row,
    Trouble,
)
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind, EventRole

# A session's name becomes part of a thread's title and of unique keys; a longer text is no name.
MAX_NAME = 200


def rows(
    lines: Iterable[Line],
    *,
    form: TranscriptFormat,
    start: ImportedSession,
    interpret: Interpreter,
) -> Iterator[Row]:
    """Yield the rows of each line as it comes: at least one event for every line with a text.

    What names no session is filed under that of the record before it, `start` at first.
    """
    current = start
    for line in lines:
        yield from (Trouble(line.number, note, unread=line.cut) for note in line.notes)
        drafts, troubles = _drafts(line, interpret)
        for draft in drafts:
            current = draft.session or current
            yield from _draft_rows(draft, session=current, form=form, line=line)
        yield from troubles


def session_name(value: Any) -> str | None:
    """Return `value` as a session's name, or None when it is no text, blank, or longer than 200 characters."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    name = Cleaner().text(str(value)).strip()
    return name if 0 < len(name) <= MAX_NAME else None


def place(line: Line, *parts: int | str) -> str:
    """Return the anchor of a record without an id of its own: its line, and its place within the line."""
    return ".".join(("line", str(line.number), *map(str, parts)))


def _drafts(line: Line, interpret: Interpreter) -> tuple[Iterable[Draft], tuple[Trouble, ...]]:
    if line.cut:
        return ([_raw_draft(line)] if line.text else []), ()
    try:
        value = parse(line.text)
    except NotReadable as error:
        return [_raw_draft(line)], (Trouble(line.number, str(error), unread=True),)
    return interpret(line, value), ()


def _raw_draft(line: Line) -> Draft:
    return Draft(session=None, anchor=place(line), record=line.text, raw=line.text)


def _draft_rows(draft: Draft, *, session: ImportedSession, form: TranscriptFormat, line: Line) -> Iterator[Row]:
    cleaner, fingerprint = Cleaner(), digest(draft.record)
    for index, (piece, extra) in enumerate(_with_first(draft)):
        key = [form, session.name, draft.anchor, fingerprint, index]
        event = _event(draft, piece, client_id=_client_id(form, key), extra=extra, cleaner=cleaner)
        yield ImportedRow(session=session, event=event)
    yield from (Trouble(line.number, note) for note in draft.notes)
    if cleaner.replaced:
        yield Trouble(
            line.number,
            f"{cleaner.replaced} NUL or lone surrogate characters became U+FFFD",
        )


def _with_first(draft: Draft) -> Iterator[tuple[Piece, Meta]]:
    """Pair each piece with the meta that it alone carries."""
    if not draft.pieces:
        yield _kept(draft), draft.first_meta
        return
    opaque = {"opaque": list(draft.opaque)} if draft.opaque else {}
    yield draft.pieces[0], {**draft.first_meta, **opaque}
    yield from ((piece, {}) for piece in draft.pieces[1:])


def _kept(draft: Draft) -> Piece:
    """Return the piece that keeps a record as it stands, because nothing of it can be shown."""
    raw = compact(draft.record) if draft.raw is None else draft.raw
    kinds = [part.get("type") for part in draft.opaque if isinstance(part, dict)]
    role = EventRole.ASSISTANT if kinds else EventRole.SYSTEM
    return Piece(
        role=role,
        kind=EventKind.UNKNOWN,
        meta={"opaque_types": kinds} if kinds else {},
        raw=raw,
    )


def _event(draft: Draft, piece: Piece, *, client_id: str, extra: Meta, cleaner: Cleaner) -> ImportedEvent:
    return ImportedEvent(
        client_id=client_id,
        role=piece.role,
        kind=piece.kind,
        text=cleaner.text(piece.text),
        tool=cleaner.optional(piece.tool),
        failed=piece.failed,
        occurred_at=draft.occurred_at,
        meta=cleaner.value({**draft.meta, **extra, **piece.meta}),
        raw=cleaner.optional(piece.raw),
    )


def _client_id(form: TranscriptFormat, key: list[Any]) -> str:
    """Name the record's place *and* what it says, so that one id never stands for two texts."""
    return f"{form}:{hashlib.sha256(json.dumps(key).encode('ascii')).hexdigest()[:32]}"
