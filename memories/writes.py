"""Proposing a memory: weighed, judged by every gate, stored with what was said of it, and carried as far as it came."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash, Forbidden, NotThere
from governance.inbox import open_item
from governance.models.base import reach_of
from governance.people import check_may
from governance.policies import PolicyRules, write_risk
from governance.scope import record
from governance.vocabulary import ActorKind, Deed, InboxKind
from memories.asking import at_target, changes_own, check_voice, check_wish, target_of, within_rate
from memories.candidates import (
    add_claims,
    add_evidence,
    add_parents,
    add_verdicts,
    add_version,
    is_pending,
    make_candidate,
)
from memories.conflicts import arbitrate
from memories.disputes import dispute
from memories.effects import activate, close_older, let_in, turn_down
from memories.gate_cases import Candidate, Judged
from memories.gates import judge, sensitivity_of, write_case
from memories.judging import Circumstances, candidate_of, clean, look_around
from memories.known import confirm, conflict_of, make_way, outcome_of
from memories.lifecycle import FORWARD, advance
from memories.models import Conflict, Memory, MemoryParent, MemoryVersion
from memories.policy import standing_policy
from memories.relating import key_of, place_of, place_of_wish, relate_stored
from memories.turns import take_turn
from memories.vocabulary import LIVING, Gate, MemoryStatus, ReasonCode, WriteAction, WriteOutcome
from memories.weighing import weigh
from memories.wishes import ClaimWish, EvidenceWish, MemoryWish, Written

FIRST = (Gate.SCHEMA, Gate.SCREENING)  # what they refuse is not taken for a repetition
__all__ = ["ClaimWish", "EvidenceWish", "MemoryWish", "Written", "admit", "propose", "refuse", "submit"]


def submit(acting: Acting, wish: MemoryWish, *, now: datetime) -> Written:
    """Propose a memory in the open scope, and return what became of it.

    What is known already is confirmed, not repeated: then `memory` is the known one, with the new evidence added. A
    refused proposal is a row that says why. Raises Invalid for a wish that contradicts itself, NotThere for a target
    that is not here, Forbidden when an agent claims a user's own statement or a human is no maintainer, TooMany beyond
    what an agent may propose in an hour, PreconditionFailed or Clash for a target that is not as its writer saw it, and
    Clash (client_id_reused, erased_since) for an id that is taken, or whose proposal was erased.
    """
    if acting.kind is ActorKind.HUMAN and not changes_own(acting, wish):
        check_may(acting, Deed.PROPOSE_MEMORY)
    stored = _stored(acting, wish)
    if stored is not None:
        return _heard(stored)
    check_wish(wish)
    weighed = weigh(acting, wish, now=now)
    check_voice(acting, wish, weighed)
    policy = standing_policy()
    within_rate(acting, policy.proposals_an_hour, now=now)
    target = target_of(wish)
    wish = at_target(wish, target)
    place = place_of(target) if target else place_of_wish(acting, wish)
    take_turn(acting.project_id, place)
    around = look_around(acting, wish, place=place, weighed=weighed, target=target, now=now)
    candidate = candidate_of(acting, wish, around, rules=policy.rules, now=now)
    judged = judge(candidate)
    known = _already(around, judged, now=now)
    if known is not None and known.pk == wish.id:
        return _heard(known)
    if known is not None:
        confirm(known, weighed, now=now)
        return Written(memory=known, outcome=WriteOutcome.DUPLICATE_OF, code=ReasonCode.DUPLICATE)
    memory, fresh = _store(acting, wish, around, judged, candidate=candidate, now=now)
    if not fresh:
        return _heard(memory)
    return carry(acting, memory, around, judged, candidate=candidate, rules=policy.rules, now=now)


def propose(acting: Acting, wish: MemoryWish, *, now: datetime) -> Memory:
    """Propose a memory as `submit` does, and return the row that says it now."""
    return submit(acting, wish, now=now).memory


def admit(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> Written:
    """Let a waiting memory in on a human's word: each gate that had not passed names that human, and it is searchable.

    One that is in use stays so. One that says otherwise than what is known by now opens a conflict instead. Raises
    Forbidden for anybody but a human of the level, and Clash for a refused one (invalid_transition) and for a side of
    an unsettled conflict (conflict_open).
    """
    if acting.kind is not ActorKind.HUMAN:
        raise Forbidden("Only a human admits a memory.", code="human_needed")
    check_may(acting, Deed.DECIDE_MEMORY)
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    if memory.status == MemoryStatus.ACTIVE:
        return Written(memory=memory, outcome=WriteOutcome.ACTIVE)
    check_waits(memory)
    made_of = MemoryParent.objects.filter(memory=memory).values_list("parent_id", flat=True)
    related = relate_stored(memory, skip=[*made_of, *([memory.target_id] if memory.target_id else [])])
    if related.rivals and memory.action != WriteAction.DELETE:
        conflict = dispute(acting, memory, related.rivals, related=related, now=now)
        return Written(memory=memory, outcome=WriteOutcome.CONFLICT, code=ReasonCode.CONFLICT_OPEN, conflict=conflict)
    let_in(acting, memory, reason=reason, now=now)
    if memory.action != WriteAction.DELETE:
        close_older(memory, related.older, reason=reason, now=now)
    return Written(memory=memory, outcome=WriteOutcome.ACTIVE)


def refuse(acting: Acting, memory: Memory, *, reason: str, now: datetime, missing: str = "") -> None:
    """Refuse a waiting memory on a human's word; `missing` says what evidence would help. It is final.

    Raises Forbidden for anybody but a human of the level, and Clash as `admit` does.
    """
    if acting.kind is not ActorKind.HUMAN:
        raise Forbidden("Only a human refuses a memory.", code="human_needed")
    check_may(acting, Deed.DECIDE_MEMORY)
    memory.refresh_from_db()
    check_waits(memory)
    turn_down(memory, ReasonCode.REFUSED_BY_HUMAN, reason=reason, now=now, missing=missing[:500])


def check_waits(memory: Memory) -> None:
    """Raise Clash for what no longer waits (invalid_transition), and for a side of a conflict (conflict_open)."""
    if not is_pending(memory):
        raise Clash(f"status: it is {memory.status}, and only a waiting one is decided.", code="invalid_transition")
    if conflict_of(memory) is not None:
        raise Clash("status: it is a side of a conflict; settle that.", code="conflict_open")


def _stored(acting: Acting, wish: MemoryWish) -> Memory | None:
    """Return what was proposed under the wish's id before; raises Clash when that says something else."""
    found = Memory.objects.filter(pk=wish.id).first() if wish.id else None
    if found is None:
        return None
    if found.erased_at is not None and found.proposed_by_id == acting.actor_id:
        message = "what was proposed under this id was erased since; if it is to be learnt again, use a fresh id"
        raise Clash.at("/id", message, code="erased_since")
    first = MemoryVersion.objects.filter(memory=found, version=1).values_list("content", flat=True).first()
    if (found.proposed_by_id, first) != (acting.actor_id, clean(wish)[1]):
        raise Clash.at("/id", "this id was used for another proposal; use a fresh one", code="client_id_reused")
    return found


def _heard(memory: Memory) -> Written:
    """Return what the writer of a stored proposal heard, as it stands now."""
    code = ReasonCode(memory.reason_code) if memory.reason_code else None
    return Written(
        memory=memory,
        outcome=outcome_of(memory),
        code=code,
        missing=memory.evidence_gap,
        conflict=conflict_of(memory),
    )


def _already(around: Circumstances, judged: Judged, *, now: datetime) -> Memory | None:
    """Return the memory that says it already: not for what is refused unread, or takes the place of one that waits."""
    same = around.same
    if same is None or (judged.outcome is WriteOutcome.REJECTED and judged.rulings[-1].gate in FIRST):
        return None
    if is_pending(same) and judged.outcome is WriteOutcome.ACTIVE:
        make_way(same, now=now)
        return None
    return same


def _store(
    acting: Acting, wish: MemoryWish, around: Circumstances, judged: Judged, *, candidate: Candidate, now: datetime
) -> tuple[Memory, bool]:
    """Store a proposal with everything around it; returns it, and whether this very request did so."""
    key = key_of(around.text, around.said_at)
    stays = judged.outcome is not WriteOutcome.REJECTED and wish.action != WriteAction.DELETE
    more: dict[str, Any] = {
        "sensitivity": sensitivity_of(candidate),
        "dedupe_key": key if stays and not _parent_says(wish, key) else "",
        "target_version": around.target.version if around.target else None,
        "observed_at": around.said_at,
    }
    text, place, rank = around.text, around.place, around.weighed.rank
    try:
        with transaction.atomic():
            memory = make_candidate(acting, wish, text, place=place, rank=rank, now=now, **more)
    except IntegrityError as error:
        other = _stored(acting, wish)
        if other is None:
            raise Clash.at("/id", "this id is taken; use a fresh one", code="client_id_reused") from error
        return other, False
    add_version(memory, author=acting, reason=wish.change_reason)
    add_evidence(memory, around.weighed.kept)
    add_claims(memory, around.related.claims)
    add_parents(memory, _parents(wish), reason=wish.change_reason)
    add_verdicts(memory, judged.rulings)
    detail = {"action": wish.action, "origin": wish.origin, "evidence": len(wish.evidence), "outcome": judged.outcome}
    record(
        "memory.propose",
        memory.public_id,
        reason=fingerprint(wish.change_reason) if wish.change_reason else "",
        after=fingerprint(around.text),
        detail=detail,
    )
    return memory, True


def _parent_says(wish: MemoryWish, key: str) -> bool:
    """Return whether what a proposal is made of says just this: it goes on to be the one that is known by it."""
    said = Memory.objects.filter(pk__in=wish.parents, dedupe_key=key, status__in=LIVING)
    return bool(wish.parents) and said.exists()


def _parents(wish: MemoryWish) -> list[Memory]:
    named = [*wish.parents, *([wish.answers] if wish.answers else [])]
    found = list(Memory.objects.filter(pk__in=named).exclude(status=MemoryStatus.REVOKED))
    if len(found) != len(set(named)):
        raise NotThere.there("/answers")
    return found


def carry(
    acting: Acting,
    memory: Memory,
    around: Circumstances,
    judged: Judged,
    *,
    candidate: Candidate,
    rules: PolicyRules,
    now: datetime,
) -> Written:
    """Carry a stored proposal as far as its gates let it: into use, to a human, to a conflict, or to its refusal."""
    conflict: Conflict | None = None
    match judged.outcome:
        case WriteOutcome.ACTIVE:
            conflict = _into_use(acting, memory, around, now=now)
        case WriteOutcome.REJECTED:
            _step(memory, MemoryStatus.REJECTED, judged, now=now)
        case WriteOutcome.CONFLICT:
            _step(memory, judged.reached, judged, now=now)
            against = around.rivals or ([around.target] if around.target else [])
            conflict = dispute(acting, memory, against, related=around.related, now=now)
        case _:
            _step(memory, judged.reached, judged, now=now)
            ref, reach = memory.first_ref, reach_of(memory)
            risk = write_risk(write_case(candidate), rules)
            open_item(acting, InboxKind.CANDIDATE, ref, title=memory.content, now=now, risk=risk, reach=reach)
    memory.refresh_from_db()
    return Written(memory=memory, outcome=judged.outcome, code=judged.code, missing=judged.missing, conflict=conflict)


def _into_use(acting: Acting, memory: Memory, around: Circumstances, *, now: datetime) -> Conflict | None:
    """Bring a memory into use. What it says otherwise is settled by rule first, in a conflict that can be undone."""
    conflict = None
    if around.rivals:
        conflict = dispute(acting, memory, around.rivals, related=around.related, now=now, quiet=True)
        arbitrate(acting, conflict, chosen=memory.pk, reason="a user's word takes the place of what was known", now=now)
    else:
        activate(acting, memory, reason="every gate passed", now=now)
    close_older(memory, around.older, reason="it held until then", now=now)
    return conflict


def _step(memory: Memory, to: MemoryStatus, judged: Judged, *, now: datetime) -> None:
    """Move a proposal once, as far as it came and never back, and keep why it came no further."""
    why = {"reason_code": judged.code or "", "evidence_gap": judged.missing[:500]}
    if to in FORWARD and FORWARD.index(to) <= FORWARD.index(MemoryStatus(memory.status)):
        Memory.objects.filter(pk=memory.pk).update(**why)
        return
    advance(memory, to, reason=judged.code or "", now=now, **why)
