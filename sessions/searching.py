"""Finding words inside one text: the lines that hold them, with their numbers, bounded and paged."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, NamedTuple

from governance.errors import Invalid
from sessions.artifacts import MOST_OFFSET, READ_MOST, Piece, line_starts, read_piece
from sessions.context.cuts import cut_head, cut_tail
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.vocabulary import ReadUnit

LONGEST_QUERY = 200
MATCHES_DEFAULT, MATCHES_MOST = 20, 50
AROUND = 24  # tokens on either side of what was found that are shown of its line
FOUND = 120  # tokens of what was found itself that are shown: blanks between its words may go on for ever


@dataclass(frozen=True, slots=True)
class Match:
    """A line that holds what was looked for. `line` counts from 1; `offset` is the same place as a read's offset.

    `text` is the line around the first place where it stands, `times` how often it stands there. `cut` says that what
    was found is itself longer than is shown: `text` has an ellipsis inside it then.
    """

    line: int
    offset: int
    text: str
    times: int
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """A page of matches. `total` are the lines that hold the words, `tokens` those of all texts here."""

    q: str
    results: tuple[Match, ...]
    offset: int
    total: int
    next: int | None
    tokens: int

    def as_json(self) -> dict[str, Any]:
        """Return the page as an answer shows it."""
        return asdict(self) | {"unit": "matches", "results": [asdict(match) for match in self.results]}


def part_asked(text: str, q: str | None, *, unit: str | None, offset: int, limit: int | None) -> Piece | Matches:
    """Return the piece of `text`, or with `q` the matches in it. Raises what `read_piece` and `search_text` raise."""
    if q is None:
        return read_piece(text, unit=ReadUnit.TOKENS if unit is None else unit, offset=offset, limit=limit)
    if unit is not None:
        raise Invalid.at("?unit", "leave it out beside `q`: a search is paged by its matches")
    return search_text(text, q, offset=offset, limit=limit)


def search_text(text: str, q: str, *, offset: int, limit: int | None) -> Matches:
    """Return the lines of `text` that hold `q`, in their order, whatever the case and the width of blanks.

    `offset` and `limit` count matches; a page ends before it takes more than READ_MOST tokens. Raises Invalid for an
    empty or too long `q`, and for an offset or limit out of bounds.
    """
    if not q.split() or len(q) > LONGEST_QUERY:
        raise Invalid.at("?q", f"expected 1 to {LONGEST_QUERY} characters to look for, and not only blanks")
    size = MATCHES_DEFAULT if limit is None else limit
    if not 1 <= size <= MATCHES_MOST:
        raise Invalid.at("?limit", f"expected 1 to {MATCHES_MOST} matches")
    if not 0 <= offset <= MOST_OFFSET:
        raise Invalid.at("?offset", f"expected 0 to {MOST_OFFSET}; pages end where `next` is null")
    found = _lines_with(text, pattern_of(q))
    page, tokens = _page(_match(text, line) for line in found[offset : offset + size])
    following = offset + len(page) if offset + len(page) < len(found) else None
    return Matches(q=q, results=page, offset=offset, total=len(found), next=following, tokens=tokens)


def pattern_of(q: str) -> re.Pattern[str]:
    """Return what matches the words of `q` one after the other in a line, whatever the case and the blanks between."""
    return re.compile(r"[^\S\n]+".join(map(re.escape, q.split())), re.IGNORECASE)


class _Line(NamedTuple):
    """A line with what was looked for: its number from 0, where it begins and ends, and every place in it."""

    number: int
    begin: int
    end: int
    places: list[re.Match[str]]


def _lines_with(text: str, pattern: re.Pattern[str]) -> list[_Line]:
    starts = [*line_starts(text), len(text)]
    runs = groupby(
        pattern.finditer(text), key=lambda place: bisect_right(starts, place.start(), hi=len(starts) - 1) - 1
    )
    return [_Line(number, starts[number], starts[number + 1], list(places)) for number, places in runs]


def _page(matches: Iterable[Match]) -> tuple[tuple[Match, ...], int]:
    """Return the first of some matches that one read holds, one at least, and their tokens."""
    page: list[Match] = []
    total = 0
    for match in matches:
        tokens = exact_counter(STORED_ENCODING).count(match.text)
        if page and total + tokens > READ_MOST:
            break
        page.append(match)
        total += tokens
    return tuple(page), total


def _match(text: str, line: _Line) -> Match:
    place = line.places[0]
    before, after = text[line.begin : place.start()], text[place.end() : line.end].rstrip("\n")
    head, tail, found = cut_tail(before, AROUND), cut_head(after, AROUND), _found(place.group())
    shown = ("…" if head != before else "") + head + found + tail + ("…" if tail != after else "")
    cut = found != place.group()
    return Match(line=line.number + 1, offset=line.number, text=shown, times=len(line.places), cut=cut)


def _found(words: str) -> str:
    """Return what was found; of a long one its two ends, cut at graphemes."""
    half = FOUND // 2
    return words if cut_head(words, FOUND) == words else f"{cut_head(words, half)}…{cut_tail(words, half)}"
