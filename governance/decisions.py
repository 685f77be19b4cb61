"""What a human says of a proposal: bound to the version and the texts they saw, once, and kept for ever."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.audit import fingerprint
from governance.contracts import put_in_force
from governance.eligibility import self_approved
from governance.errors import Clash, Invalid, StepUpNeeded
from governance.models import Actor, Decision, Proposal, Revision
from governance.proposal_desk import close, lock, moved
from governance.proposal_reading import APPROVING, Sight, check_may_decide, sight
from governance.proposal_texts import TextWish, checked_text
from governance.proposals import edit
from governance.scope import record
from governance.undertakings import undertaking_of
from governance.vocabulary import DecisionReason, DecisionVerb, ProposalState, Risk

ENDS = {
    DecisionVerb.REJECT: ProposalState.REJECTED,
    DecisionVerb.REQUEST_CHANGES: ProposalState.CHANGES_REQUESTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionWish:
    """What somebody decided, and the version and hash of what they decided it on. `body` is their own text, to edit
    and approve; a rejection names its reason, and whoever asks for changes says which. `proof` says how they have shown
    who they are within the last minutes (a ProofKind), '' when they have not.
    """

    verb: DecisionVerb
    expected_version: int
    seen_hash: str
    reason_code: DecisionReason | None = None
    text: str = ""
    body: Any = None
    proof: str = ""


def decide(acting: Acting, proposal: Proposal, wish: DecisionWish, *, now: datetime) -> Decision:
    """Record a human's decision in the open scope and do what follows from it.

    The approval that completes what is needed makes the text the active revision of its contract, or does what else was
    asked for, in this same transaction. Raises Forbidden (not_a_decider, level_too_low, own_proposal), StepUpNeeded
    (high risk without a fresh proof), Clash (proposal_moved, with what stands now; already_decided; what the
    undertaking of its kind refuses) and Invalid (reason_missing, body_missing, or what is wrong with the edited body).
    """
    said = _checked_wish(wish)
    held = lock(proposal)
    seen = sight(held)
    check_may_decide(acting, seen.case)
    _check_bound(seen, wish)
    _check_once(acting, held)
    if wish.verb == DecisionVerb.EDIT_AND_APPROVE:
        seen = _edited(acting, held, wish, now=now)
    _check_stepped_up(seen, wish)
    decision = _stored(acting, seen, wish, said=said, now=now)
    _follow(seen.proposal, decision, now=now)
    return decision


def _edited(acting: Acting, held: Proposal, wish: DecisionWish, *, now: datetime) -> Sight:
    """Write the decider's own text and look again: as its co-author they may no longer be the one who decides."""
    edit(acting, held, TextWish(body=wish.body, risk=Risk.LOW), expected_version=wish.expected_version, now=now)
    seen = sight(lock(held))
    check_may_decide(acting, seen.case)
    return seen


def _stored(acting: Acting, seen: Sight, wish: DecisionWish, *, said: str, now: datetime) -> Decision:
    decision = Decision.objects.create(
        project_id=acting.project_id,
        created_at=now,
        proposal=seen.proposal,
        version=seen.text.version,
        base_id=seen.text.base_id,
        seen_hash=seen.seen_hash,
        verb=wish.verb,
        reason_code=wish.reason_code or "",
        text=said,
        decider_id=acting.actor_id,
        self_approved=self_approved(seen.case, acting.actor_id),
    )
    detail = {
        "decision": decision.public_id,
        "version": decision.version,
        "reason_code": decision.reason_code,
        "self_approved": decision.self_approved,
        "seen_hash": decision.seen_hash,
        "stepped_up": wish.proof,
    }
    before = fingerprint(seen.before) if seen.before else ""
    after = fingerprint(seen.text.body)
    record(f"proposal.{wish.verb}", seen.proposal.public_id, before=before, after=after, detail=detail)
    return decision


def _follow(held: Proposal, decision: Decision, *, now: datetime) -> Revision | None:
    """Move the proposal as the decision says; returns the new revision when it was the approval that was lacking."""
    end = ENDS.get(DecisionVerb(decision.verb))
    if end is not None:
        close(held, end, verb=f"proposal.{end}", reason=decision.reason_code, now=now)
        return None
    seen = sight(held)
    if seen.approvals < seen.needed:
        return None
    close(held, ProposalState.APPROVED, verb="proposal.approved", reason="", now=now)
    decider = Actor.objects.get(pk=decision.decider_id)
    undertaking = undertaking_of(held.kind)
    if undertaking is not None:
        undertaking.apply(held, seen.text, decider, now)
        return None
    return put_in_force(held, seen.text, decider=decider, now=now)


def _checked_wish(wish: DecisionWish) -> str:
    """Return the decider's words; raises Invalid when what the verb needs is missing."""
    said = checked_text(wish.text, "/text")
    if wish.verb == DecisionVerb.REJECT and wish.reason_code is None:
        raise Invalid.at("/reason_code", "a rejection names its reason", code="reason_missing")
    if wish.verb == DecisionVerb.REQUEST_CHANGES and not said:
        raise Invalid.at("/text", "say what should change", code="reason_missing")
    if wish.verb == DecisionVerb.EDIT_AND_APPROVE and wish.body is None:
        raise Invalid.at("/body", "send the text that you approve", code="body_missing")
    return said


def _check_bound(seen: Sight, wish: DecisionWish) -> None:
    held = seen.proposal
    if held.state != ProposalState.OPEN:
        raise moved(held, wish.expected_version, f"the proposal is {held.state} by now")
    if held.version != wish.expected_version:
        raise moved(held, wish.expected_version, "somebody wrote another version since you looked")
    if seen.moved:
        raise moved(held, wish.expected_version, "something else holds since; rebase the proposal onto it")
    if wish.seen_hash != seen.seen_hash:
        raise moved(held, wish.expected_version, "what you saw is not what stands here; look at it again")
    if seen.shut and wish.verb in APPROVING:
        message = "what it changes takes no change now; reject it, or wait until that is otherwise"
        raise Clash.at("/verb", message, code=seen.shut)


def _check_stepped_up(seen: Sight, wish: DecisionWish) -> None:
    if seen.case.risk == Risk.HIGH and not wish.proof:
        message = "a decision of high risk needs a fresh proof of who decides; confirm that it is you, then decide"
        raise StepUpNeeded(message)


def _check_once(acting: Acting, held: Proposal) -> None:
    if Decision.objects.filter(proposal=held, version=held.version, decider_id=acting.actor_id).exists():
        message = "you have decided this version already; it waits for another decider"
        raise Clash.at("/verb", message, code="already_decided")
