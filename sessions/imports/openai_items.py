"""What one OpenAI record says: a chat message, or an item of the Responses API."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.imports.content import Content, joined
from sessions.imports.parsing import compact
from sessions.imports.records import Piece
from sessions.imports.tools import CallNames, call_text, named
from sessions.vocabulary import EventKind, EventRole

ROLES: Mapping[str, EventRole] = {
    "system": EventRole.SYSTEM,
    "developer": EventRole.SYSTEM,
    "user": EventRole.USER,
    "assistant": EventRole.ASSISTANT,
    "tool": EventRole.TOOL,
    "function": EventRole.TOOL,
}
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "summary_text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The session at hand and its open calls."""

    session: str
    calls: CallNames


def read_item(item: Any, pairing: Pairing) -> Content:
    """Read one record; nothing comes back for what is neither a message nor a known item."""
    if not isinstance(item, dict):
        return Content(())
    reader = ITEMS.get(str(item.get("type")))
    if reader:
        return reader(item, pairing)
    role = ROLES.get(str(item.get("role")))
    if role is None:
        return Content(())
    if role is EventRole.TOOL:
        return Content((_tool_message(item, pairing),))
    pieces = tuple(_message(item, role=role, pairing=pairing))
    # An answer that only calls tools often has an empty text beside them.
    said = tuple(piece for piece in pieces if piece.text or piece.kind is not EventKind.MESSAGE)
    return Content(said or pieces)


def _message(item: dict[str, Any], *, role: EventRole, pairing: Pairing) -> Iterator[Piece]:
    yield from joined(_parts(item.get("content"), role))
    if isinstance(item.get("refusal"), str):
        yield Piece(
            role=role,
            kind=EventKind.MESSAGE,
            text=item["refusal"],
            meta={"refusal": True},
        )
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        yield _tool_call(call, pairing)
    if isinstance(item.get("function_call"), dict):
        yield _call_piece(item["function_call"], None, pairing)


def _parts(content: Any, role: EventRole) -> Iterator[Piece]:
    if content is None:
        return
    parts = content if isinstance(content, list) else [content]
    yield from (_part(part, role) for part in parts)


def _part(part: Any, role: EventRole) -> Piece:
    text = part if isinstance(part, str) else _part_text(part)
    if text is not None:
        return Piece(role=role, kind=EventKind.MESSAGE, text=text)
    if isinstance(part, dict) and isinstance(part.get("refusal"), str):
        return Piece(
            role=role,
            kind=EventKind.MESSAGE,
            text=part["refusal"],
            meta={"refusal": True},
        )
    return Piece(role=role, kind=EventKind.UNKNOWN, meta={"block": "part"}, raw=compact(part))


def _part_text(part: Any) -> str | None:
    if not isinstance(part, dict) or str(part.get("type")) not in _TEXT_PARTS:
        return None
    return part["text"] if isinstance(part.get("text"), str) else None


def _tool_call(call: Any, pairing: Pairing) -> Piece:
    """A call of the chat API: its name and arguments stand in "function", or in "custom"."""
    body = (call.get("function") or call.get("custom")) if isinstance(call, dict) else None
    if not isinstance(body, dict):
        return Piece(
            role=EventRole.ASSISTANT,
            kind=EventKind.UNKNOWN,
            meta={"block": "tool_call"},
            raw=compact(call),
        )
    return _call_piece(body, call.get("id"), pairing)


def _call_piece(body: dict[str, Any], call_id: Any, pairing: Pairing) -> Piece:
    name = named(body.get("name"))
    pairing.calls.opened(pairing.session, call_id, name)
    arguments = body["arguments"] if "arguments" in body else body.get("input")
    return Piece(
        role=EventRole.ASSISTANT,
        kind=EventKind.TOOL_CALL,
        text=call_text(name, arguments),
        tool=name,
        meta={"call_id": call_id} if call_id else {},
    )


def _tool_message(item: dict[str, Any], pairing: Pairing) -> Piece:
    return _result_piece(
        item.get("tool_call_id"),
        item.get("content"),
        pairing=pairing,
        name=item.get("name"),
    )


def _result_piece(call_id: Any, output: Any, *, pairing: Pairing, name: Any = None) -> Piece:
    """The chat API does not say whether a tool failed, so `failed` stays None."""
    tool = pairing.calls.answered(pairing.session, call_id) or named(name)
    meta = {"call_id": call_id} if call_id else {}
    return Piece(
        role=EventRole.TOOL,
        kind=EventKind.TOOL_RESULT,
        text=_output_text(output),
        tool=tool,
        meta=meta,
    )


def _output_text(output: Any) -> str:
    if output is None or isinstance(output, str):
        return output or ""
    parts = output if isinstance(output, list) else [output]
    return "\n".join(_output_part(part) for part in parts)


def _output_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    text = _part_text(part)
    return compact(part) if text is None else text


def _call_item(item: dict[str, Any], pairing: Pairing) -> Content:
    return Content((_call_piece(item, item.get("call_id"), pairing),))


def _output_item(item: dict[str, Any], pairing: Pairing) -> Content:
    return Content((_result_piece(item.get("call_id"), item.get("output"), pairing=pairing),))


def _reasoning_item(item: dict[str, Any], _pairing: Pairing) -> Content:
    return Content((), (item,))


ITEMS: Mapping[str, Callable[[dict[str, Any], Pairing], Content]] = {
    "function_call": _call_item,
    "custom_tool_call": _call_item,
    "function_call_output": _output_item,
    "custom_tool_call_output": _output_item,
    "reasoning": _reasoning_item,
}
