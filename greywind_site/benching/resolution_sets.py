"""Sets of real talk: a folder's corpus.jsonl, read into threads, their sessions in time, and who said what in them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import USAGE, Refused

FIELDS = ("thread", "session", "ts", "speaker", "text")
ASKED_TURNS = 3  # of the user, at the start of the session that is held back
USER, DIALOGUE = "user", "dialogue"
_EXCHANGE = re.compile(r"用户：(?P<user>.*?)\n助手：(?P<assistant>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said: by the user, or by who answers."""

    by_user: bool
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thread of a set: the sessions that are stored, in the order of time, and what is asked of it afterwards."""

    of: str
    name: str
    stored: Sequence[Sequence[Turn]]
    asked: Sequence[str]


def read_sets(folders: Sequence[Path], *, back: int = 0) -> list[Line]:
    """Return the threads of all folders, each without its last session, whose first user turns are what is asked.

    With `back` n, the n sessions before the last are left out as well and the one before those is asked. A thread
    needs two sessions at least, else it is left out. Raises Refused that names the file, the line and the field.
    """
    lines = [line for folder in folders for line in _lines(folder, back)]
    if not lines:
        raise Refused("no thread here has two sessions", returncode=USAGE)
    return lines


def _lines(folder: Path, back: int) -> Iterator[Line]:
    for name, sessions in _threads(folder / "corpus.jsonl").items():
        spoken = sorted((_turns(rows) for rows in sessions.values()), key=lambda turns: turns[0].at)
        last = len(spoken) - 1 - back
        if last < 1:
            continue
        asked = [turn.text for turn in spoken[last] if turn.by_user][:ASKED_TURNS]
        yield Line(of=folder.name, name=name, stored=spoken[:last], asked=asked)


def _threads(path: Path) -> dict[str, dict[str, list[Mapping[str, Any]]]]:
    threads: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in _rows(path):
        threads.setdefault(row["thread"], {}).setdefault(row["session"], []).append(row)
    return threads


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines_of(path), 1):
        row = json_of(line, path=path, number=number)
        missing = [name for name in FIELDS if not isinstance(row, dict) or not isinstance(row.get(name), str)]
        if missing:
            raise Refused(f"{path}, line {number}: {missing[0]}: expected a text", returncode=USAGE)
        yield row


def _turns(rows: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """Return who said what: "user" where that speaks, else who speaks first; an exchange in one row is two turns."""
    speakers = [row["speaker"] for row in rows]
    first = USER if USER in speakers else speakers[0]
    return [turn for row in rows for turn in _said(row, first)]


def _said(row: Mapping[str, Any], first: str) -> Iterable[Turn]:
    at = datetime.fromisoformat(row["ts"])
    exchange = _EXCHANGE.fullmatch(row["text"]) if row["speaker"] == DIALOGUE else None
    if exchange:
        return Turn(True, exchange["user"], at), Turn(False, exchange["assistant"], at)
    return (Turn(row["speaker"] == first, row["text"], at),)
