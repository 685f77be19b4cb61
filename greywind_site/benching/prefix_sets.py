"""Recorded sessions of agents, turn by turn: what a user said, and everything that was done until they spoke again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import USAGE, Refused
from sessions.vocabulary import EventKind, EventRole

KINDS = {"message": EventKind.MESSAGE, "tool_call": EventKind.TOOL_CALL, "tool_result": EventKind.TOOL_RESULT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of a recorded session. `at` is None where nobody noted the time."""

    seq: int
    role: EventRole
    kind: EventKind
    text: str
    tool: str
    failed: bool | None
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurn:
    """A user's message and what followed it; the message itself is the first of `entries`."""

    entries: Sequence[Entry]

    @property
    def words(self) -> str:
        return self.entries[0].text

    def idle_after(self, before: "SaidTurn | None") -> float:
        """Seconds that nothing was done before these words; 0 where a time is missing."""
        last = before.entries[-1].at if before else None
        return max((self.entries[0].at - last).total_seconds(), 0.0) if last and self.entries[0].at else 0.0


def read_turns(path: Path, session: str, *, most: int) -> Sequence[SaidTurn]:
    """Return the first `most` user turns of a session in a file of sessions, gzipped or plain.

    A row is {"session", "seq", "role", "kind", "text"} with "ts", "tool" and "error" where there are such; what the
    agent's own program summed up is no entry of the transcript and is left out. Raises Refused for a file that is not
    of the form, and for a session that it does not hold.
    """
    rows = [row for row in _rows(path) if row["session"] == session]
    if not rows:
        raise Refused(f"{path} holds no session {session!r}", returncode=USAGE)
    turns: list[list[Entry]] = []
    for entry in (_entry(row) for row in rows if row["kind"] in KINDS):
        if entry.role is EventRole.USER and entry.kind is EventKind.MESSAGE:
            turns.append([])
        if turns:
            turns[-1].append(entry)
    return [SaidTurn(entries=entries) for entries in turns[:most]]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines_of(path), 1):
        if not line.strip():
            continue
        row = json_of(line, path=path, number=number)
        for name in ("session", "role", "kind", "text"):
            if not isinstance(row, dict) or not isinstance(row.get(name), str):
                raise Refused(f"{path}, line {number}: {name}: expected a text", returncode=USAGE)
        yield row


def _entry(row: dict[str, Any]) -> Entry:
    kind, told = KINDS[row["kind"]], row.get("ts")
    return Entry(
        seq=int(row.get("seq", 0)),
        role=EventRole(row["role"]),
        kind=kind,
        text=row["text"].replace("\x00", ""),
        tool=row.get("tool") or "",
        failed=bool(row.get("error")) if kind is EventKind.TOOL_RESULT else None,
        at=datetime.fromisoformat(told) if told else None,
    )
