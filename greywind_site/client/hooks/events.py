"""Entries for the transcript, made from what the harness says. Every one has an id that a second telling repeats."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

LONGEST_TEXT = 1_900_000  # bytes; the API takes two million, and the mark of a cut wants a place too
LONGEST_ID = 200

type Event = dict[str, Any]


def message(client_id: str, role: str, text: str, **more: Any) -> Event:
    """Return an entry; `more` holds further fields of the API's, of which the empty ones are left out."""
    fields = {"client_id": client_id[:LONGEST_ID], "role": role, "text": storable(text)}
    return fields | {name: value for name, value in more.items() if value not in (None, "", {})}


def prompt(client_id: str, text: str, *, attested: bool, meta: Mapping[str, Any]) -> Event:
    """Return what the user typed."""
    return message(client_id, "user", text, attested=attested or None, meta=dict(meta))


def tool_call(tool_use_id: str, name: str, arguments: Any, **more: Any) -> Event:
    """Return a call of a tool, as the importer of whole sessions writes it."""
    text = compact({"name": name, "arguments": arguments})
    return message(f"{tool_use_id}:call", "assistant", text, kind="tool_call", **more) | {"tool": storable(name)[:200]}


def tool_result(tool_use_id: str, name: str, result: Any, **more: Any) -> Event:
    """Return what a tool gave back, in the words that the model sees wherever they can be told."""
    text = result_text(result)
    return message(f"{tool_use_id}:result", "tool", text, kind="tool_result", **more) | {"tool": storable(name)[:200]}


def compaction(client_id: str, role: str, text: str, meta: Mapping[str, Any]) -> Event:
    """Return the mark of a compaction by the harness."""
    return message(client_id, role, text, kind="provider_compaction", meta=dict(meta))


def result_text(result: Any) -> str:
    """Return a tool's answer as text: its own words where it has some, else its JSON."""
    match result:
        case str():
            return result
        case list():
            return "\n".join(_block_text(block) for block in result)
        case {"stdout": str(out), **rest}:
            err = rest.get("stderr")
            return "\n".join(part for part in (out, err) if isinstance(part, str) and part)
        case {"file": {"content": str(content)}}:
            return content
        case {"content": str() | list() as content}:
            return result_text(content)
        case _:
            return "" if result is None else compact(result)


def _block_text(block: Any) -> str:
    match block:
        case str():
            return block
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": ("image" | "document") as kind}:
            return f"[{kind}]"
        case _:
            return compact(block)


def compact(value: Any) -> str:
    """Return JSON without spaces, non-ASCII as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def storable(text: str) -> str:
    """Return the text as the server can keep it: no NUL, whole characters, and a middle left out where it is huge."""
    if "\x00" in text:
        text = text.replace("\x00", "\N{SYMBOL FOR NULL}")
    raw = text.encode("utf-8", "replace")
    if len(raw) <= LONGEST_TEXT:
        return raw.decode()
    half = LONGEST_TEXT // 2
    head, tail = raw[:half].decode(errors="ignore"), raw[-half:].decode(errors="ignore")
    return f"{head}\n… {len(raw) - 2 * half} bytes left out by the hook …\n{tail}"


def plain(value: Any) -> Any:
    """Return a JSON value whose texts the server can keep."""
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(str(name)): plain(inner) for name, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
        case _:
            return value


def digest(text: str) -> str:
    """Return a short hash of a text, blanks at its ends apart."""
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:16]
