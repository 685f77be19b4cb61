"""Helpers of the import tests: lines from text, and rows as plain dictionaries that a golden file can hold."""

import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from sessions.imports.opening import open_source
from sessions.imports.reading import read_transcript
from sessions.imports.records import ImportedEvent, ImportedRow, Line, Row, Trouble

GOLDEN = Path(__file__).parent / "golden"


def lines_of(*values: Any) -> list[Line]:
    """Number the given texts; a value that is no text is written as JSON."""
    texts = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return [Line(number, text) for number, text in enumerate(texts, start=1)]


def events(rows: Iterable[Row]) -> list[ImportedEvent]:
    return [row.event for row in rows if isinstance(row, ImportedRow)]


def troubles(rows: Iterable[Row]) -> list[Trouble]:
    return [row for row in rows if isinstance(row, Trouble)]


def read_file(path: Path, form: str = "auto") -> list[Row]:
    with open_source(path) as source:
        return list(read_transcript(source, form=form)[1])


def plain(row: Row) -> dict[str, Any]:
    """Return what a row says, leaving out what is empty; ids have tests of their own."""
    if isinstance(row, Trouble):
        return {"trouble": row.message, "line": row.line}
    said = {field.name: getattr(row.event, field.name) for field in fields(row.event) if field.name != "client_id"}
    shown = {name: value for name, value in said.items() if value not in (None, "", {})}
    if row.event.occurred_at:
        shown["occurred_at"] = row.event.occurred_at.isoformat()
    return {"session": row.session.name, **shown}
