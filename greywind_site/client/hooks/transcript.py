"""The harness's own record of a session, read on from where the last reading stopped.

Its format is internal to the harness and changes: what is not understood for certain is left where it is.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from greywind_site.client.hooks.events import (
    Event,
    compact,
    compaction,
    digest,
    message,
    result_text,
    tool_call,
    tool_result,
)

MOST_AT_ONCE = 4_000_000  # bytes of one reading, so that a long history is taken in over several hooks
_INTERRUPTED = "[Request interrupted by user"
# What the harness writes in the user's place.
_HARNESS_WORDS = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>",
                  "<system-reminder>", "<task-notification>")  # fmt: skip
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True)
class Line:
    """One complete line: where it ends in the file, and the entries it holds."""

    end: int
    events: list[Event]


def lines(path: Path, offset: int) -> Iterator[Line]:
    """Yield the complete lines behind `offset`. A line still being written is left for the next time."""
    with path.open("rb") as file:
        file.seek(offset)
        while file.tell() - offset < MOST_AT_ONCE:
            raw = file.readline()
            if not raw.endswith(b"\n"):
                return
            yield Line(file.tell(), _events(raw))


def is_at_end(path: Path, offset: int) -> bool:
    """True when no complete line stands behind `offset`."""
    return next(lines(path, offset), None) is None


def size_of(path: str) -> int:
    """Return the size of the file, 0 where there is none."""
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0


def holds(path: str, text: str) -> bool:
    """Return whether the text stands in the file; an empty text stands nowhere."""
    if not path or not text:
        return False
    try:
        with Path(path).open("rb") as file:
            return any(text.encode() in line for line in file)
    except OSError:
        return False


def _events(raw: bytes) -> list[Event]:
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        return []
    if not isinstance(record, dict) or record.get("isSidechain") is True or record.get("isMeta") is True:
        return []
    read = _READERS.get(str(record.get("type")))
    return list(read(record)) if read else []


def _assistant(record: dict[str, Any]) -> Iterator[Event]:
    for n, block in enumerate(_content(record)):
        match block:
            case {"type": "text", "text": str(text)} if text:
                yield message(f"{_own_id(record)}:{n}", "assistant", text, **_more(record))
            case {"type": "tool_use", "id": str(use), "name": str(name)}:
                yield tool_call(use, name, block.get("input"), **_more(record))


def _user(record: dict[str, Any]) -> Iterator[Event]:
    for n, block in enumerate(_content(record)):
        match block:
            case {"type": "tool_result", "tool_use_id": str(use)}:
                failed = block.get("is_error") is True
                yield tool_result(use, "", block.get("content"), failed=failed, **_more(record))
            case {"type": "text", "text": str(text)} if text:
                yield _words(record, f"{_own_id(record)}:{n}", text)
            case {"type": "image" | "document"}:
                yield message(f"{_own_id(record)}:{n}", "user", result_text([block]), **_more(record))


def _words(record: dict[str, Any], client_id: str, text: str) -> Event:
    more = _more(record)
    if record.get("isCompactSummary") is True:
        # It stands in the user's place, but the model wrote it.
        return compaction(client_id, "assistant", text, more["meta"])
    if text.startswith(_INTERRUPTED):
        return message(client_id, "user", text, kind="interruption", **more)
    if text.lstrip().startswith(_HARNESS_WORDS):
        return message(client_id, "system", text, **more)
    return message(client_id, "user", _as_typed(text), **more)


def _as_typed(text: str) -> str:
    command = _COMMAND.search(text) if text.lstrip().startswith("<command-") else None
    if command is None:
        return text
    arguments = _ARGUMENTS.search(text)
    return f"{command[1]} {arguments[1] if arguments else ''}".strip()


def _system(record: dict[str, Any]) -> Iterator[Event]:
    if record.get("subtype") != "compact_boundary":
        return
    about = record.get("compactMetadata")
    meta = _more(record)["meta"] | ({"compaction": about} if isinstance(about, dict) else {})
    text = record.get("content")
    yield compaction(f"{_own_id(record)}:0", "system", text if isinstance(text, str) else "", meta)


_READERS: dict[str, Callable[[dict[str, Any]], Iterator[Event]]] = {
    "assistant": _assistant,
    "user": _user,
    "system": _system,
}


def _content(record: dict[str, Any]) -> list[Any]:
    inner = record.get("message")
    content = inner.get("content") if isinstance(inner, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _own_id(record: dict[str, Any]) -> str:
    own = record.get("uuid")
    return own if isinstance(own, str) and own else f"line-{digest(compact(record))}"


def _more(record: dict[str, Any]) -> dict[str, Any]:
    when = record.get("timestamp")
    known = isinstance(when, str) and _WHEN.fullmatch(when) is not None
    error = {"api_error": True} if record.get("isApiErrorMessage") is True else {}
    meta = {"harness": "claude-code", "harness_session": str(record.get("sessionId") or "")[:200], **error}
    return {"occurred_at": when if known else None, "meta": meta}
