"""Sessions and what a later session needs of them: the two files that the work summary is measured on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from greywind_site.benching.lines import json_of, lines_of
from greywind_site.operating.command import USAGE, Refused
from sessions.context.vocabulary import SummarySection
from sessions.summaries.entries import Entry
from sessions.vocabulary import EventKind, EventRole

KINDS: Mapping[str, EventKind] = {
    "message": EventKind.MESSAGE,
    "constraint": EventKind.CONSTRAINT,
    "correction": EventKind.CORRECTION,
    "verification": EventKind.VERIFICATION,
    "tool_call": EventKind.TOOL_CALL,
    "tool_result": EventKind.TOOL_RESULT,
    "summary": EventKind.PROVIDER_COMPACTION,
}
DEMANDED, DECIDED = SummarySection.CONSTRAINTS, SummarySection.DECISIONS
AHEAD = (SummarySection.NEXT_STEPS, SummarySection.GOALS)
BELONGS: Mapping[str, Sequence[SummarySection]] = {
    "constraint": (DEMANDED,),
    "preference": (DEMANDED, DECIDED),
    "correction": (DEMANDED, DECIDED, SummarySection.NEXT_STEPS),
    "decision": (DECIDED, DEMANDED, SummarySection.NEXT_STEPS),
    "value": (DECIDED, DEMANDED),
    "pointer": (DEMANDED, DECIDED, SummarySection.NEXT_STEPS),
    "goal": (SummarySection.GOALS, SummarySection.NEXT_STEPS),
    "task": (*AHEAD, DECIDED),
    "proposal": (SummarySection.OPEN_QUESTIONS, DECIDED, SummarySection.NEXT_STEPS),
    "question": (SummarySection.OPEN_QUESTIONS,),
    "open": (SummarySection.OPEN_QUESTIONS,),
    "blocker": (SummarySection.BLOCKERS,),
    "dissent": (SummarySection.DISSENT,),
    "failure": (SummarySection.VERIFICATION, SummarySection.BLOCKERS),
}
"""Where a statement of each type has to stand. What binds stands among the demands alone; work that was asked for is a
next step until it is done, and a decision afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One session. `checkpoints` are the last entries before its own provider summarised it, and its very last one."""

    name: str
    entries: Sequence[Entry]
    checkpoints: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One statement that must be kept. A line keeps it when it has one of each of `terms` and cites `seq`."""

    id: str
    session: str
    seq: int
    type: str
    terms: Sequence[Sequence[str]]
    superseded_by: int | None

    def lives_at(self, seq: int) -> bool:
        """Whether it holds once the entry `seq` was said."""
        return self.seq <= seq and not self.fell_by(seq)

    def fell_by(self, seq: int) -> bool:
        """Whether it was taken back by the entry `seq` or before."""
        return self.superseded_by is not None and self.superseded_by <= seq

    def is_in(self, text: str) -> bool:
        """Whether a text has all its terms."""
        said = text.casefold()
        return all(any(term.casefold() in said for term in either) for either in self.terms)


def read_sessions(path: Path) -> dict[str, Recorded]:
    """Return the sessions of a file by name, in its order; raises Refused for one that is not of the form."""
    found: dict[str, list[Entry]] = {}
    for number, line in enumerate(lines_of(path), 1):
        if line.strip():
            row = json_of(line, path=path, number=number)
            name, entry = _entry(row, place=f"{path}, line {number}")
            found.setdefault(name, []).append(entry)
    return {name: _recorded(name, sorted(entries, key=lambda one: one.seq)) for name, entries in found.items()}


def read_labels(path: Path, sessions: Mapping[str, Recorded]) -> list[Label]:
    """Return the labels of a file; raises Refused for one of another form, and where none is of these sessions."""
    rows = [(n, json_of(line, path=path, number=n)) for n, line in enumerate(lines_of(path), 1) if line.strip()]
    labels = [_label(row, place=f"{path}, line {number}") for number, row in rows]
    known = [label for label in labels if label.session in sessions]
    if not known:
        raise Refused(f"{path}: no label is of a session in the other file", returncode=USAGE)
    return known


def _entry(row: Any, *, place: str) -> tuple[str, Entry]:
    if not isinstance(row, dict) or row.get("kind") not in KINDS or not isinstance(row.get("seq"), int):
        kinds = ", ".join(KINDS)
        raise Refused(f"{place}: expected session, seq, role, text and a kind of {kinds}", returncode=USAGE)
    entry = Entry(
        seq=row["seq"],
        role=str(row.get("role", "")),
        kind=KINDS[row["kind"]],
        text=str(row.get("text", "")),
        attested=row.get("role") == EventRole.USER,
        failed=row.get("error"),
        tool=str(row.get("tool") or ""),
    )
    return str(row.get("session", "")), entry


def _recorded(name: str, entries: Sequence[Entry]) -> Recorded:
    marks = [one.seq for one in entries if one.kind == EventKind.PROVIDER_COMPACTION]
    return Recorded(name=name, entries=entries, checkpoints=sorted({*marks, entries[-1].seq}))


def _label(row: Any, *, place: str) -> Label:
    try:
        if row["type"] not in BELONGS:
            raise Refused(f"{place}: type {row['type']!r}; known are {', '.join(BELONGS)}", returncode=USAGE)
        return Label(
            id=str(row["id"]),
            session=str(row["session"]),
            seq=int(row["seq"]),
            type=row["type"],
            terms=[[str(term) for term in either] for either in row["terms"]],
            superseded_by=row.get("superseded_by_seq"),
        )
    except (KeyError, TypeError, ValueError) as fault:
        said = json.dumps(row, ensure_ascii=False)[:80]
        raise Refused(f"{place}: expected id, session, seq, type and terms, found {said}", returncode=USAGE) from fault
