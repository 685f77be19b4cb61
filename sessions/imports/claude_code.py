"""Claude Code's session files: one JSON record a line, in an internal format that changes between versions.

Only what is understood for certain is mapped; every other record is kept raw as an UNKNOWN event.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from sessions.imports.anthropic_blocks import Speaker, read_content
from sessions.imports.building import place, rows, session_name
from sessions.imports.content import Content
from sessions.imports.moments import moment
from sessions.imports.opening import recorded
from sessions.imports.parsing import NotReadable, parse
from sessions.imports.records import Draft, ImportedSession, Line, Meta, Piece, Row
from sessions.imports.tools import CallNames
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind, EventRole

FORMAT = TranscriptFormat.CLAUDE_CODE

_TYPES = frozenset({"user", "assistant", "system", "summary"})
_OWN_IDS = ("uuid", "leafUuid", "messageId")
# Titles and snapshots without a session stand before the first turn; further down one follows the record before it.
_LOOK_AHEAD = 200
_INTERRUPTED = "[Request interrupted by user"
# What the harness writes in the user's place. A command that the user typed is not among them.
_HARNESS_WORDS = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>",
                  "<system-reminder>", "<task-notification>")  # fmt: skip
_META_KEYS = {"parentUuid": "parent_id", "version": "harness_version", "cwd": "cwd", "gitBranch": "git_branch"}


def read(lines: Iterable[Line], *, fallback: str) -> Iterator[Row]:
    """Yield the events of each record. A sub-agent's records (isSidechain) are sessions of their own, named after
    the session that started them; `fallback` is used when no record near the start names a session."""
    rest = iter(lines)
    seen: list[Line] = []
    found = next((name for name in map(_session_of, recorded(islice(rest, _LOOK_AHEAD), seen)) if name), None)
    reader = _Reader(_main(found) if found else ImportedSession(name=fallback, harness=FORMAT))
    return rows(chain(seen, rest), form=FORMAT, start=reader.main, interpret=reader.interpret)


def recognises(value: Any) -> bool:
    """Tell by a type together with the ids that Claude Code gives its records."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] in _TYPES and "session_id" in value and ("message" in value or "subtype" in value):
        return True  # the stream that the harness prints spells its ids differently
    return not value.keys().isdisjoint({"sessionId", "leafUuid", "parentUuid", "isSnapshotUpdate"})


def _main(session_id: str) -> ImportedSession:
    return ImportedSession(name=session_id, harness=FORMAT, provider_session_id=session_id)


def _session_of(line: Line) -> str | None:
    try:
        value = None if line.cut else parse(line.text)
    except NotReadable:
        return None
    return _session_id(value) if isinstance(value, dict) else None


def _session_id(fields: dict[str, Any]) -> str | None:
    return session_name(fields.get("sessionId") or fields.get("session_id"))


class _Reader:
    """What must be remembered from record to record: the main session, open calls, and where sub-agents began."""

    def __init__(self, main: ImportedSession) -> None:
        self.main = main
        self._calls = CallNames()
        self._beginnings: dict[str, str] = {}

    def interpret(self, line: Line, value: Any) -> Iterator[Draft]:
        """Yield the draft of one record."""
        fields = value if isinstance(value, dict) else {}
        session = self._session(fields, line)
        content = self._content(fields, session)
        occurred_at, notes = moment(fields.get("timestamp"))
        yield Draft(
            session=session,
            anchor=_anchor(fields, line),
            record=value,
            raw=line.text,
            pieces=content.pieces,
            occurred_at=occurred_at,
            meta=_meta(fields),
            first_meta=_first_meta(fields),
            opaque=content.opaque,
            notes=notes,
        )

    def _session(self, fields: dict[str, Any], line: Line) -> ImportedSession:
        stated = _session_id(fields)
        main = _main(stated) if stated else self.main
        if fields.get("isSidechain") is not True:
            self.main = main
            return main
        name = session_name(f"{main.name}/{self._beginning(fields, line)}") or main.name
        return ImportedSession(name=name, harness=FORMAT, parent=main.name)

    def _beginning(self, fields: dict[str, Any], line: Line) -> str:
        """Return the sub-agent's id, or the id of the first record of its chain."""
        agent = session_name(fields.get("agentId"))
        if agent:
            return f"agent-{agent}"
        own, parent = _text(fields, "uuid") or place(line), _text(fields, "parentUuid")
        beginning = self._beginnings.get(parent or "", f"side-{own}")
        self._beginnings[own] = beginning
        return beginning

    def _content(self, fields: dict[str, Any], session: ImportedSession) -> Content:
        kind = _text(fields, "type")
        if kind not in _TYPES or fields.get("isMeta") is True:
            return Content(())
        if kind in ("user", "assistant"):
            return self._message(fields, EventRole(kind), session)
        return Content(_ONE_TEXT[kind](fields))

    def _message(self, fields: dict[str, Any], role: EventRole, session: ImportedSession) -> Content:
        message = fields.get("message")
        body = message.get("content") if isinstance(message, dict) else None
        content = read_content(body, Speaker(role=role, session=session.name, calls=self._calls))
        attributed = _compacted if fields.get("isCompactSummary") is True else _attributed
        return Content(tuple(attributed(piece) for piece in content.pieces), content.opaque)


def _compaction(text: str, *, role: EventRole, meta: Meta | None = None) -> Piece:
    return Piece(role=role, kind=EventKind.PROVIDER_COMPACTION, text=text, meta=meta or {})


def _compacted(piece: Piece) -> Piece:
    """The summary stands in a user record, but the model wrote it."""
    return _compaction(piece.text, role=EventRole.ASSISTANT) if piece.kind is EventKind.MESSAGE else piece


def _attributed(piece: Piece) -> Piece:
    """Tell an interruption, and the harness's words, from what the user said."""
    if piece.role is not EventRole.USER or piece.kind is not EventKind.MESSAGE:
        return piece
    if piece.text.startswith(_INTERRUPTED):
        return Piece(role=piece.role, kind=EventKind.INTERRUPTION, text=piece.text, meta=piece.meta)
    if piece.text.lstrip().startswith(_HARNESS_WORDS):
        return Piece(role=EventRole.SYSTEM, kind=piece.kind, text=piece.text, meta=piece.meta)
    return piece


def _summary(fields: dict[str, Any]) -> tuple[Piece, ...]:
    """A summary record; `leaf_id` is the last record that it speaks of, which may lie in another file."""
    text = _text(fields, "summary")
    meta = {"leaf_id": fields["leafUuid"]} if fields.get("leafUuid") else {}
    return (_compaction(text, role=EventRole.ASSISTANT, meta=meta),) if text else ()


def _system(fields: dict[str, Any]) -> tuple[Piece, ...]:
    """A compact boundary, or words of the harness; what hooks report has no words and stays raw."""
    subtype, text = _text(fields, "subtype") or "", _text(fields, "content")
    if subtype == "compact_boundary":
        return (_compaction(text or "", role=EventRole.SYSTEM, meta=_boundary(fields)),)
    if not text or "hook" in subtype:
        return ()
    return (Piece(role=EventRole.SYSTEM, kind=EventKind.MESSAGE, text=text),)


_ONE_TEXT: Mapping[str, Callable[[dict[str, Any]], tuple[Piece, ...]]] = {"summary": _summary, "system": _system}


def _boundary(fields: dict[str, Any]) -> Meta:
    found = fields.get("compactMetadata")
    details = found if isinstance(found, dict) else {}
    before = {"tokens_before": details["preTokens"]} if "preTokens" in details else {}
    return before | {key: item for key, item in details.items() if key != "preTokens"}


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None


def _anchor(fields: dict[str, Any], line: Line) -> str:
    own = next((f"{name}.{fields[name]}" for name in _OWN_IDS if _text(fields, name)), None)
    return own or place(line)


def _meta(fields: dict[str, Any]) -> Meta:
    named = {ours: fields[theirs] for theirs, ours in _META_KEYS.items() if fields.get(theirs)}
    record = {"record_id": fields["uuid"]} if _text(fields, "uuid") else {}
    kind = {"record_type": fields["type"]} if _text(fields, "type") else {}
    subtype = {"subtype": fields["subtype"]} if _text(fields, "subtype") else {}
    flags = {ours: True for theirs, ours in _FLAGS.items() if fields.get(theirs) is True}
    return {**record, **kind, **subtype, **named, **flags}


_FLAGS = {"isMeta": "harness_note", "isCompactSummary": "compact_summary", "isApiErrorMessage": "api_error"}


def _first_meta(fields: dict[str, Any]) -> Meta:
    """Usage is the provider message's, which Claude Code repeats on each of its records: count it once an id."""
    message = fields.get("message")
    if not isinstance(message, dict):
        return {}
    names = {"id": "provider_message_id", "model": "model", "stop_reason": "stop_reason", "usage": "usage"}
    return {ours: message[theirs] for theirs, ours in names.items() if message.get(theirs)}
