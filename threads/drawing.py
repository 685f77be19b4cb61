"""What follows from what as a drawing, such as tasks and what they wait for: columns by depth, curves between them.

Pure: values in, numbers out.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from governance.languages import language_of
from threads.titles import graphemes
from threads.vocabulary import TaskState

BOX_WIDTH, BOX_HEIGHT = 208, 72
GAP_ACROSS, GAP_DOWN = 48, 16
MARGIN = 8
ARROW = 8  # length of an arrow's head
LINES, LINE_COLUMNS = 2, 23  # of a title in its box; a Chinese character takes two columns
# A sign for each state, 14 by 14: states differ in shape and word, not in colour alone.
MARKS: Mapping[TaskState, str] = {
    TaskState.PLANNED: "M7 1.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z",
    TaskState.READY: "M7 1.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM7 5.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3z",
    TaskState.DOING: "M3.5 1.5l8.5 5.5l-8.5 5.5z",
    TaskState.BLOCKED: "M3.5 1.5v11M10.5 1.5v11",
    TaskState.REVIEW: "M7 1l6 6l-6 6l-6-6z",
    TaskState.DONE: "M1.5 7.5l4 4l7-9",
    TaskState.CANCELLED: "M2 2l10 10M12 2l-10 10",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A task to draw, by public id, and the ids of what it waits for. `elsewhere`: it belongs to another thread.

    What is no task says by which `mark` its state is drawn, a path of 14 by 14.
    """

    id: str
    title: str
    state: StrEnum
    after: Sequence[str] = ()
    elsewhere: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A node in its place, in pixels from the upper left; its title cut to what fits."""

    node: Node
    x: int
    y: int
    lines: Sequence[str]
    mark: str

    @property
    def language(self) -> str:
        """The language tag of the title, for a reader's voice and fonts."""
        return language_of(self.node.title)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A curve from what is waited for to what waits, and the head at its end."""

    curve: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What the page draws, in pixels."""

    width: int
    height: int
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def drawn(nodes: Sequence[Node]) -> Drawing:
    """Return the nodes laid out: each stands to the right of all that it waits for. Same nodes, same drawing."""
    columns = _columns(nodes)
    places = {node.id: (x, y) for x, column in enumerate(columns) for y, node in enumerate(column)}
    boxes = [_box(node, *places[node.id]) for column in columns for node in column]
    spots = {box.node.id: box for box in boxes}
    arrows = [_arrow(spots[other], spots[node.id]) for node in nodes for other in node.after if other in spots]
    tallest = max((len(column) for column in columns), default=0)
    return Drawing(
        width=2 * MARGIN + len(columns) * (BOX_WIDTH + GAP_ACROSS) - (GAP_ACROSS if columns else 0),
        height=2 * MARGIN + tallest * (BOX_HEIGHT + GAP_DOWN) - (GAP_DOWN if tallest else 0),
        boxes=boxes,
        arrows=arrows,
    )


def depths(after: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return how many steps of waiting stand before each: 0 for what waits for nothing that is drawn.

    What waits for itself in a circle, which no thread can hold, counts as waiting for nothing.
    """
    found: dict[str, int] = {}
    waiting = {here: {other for other in others if other in after} for here, others in after.items()}
    while waiting:
        free = [here for here, others in waiting.items() if others <= found.keys()] or list(waiting)
        found |= {here: max((found.get(other, -1) for other in waiting[here]), default=-1) + 1 for here in free}
        waiting = {here: others for here, others in waiting.items() if here not in found}
    return found


def cut(title: str, *, columns: int = LINE_COLUMNS, lines: int = LINES) -> list[str]:
    """Return a title in at most `lines` lines of `columns` columns, cut between graphemes; what is cut ends in …"""
    kept: list[str] = []
    rest = graphemes(" ".join(title.split()))
    while rest and len(kept) < lines:
        fits = _fitting(rest, columns)
        if fits < len(rest) and len(kept) == lines - 1:
            kept.append("".join(rest[: _fitting(rest, columns - 1)]).rstrip() + "…")
        else:
            fits = _at_space(rest, fits)
            kept.append("".join(rest[:fits]).strip())
        rest = rest[fits:]
    return kept


def _fitting(characters: Sequence[str], columns: int) -> int:
    used = 0
    for count, character in enumerate(characters):
        used += 2 if unicodedata.east_asian_width(character[0]) in "WF" else 1
        if used > columns:
            return count
    return len(characters)


def _at_space(characters: Sequence[str], fits: int) -> int:
    """Return where a line of at most `fits` characters ends: after a word where one ends in its second half."""
    if fits == len(characters):
        return fits
    return next((place for place in range(fits, fits // 2, -1) if characters[place] == " "), fits)


def _columns(nodes: Sequence[Node]) -> list[list[Node]]:
    deep = depths({node.id: node.after for node in nodes})
    columns: list[list[Node]] = [[] for _ in range(max(deep.values(), default=-1) + 1)]
    for node in nodes:
        columns[deep[node.id]].append(node)
    rows: dict[str, int] = {}
    for column in columns:
        # Beside what is waited for, so that few curves cross; the order of making decides between equals.
        column.sort(key=lambda node: _middle([rows[other] for other in node.after if other in rows]))
        rows |= {node.id: row for row, node in enumerate(column)}
    return columns


def _middle(rows: Sequence[int]) -> float:
    return sum(rows) / len(rows) if rows else 0


def _box(node: Node, column: int, row: int) -> Box:
    return Box(
        node=node,
        x=MARGIN + column * (BOX_WIDTH + GAP_ACROSS),
        y=MARGIN + row * (BOX_HEIGHT + GAP_DOWN),
        lines=cut(node.title),
        mark=node.mark or MARKS[TaskState(node.state)],
    )


def _arrow(start: Box, end: Box) -> Arrow:
    """Return the way from the right side of one box to the left side of another."""
    x1, y1 = start.x + BOX_WIDTH, start.y + BOX_HEIGHT // 2
    x2, y2 = end.x - ARROW, end.y + BOX_HEIGHT // 2
    middle = (x1 + x2) // 2
    return Arrow(f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}", f"M{x2} {y2 - 4}l{ARROW} 4l-{ARROW} 4z")
