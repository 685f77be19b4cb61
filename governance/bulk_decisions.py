"""Approving several changes of low risk by one form: each is bound to what was seen of it, and decided by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import DatabaseError

from governance.actors import Acting
from governance.decisions import DecisionWish, decide
from governance.errors import Clash, Invalid, Refusal, Unavailable
from governance.ids import parse_id
from governance.models import Proposal
from governance.proposal_reading import Sight, find_proposal, sight, sights_of, why_not_at
from governance.scope import project_scope
from governance.vocabulary import NO_CONTRACT, DecisionVerb, MembershipLevel, ProposalKind, ProposalState, Risk

MOST_AT_ONCE = 50
NOT_STORED = Unavailable("the database or its ledger failed, so nothing was stored of this one", code="not_stored")
log = structlog.get_logger("greywind.governance")


@dataclass(frozen=True, slots=True)
class Bound:
    """One proposal of a form, and the version and hash of what its sender saw of it."""

    proposal_id: str
    version: int
    seen_hash: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one proposal of a form. `refusal` says why it was not approved; None: the approval is stored."""

    proposal_id: str
    title: str
    state: ProposalState | None
    refusal: Refusal | None


def why_alone(acting: Acting, seen: Sight, level: MembershipLevel | None) -> str:
    """Return why a proposal is not approved together with others, as a code; '' where it may be.

    Only what weighs little is: never a role, never what another decides, never what has to be looked at anew.
    """
    if seen.proposal.state != ProposalState.OPEN:
        return "not_open"
    if not is_light(seen):
        return "decided_alone"
    if seen.moved:
        return "proposal_moved"
    refused = why_not_at(acting, seen, level)
    return refused.code if refused else ""


def is_light(seen: Sight) -> bool:
    """Return whether it weighs so little that it may be approved together with others."""
    return seen.case.risk == Risk.LOW and seen.proposal.kind not in (ProposalKind.ROLE, *NO_CONTRACT)


def chosen_sights(ids: Sequence[str]) -> list[Sight]:
    """Return the named proposals of the open scope as they stand now, oldest first, at most fifty.

    What is no id, or nothing here, is left out: it cannot be told apart from what is not there.
    """
    wanted = []
    for text in ids[:MOST_AT_ONCE]:
        try:
            wanted.append(parse_id(Proposal.PREFIX, text, pointer="?id"))
        except Invalid:
            continue
    rows = Proposal.objects.select_related("proposer__owned_by", "contract").filter(pk__in=wanted)
    return sights_of(list(rows.order_by("created_at", "id")))


def approve_each(acting: Acting, chosen: Sequence[Bound], *, text: str, now: datetime) -> list[Outcome]:
    """Approve each in a transaction of its own, with an entry of its own in the ledger; one refusal stops no other.

    A database that fails, or a ledger that cannot be written, ends it: what was approved before stays and is told, and
    the rest is told as not stored. Where nothing was approved yet the fault is raised.
    """
    # Not in one transaction: it would hold the head of the ledger while it waits for the rows of the next one.
    outcomes: list[Outcome] = []
    waiting = list(chosen[:MOST_AT_ONCE])
    while waiting:
        try:
            outcomes.append(_approve(acting, waiting[0], text=text, now=now))
        except DatabaseError:
            if all(one.refusal is not None for one in outcomes):
                raise
            log.exception("approvals_cut_short", approved=len(outcomes), left=len(waiting))
            return outcomes + [Outcome(one.proposal_id, "", None, NOT_STORED) for one in waiting]
        waiting.pop(0)
    return outcomes


def _approve(acting: Acting, bound: Bound, *, text: str, now: datetime) -> Outcome:
    title, state = "", None
    try:
        with project_scope(acting):
            row = find_proposal(bound.proposal_id, pointer="/id")
            seen = sight(row)
            title, state = seen.text.title, ProposalState(row.state)
            _check_light(seen)
            wish = DecisionWish(
                verb=DecisionVerb.APPROVE, expected_version=bound.version, seen_hash=bound.seen_hash, text=text
            )
            decide(acting, row, wish, now=now)
            row.refresh_from_db()
            return Outcome(bound.proposal_id, title, ProposalState(row.state), None)
    except Refusal as refusal:
        return Outcome(bound.proposal_id, title, state, refusal)


def _check_light(seen: Sight) -> None:
    """Raise Clash unless it may be approved with others: a form can name anything. The rest is the verb's to check."""
    if not is_light(seen):
        raise Clash.at("/id", "this is decided on its own page, not together with others", code="decided_alone")
