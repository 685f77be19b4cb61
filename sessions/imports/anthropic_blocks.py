"""Content blocks of Anthropic messages, as the API and Claude Code both write them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.imports.content import Content, joined
from sessions.imports.parsing import compact
from sessions.imports.records import Piece
from sessions.imports.tools import CallNames, call_text, named
from sessions.vocabulary import EventKind, EventRole

_OPAQUE = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who says the blocks, in which session; `calls` pairs results with their calls across messages."""

    role: EventRole
    session: str
    calls: CallNames


def read_content(content: Any, speaker: Speaker) -> Content:
    """Read a text or a list of blocks. Neighbouring text blocks are one event; a block of an unknown type is an
    UNKNOWN event of its own; thinking is opaque."""
    if isinstance(content, str):
        return Content((Piece(role=speaker.role, kind=EventKind.MESSAGE, text=content),))
    if not isinstance(content, list):
        return Content(())
    opaque = tuple(block for block in content if _type(block) in _OPAQUE)
    shown = [block for block in content if _type(block) not in _OPAQUE]
    return Content(tuple(joined(_piece(block, speaker) for block in shown)), opaque)


def _type(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _piece(block: Any, speaker: Speaker) -> Piece:
    reader = _READERS.get(_type(block))
    return reader(block, speaker) if reader else _unknown(block, speaker)


def _unknown(block: Any, speaker: Speaker) -> Piece:
    meta = {"block": _type(block)} if _type(block) else {}
    return Piece(role=speaker.role, kind=EventKind.UNKNOWN, meta=meta, raw=compact(block))


def _text(block: dict[str, Any], speaker: Speaker) -> Piece:
    if not isinstance(block.get("text"), str):
        return _unknown(block, speaker)
    meta = {"citations": block["citations"]} if block.get("citations") else {}
    return Piece(role=speaker.role, kind=EventKind.MESSAGE, text=block["text"], meta=meta)


def _call(block: dict[str, Any], speaker: Speaker) -> Piece:
    name = named(block.get("name"))
    speaker.calls.opened(speaker.session, block.get("id"), name)
    return Piece(
        role=speaker.role,
        kind=EventKind.TOOL_CALL,
        text=call_text(name, block.get("input")),
        tool=name,
        meta={"call_id": block.get("id")},
    )


def _result(block: dict[str, Any], speaker: Speaker) -> Piece:
    call_id, error = block.get("tool_use_id"), block.get("is_error")
    return Piece(
        role=EventRole.TOOL,
        kind=EventKind.TOOL_RESULT,
        text=_result_text(block.get("content")),
        tool=speaker.calls.answered(speaker.session, call_id),
        # The API's rule: a result that does not say so has not failed.
        failed=error if isinstance(error, bool) else False,
        meta={"call_id": call_id},
    )


def _result_text(content: Any) -> str:
    """Text blocks are shown as text; any other part stays in its place as JSON, so that nothing is lost."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(_result_part(part) for part in parts)


def _result_part(part: Any) -> str:
    text = part.get("text") if _type(part) == "text" else part
    return text if isinstance(text, str) else compact(part)


_READERS: Mapping[str, Callable[[dict[str, Any], Speaker], Piece]] = {
    "text": _text,
    "tool_use": _call,
    "server_tool_use": _call,
    "mcp_tool_use": _call,
    "tool_result": _result,
    "mcp_tool_result": _result,
}
