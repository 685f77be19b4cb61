"""The project's own transcript lines: {session, seq, role, kind, text} with ts, tool, error, demo, tokens_before."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sessions.imports.building import place, rows, session_name
from sessions.imports.moments import moment
from sessions.imports.records import Draft, ImportedSession, Line, Piece, Row
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind, EventRole

FORMAT = TranscriptFormat.JSONL

# Constraints and corrections are missing on purpose: they need somebody who vouches for them.
KINDS: Mapping[str, EventKind] = {
    "message": EventKind.MESSAGE,
    "tool_call": EventKind.TOOL_CALL,
    "tool_result": EventKind.TOOL_RESULT,
    "summary": EventKind.PROVIDER_COMPACTION,
}
_MAPPED = frozenset({"session", "role", "kind", "text", "ts", "tool", "error"})


def read(lines: Iterable[Line], *, fallback: str) -> Iterator[Row]:
    """Yield one event for each line; a line of another shape becomes an UNKNOWN event that keeps it raw."""
    start = ImportedSession(name=fallback, harness=None)
    return rows(lines, form=FORMAT, start=start, interpret=_interpret)


def recognises(value: Any) -> bool:
    """Tell by `session`, `kind` and `text`, which no other format has side by side."""
    return isinstance(value, dict) and {"session", "kind", "text"} <= value.keys()


def _interpret(line: Line, value: Any) -> Iterator[Draft]:
    fields = value if isinstance(value, dict) else {}
    name = session_name(fields.get("session"))
    notes = () if name else ("no usable session name: filed under the session before",)
    occurred_at, time_notes = moment(fields.get("ts"))
    yield Draft(
        session=ImportedSession(name=name, harness=None) if name else None,
        anchor=_anchor(line, fields.get("seq")),
        record=value,
        pieces=_pieces(fields),
        raw=line.text,
        occurred_at=occurred_at,
        notes=notes + time_notes,
    )


def _anchor(line: Line, seq: Any) -> str:
    return f"seq.{seq}" if isinstance(seq, int) and not isinstance(seq, bool) else place(line)


def _pieces(fields: dict[str, Any]) -> tuple[Piece, ...]:
    """Return the mapped record, or nothing when any of its parts is not what the format says."""
    role, kind, text, tool = (fields.get(name) for name in ("role", "kind", "text", "tool"))
    error = fields.get("error")
    if not (isinstance(kind, str) and kind in KINDS and isinstance(role, str) and role in EventRole):
        return ()
    if not (isinstance(text, str) and isinstance(tool, str | None) and isinstance(error, bool | None)):
        return ()
    meta = {key: item for key, item in fields.items() if key not in _MAPPED}
    return (
        Piece(
            role=EventRole(role),
            kind=KINDS[kind],
            text=text,
            tool=tool,
            failed=error,
            meta=meta,
        ),
    )
