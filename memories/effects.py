"""What happens as a memory comes into use or leaves it: its target, what it replaces, and its searchable copy."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from governance.actors import Acting
from governance.audit import told
from governance.errors import Clash, PreconditionFailed
from governance.inbox import settle_item
from governance.models.base import reach_of
from governance.scope import record
from governance.vocabulary import InboxKind, Sensitivity
from memories.candidates import (
    add_claims,
    add_evidence,
    add_parents,
    add_version,
    evidence_of,
    expiry_of,
    is_change,
    is_pending,
    keep_replaced,
)
from memories.candidates import pass_gates as pass_on_a_word
from memories.lifecycle import advance, gates_between
from memories.models import Claim, Memory, Passage
from memories.passages import PassageWish, index
from memories.policy import standing_policy
from memories.relating import claims_in, claims_of, key_of, place_of
from memories.vocabulary import (
    LIVING,
    ArchivedFor,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    Origin,
    ReasonCode,
    ScopeType,
    SourceType,
    WriteAction,
    WriteMode,
)
from memories.weighing import digest_of

DISPUTED = "Disputed · 有争议: "
DONE_IN_PLACE = (ArchivedFor.MERGED, ArchivedFor.DELETED)  # how the proposal of a change ends that left one row behind
SOURCE_OF = {
    MemoryKind.FACT: SourceType.FACT,
    MemoryKind.DECISION: SourceType.DECISION,
    MemoryKind.LESSON: SourceType.LESSON,
    MemoryKind.SOP: SourceType.SOP,
}


def let_in(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Bring a memory into use on the word of the human who acts: a waiting one past its gates, an archived one back."""
    if is_pending(memory):
        here = MemoryStatus(memory.status)
        pass_on_a_word(memory, gates_between(here, MemoryStatus.ACTIVE), human=acting)
        activate(acting, memory, reason=reason, now=now)
    elif memory.status == MemoryStatus.ARCHIVED and is_change(memory) and memory.archived_for in DONE_IN_PLACE:
        _change_again(acting, memory, reason=reason, now=now)
    elif memory.status == MemoryStatus.ARCHIVED:
        bring_back(memory, reason=reason, now=now)


def activate(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Bring a memory into use whose gates have all passed, and do what it says of its target.

    A change of a memory that is kept as one row ends with it: the row has its text then. Raises Clash
    (target_not_in_use) and PreconditionFailed (version_moved) where the target is no longer what was seen.
    """
    target = _target(memory)
    lapses = expiry_of(memory, standing_policy().rules, now=now)
    if target is not None and (memory.action == WriteAction.DELETE or target.write_mode == WriteMode.MERGE):
        advance(memory, MemoryStatus.COMMITTED, reason=reason, now=now)
        _change(acting, memory, target, now=now)
        done = ArchivedFor.DELETED if memory.action == WriteAction.DELETE else ArchivedFor.MERGED
        retire(memory, done, reason=reason, now=now, by=target)
    else:
        if target is not None:  # first, for the new text may say what the old one said
            retire(target, ArchivedFor.SUPERSEDED, reason=reason, now=now, by=memory)
            add_parents(memory, [target], reason=reason)
        advance(memory, MemoryStatus.ACTIVE, reason=reason, now=now, reason_code="", expires_at=lapses)
        reindex(memory)
    settle_item(InboxKind.CANDIDATE, memory.first_ref, now=now)


def turn_down(memory: Memory, code: ReasonCode, *, reason: str, now: datetime, missing: str = "") -> None:
    """End a waiting proposal for good, and with it the matter in the inbox; `missing` says what would help another.

    What its gates had missed goes: that is not why it ended.
    """
    advance(memory, MemoryStatus.REJECTED, reason=reason, now=now, reason_code=code, evidence_gap=missing)
    settle_item(InboxKind.CANDIDATE, memory.first_ref, now=now)


def retire(
    memory: Memory, why: ArchivedFor, *, reason: str, now: datetime, by: Memory | None = None, **also: Any
) -> None:
    """Take a memory out of use and out of every search, and say for what; `by` is what took its place."""
    changed = {"archived_for": why, "superseded_by_id": by.pk if by else None, **also}
    advance(memory, MemoryStatus.ARCHIVED, reason=reason, now=now, **changed)


def bring_back(memory: Memory, *, reason: str, now: datetime) -> None:
    """Take an archived memory into use again. Raises Clash (said_meanwhile) where another says the same by now."""
    if said_by_another(memory, memory.dedupe_key):
        raise Clash("status: another memory says the same by now; use that one.", code="said_meanwhile")
    advance(memory, MemoryStatus.ACTIVE, reason=reason, now=now, archived_for="", superseded_by_id=None)
    reindex(memory)


def close_older(memory: Memory, older: Sequence[Memory], *, reason: str, now: datetime) -> None:
    """End what held until this memory does: its validity is closed where the new one begins."""
    for one in older:
        ends = max(memory.valid_from or memory.observed_at or now, one.valid_from or one.created_at)
        Claim.objects.filter(Q(valid_to=None) | Q(valid_to__gt=ends), memory=one).update(valid_to=ends)
        retire(one, ArchivedFor.SUPERSEDED, reason=reason, now=now, by=memory, valid_to=ends)
    add_parents(memory, older, reason=reason)


def reindex(memory: Memory, *, against: Sequence[str] = ()) -> None:
    """Write the searchable copy of a memory in use anew. `against` are texts that dispute it: all stand in the copy."""
    Passage.objects.filter(memory=memory).exclude(ref=memory.ref).update(live=False)
    index([_passage(memory, against)])


def said_by_another(memory: Memory, key: str) -> bool:
    """Return whether something else that lives in the place of a memory is known by this key; by '' nothing is."""
    same = Memory.objects.filter(**place_of(memory).where(), dedupe_key=key, status__in=LIVING)
    return bool(key) and same.exclude(pk=memory.pk).exists()


def set_knowledge(memory: Memory, status: KnowledgeStatus, *, now: datetime) -> None:
    """Say how far a memory may be relied on from now on."""
    Memory.objects.filter(pk=memory.pk).update(knowledge_status=status, updated_at=now)
    memory.knowledge_status = status


def _target(memory: Memory) -> Memory | None:
    if not is_change(memory):
        return None
    target = Memory.objects.select_for_update().filter(pk=memory.target_id or memory.pk).first()
    if target is None or target.status != MemoryStatus.ACTIVE:
        raise Clash.at("/target_id", "the memory that it is about is not in use", code="target_not_in_use")
    if memory.target_version is not None and memory.target_version != target.version:
        message = f"it was proposed for version {memory.target_version}, and now there is {target.version}"
        raise PreconditionFailed.at("/expected_version", message)
    return target


def _change(acting: Acting, memory: Memory, target: Memory, *, now: datetime) -> None:
    add_parents(memory, [target], reason=memory.change_reason)
    if memory.action == WriteAction.DELETE:
        retire(target, ArchivedFor.DELETED, reason="a deletion that was asked for", now=now, by=memory)
        return
    seen, target.version = target.version, target.version + 1
    target.content, target.content_hash = memory.content, digest_of(memory.content)
    target.dedupe_key, target.updated_at = key_of(memory.content, memory.observed_at or now), now
    texts = ["content", "content_hash", "dedupe_key", "version", "updated_at"]
    # The proposal steps back first: while it lives, it is the one that says this.
    Memory.objects.filter(pk=memory.pk).update(dedupe_key="")
    moved = Memory.objects.filter(pk=target.pk, version=seen).update(**{name: getattr(target, name) for name in texts})
    if moved != 1:
        raise PreconditionFailed.at("/expected_version", "somebody changed it meanwhile; read it again")
    add_version(target, author=acting, reason=memory.change_reason)
    add_evidence(target, evidence_of([memory]))
    _say_anew(memory, target)
    record("memory.edit", target.public_id, reason="a change that was asked for", detail={"version": target.version})
    reindex(target)


def _say_anew(memory: Memory, target: Memory) -> None:
    said = claims_of([memory]).get(memory.pk) or claims_in(target.content, (), said_at=memory.said_at)
    keep_replaced(memory, target)
    add_claims(target, said)


def _change_again(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Do once more what a change did that was undone, to its target as it stands now."""
    target = Memory.objects.select_for_update().filter(pk=memory.target_id or memory.pk).first()
    if target is None or target.status != MemoryStatus.ACTIVE:
        raise Clash.at("/target_id", "the memory that it is about is not in use", code="target_not_in_use")
    Memory.objects.filter(pk=memory.pk).update(target_version=target.version)
    memory.target_version = target.version
    _change(acting, memory, target, now=now)
    record("memory.again", memory.public_id, reason=told(reason, memory), detail={"target": target.public_id})


def _passage(memory: Memory, against: Sequence[str]) -> PassageWish:
    thread = memory.scope_id if memory.scope_type == ScopeType.THREAD else None
    return PassageWish(
        project_id=memory.project_id,
        source_type=SOURCE_OF[MemoryKind(memory.kind)],
        ref=memory.ref,
        text="\n".join([memory.content, *(f"{DISPUTED}{text}" for text in against)]),
        origin=Origin(memory.origin),
        knowledge_status=KnowledgeStatus(memory.knowledge_status),
        thread_id=thread,
        memory_id=memory.pk,
        sensitivity=Sensitivity(memory.sensitivity),
        confidence=memory.confidence,
        as_of=memory.said_at,
        reach=reach_of(memory),
    )
