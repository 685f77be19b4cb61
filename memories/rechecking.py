"""Asking the gates again about a proposal that waits: by the policy, evidence and knowledge of now."""

from collections.abc import Sequence
from datetime import datetime

from governance.actors import Acting, acting_as
from governance.errors import Forbidden
from governance.models import Actor
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import ActorKind, Audience, Deed, Sensitivity
from memories.candidates import add_verdicts
from memories.gate_cases import Ruling
from memories.gates import judge
from memories.judging import candidate_of, look_around
from memories.known import confirm, make_way
from memories.models import Claim, GateVerdict, Memory, MemoryEvidence, MemoryParent
from memories.models.claim import MOST_CLAIMS
from memories.policy import standing_policy
from memories.relating import place_of
from memories.turns import take_turn
from memories.vocabulary import (
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ReasonCode,
    ScopeType,
    WriteAction,
    WriteMode,
    WriteOutcome,
)
from memories.weighing import weigh
from memories.wishes import ClaimWish, EvidenceWish, MemoryWish, Written
from memories.writes import carry, check_waits


def recheck(acting: Acting, memory: Memory, *, now: datetime) -> Written:
    """Judge a waiting proposal anew, for its proposer, and carry it as far as that lets it; returns what became of it.

    Nothing is let in that the gates do not let in: a human's own word is `admit`. What somebody else says by now is
    confirmed, and the proposal makes way. Raises Forbidden for anybody but a human of the level, and Clash as `admit`
    does.
    """
    if acting.kind is not ActorKind.HUMAN:
        raise Forbidden("Only a human has a memory checked again.", code="human_needed")
    check_may(acting, Deed.DECIDE_MEMORY)
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    check_waits(memory)
    proposer, wish = acting_as(Actor.objects.get(pk=memory.proposed_by_id)), wish_again(memory)
    target = Memory.objects.select_for_update().filter(pk=memory.target_id).first() if memory.target_id else None
    weighed = weigh(proposer, wish, now=now)
    around = look_around(proposer, wish, place=place_of(memory), weighed=weighed, target=target, now=now)
    rules = standing_policy().rules
    candidate = candidate_of(proposer, wish, around, rules=rules, now=now)
    judged = judge(candidate)
    record("memory.recheck", memory.public_id, detail={"outcome": judged.outcome})
    if around.same is not None and around.same.status == MemoryStatus.ACTIVE:
        confirm(around.same, weighed, now=now)
        make_way(memory, now=now)
        return Written(memory=around.same, outcome=WriteOutcome.DUPLICATE_OF, code=ReasonCode.DUPLICATE)
    _note(memory, judged.rulings, human=acting)
    return carry(acting, memory, around, judged, candidate=candidate, rules=rules, now=now)


def wish_again(memory: Memory) -> MemoryWish:
    """Return a stored proposal as it was wished for; what was read out of its text is read anew."""
    given = Claim.objects.filter(memory=memory, inferred=False, ordinal__lt=MOST_CLAIMS).order_by("ordinal")
    cited = MemoryEvidence.objects.filter(memory=memory).order_by("ordinal").values_list("ref", "quote")
    return MemoryWish(
        id=memory.pk,
        content=memory.content,
        type=MemoryType(memory.type),
        action=WriteAction(memory.action),
        kind=MemoryKind(memory.kind),
        target_id=memory.target_id,
        scope_type=ScopeType(memory.scope_type),
        scope_id=memory.scope_id,
        origin=Origin(memory.origin),
        sensitivity=Sensitivity(memory.sensitivity),
        write_mode=WriteMode(memory.write_mode),
        change_reason=memory.change_reason,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        observed_at=memory.observed_at,
        private=memory.audience == Audience.PRIVATE,
        evidence=[EvidenceWish(ref=ref, quote=quote) for ref, quote in cited],
        claims=[_given(row) for row in given],
        parents=list(MemoryParent.objects.filter(memory=memory).values_list("parent_id", flat=True)),
    )


def _given(row: Claim) -> ClaimWish:
    return ClaimWish(
        subject=row.subject_text or row.subject_key,
        attribute=row.attribute,
        value=row.value_text or row.value,
        unit=row.unit,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
    )


def _note(memory: Memory, rulings: Sequence[Ruling], *, human: Acting) -> None:
    """Store what each gate says now, where it says otherwise than before; a pass then names who had it asked."""
    known = set(GateVerdict.objects.filter(memory=memory).values_list("gate", "passed"))
    fresh = [ruling for ruling in rulings if (ruling.gate, ruling.passed) not in known]
    add_verdicts(memory, fresh, human=human, told="checked again")
