"""Two memories in use that say the same: one stays, with all that both rest on, and the other can be brought back."""

from datetime import datetime

from governance.scope import record
from governance.vocabulary import rank
from memories.candidates import add_evidence, add_parents, evidence_of
from memories.claims import Registry, Relation, Statement, relate
from memories.disputes import sides_of_same
from memories.effects import retire, said_by_another
from memories.models import Memory, MemoryMove, MemoryParent
from memories.relating import claims_of, key_of, place_of
from memories.vocabulary import ArchivedFor, KnowledgeStatus, MemoryStatus, MemoryType, SourceRank, WriteMode

SAID = "it says the same"


def merge(one: Memory, other: Memory, *, now: datetime) -> Memory | None:
    """Archive one of two memories in use that say the same, in the open scope; returns it, or None where both stay.

    The weightier source stays, then what is no mere episode, then the older. Both stay where they are not equally
    sensitive, where one never changes or is disputed, and where somebody has brought one back from being merged.
    """
    keep, gone = sorted([one, other], key=_standing)
    pair = [keep.pk, gone.pk]
    if MemoryParent.objects.filter(memory__in=pair, parent__in=pair).exists():
        return None  # what one was made of is absorbed by it, or stands beside it
    return gone if may_merge(keep, gone) and _merged(keep, gone, now=now) else None


def absorb(memory: Memory, *, registry: Registry, now: datetime) -> int:
    """Archive the episodes that a memory in use was made of and that say no more than it; returns how many."""
    if memory.type == MemoryType.EPISODE:
        return 0
    made_of = MemoryParent.objects.filter(memory=memory).values("parent_id")
    told = Memory.objects.filter(
        pk__in=made_of, status=MemoryStatus.ACTIVE, type=MemoryType.EPISODE, **place_of(memory).where()
    )
    done = [
        one for one in told.order_by("created_at", "id") if _covers(memory, one, registry) and may_merge(memory, one)
    ]
    return sum(_merged(memory, one, now=now) for one in done)


def may_merge(keep: Memory, gone: Memory) -> bool:
    """Return whether `gone` may be archived for `keep` without a human."""
    alike = keep.sensitivity == gone.sensitivity and rank(SourceRank(gone.source_rank)) <= rank(
        SourceRank(keep.source_rank)
    )
    disputed = KnowledgeStatus.DISPUTED in (keep.knowledge_status, gone.knowledge_status)
    if not alike or disputed or gone.write_mode == WriteMode.IMMUTABLE or sides_of_same(keep, gone):
        return False
    back = MemoryMove.objects.filter(memory__in=[keep, gone], here=MemoryStatus.ACTIVE, code=ArchivedFor.MERGED)
    return not back.exists()


def _standing(memory: Memory) -> tuple[int, bool, datetime, str]:
    weight = rank(SourceRank(memory.source_rank))
    return -weight, memory.type == MemoryType.EPISODE, memory.created_at, str(memory.pk)


def _covers(memory: Memory, episode: Memory, registry: Registry) -> bool:
    said = claims_of([memory, episode])
    mine = Statement(text=memory.content, observed_at=memory.said_at, claims=said.get(memory.pk, ()))
    theirs = Statement(text=episode.content, observed_at=episode.said_at, claims=said.get(episode.pk, ()))
    return relate(theirs, mine, registry=registry).relation is Relation.DUPLICATE


def _merged(keep: Memory, gone: Memory, *, now: datetime) -> bool:
    retire(gone, ArchivedFor.MERGED, reason=SAID, now=now, by=keep)
    add_evidence(keep, evidence_of([gone]))
    add_parents(keep, [gone], reason=SAID)
    confirmed = [at for at in (keep.last_confirmed_at, gone.last_confirmed_at) if at is not None]
    kept = {
        "importance": max(keep.importance, gone.importance),
        "last_confirmed_at": max(confirmed, default=None),
        "dedupe_key": keep.dedupe_key or _free_key(keep),
    }
    Memory.objects.filter(pk=keep.pk).update(**kept)
    keep.refresh_from_db()
    record("memory.merge", keep.public_id, detail={"gone": gone.public_id})
    return True


def _free_key(memory: Memory) -> str:
    """Return what a memory is known by, once nothing else that lives in its place is."""
    key = key_of(memory.content, memory.said_at)
    return "" if said_by_another(memory, key) else key
