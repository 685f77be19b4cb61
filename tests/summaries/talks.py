"""Two recorded talks, and versions of their summaries."""

from pathlib import Path

from greywind_site.benching.summary_sets import Recorded, read_sessions
from sessions.context.summary_lines import Sections
from sessions.summaries.checking import Basis, Problem, check
from sessions.summaries.drafting import draft
from sessions.summaries.entries import Entry
from sessions.vocabulary import EventKind

HERE = Path(__file__).parent
HARBOUR, HARBOUR_LABELS, DOCK = HERE / "harbour.jsonl", HERE / "harbour_must_keep.jsonl", HERE / "dock.jsonl"
ROOM = 2_000


def talk(path: Path) -> Recorded:
    """Return the one session of a file."""
    [session] = read_sessions(path).values()
    return session


def between(session: Recorded, first: int, last: int) -> list[Entry]:
    """Return what a summary reads of a range of entries."""
    read = [one for one in session.entries if one.kind not in (EventKind.TOOL_CALL, EventKind.PROVIDER_COMPACTION)]
    return [one for one in read if first <= one.seq <= last]


def basis(session: Recorded, parent: Sections, first: int, last: int) -> Basis:
    """Return what a version that covers a range after `parent` is held against."""
    cited = {one.seq: one for one in session.entries if one.seq <= last}
    return Basis(parent=parent, entries=between(session, first, last), cited=cited, budget=ROOM)


def version(session: Recorded, parent: Sections, first: int, last: int) -> Sections:
    """Return the version that the engine writes of a range."""
    return draft(parent, between(session, first, last), budget=ROOM).sections


def faults(sections: Sections, held_against: Basis) -> list[Problem]:
    """Return what the validators say of a version."""
    return check(sections, held_against)


def said(*texts: str, role: str = "user") -> list[Entry]:
    """Return entries of one speaker, from 1 on."""
    return [Entry(n, role, EventKind.MESSAGE, text, attested=role == "user") for n, text in enumerate(texts, 1)]
