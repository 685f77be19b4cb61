"""What of everything that stands comes into a version: the worthiest for its length, and all that must stay. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.context.summary_lines import JOINT, Line, Mark, tokens_of, written
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import SummarySection
from sessions.summaries.clauses import shortened
from sessions.summaries.cues import Kind
from sessions.summaries.reversals import Placed
from sessions.summaries.statements import WORTH, kind_of, specific, substance

MOST_PLACED = 240  # lines that lie before the writer; a version holds a tenth of that
GOAL_WORTH = 7.5
CITED = 5  # tokens of what a line rests on
ELSE = 1.0  # how much less a further piece of a line is worth: the entry is cited already, and can be opened
LENGTH_COUNTS = 0.35  # how much a long line has to say more than a short one to stand before it
LEAST_WORTH = WORTH[Kind.NOTE]  # of a statement that is worth a line of its own
KEPT_WHOLE = (SummarySection.CONSTRAINTS, SummarySection.DISSENT, SummarySection.BLOCKERS)
"""Sections of which nothing is dropped for want of room."""


def worthiest(placed: Sequence[Placed]) -> list[Placed]:
    """Half of what lies before the writer, and all that must stay: in a long past no entry costs more for it."""
    loose = [one for one in placed if not stays(one)]
    kept = {id(one) for one in sorted(loose, key=lambda one: (-worth_of(one), -one.last_seq))[: MOST_PLACED // 2]}
    return [one for one in placed if stays(one) or id(one) in kept]


def worth_of(one: Placed) -> float:
    """Return how much later work needs a line: what it says by its kind, whoever said it last a little more."""
    if one.line.mark is not None:
        return WORTH[Kind.PROPOSAL] if one.line.mark is Mark.PASSED else LEAST_WORTH
    if one.section in (SummarySection.GOALS, SummarySection.NEXT_STEPS):
        return GOAL_WORTH
    return max(map(_worth, one.line.pieces))


def stays(one: Placed) -> bool:
    return one.section in KEPT_WHOLE or one.line.mark is Mark.FAILED


def _worth(piece: str) -> float:
    return max(WORTH[kind_of(piece, piece)], WORTH[Kind.TASK]) + specific(piece) + substance(piece)


def within(placed: Sequence[Placed], budget: int) -> tuple[list[Placed], list[Placed]]:
    """Say less of each thing before leaving any out: piece by piece, the worthiest for its length first.

    Returns what comes in, in its order, and what is left out. Of pieces worth the same the latest comes first.
    """
    if tokens_of(by_section(placed)) <= budget:
        return list(placed), []
    said = [_All(one) if stays(one) or one.line.mark is not None else _All(one, _short(one)) for one in placed]
    for one in said:
        one.chosen = one.pieces if stays(one.placed) else ()
    parts = [(one, piece) for one in said if not one.chosen for piece in one.pieces]
    for one, piece in sorted(parts, key=lambda part: (-_density(*part), -part[0].placed.last_seq)):
        before, one.chosen = one.chosen, (*one.chosen, piece)
        if tokens_of(by_section([other.form for other in said if other.chosen])) > budget:
            one.chosen = before
    return [one.form for one in said if one.chosen], [one.placed for one in said if not one.chosen]


@dataclass(slots=True)
class _All:
    """A line, what may be said of it piece by piece, and what of that is chosen."""

    placed: Placed
    pieces: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.pieces = self.pieces or (self.placed.line.text,)

    @property
    def best(self) -> str:
        """The piece that the line stands for."""
        return max(self.pieces, key=_worth)

    @property
    def form(self) -> Placed:
        """The line with what is chosen of it, in the order in which it was said."""
        text = JOINT.join(piece for piece in self.pieces if piece in self.chosen)
        return replace(self.placed, line=replace(self.placed.line, text=text))


def _short(one: Placed) -> tuple[str, ...]:
    """A line's pieces, each without what only explains it; what an agent made of a user's words stays beside them."""
    pieces = tuple(dict.fromkeys(map(shortened, one.line.pieces)))
    return pieces if len(one.line.seqs) < 2 else (JOINT.join(pieces),)


def _density(one: _All, piece: str) -> float:
    """What a piece is worth for its length. What else a line says adds a little less than a line of its own."""
    worth = worth_of(one.placed) if piece == one.best else _worth(piece) - ELSE
    length = exact_counter(STORED_ENCODING).count(piece) + CITED
    return float(worth / length**LENGTH_COUNTS)


def by_section(placed: Sequence[Placed]) -> dict[str, list[str]]:
    found: dict[SummarySection, list[Line]] = {}
    for one in placed:
        found.setdefault(one.section, []).append(one.line)
    return written(found)
