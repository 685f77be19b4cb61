"""The rows of a proposal: the candidate itself, its text, what it rests on and says, and what each gate said."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Max

from governance.actors import Acting
from governance.models.base import reach_of
from governance.policies import PolicyRules, retention_days
from memories.claims import Claim as ClaimFact
from memories.gate_cases import Ruling
from memories.models import Claim, GateVerdict, Memory, MemoryEvidence, MemoryParent, MemoryVersion
from memories.models.claim import MOST_CLAIMS
from memories.relating import Place
from memories.vocabulary import PENDING, Gate, SourceRank, WriteAction
from memories.weighing import Kept, digest_of
from memories.wishes import MemoryWish

KEPT = (
    "type",
    "action",
    "kind",
    "scope_type",
    "scope_id",
    "importance",
    "confidence",
    "origin",
    "retention_days",
    "write_mode",
    "knowledge_status",
    "change_reason",
    "valid_from",
    "valid_to",
)


def make_candidate(
    acting: Acting, wish: MemoryWish, text: str, *, place: Place, rank: SourceRank, now: datetime, **more: Any
) -> Memory:
    """Store the row of a proposal, as a candidate. Raises IntegrityError where a living memory says the same."""
    return Memory.objects.create(
        project_id=acting.project_id,
        audience=place.audience,
        audience_role=place.audience_role,
        owner_id=place.owner_id,
        proposed_by_id=acting.actor_id,
        target_id=wish.target_id,
        content=text,
        content_hash=digest_of(text),
        source_rank=rank,
        created_at=now,
        updated_at=now,
        **({name: getattr(wish, name) for name in KEPT} | more),
        **({"id": wish.id} if wish.id else {}),
    )


def add_version(memory: Memory, *, author: Acting, reason: str) -> None:
    """Store the present text of a memory as its present version."""
    MemoryVersion.objects.create(
        project_id=memory.project_id,
        memory=memory,
        version=memory.version,
        content=memory.content,
        change_reason=reason[:500],
        author_id=author.actor_id,
        **reach_of(memory),
    )


def add_evidence(memory: Memory, kept: Sequence[Kept]) -> int:
    """Add what is not cited yet; returns how many refs that were. The memory's row is locked meanwhile."""
    Memory.objects.select_for_update().filter(pk=memory.pk).first()
    known = MemoryEvidence.objects.filter(memory=memory)
    cited = set(known.values_list("ref", "quote_hash"))
    last = known.aggregate(last=Max("ordinal"))["last"]
    first = 0 if last is None else last + 1
    fresh = [one for one in kept if (one.ref, one.quote_hash) not in cited]
    MemoryEvidence.objects.bulk_create(
        [
            MemoryEvidence(
                project_id=memory.project_id,
                memory=memory,
                ordinal=first + n,
                ref=one.ref,
                quote=one.quote,
                quote_hash=one.quote_hash,
                **reach_of(memory),
            )
            for n, one in enumerate(fresh)
        ]
    )
    return len(fresh)


def evidence_of(memories: Sequence[Memory]) -> list[Kept]:
    """Return what some memories rest on, in order: another memory may rest on it too."""
    rows = MemoryEvidence.objects.filter(memory__in=memories).order_by("memory_id", "ordinal")
    return [
        Kept(ref=ref, quote=quote, quote_hash=hashed)
        for ref, quote, hashed in rows.values_list("ref", "quote", "quote_hash")
    ]


def add_claims(memory: Memory, claims: Sequence[ClaimFact]) -> None:
    """Store what a memory says of whom."""
    Claim.objects.bulk_create(
        [
            Claim(
                project_id=memory.project_id,
                memory=memory,
                ordinal=n,
                subject_kind=claim.subject_kind[:64],
                subject_key=claim.subject[:300],
                subject_text=claim.subject_text[:500],
                open_class=claim.open_class,
                attribute=claim.attribute[:200],
                value=claim.value[:500],
                value_text=claim.value_text[:1000],
                unit=(claim.unit or "")[:64],
                valid_from=claim.valid_from or memory.valid_from,
                valid_to=claim.valid_to or memory.valid_to,
                when_text=claim.raw_time[:200],
                inferred=claim.inferred,
                **reach_of(memory),
            )
            for n, claim in enumerate(claims[:MOST_CLAIMS])
        ]
    )


def keep_replaced(change: Memory, target: Memory) -> None:
    """Let the proposal of a change keep what its target has claimed until now, so that the change can be undone."""
    Claim.objects.filter(memory=change, ordinal__gte=MOST_CLAIMS).delete()  # of a time before it was undone
    Claim.objects.filter(memory=target).update(memory=change, ordinal=F("ordinal") + MOST_CLAIMS)


def add_parents(memory: Memory, parents: Sequence[Memory], *, reason: str) -> None:
    """Store what a memory was made from; one that is named twice counts once."""
    MemoryParent.objects.bulk_create(
        [
            MemoryParent(
                project_id=memory.project_id, memory=memory, parent=parent, reason=reason[:500], **reach_of(memory)
            )
            for parent in {parent.pk: parent for parent in parents}.values()
        ],
        ignore_conflicts=True,
    )


def add_verdicts(memory: Memory, rulings: Sequence[Ruling], *, human: Acting | None = None, told: str = "") -> None:
    """Store what each gate said; a pass names the `human` who asked it again, `told` stands where a gate is silent."""
    GateVerdict.objects.bulk_create(
        [
            GateVerdict(
                project_id=memory.project_id,
                memory=memory,
                gate=ruling.gate,
                passed=ruling.passed,
                reason_code=ruling.code or "",
                explanation=ruling.missing[:500] or told,
                decided_by_id=human.actor_id if human and ruling.passed else None,
                **reach_of(memory),
            )
            for ruling in rulings
        ]
    )


def pass_gates(memory: Memory, gates: Sequence[str], *, human: Acting) -> None:
    """Let a memory through the gates on a human's word; what a gate said before stays beside it."""
    passed = set(GateVerdict.objects.filter(memory=memory, passed=True).values_list("gate", flat=True))
    GateVerdict.objects.bulk_create(
        [
            GateVerdict(
                project_id=memory.project_id,
                memory=memory,
                gate=Gate(gate),
                passed=True,
                explanation=f"admitted by {human.public_id}",
                decided_by_id=human.actor_id,
                **reach_of(memory),
            )
            for gate in gates
            if gate not in passed
        ]
    )


def expiry_of(memory: Memory, rules: PolicyRules, *, now: datetime) -> datetime | None:
    """Return when a memory lapses: by its own retention, the policy's, or its validity, whichever ends first."""
    days = [
        days
        for days in (
            memory.retention_days,
            retention_days(rules, memory.type, memory.kind, memory.scope_type, memory.sensitivity),
        )
        if days is not None
    ]
    ends = [now + timedelta(days=min(days))] if days else []
    return min([*ends, *([memory.valid_to] if memory.valid_to else [])], default=None)


def is_change(memory: Memory) -> bool:
    """Return whether a proposal is about another memory instead of saying something of its own."""
    return memory.action in (WriteAction.UPDATE, WriteAction.DELETE)


def is_pending(memory: Memory) -> bool:
    """Return whether a proposal still waits."""
    return memory.status in PENDING
