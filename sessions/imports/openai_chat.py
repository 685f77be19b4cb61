"""OpenAI transcripts: chat messages and Responses items, in one document or a record a line."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from sessions.imports.building import rows
from sessions.imports.conversations import Entry, open_envelope, rest_draft
from sessions.imports.moments import moment
from sessions.imports.openai_items import ITEMS, ROLES, Pairing, read_item
from sessions.imports.records import Draft, ImportedSession, Line, Meta, Row
from sessions.imports.tools import CallNames
from sessions.imports.vocabulary import TranscriptFormat

FORMAT = TranscriptFormat.OPENAI

_KEPT = ("model", "name", "status", "reasoning_content", "annotations")
_TIMES = ("timestamp", "created_at", "created")


def read(lines: Iterable[Line], *, fallback: str) -> Iterator[Row]:
    """Yield the events of each message or item; reasoning items are kept raw and never read as text."""
    start = ImportedSession(name=fallback, harness=None)
    return rows(
        lines,
        form=FORMAT,
        start=start,
        interpret=partial(_interpret, start=start, calls=CallNames()),
    )


def recognises(value: Any) -> bool:
    """Tell by tool calls, the roles tool and developer, Responses items, or a stored answer's choices."""
    if isinstance(value, list):
        return any(recognises(item) for item in value)
    if not isinstance(value, dict):
        return False
    nested = (value.get(name) for name in ("messages", "input", "output", "choices"))
    if any(isinstance(items, list) and any(_marked(item) for item in items) for items in nested):
        return True
    return _marked(value)


def could_be(value: Any) -> bool:
    """Tell whether this is at least a plain message, which every chat format writes alike."""
    if isinstance(value, list):
        return bool(value) and all(could_be(item) for item in value)
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("messages"), list):
        return could_be(value["messages"])
    return value.get("role") in ("user", "assistant", "system") and "content" in value


def _marked(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if str(item.get("type")) in ITEMS or item.get("role") in (
        "tool",
        "developer",
        "function",
    ):
        return True
    return "tool_calls" in item or "function_call" in item or ("finish_reason" in item and "message" in item)


def _interpret(line: Line, value: Any, *, start: ImportedSession, calls: CallNames) -> Iterator[Draft]:
    envelope = open_envelope(line, value, start=start)
    yield from rest_draft(line, envelope)
    yield from (_draft(entry, calls) for entry in envelope.entries)


def _draft(entry: Entry, calls: CallNames) -> Draft:
    fields = entry.value if isinstance(entry.value, dict) else {}
    content = read_item(entry.value, Pairing(session=entry.session.name, calls=calls))
    occurred_at, notes = moment(next((fields[name] for name in _TIMES if fields.get(name) is not None), None))
    return Draft(
        session=entry.session,
        anchor=entry.anchor,
        record=entry.value,
        pieces=content.pieces,
        occurred_at=occurred_at,
        meta=_meta(fields),
        first_meta={"usage": fields["usage"]} if fields.get("usage") else {},
        opaque=content.opaque,
        notes=notes,
    )


def _meta(fields: dict[str, Any]) -> Meta:
    """The name of a message's writer is kept, a tool's is not repeated."""
    record_id = {"record_id": fields["id"]} if isinstance(fields.get("id"), str) else {}
    kept = {key: fields[key] for key in _KEPT if fields.get(key) is not None}
    if str(fields.get("type")) in ITEMS or ROLES.get(str(fields.get("role"))) == "tool":
        kept.pop("name", None)
    return record_id | kept
