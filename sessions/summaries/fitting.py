"""What of everything that stands comes into a version: the worthiest for its length, and all that must stay. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from sessions.context.summary_lines import JOINT, Line, Mark, tokens_of, written
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import SummarySection
from sessions.summaries.clauses import shortened
from sessions.summaries.cues import Kind
from sessions.summaries.reversals import Placed, elements
from sessions.summaries.statements import WORTH, kind_of, specific

MOST_PLACED = 240  # lines that lie before the writer; a version holds a tenth of that
GOAL_TOKENS, GOAL_WORTH = 44, 7.5  # of the goal where room is short, and what it is worth
BRIEF_TOKENS = 40  # of a line where room is short; a list of values stays whole
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
    if one.section is SummarySection.GOALS:
        return GOAL_WORTH
    if one.section is SummarySection.NEXT_STEPS:
        return WORTH[Kind.TASK] + 1
    return max(map(_worth, one.line.pieces))


def stays(one: Placed) -> bool:
    return one.section in KEPT_WHOLE or one.line.mark is Mark.FAILED


def _worth(piece: str) -> float:
    return max(WORTH[kind_of(piece, piece)], WORTH[Kind.TASK]) + specific(piece)


def within(placed: Sequence[Placed], budget: int) -> tuple[list[Placed], list[Placed]]:
    """Say less of each thing before leaving any out; then leave out what is worth least, the earliest of it first."""
    if tokens_of(by_section(placed)) <= budget:
        return list(placed), []
    brief = [_brief(one) for one in placed]
    kept = [one for one in brief if stays(one)]
    rest = [one for one in brief if not stays(one)]
    cut: list[Placed] = []
    for one in sorted(rest, key=lambda one: (-_density(one), -one.last_seq)):
        form = next((form for form in (one, _best_of(one)) if tokens_of(by_section([*kept, form])) <= budget), None)
        if form is None:
            cut.append(one)
        else:
            kept.append(form)
    order = {(one.section, one.line.rests): n for n, one in enumerate(brief)}
    return sorted(kept, key=lambda one: order[one.section, one.line.rests]), cut


def _density(one: Placed) -> float:
    length = exact_counter(STORED_ENCODING).count(str(_best_of(one).line))
    return worth_of(one) / float(length**LENGTH_COUNTS)


def _best_of(one: Placed) -> Placed:
    """A line's worthiest piece; what an agent reports stays whole."""
    if one.line.mark is not None:
        return one
    return replace(one, line=replace(one.line, text=max(one.line.pieces, key=_worth)))


def _brief(one: Placed) -> Placed:
    """A line's worthiest pieces, each without what only explains it. What must be kept stays as it is."""
    if stays(one) or one.line.mark is not None:
        return one
    counter = exact_counter(STORED_ENCODING)
    short = list(dict.fromkeys(map(shortened, one.line.pieces)))
    chosen, room = set[str](), GOAL_TOKENS if one.section is SummarySection.GOALS else BRIEF_TOKENS
    for piece in sorted(short, key=lambda piece: -_worth(piece)):
        cost = 0 if len(elements(piece)) > 1 else counter.count(piece)
        if not chosen or cost <= room:
            chosen.add(piece)
            room -= cost
    return replace(one, line=replace(one.line, text=JOINT.join(piece for piece in short if piece in chosen)))


def by_section(placed: Sequence[Placed]) -> dict[str, list[str]]:
    found: dict[SummarySection, list[Line]] = {}
    for one in placed:
        found.setdefault(one.section, []).append(one.line)
    return written(found)
