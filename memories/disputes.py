"""Opening a conflict, letting another side join it, and what that does to what is known meanwhile."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from governance.actors import Acting
from governance.errors import Clash
from governance.inbox import open_item, wake_item
from governance.models.base import reach_of
from governance.scope import record
from governance.vocabulary import InboxKind, Risk, Sensitivity, rank
from memories.effects import reindex, set_knowledge
from memories.models import Claim, Conflict, ConflictSide, Memory
from memories.models.conflict import UNSETTLED
from memories.relating import Related
from memories.vocabulary import (
    LIVING,
    SPOKEN,
    ConflictState,
    KnowledgeStatus,
    MemoryStatus,
    SettlementVerb,
    SideRole,
    SourceRank,
)
from memories.weighing import digest_of

STANDING = (*LIVING, MemoryStatus.ARCHIVED)  # a side that can still hold


def conflict_ref(conflict: Conflict) -> str:
    """Return the name under which a conflict waits in the inbox."""
    return f"conflict://{conflict.public_id}"


def dispute(
    acting: Acting, memory: Memory, rivals: Sequence[Memory], *, related: Related, now: datetime, quiet: bool = False
) -> Conflict:
    """Make a memory a side against its rivals: in the unsettled conflict on the matter, else in a new one.

    A conflict that waits for evidence opens. `quiet` brings nothing to the inbox: it is settled in the same breath.
    """
    conflict = _unsettled(memory, rivals, _key(related, rivals)) or _opened(acting, memory, rivals, related, now=now)
    for rival in rivals:
        add_side(conflict, rival, SideRole.OLD, now=now)
    add_side(conflict, memory, SideRole.NEW, now=now)
    Conflict.objects.filter(pk=conflict.pk).update(version=F("version") + 1)
    advise(conflict, now=now)
    if conflict.state == ConflictState.SNOOZED and conflict.wakes_on_evidence:
        _wake(conflict, now=now)
    mark_disputed(conflict, now=now)
    detail = {"sides": len(sides_of(conflict)), "memory": memory.public_id}
    record("conflict.join", conflict.public_id, detail=detail)
    if not quiet:
        to_inbox(acting, conflict, memory, now=now)
    return conflict


def to_inbox(acting: Acting, conflict: Conflict, newest: Memory, *, now: datetime) -> None:
    """Let a conflict wait in the inbox of whoever may read it, under the text of its newest side."""
    open_item(
        acting,
        InboxKind.CONFLICT,
        conflict_ref(conflict),
        title=newest.content,
        now=now,
        risk=Risk(conflict.risk),
        reach=reach_of(conflict),
    )


def sides_of(conflict: Conflict) -> list[ConflictSide]:
    """Return the sides of a conflict with their memories, in the order in which they came."""
    return list(ConflictSide.objects.filter(conflict=conflict).select_related("memory").order_by("joined_at", "id"))


def sides_of_same(memory: Memory, other: Memory) -> bool:
    """Return whether two memories are, or once were, sides of one conflict: what was decided of them stands."""
    met = ConflictSide.objects.filter(memory=other).values("conflict_id")
    return ConflictSide.objects.filter(memory=memory, conflict__in=met).exists()


def advise(conflict: Conflict, *, now: datetime) -> None:
    """Keep with a conflict what the rules would do about its sides, and how grave it is to settle it wrongly."""
    sides = sides_of(conflict)
    verb, why = suggestion(sides)
    changed = {"suggestion": verb, "suggestion_reason": why, "updated_at": now, "risk": _risk(sides)}
    Conflict.objects.filter(pk=conflict.pk).update(**changed)
    conflict.refresh_from_db()


def after_leaving(memories: Sequence[Memory], *, now: datetime) -> None:
    """Let unsettled conflicts go on without sides that have left: what is in use carries none of their words."""
    left = ConflictSide.objects.filter(memory__in=memories).values("conflict_id")
    for conflict in Conflict.objects.filter(pk__in=left, state__in=UNSETTLED).order_by("created_at", "id"):
        advise(conflict, now=now)
        mark_disputed(conflict, now=now)


def suggestion(sides: Sequence[ConflictSide]) -> tuple[SettlementVerb, str]:
    """Return what the rules would do, and why in one word: the weightier source, else the newer word of a user."""
    old = [side.memory for side in sides if side.memory.status == MemoryStatus.ACTIVE]
    new = [side.memory for side in sides if side.memory not in old and side.memory.status in STANDING]
    if not old or not new:
        return SettlementVerb.NEEDS_EVIDENCE, "one_side_only"
    if len(old) + len(new) > 2:
        return SettlementVerb.NEEDS_EVIDENCE, "several_values"
    known, fresh = SourceRank(old[0].source_rank), SourceRank(new[0].source_rank)
    if rank(fresh) > rank(known):
        return SettlementVerb.TAKE_NEW, "weightier_source"
    if rank(fresh) < rank(known):
        return SettlementVerb.KEEP_OLD, "weaker_source"
    if fresh in SPOKEN:
        return SettlementVerb.TAKE_NEW, "newer_word"
    return SettlementVerb.NEEDS_EVIDENCE, "equal_sources"


def mark_disputed(conflict: Conflict, *, now: datetime) -> None:
    """Say of every side in use that it is disputed, and let its searchable copy carry what disputes it.

    What nobody vouches for disputes, and is not carried: otherwise whoever can write could put words into packets.
    """
    sides = sides_of(conflict)
    for side in sides:
        if side.memory.status != MemoryStatus.ACTIVE:
            continue
        others = [one.memory for one in sides if one.memory_id != side.memory_id]
        carried = [
            other.content
            for other in others
            if other.content
            and other.status in LIVING
            and other.source_rank != SourceRank.UNTRUSTED_EXTERNAL
            and other.sensitivity != Sensitivity.SECRET
        ]
        set_knowledge(side.memory, KnowledgeStatus.DISPUTED, now=now)
        reindex(side.memory, against=carried)


def cooled(related: Related, *, now: datetime) -> bool:
    """Return whether somebody said lately that these values of a matter may stand beside each other.

    The matter is known by its key, and by the memories that were its sides: since then they may have come to hold in
    another place, where the matter has another key.
    """
    met = ConflictSide.objects.filter(memory__in=related.rivals).values("conflict_id")
    lately = Conflict.objects.filter(state=ConflictState.SETTLED, cooldown_until__gt=now)
    said = {(claim.subject[:300], claim.attribute[:200], claim.value[:500]) for claim in related.claims}
    for conflict in lately.filter(Q(key=related.key) | Q(pk__in=met)):
        stood = Claim.objects.filter(memory__in=ConflictSide.objects.filter(conflict=conflict).values("memory_id"))
        if said <= set(stood.values_list("subject_key", "attribute", "value")):
            return True
    return False


def _key(related: Related, rivals: Sequence[Memory]) -> str:
    return related.key or digest_of("\n".join(sorted(rival.public_id for rival in rivals)))


def _unsettled(memory: Memory, rivals: Sequence[Memory], key: str) -> Conflict | None:
    reach = reach_of(memory)
    here = Conflict.objects.select_for_update().filter(**reach, state__in=UNSETTLED).order_by("created_at", "id")
    by_side = ConflictSide.objects.filter(memory__in=[memory, *rivals]).values("conflict_id")
    return here.filter(key=key).first() or here.filter(pk__in=by_side).first()


def _opened(acting: Acting, memory: Memory, rivals: Sequence[Memory], related: Related, *, now: datetime) -> Conflict:
    key = _key(related, rivals)
    try:
        with transaction.atomic():
            conflict = Conflict.objects.create(
                project_id=acting.project_id,
                key=key,
                subject_text=related.subject[:500],
                attribute=related.attribute[:200],
                opened_by_id=acting.actor_id,
                created_at=now,
                updated_at=now,
                version=0,
                **reach_of(memory),
            )
    except IntegrityError:
        other = _unsettled(memory, rivals, key)
        if other is None:
            raise Clash("state: somebody settled it at this moment; send it again.", code="moved_meanwhile") from None
        return other
    record("conflict.open", conflict.public_id, after=ConflictState.OPEN)
    return conflict


def add_side(conflict: Conflict, memory: Memory, role: SideRole, *, now: datetime) -> None:
    """Add a memory to a conflict; one that is there already stays as it came."""
    side = ConflictSide(
        project_id=conflict.project_id,
        conflict=conflict,
        memory=memory,
        role=role,
        knowledge_before=memory.knowledge_status,
        joined_at=now,
        created_at=now,
        **reach_of(conflict),
    )
    ConflictSide.objects.bulk_create([side], ignore_conflicts=True)


def _wake(conflict: Conflict, *, now: datetime) -> None:
    changed = {"state": ConflictState.OPEN, "snoozed_until": None, "wakes_on_evidence": False, "updated_at": now}
    Conflict.objects.filter(pk=conflict.pk).update(**changed)
    conflict.refresh_from_db()
    wake_item(InboxKind.CONFLICT, conflict_ref(conflict))
    record("conflict.wake", conflict.public_id, before=ConflictState.SNOOZED, after=ConflictState.OPEN)


def _risk(sides: Sequence[ConflictSide]) -> Risk:
    """Return how grave it is to settle this wrongly: what is personal, or how to act, is graver than a fact."""
    memories = [side.memory for side in sides]
    if any(rank(Sensitivity(memory.sensitivity)) >= rank(Sensitivity.PERSONAL) for memory in memories):
        return Risk.HIGH
    instructs = any(memory.type in ("procedural", "preference") for memory in memories)
    return Risk.MEDIUM if instructs else Risk.LOW
