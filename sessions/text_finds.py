"""What a page shows of a search inside one long text: the lines that hold the words, each with the way to its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.translation import gettext

from governance.errors import Invalid
from governance.invisible import made_visible
from memories.store_list import Piece, pieces_of
from sessions.searching import LONGEST_QUERY, MATCHES_DEFAULT, Match, pattern_of, search_text

ABOVE = 5  # lines that are shown above the one that was found, so that it is read in its place


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that holds what was looked for, in stretches; `times` is how often it stands there."""

    number: int
    address: str
    pieces: Sequence[Piece]
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds:
    """A page of a search; `fault` says in words why there is none. `first` and `last` count lines found, from 1."""

    q: str
    fault: str = ""
    lines: Sequence[FoundLine] = ()
    offset: int = 0
    total: int = 0
    previous: str = ""
    next: str = ""

    @property
    def first(self) -> int:
        return self.offset + 1

    @property
    def last(self) -> int:
        return self.offset + len(self.lines)


def finds_in(text: str, q: str, *, offset: int, place: Mapping[str, str]) -> Finds:
    """Return what a search finds in a text, `offset` lines on. `place` is what an address keeps beside the search.

    Raises Invalid for an offset out of bounds; words that cannot be looked for are a fault of the page.
    """
    try:
        found = search_text(text, q, offset=offset, limit=None)
    except Invalid as refusal:
        if refusal.faults[0].pointer != "?q":
            raise
        most = {"most": LONGEST_QUERY}
        return Finds(q=q, fault=gettext("Look for at least one word, in at most %(most)d characters.") % most)
    before = max(offset - MATCHES_DEFAULT, 0) if offset > 0 else None
    return Finds(
        q=q,
        lines=[_line(match, q, place) for match in found.results],
        offset=offset,
        total=found.total,
        previous=_page(q, before, place),
        next=_page(q, found.next, place),
    )


def _page(q: str, offset: int | None, place: Mapping[str, str]) -> str:
    return "" if offset is None else f"?{urlencode({**place, 'q': q, 'offset': offset})}"


def _line(match: Match, q: str, place: Mapping[str, str]) -> FoundLine:
    address = f"?{urlencode({**place, 'unit': 'lines', 'offset': max(match.offset - ABOVE, 0)})}#L{match.line}"
    pieces = pieces_of(match.text, [hit.span() for hit in pattern_of(q).finditer(match.text)])
    shown = [Piece(made_visible(piece.text), marked=piece.marked) for piece in pieces]
    return FoundLine(match.line, address, shown, match.times)
