"""The outer form that chat APIs share: a message a line, a list of messages, or an object that holds one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.imports.building import place, session_name
from sessions.imports.parsing import compact
from sessions.imports.records import Draft, ImportedSession, Line

_NAMES = ("session_id", "conversation_id", "id")
_LISTS = ("messages", "input", "output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message or item with the session that it belongs to and the anchor of its place."""

    session: ImportedSession
    anchor: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A line taken apart: its entries in order, and whatever else the object around them held."""

    session: ImportedSession
    entries: tuple[Entry, ...]
    rest: dict[str, Any]


def open_envelope(line: Line, value: Any, *, start: ImportedSession) -> Envelope:
    """Take a line apart. A single message belongs to the file's session (or the one it names); a list of messages
    is a session of its own: by its id, else the file's for line 1 and "name#line" after that."""
    if isinstance(value, list):
        return _listed(line, {"messages": value}, session=_own(line, start))
    if isinstance(value, dict) and any(_is_list(value, name) for name in _LISTS):
        return _listed(line, value, session=_named(value, _NAMES) or _own(line, start))
    if isinstance(value, dict) and isinstance(value.get("choices"), list):
        return _answer(line, value, session=_named(value, _NAMES[:2]) or start)
    session = (_named(value, _NAMES[:2]) if isinstance(value, dict) else None) or start
    return Envelope(session=session, entries=(_entry(line, session, value),), rest={})


def rest_draft(line: Line, envelope: Envelope) -> Iterator[Draft]:
    """Yield one UNKNOWN event with what stood beside the messages (model, tools, settings), if anything did.
    An envelope without any message is kept the same way."""
    if envelope.rest or not envelope.entries:
        raw = compact(envelope.rest) if envelope.rest else line.text
        anchor = place(line, "envelope")
        yield Draft(
            session=envelope.session,
            anchor=anchor,
            record=envelope.rest,
            raw=raw,
            meta={"envelope": True},
        )


def _is_list(value: dict[str, Any], name: str) -> bool:
    # A "message" item has content, never these; a tool's own "input" is an object.
    return isinstance(value.get(name), list) and "role" not in value and "call_id" not in value


def _own(line: Line, start: ImportedSession) -> ImportedSession:
    if line.number == 1:
        return start
    return ImportedSession(name=f"{start.name}#{line.number}", harness=start.harness)


def _named(value: dict[str, Any], names: Sequence[str]) -> ImportedSession | None:
    found = next((name for name in map(session_name, map(value.get, names)) if name), None)
    return ImportedSession(name=found, harness=None, provider_session_id=found) if found else None


def _listed(line: Line, value: dict[str, Any], *, session: ImportedSession) -> Envelope:
    lists = [name for name in _LISTS if _is_list(value, name)]
    asked = value.get("input")
    first = [{"role": "user", "content": asked}] if isinstance(asked, str) else []
    entries = _entries(line, session, first + [item for name in lists for item in value[name]])
    rest = _rest(value, session, taken=[*lists, "input"] if first else lists)
    return Envelope(session=session, entries=entries, rest=rest)


def _answer(line: Line, value: dict[str, Any], *, session: ImportedSession) -> Envelope:
    """A stored answer of the chat API: its choices hold one message each."""
    choices = value["choices"]
    messages = [choice.get("message", choice) if isinstance(choice, dict) else choice for choice in choices]
    rest = _rest(value, session, taken=["choices"])
    return Envelope(session=session, entries=_entries(line, session, messages), rest=rest)


def _entries(line: Line, session: ImportedSession, items: Sequence[Any]) -> tuple[Entry, ...]:
    return tuple(_entry(line, session, item, place_in=index) for index, item in enumerate(items))


def _entry(line: Line, session: ImportedSession, value: Any, *, place_in: int | None = None) -> Entry:
    own = value.get("id") if isinstance(value, dict) else None
    anchor = place(line) if place_in is None else place(line, place_in)
    return Entry(
        session=session,
        anchor=f"id.{own}" if isinstance(own, str) and own else anchor,
        value=value,
    )


def _rest(value: dict[str, Any], session: ImportedSession, *, taken: Sequence[str]) -> dict[str, Any]:
    """Return what is left of an object: neither the messages nor the id that became the session's name."""
    rest = {key: item for key, item in value.items() if key not in taken}
    return {key: item for key, item in rest.items() if key not in _NAMES or session_name(item) != session.name}
