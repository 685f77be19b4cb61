"""Sets of questions over threads: `corpus.jsonl` and `queries.jsonl` of a folder, read whole and checked."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import USAGE, Refused

FIRST = datetime(2024, 1, 1, 9, tzinfo=UTC)  # when an item was said whose set does not tell
NOT_OVERALL = frozenset({"adversarial"})
"""Categories of questions that rest on a false premise: told, and left out of the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What was said, or what was noted of it: `at` is aware, `place` counts within the session."""

    id: str
    thread: str
    session: str
    place: int
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to its thread. `ignored` restate the answer without having been judged."""

    id: str
    thread: str
    text: str
    category: str
    relevant: frozenset[str]
    ignored: frozenset[str] = frozenset()

    @property
    def counts(self) -> bool:
        """Whether it belongs to the figures of the whole set."""
        return self.category not in NOT_OVERALL


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """A set by name, its items thread by thread in their order."""

    name: str
    threads: Mapping[str, Sequence[Item]]
    questions: Sequence[Question]
    asked_at: Mapping[str, datetime] = field(default_factory=dict)


def read_set(folder: Path, *, corpus: str = "corpus") -> RetrievalSet:
    """Return the set in a folder; `corpus` names another file of items, each with the `source_ids` that it rests on.

    A question is then answered by what rests on its evidence, and left out where nothing does. Raises Refused that
    names the file, the line and the field of the first fault.
    """
    rows = list(_rows(folder / f"{corpus}.jsonl", ("id", "thread", "text")))
    questions = [_question(row) for row in _rows(folder / "queries.jsonl", ("id", "thread", "text"))]
    if corpus != "corpus":
        questions = _resting(questions, rows, folder / f"{corpus}.jsonl")
    threads: dict[str, list[Item]] = defaultdict(list)
    places: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        session = str(row.get("session") or row["thread"])
        places[row["thread"], session] += 1
        threads[row["thread"]].append(_item(row, session, places[row["thread"], session], len(threads[row["thread"]])))
    strange = next((one for one in questions if one.thread not in threads), None)
    if strange is not None:
        raise Refused(f"{folder}: {strange.id} asks the thread {strange.thread!r}, which has no item", returncode=USAGE)
    name = folder.name if corpus == "corpus" else f"{folder.name}/{corpus}"
    asked_at = {thread: max(item.at for item in items) + timedelta(days=1) for thread, items in threads.items()}
    return RetrievalSet(name=name, threads=dict(threads), questions=questions, asked_at=asked_at)


def _rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines_of(path), 1):
        if not line.strip():
            continue
        row = json_of(line, path=path, number=number)
        missing = next((name for name in needed if not isinstance(row.get(name), str)), None)
        if missing:
            raise Refused(f"{path}, line {number}: {missing}: expected a text", returncode=USAGE)
        yield row


def _question(row: Mapping[str, Any]) -> Question:
    return Question(
        id=row["id"],
        thread=row["thread"],
        text=row["text"],
        category=str(row.get("category") or "question"),
        relevant=frozenset(row.get("relevant_ids") or ()),
        ignored=frozenset(row.get("ignore_ids") or ()),
    )


def _item(row: Mapping[str, Any], session: str, place: int, number: int) -> Item:
    told = row.get("ts")
    at = datetime.fromisoformat(told) if told else FIRST + timedelta(minutes=number)
    return Item(
        id=row["id"],
        thread=row["thread"],
        session=session,
        place=place,
        at=at if at.tzinfo else at.replace(tzinfo=UTC),
        speaker=_name(row.get("speaker")),
        text=row["text"],
    )


def _name(speaker: Any) -> str:
    """Return who said it; where an item comes from is no person ("wiki:…")."""
    told = str(speaker or "")
    return "" if ":" in told or told == "dialogue" else told


def _resting(questions: Sequence[Question], rows: Sequence[Mapping[str, Any]], path: Path) -> list[Question]:
    resting: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for source in row.get("source_ids") or ():
            resting[source].add(row["id"])
    if not resting:
        raise Refused(f"{path}: no item names its source_ids", returncode=USAGE)
    found = [(one, frozenset().union(*(resting[source] for source in one.relevant))) for one in questions]
    return [
        Question(id=one.id, thread=one.thread, text=one.text, category=one.category, relevant=items)
        for one, items in found
        if items
    ]
