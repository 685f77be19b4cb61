"""Where a memory comes from and what became of it: its ancestors and descendants as a drawing, and its conflicts."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.ids import public_id
from governance.rows import fetch
from memories.conflict_list import about_of
from memories.models import ConflictSide, Memory
from memories.reading import Words, worded
from memories.store_list import excerpt
from memories.vocabulary import ArchivedFor, ConflictState, MemoryStatus
from threads.drawing import Drawing, Node, drawn

MOST_DEEP, MOST_DRAWN = 6, 40
EDGES = """
WITH RECURSIVE up(id, deep) AS (
  SELECT %(memory)s::uuid, 0
  UNION SELECT p.parent_id, u.deep + 1 FROM up u JOIN memories_memoryparent p ON p.memory_id = u.id
  WHERE u.deep < %(deep)s
), down(id, deep) AS (
  SELECT %(memory)s::uuid, 0
  UNION SELECT p.memory_id, d.deep + 1 FROM down d JOIN memories_memoryparent p ON p.parent_id = d.id
  WHERE d.deep < %(deep)s
), kin AS (SELECT id FROM up UNION SELECT id FROM down)
SELECT p.memory_id, p.parent_id, p.reason FROM memories_memoryparent p
WHERE p.memory_id IN (SELECT id FROM kin) AND p.parent_id IN (SELECT id FROM kin)
ORDER BY p.created_at, p.id LIMIT %(most)s
"""
# A sign for each state, 14 by 14: states differ in shape and word, not in colour alone.
ROUND = "M7 1.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z"
CROSS = "M2 2l10 10M12 2l-10 10"
MARKS: Mapping[MemoryStatus, str] = {
    MemoryStatus.ACTIVE: "M1.5 7.5l4 4l7-9",
    MemoryStatus.ARCHIVED: "M3.5 1.5v11M10.5 1.5v11",
    MemoryStatus.REVOKED: CROSS,
    MemoryStatus.REJECTED: CROSS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """One memory of the lineage, what it was made from, and why, as far as that was said."""

    id: str
    text: Words
    status: MemoryStatus
    archived_for: ArchivedFor | None
    here: bool
    made_from: Sequence[str]
    parents: Sequence[int]
    reason: Words | None
    at: datetime

    @property
    def excerpt(self) -> str:
        """The beginning of its text."""
        return excerpt(self.text.text).text


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictLine:
    """One conflict that the memory is or was a side of."""

    id: str
    state: ConflictState
    about: Words
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """What stands around a memory, as far as the reader may read it. `parents` are numbers of the list, from 1."""

    kin: Sequence[Kin]
    drawing: Drawing
    conflicts: Sequence[ConflictLine]
    cut: bool


def lineage_of(memory: Memory) -> Lineage:
    """Return a memory's lineage and conflicts, in three statements. What is not the reader's to read is not in it."""
    edges = fetch(EDGES, {"memory": memory.pk, "deep": MOST_DEEP, "most": 4 * MOST_DRAWN})
    wanted = {memory.pk, *(row[0] for row in edges), *(row[1] for row in edges)}
    rows = list(Memory.objects.filter(pk__in=wanted).order_by("created_at", "id")[: MOST_DRAWN + 1])
    cut = len(rows) > MOST_DRAWN
    rows = [row for row in rows[:MOST_DRAWN] if row.pk != memory.pk]
    shown = sorted([*rows, memory], key=lambda row: (row.created_at, row.pk))
    numbers = {row.pk: number for number, row in enumerate(shown, 1)}
    kin = [_kin(row, memory, edges, numbers) for row in shown]
    return Lineage(kin=kin, drawing=drawn([_node(one) for one in kin]), conflicts=_conflicts(memory), cut=cut)


def _kin(row: Memory, memory: Memory, edges: Sequence[tuple[Any, ...]], numbers: Mapping[uuid.UUID, int]) -> Kin:
    own = [(parent, reason) for child, parent, reason in edges if child == row.pk and parent in numbers]
    reason = next((reason for _, reason in own if reason), "")
    return Kin(
        id=row.public_id,
        text=worded(row.content),
        status=MemoryStatus(row.status),
        archived_for=ArchivedFor(row.archived_for) if row.archived_for else None,
        here=row.pk == memory.pk,
        made_from=[public_id("mem", parent) for parent, _ in own],
        parents=[numbers[parent] for parent, _ in own],
        reason=worded(reason) if reason else None,
        at=row.created_at,
    )


def _node(kin: Kin) -> Node:
    mark = MARKS.get(kin.status, ROUND)
    return Node(id=kin.id, title=kin.text.text or "…", state=kin.status, after=kin.made_from, mark=mark)


def _conflicts(memory: Memory) -> list[ConflictLine]:
    sides = ConflictSide.objects.filter(memory=memory).select_related("conflict").order_by("-joined_at", "-id")[:20]
    return [
        ConflictLine(
            id=side.conflict.public_id,
            state=ConflictState(side.conflict.state),
            about=about_of(side.conflict) or Words(""),
            at=side.joined_at,
        )
        for side in sides
    ]
