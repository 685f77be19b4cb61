"""Taking a merge back: what went into another memory stands by itself again, or the other says what it said before."""

from datetime import datetime

from governance.actors import Acting
from governance.audit import told
from governance.errors import Clash
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import Deed
from memories.candidates import is_change
from memories.effects import bring_back
from memories.former_texts import say_as_before
from memories.models import ConflictSide, Memory, Settlement
from memories.relating import place_of, relate_stored
from memories.turns import take_turn
from memories.vocabulary import ArchivedFor, ConflictState, MemoryStatus


def unmerge(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> Memory:
    """Take back that a memory went into another, in the open scope; returns what is in use as before the merge.

    The lineage stays, and the two are not merged again by themselves. Raises Forbidden, and Clash: invalid_transition
    for one that was not merged, settled_in_conflict where a settlement did it, changed_since where the other was
    written anew after it, said_meanwhile and contradicts_known as bringing back does.
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    if memory.status != MemoryStatus.ARCHIVED or memory.archived_for != ArchivedFor.MERGED:
        raise Clash("status: it did not go into another memory.", code="invalid_transition")
    if _settled(memory):
        raise Clash("status: a settled conflict did this; take that back.", code="settled_in_conflict")
    standing = _without_change(acting, memory, now=now) if is_change(memory) else _apart(memory, now=now)
    record("memory.unmerge", memory.public_id, reason=told(reason, memory), detail={"stands": standing.public_id})
    return standing


def _settled(memory: Memory) -> bool:
    """Return whether a settlement made the merge: its own undo restores all sides at once."""
    if Settlement.objects.filter(merged_id=memory.superseded_by_id, undone_at=None).exists():
        return True
    decided = ConflictSide.objects.filter(memory=memory, conflict__state=ConflictState.SETTLED)
    return is_change(memory) and decided.exists()


def _without_change(acting: Acting, change: Memory, *, now: datetime) -> Memory:
    target = (
        Memory.objects.select_for_update().filter(pk=change.target_id or change.pk, status=MemoryStatus.ACTIVE).first()
    )
    if target is None or target.content != change.content or change.target_version is None:
        raise Clash("version: it was changed again since; take the later change back first.", code="changed_since")
    say_as_before(acting, target, change.target_version, reason="a change was taken back", now=now)
    return target


def _apart(memory: Memory, *, now: datetime) -> Memory:
    into = [memory.superseded_by_id] if memory.superseded_by_id else []
    if relate_stored(memory, skip=into).rivals:
        message = "status: a memory in use says otherwise; archive that one first, or undo what settled it."
        raise Clash(message, code="contradicts_known")
    bring_back(memory, reason="a merge was taken back", now=now)
    return memory
