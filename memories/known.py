"""A proposal that says what is known: it confirms it, or takes the place of one that still waited."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from governance.scope import record
from governance.vocabulary import rank
from memories.candidates import add_evidence, is_pending
from memories.claims import Claim as ClaimFact
from memories.effects import reindex, turn_down
from memories.models import Claim, Conflict, ConflictSide, Injection, Memory, MemoryVersion
from memories.models.claim import MOST_CLAIMS
from memories.models.conflict import UNSETTLED
from memories.relating import Place, key_of
from memories.vocabulary import (
    SPOKEN,
    ArchivedFor,
    KnowledgeStatus,
    MemoryStatus,
    ReasonCode,
    SourceRank,
    WriteAction,
    WriteOutcome,
)
from memories.weighing import Kept, Weighed

ECHO = timedelta(hours=24)  # how long what a packet carried is taken for its source when it comes back
OVER = (ArchivedFor.SUPERSEDED, ArchivedFor.LOST_CONFLICT, ArchivedFor.DELETED)


def confirm(memory: Memory, weighed: Weighed, *, now: datetime) -> None:
    """Add new evidence to what is known. A user who says it again has confirmed it."""
    added = add_evidence(memory, [kept for fact, kept in _pairs(weighed) if fact])
    if weighed.rank in SPOKEN and memory.status == MemoryStatus.ACTIVE and not _disputed(memory):
        changed = {
            "last_confirmed_at": now,
            "knowledge_status": KnowledgeStatus.CONFIRMED,
            "source_rank": max(SourceRank(memory.source_rank), weighed.rank, key=rank),
        }
        Memory.objects.filter(pk=memory.pk).update(**changed)
        memory.refresh_from_db()
        reindex(memory)
    record("memory.confirm", memory.public_id, detail={"evidence": added, "rank": weighed.rank})


def make_way(memory: Memory, *, now: datetime) -> None:
    """End a waiting proposal, because a better one says the same now."""
    turn_down(memory, ReasonCode.MERGED_INTO_ANOTHER, reason="said again, and better", now=now)


def was_injected(memory: Memory, *, now: datetime) -> bool:
    """Return whether a packet carried this memory lately."""
    return Injection.objects.filter(memory=memory, at__gt=now - ECHO).exists()


def outlived(text: str, claims: Sequence[ClaimFact], place: Place, *, said_at: datetime) -> bool:
    """Return whether the same was taken out of use in this place after `said_at`."""
    lost = Q(status=MemoryStatus.REJECTED, reason_code=ReasonCode.LOST_CONFLICT)
    left = Memory.objects.filter(**place.where(), updated_at__gte=said_at)
    gone = left.filter(Q(status=MemoryStatus.ARCHIVED, archived_for__in=OVER) | Q(status=MemoryStatus.REVOKED) | lost)
    changes = left.filter(status=MemoryStatus.ARCHIVED, archived_for=ArchivedFor.MERGED, action=WriteAction.UPDATE)
    same, replaced = Q(dedupe_key=key_of(text, said_at)), Q(pk=None)
    for claim in claims:
        if not claim.open_class:
            said = Claim.objects.filter(subject_key=claim.subject, attribute=claim.attribute, value=claim.value)
            same |= Q(pk__in=said.filter(ordinal__lt=MOST_CLAIMS).values("memory_id"))
            replaced |= Q(pk__in=said.filter(ordinal__gte=MOST_CLAIMS).values("memory_id"))
    over = gone.filter(same).exists() or changes.filter(replaced).exists()
    return over or _rewritten(text, place, said_at=said_at)


def outcome_of(memory: Memory) -> WriteOutcome:
    """Return what became of a proposal, as its writer hears it."""
    if memory.status == MemoryStatus.REJECTED:
        return WriteOutcome.REJECTED
    if not is_pending(memory):
        return WriteOutcome.ACTIVE
    return WriteOutcome.CONFLICT if conflict_of(memory) else WriteOutcome.HELD


def conflict_of(memory: Memory) -> Conflict | None:
    """Return the unsettled conflict that a memory is a side of, or None."""
    sides = ConflictSide.objects.filter(memory=memory).values("conflict_id")
    return Conflict.objects.filter(pk__in=sides, state__in=UNSETTLED).order_by("-created_at").first()


def _pairs(weighed: Weighed) -> list[tuple[bool, Kept]]:
    return [(fact.opens and fact.quoted, kept) for fact, kept in zip(weighed.cited, weighed.kept, strict=True)]


def _disputed(memory: Memory) -> bool:
    return memory.knowledge_status == KnowledgeStatus.DISPUTED


def _rewritten(text: str, place: Place, *, said_at: datetime) -> bool:
    """Return whether a memory of this place said just this, and was rewritten since."""
    here = Memory.objects.filter(**place.where(), status=MemoryStatus.ACTIVE, version__gt=1, updated_at__gte=said_at)
    return MemoryVersion.objects.filter(memory__in=here, content=text).exists()
