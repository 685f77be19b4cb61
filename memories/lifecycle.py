"""The state machine of a memory, as a literal table, and the verb that moves one past its gates."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from governance.audit import told
from governance.errors import Clash
from governance.models.base import reach_of
from governance.scope import record
from governance.transitions import Table
from memories.gates import STEPS
from memories.models import GateVerdict, Memory, MemoryMove, Passage
from memories.vocabulary import LIVING, MemoryStatus

_END_EARLY = frozenset({MemoryStatus.REJECTED})
MEMORY_TRANSITIONS: Table[MemoryStatus] = {
    MemoryStatus.CANDIDATE: frozenset({MemoryStatus.SCREENED}) | _END_EARLY,
    MemoryStatus.SCREENED: frozenset({MemoryStatus.EVIDENCE_CHECKED}) | _END_EARLY,
    MemoryStatus.EVIDENCE_CHECKED: frozenset({MemoryStatus.POLICY_CHECKED}) | _END_EARLY,
    MemoryStatus.POLICY_CHECKED: frozenset({MemoryStatus.USER_ALIGNED}) | _END_EARLY,
    MemoryStatus.USER_ALIGNED: frozenset({MemoryStatus.COMMITTED}) | _END_EARLY,
    MemoryStatus.COMMITTED: frozenset({MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED, MemoryStatus.REVOKED}),
    MemoryStatus.ACTIVE: frozenset({MemoryStatus.ARCHIVED, MemoryStatus.REVOKED}),
    MemoryStatus.ARCHIVED: frozenset({MemoryStatus.ACTIVE, MemoryStatus.REVOKED}),
    MemoryStatus.REVOKED: frozenset(),
    MemoryStatus.REJECTED: frozenset(),
}

# What must have passed before a memory may stand in each state; the database holds the same list.
GATES_BEFORE = dict(STEPS)
FORWARD = LIVING
SEARCHABLE = MemoryStatus.ACTIVE


def advance(memory: Memory, to: MemoryStatus, *, reason: str, now: datetime, **also: Any) -> None:
    """Move a memory in the open scope: one step, or forward past every gate whose verdict is there, and set the `also`
    columns with it.

    Leaving `active` takes its passage out of every search in the same transaction. Raises Clash when the table or
    a missing verdict does not allow the move, or when somebody else moved it first.
    """
    here = MemoryStatus(memory.status)
    _check(memory, here, to)
    changed = {"status": to, "updated_at": now, **also}
    if Memory.objects.filter(pk=memory.pk, status=here).update(**changed) != 1:
        raise Clash(f"status: it is no longer {here}; read it again.", code="moved_meanwhile")
    for name, value in changed.items():
        setattr(memory, name, value)
    MemoryMove.objects.create(
        project_id=memory.project_id,
        memory=memory,
        here=here,
        there=to,
        code=memory.reason_code or memory.archived_for,
        at=now,
        **reach_of(memory),
    )
    Passage.objects.filter(memory=memory, ref=memory.ref).update(live=to is SEARCHABLE)
    record(f"memory.{to}", memory.public_id, reason=told(reason, memory), before=here, after=to)


def gates_between(here: MemoryStatus, to: MemoryStatus) -> Sequence[str]:
    """Return the gates that stand between two states of the forward chain, in order."""
    between = FORWARD[FORWARD.index(here) + 1 : FORWARD.index(to) + 1]
    return [gate for state in between for gate in GATES_BEFORE.get(state, ())]


def _check(memory: Memory, here: MemoryStatus, to: MemoryStatus) -> None:
    if here in FORWARD and to in FORWARD and FORWARD.index(to) > FORWARD.index(here):
        passed = set(GateVerdict.objects.filter(memory=memory, passed=True).values_list("gate", flat=True))
        missing = [gate for gate in gates_between(here, to) if gate not in passed]
        if missing:
            raise Clash(f"status: {', '.join(missing)} has not passed yet.", code="gates_missing")
        return
    if to not in MEMORY_TRANSITIONS[here]:
        raise Clash(f"status: {here} cannot become {to}.", code="invalid_transition")
