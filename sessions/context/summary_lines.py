"""One line of a work summary: what is said, how far it is verified, how often, and what it rests on. Pure.

A line is written as `mark: text (×n) [17, 20, memory://…@2]`: a number is an event of the summary's own session,
anything else a ref. Everything but the text may be missing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import SummarySection

type Sections = Mapping[str, Sequence[str]]

NOTHING: Sections = {section.value: [] for section in SummarySection}
"""What a version says of entries in which nothing is to be kept: every section was looked for. {} is one erased."""

JOINT = "; "
"""Stands between the pieces of a line, each of which was said in one go."""
CUT = "…"
_SEQ = re.compile(r"\d{1,9}")
_CITED = re.compile(r"\d{1,9}|[a-z][a-z0-9]{1,15}://[^\s,\[\]]+")
_TAIL = re.compile(r" ?\[([^\[\]]+)\]$")
_TIMES = re.compile(r" \(×(\d{1,6})\)$")


class Mark(StrEnum):
    """How far what a line says is verified; a line without one says what was said."""

    UNVERIFIED = "unverified"
    PASSED = "passed"
    FAILED = "failed"


_MARK = re.compile(rf"({'|'.join(Mark)}): ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a line says. `seqs` are events of the session, `refs` everything else that it rests on."""

    text: str
    seqs: tuple[int, ...] = ()
    refs: tuple[str, ...] = ()
    mark: Mark | None = None
    times: int = 1

    @property
    def pieces(self) -> tuple[str, ...]:
        """What it says, piece by piece."""
        return tuple(self.text.split(JOINT))

    @property
    def rests(self) -> tuple[str, ...]:
        """Everything that it cites, events first, as it is written."""
        return (*map(str, self.seqs), *self.refs)

    def __str__(self) -> str:
        mark = f"{self.mark}: " if self.mark else ""
        times = f" (×{self.times})" if self.times > 1 else ""
        cited = f" [{', '.join(self.rests)}]" if self.rests else ""
        return f"{mark}{self.text}{times}{cited}"


@lru_cache(4_096)
def parse(written: str) -> Line:
    """Return a written line as its parts; a bracket at the end that cites nothing belongs to the text."""
    text = " ".join(written.split())
    text, cited = _cited(text)
    times = 1
    if counted := _TIMES.search(text):
        times, text = int(counted[1]), text[: counted.start()]
    mark = None
    if marked := _MARK.match(text):
        mark, text = Mark(marked[1]), text[marked.end() :]
    seqs = tuple(int(one) for one in cited if _SEQ.fullmatch(one))
    refs = tuple(one for one in cited if not _SEQ.fullmatch(one))
    return Line(text=text, seqs=seqs, refs=refs, mark=mark, times=times)


def plain_text(text: str) -> str:
    """Return a text on one line that no reader of lines takes for a mark, a count or a citation."""
    bare = " ".join(text.split())
    while (tail := _cited(bare))[1]:
        bare = f"{tail[0]} ({', '.join(tail[1])})"
    if marked := _MARK.match(bare):
        bare = f"{marked[1]} - {bare[marked.end() :]}"
    return _TIMES.sub(r" (x\1)", bare)


def lines_of(sections: Sections, *names: SummarySection) -> list[Line]:
    """Return the lines of these sections, of all where none is named."""
    chosen: Iterable[str] = names or sections
    return [parse(line) for name in chosen for line in sections.get(name, ()) if line.strip()]


def written(sections: Mapping[SummarySection, Sequence[Line]]) -> dict[str, list[str]]:
    """Return sections as they are stored, in the order of the vocabulary; an empty one is left out."""
    return {name.value: [str(line) for line in sections[name]] for name in SummarySection if sections.get(name)}


def as_text(sections: Sections) -> str:
    """Return a summary as a reader sees it: the name of each section above its lines."""
    return "\n".join(part for name, lines in sections.items() if lines for part in (name, *(f"- {x}" for x in lines)))


def tokens_of(sections: Sections) -> int:
    """Return what a summary costs, exactly, in the encoding in which counts are stored."""
    return exact_counter(STORED_ENCODING).count(as_text(sections))


def _cited(text: str) -> tuple[str, tuple[str, ...]]:
    tail = _TAIL.search(text)
    parts = tuple(part.strip() for part in tail[1].split(",")) if tail else ()
    if tail is None or not all(_CITED.fullmatch(part) for part in parts):
        return text, ()
    return text[: tail.start()], parts


def cited_seqs(written: str) -> tuple[int, ...]:
    """Return the events of the session that a written line cites."""
    return parse(written).seqs
