"""Taking memories out of use and back: archived, restored, revoked with all that was made of them, or lapsed."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Clash
from governance.people import check_may
from governance.rows import fetch
from governance.scope import record
from governance.vocabulary import Deed
from memories.candidates import is_pending
from memories.disputes import after_leaving
from memories.effects import bring_back, retire, turn_down
from memories.lifecycle import advance
from memories.models import Injection, Memory
from memories.relating import place_of, relate_stored
from memories.turns import take_turn
from memories.vocabulary import ArchivedFor, MemoryStatus, ReasonCode

# What was made of a memory: by lineage, or by citing it. Whatever took its place was not made of it.
DESCENDANTS = """
WITH RECURSIVE made(id) AS (
  SELECT %(memory)s::uuid
  UNION SELECT child.id FROM made m CROSS JOIN LATERAL (
    SELECT p.memory_id AS id FROM memories_memoryparent p
    JOIN memories_memory parent ON parent.project_id = p.project_id AND parent.id = p.parent_id
    WHERE p.parent_id = m.id AND parent.status <> 'rejected'
      AND NOT (parent.superseded_by_id IS NOT DISTINCT FROM p.memory_id AND parent.archived_for <> 'merged')
    UNION ALL SELECT e.memory_id FROM memories_memoryevidence e
    WHERE e.project_id = %(project)s AND e.ref >= 'memory://mem_' || replace(m.id::text, '-', '')
      AND e.ref < 'memory://mem_' || replace(m.id::text, '-', '') || 'A') AS child)
SELECT id FROM made WHERE id <> %(memory)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a memory came: what was made of it, and the packets that carried it or any of that."""

    descendants: Sequence[Memory]
    packets: Sequence[uuid.UUID]


def reach(memory: Memory) -> Reach:
    """Return what was made of a memory and where it went, as far as the open scope may see."""
    found = fetch(DESCENDANTS, {"memory": memory.pk, "project": memory.project_id})
    made = list(Memory.objects.filter(pk__in=[row[0] for row in found]).order_by("created_at", "id"))
    carried = Injection.objects.filter(memory__in=[memory, *made]).order_by("at").values_list("packet_id", flat=True)
    return Reach(descendants=made, packets=list(dict.fromkeys(carried)))


def archive(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Take a memory out of use; it can be brought back. Raises Forbidden and Clash (invalid_transition)."""
    check_may(acting, Deed.DECIDE_MEMORY)
    _locked(memory)
    retire(memory, ArchivedFor.BY_HAND, reason=reason, now=now)
    after_leaving([memory], now=now)


def restore(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Bring an archived memory back into use.

    Raises Forbidden, and Clash: invalid_transition for one that is not archived, said_meanwhile where another says the
    same by now, contradicts_known where one says otherwise.
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    _locked(memory)
    if memory.status != MemoryStatus.ARCHIVED:
        raise Clash(f"status: it is {memory.status}, and only an archived one comes back.", code="invalid_transition")
    if relate_stored(memory).rivals:
        message = "status: a memory in use says otherwise; archive that one first, or undo what settled it."
        raise Clash(message, code="contradicts_known")
    bring_back(memory, reason=reason, now=now)


def revoke(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> Reach:
    """Take a memory out of use for good, and everything that was made of it with it; returns how far it came.

    What was made of it is archived, or refused where it still waited. Raises Forbidden and Clash (invalid_transition).
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    _locked(memory)
    came = reach(memory)
    advance(memory, MemoryStatus.REVOKED, reason=reason, now=now)
    for made in came.descendants:
        _orphan(made, now=now)
    after_leaving([memory, *came.descendants], now=now)
    detail = {"descendants": len(came.descendants), "packets": len(came.packets)}
    record("memory.reach", memory.public_id, detail=detail)
    return came


def expire_due(*, now: datetime, most: int = 500, readers: Mapping[str, Any] | None = None) -> int:
    """Archive what has lapsed in the open scope, of one audience where `readers` names it; returns how many."""
    lapsed = Memory.objects.filter(status=MemoryStatus.ACTIVE, expires_at__lte=now, **(readers or {}))
    due = list(lapsed.order_by("expires_at", "id")[:most])
    for memory in due:
        retire(memory, ArchivedFor.EXPIRED, reason="its time is over", now=now)
    after_leaving(due, now=now)
    return len(due)


def _orphan(made: Memory, *, now: datetime) -> None:
    if made.status in (MemoryStatus.ACTIVE, MemoryStatus.COMMITTED):
        retire(made, ArchivedFor.PARENT_REVOKED, reason="what it was made of was revoked", now=now)
    elif is_pending(made):
        turn_down(made, ReasonCode.PARENT_REVOKED, reason="what it was made of was revoked", now=now)


def _locked(memory: Memory) -> None:
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
