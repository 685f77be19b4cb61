"""Anthropic messages: a request or list of messages with content blocks, or a message a line."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from sessions.imports.anthropic_blocks import Speaker, read_content
from sessions.imports.building import place, rows
from sessions.imports.content import Content
from sessions.imports.conversations import Entry, Envelope, open_envelope, rest_draft
from sessions.imports.moments import moment
from sessions.imports.records import Draft, ImportedSession, Line, Meta, Row
from sessions.imports.tools import CallNames
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventRole

FORMAT = TranscriptFormat.ANTHROPIC

_ROLES = {
    "user": EventRole.USER,
    "assistant": EventRole.ASSISTANT,
    "system": EventRole.SYSTEM,
}
_MARKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
    }
)
_KEPT = ("model", "stop_reason")


def read(lines: Iterable[Line], *, fallback: str) -> Iterator[Row]:
    """Yield the events of each message: one a run of text, call and result; thinking travels in meta, unread."""
    start = ImportedSession(name=fallback, harness=None)
    return rows(
        lines,
        form=FORMAT,
        start=start,
        interpret=partial(_interpret, start=start, calls=CallNames()),
    )


def recognises(value: Any) -> bool:
    """Tell by blocks that only these messages have, or by the system prompt beside the messages."""
    if isinstance(value, list):
        return any(recognises(item) for item in value)
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("messages"), list):
        return "system" in value or any(recognises(item) for item in value["messages"])
    content = value.get("content")
    blocks = content if isinstance(content, list) and str(value.get("role")) in _ROLES else []
    return any(isinstance(block, dict) and _is_mark(block) for block in blocks)


def _is_mark(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    return "cache_control" in block or (isinstance(kind, str) and kind in _MARKS)


def _interpret(line: Line, value: Any, *, start: ImportedSession, calls: CallNames) -> Iterator[Draft]:
    envelope = open_envelope(line, value, start=start)
    yield from _system_draft(line, envelope, calls)
    rest = {key: item for key, item in envelope.rest.items() if key != "system"}
    if rest or not envelope.entries:
        yield from rest_draft(
            line,
            Envelope(session=envelope.session, entries=envelope.entries, rest=rest),
        )
    yield from (_draft(entry, calls) for entry in envelope.entries)


def _system_draft(line: Line, envelope: Envelope, calls: CallNames) -> Iterator[Draft]:
    """The system prompt stands beside the messages and comes before them."""
    prompt = envelope.rest.get("system")
    if not prompt:
        return
    content = read_content(
        prompt,
        Speaker(role=EventRole.SYSTEM, session=envelope.session.name, calls=calls),
    )
    yield Draft(
        session=envelope.session,
        anchor=place(line, "system"),
        record=prompt,
        pieces=content.pieces,
    )


def _draft(entry: Entry, calls: CallNames) -> Draft:
    message = entry.value if isinstance(entry.value, dict) else {}
    content = _content(message, entry, calls)
    occurred_at, notes = moment(message.get("timestamp") or message.get("created_at"))
    return Draft(
        session=entry.session,
        anchor=entry.anchor,
        record=entry.value,
        pieces=content.pieces,
        occurred_at=occurred_at,
        meta=_meta(message),
        first_meta={"usage": message["usage"]} if message.get("usage") else {},
        opaque=content.opaque,
        notes=notes,
    )


def _content(message: dict[str, Any], entry: Entry, calls: CallNames) -> Content:
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        return Content(())
    return read_content(
        message.get("content"),
        Speaker(role=_ROLES[role], session=entry.session.name, calls=calls),
    )


def _meta(message: dict[str, Any]) -> Meta:
    record_id = {"record_id": message["id"]} if isinstance(message.get("id"), str) else {}
    return record_id | {key: message[key] for key in _KEPT if message.get(key) is not None}
