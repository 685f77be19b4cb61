"""Proposing a memory: it becomes a candidate, held until it has passed every gate."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from governance import refs
from governance.actors import Acting
from governance.audit import fingerprint, told
from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.models.base import reach_of
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import ActorKind, Audience, Deed, Sensitivity
from memories.lifecycle import advance, gates_between
from memories.models import GateVerdict, Memory, MemoryEvidence, MemoryVersion
from memories.passages import PassageWish, index
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    SourceRank,
    SourceType,
    WriteAction,
    WriteMode,
)
from threads.models import Task, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceWish:
    """A ref behind a proposal, and the words in it that carry the claim."""

    ref: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWish:
    """A proposal. `target_id` names the memory that an UPDATE or DELETE is about.

    `id` is the writer's own choice, a UUIDv7: proposing the same content under it again makes nothing new.
    """

    content: str
    type: MemoryType
    action: WriteAction = WriteAction.ADD
    kind: MemoryKind = MemoryKind.FACT
    target_id: uuid.UUID | None = None
    scope_type: ScopeType = ScopeType.PROJECT
    scope_id: uuid.UUID | None = None
    importance: float = 0.5
    confidence: float | None = None
    origin: Origin = Origin.AGENT_INFERRED
    sensitivity: Sensitivity = Sensitivity.WORK
    retention_days: int | None = None
    write_mode: WriteMode = WriteMode.APPEND
    knowledge_status: KnowledgeStatus = KnowledgeStatus.INFERRED
    change_reason: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    observed_at: datetime | None = None
    private: bool = False
    evidence: Sequence[EvidenceWish] = ()
    id: uuid.UUID | None = None


# An agent cannot lift its own words: what it calls a user's statement is still what an agent says.
RANK_OF = {
    Origin.USER_EXPLICIT: SourceRank.USER_EXPLICIT,
    Origin.AGENT_INFERRED: SourceRank.TRUSTED_AGENT,
    Origin.EXTERNAL_AGENT: SourceRank.UNTRUSTED_EXTERNAL,
    Origin.TOOL_OUTPUT: SourceRank.UNTRUSTED_EXTERNAL,
}
SOURCE_OF = {
    MemoryKind.FACT: SourceType.FACT,
    MemoryKind.DECISION: SourceType.DECISION,
    MemoryKind.LESSON: SourceType.LESSON,
    MemoryKind.SOP: SourceType.SOP,
}


def propose(acting: Acting, wish: MemoryWish, *, now: datetime) -> Memory:
    """Store a proposal as a candidate in the open scope: held, found by no search, injected nowhere.

    Raises Invalid for evidence that does not resolve for this actor now, or a target, thread or task that is not
    here, Forbidden when an agent claims a user's own statement or a human is no maintainer, and Clash
    (client_id_reused) for an id that is taken.
    """
    if acting.kind is ActorKind.HUMAN:
        check_may(acting, Deed.PROPOSE_MEMORY)
    known = _known(acting, wish)
    if known is not None:
        return known
    if wish.origin is Origin.USER_EXPLICIT and acting.kind is not ActorKind.HUMAN:
        message = "only a human's own statement is user_explicit; cite the event instead"
        raise Forbidden.at("/origin", message, code="origin_not_held")
    if wish.valid_from and wish.valid_to and wish.valid_to < wish.valid_from:
        raise Invalid.at("/valid_to", "lies before valid_from")
    _check_target(wish)
    _check_scope(wish)
    for n, cited in enumerate(wish.evidence):
        if not refs.resolves(cited.ref, acting):
            raise Invalid.at(f"/evidence/{n}/ref", "does not resolve for you now", code="evidence_unresolvable")
    memory, taken = _claimed(acting, wish, now=now)
    if taken:
        return memory
    _first_version(acting, memory, wish)
    detail = {"action": wish.action, "origin": wish.origin, "evidence": len(wish.evidence)}
    reason = told(wish.change_reason, memory)
    record("memory.propose", memory.public_id, reason=reason, after=fingerprint(wish.content), detail=detail)
    return memory


def admit(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    """Make a candidate active on a human's word: each gate's verdict names that human, and it becomes searchable.

    Raises Forbidden for anybody but a human.
    """
    if acting.kind is not ActorKind.HUMAN:
        raise Forbidden("Only a human admits a memory.", code="human_needed")
    gates = gates_between(MemoryStatus(memory.status), MemoryStatus.ACTIVE)
    said = f"admitted by {acting.public_id}"
    GateVerdict.objects.bulk_create(
        [
            GateVerdict(
                project_id=memory.project_id,
                memory=memory,
                gate=gate,
                passed=True,
                explanation=said,
                **reach_of(memory),
            )
            for gate in gates
        ]
    )
    advance(memory, MemoryStatus.ACTIVE, reason=reason, now=now)
    index([_passage(memory)])


def memory_ref(memory: Memory) -> str:
    """Return the ref that opens this version of a memory."""
    return f"memory://{memory.public_id}@{memory.version}"


def _check_target(wish: MemoryWish) -> None:
    needs = wish.action in (WriteAction.UPDATE, WriteAction.DELETE)
    if needs != (wish.target_id is not None):
        word = "is needed" if needs else "has no place"
        raise Invalid.at("/target_id", f"{word} with the action {wish.action}")
    if wish.target_id is not None and not Memory.objects.filter(pk=wish.target_id).exists():
        raise NotThere.there("/target_id")


def _check_scope(wish: MemoryWish) -> None:
    owners: dict[ScopeType, QuerySet[Any]] = {ScopeType.THREAD: QuerySet(Thread), ScopeType.TASK: QuerySet(Task)}
    if wish.scope_type not in owners:
        return
    if wish.scope_id is None or not owners[wish.scope_type].filter(pk=wish.scope_id).exists():
        raise Invalid.at("/scope_id", f"expected a {wish.scope_type} of this project", code="unknown_scope")


def _known(acting: Acting, wish: MemoryWish) -> Memory | None:
    """Return what was proposed under the wish's id before; raises Clash when that says something else."""
    found = Memory.objects.filter(pk=wish.id).first() if wish.id else None
    if found is not None and (found.proposed_by_id, found.content_hash) != (acting.actor_id, _hash_of(wish.content)):
        raise Clash.at("/id", "this id was used for another proposal; use a fresh one", code="client_id_reused")
    return found


def _claimed(acting: Acting, wish: MemoryWish, *, now: datetime) -> tuple[Memory, bool]:
    """Return the candidate, and whether another request stored it under the wish's id at this very moment."""
    if wish.id is None:
        return _candidate(acting, wish, now=now), False
    try:
        with transaction.atomic():
            return _candidate(acting, wish, now=now), False
    except IntegrityError as error:
        other = _known(acting, wish)
        if other is None:
            raise Clash.at("/id", "this id is taken; use a fresh one", code="client_id_reused") from error
        return other, True


def _hash_of(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _candidate(acting: Acting, wish: MemoryWish, *, now: datetime) -> Memory:
    kept = [
        "content",
        "type",
        "action",
        "kind",
        "scope_type",
        "scope_id",
        "importance",
        "confidence",
        "origin",
        "sensitivity",
        "retention_days",
    ]
    kept += ["write_mode", "knowledge_status", "change_reason", "valid_from", "valid_to", "observed_at"]
    return Memory.objects.create(
        project_id=acting.project_id,
        audience=Audience.PRIVATE if wish.private else Audience.PROJECT,
        owner_id=acting.actor_id if wish.private else None,
        proposed_by_id=acting.actor_id,
        target_id=wish.target_id,
        content_hash=_hash_of(wish.content),
        source_rank=RANK_OF[wish.origin],
        created_at=now,
        updated_at=now,
        **{name: getattr(wish, name) for name in kept},
        **({"id": wish.id} if wish.id else {}),
    )


def _first_version(acting: Acting, memory: Memory, wish: MemoryWish) -> None:
    MemoryVersion.objects.create(
        project_id=memory.project_id,
        memory=memory,
        version=1,
        content=wish.content,
        change_reason=wish.change_reason,
        author_id=acting.actor_id,
    )
    rows = [
        MemoryEvidence(
            project_id=memory.project_id,
            memory=memory,
            ordinal=n,
            ref=cited.ref,
            quote=cited.quote,
            quote_hash=_hash_of(cited.quote) if cited.quote else "",
            **reach_of(memory),
        )
        for n, cited in enumerate(wish.evidence)
    ]
    MemoryEvidence.objects.bulk_create(rows)


def _passage(memory: Memory) -> PassageWish:
    thread = memory.scope_id if memory.scope_type == ScopeType.THREAD else None
    return PassageWish(
        project_id=memory.project_id,
        source_type=SOURCE_OF[MemoryKind(memory.kind)],
        ref=memory_ref(memory),
        text=memory.content,
        origin=Origin(memory.origin),
        knowledge_status=KnowledgeStatus(memory.knowledge_status),
        thread_id=thread,
        memory_id=memory.pk,
        sensitivity=Sensitivity(memory.sensitivity),
        confidence=memory.confidence,
        as_of=memory.observed_at or memory.created_at,
        reach=reach_of(memory),
    )
