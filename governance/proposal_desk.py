"""Where proposals wait: their line in the inbox, the lock around a change, and the sweep of the late ones."""

import uuid
from datetime import datetime

from django.db import connection

from governance.actors import Acting, system_of
from governance.errors import Clash
from governance.inbox import item_about, reopen, settle_item
from governance.lifecycle import PROPOSAL_TRANSITIONS
from governance.models import InboxItem, Proposal, ProposalText
from governance.proposal_reading import before_of, sight
from governance.scope import project_scope
from governance.transitions import advance
from governance.vocabulary import InboxKind, InboxState, ProposalState

HOLD = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
BATCH = 200  # proposals of one sweep; the next sweep takes the rest
WAITING = (ProposalState.OPEN, ProposalState.CHANGES_REQUESTED)


def put_on_desk(proposal: Proposal, text: ProposalText, *, now: datetime) -> None:
    """Let a proposal wait for a decision, with its line in the inbox. Raises Clash (invalid_transition)."""
    advance(proposal, ProposalState.OPEN, table=PROPOSAL_TRANSITIONS, verb="proposal.open", reason="")
    InboxItem.objects.create(
        project_id=proposal.project_id,
        created_at=now,
        kind=InboxKind.PROPOSAL,
        ref=proposal.ref,
        title=text.title,
        risk=text.risk,
    )


def back_on_desk(proposal: Proposal, text: ProposalText) -> None:
    """Show the present text in the inbox; a proposal that was sent back is open again."""
    item = item_about(InboxKind.PROPOSAL, proposal.ref)
    if proposal.state == ProposalState.CHANGES_REQUESTED:
        advance(proposal, ProposalState.OPEN, table=PROPOSAL_TRANSITIONS, verb="proposal.open", reason="")
        if item is not None and item.state != InboxState.OPEN:
            reopen(item)
    if item is not None:
        InboxItem.objects.filter(pk=item.pk).update(title=text.title, risk=text.risk)


def lock(proposal: Proposal) -> Proposal:
    """Return the proposal as it stands now, held until the scope ends: whoever else would change it waits.

    Its contract is held with it, by name because it may not be there yet: of two proposals for one contract the
    second sees what the first did.
    """
    held = Proposal.objects.select_for_update(of=("self",)).select_related("proposer").get(pk=proposal.pk)
    hold(f"{held.project_id} {held.kind} {held.slug}")
    return held


def hold(name: str) -> None:
    """Wait until nobody else holds this name; it is held until the scope ends."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD, [name])


def check_version(proposal: Proposal, expected: int) -> None:
    """Raise Clash (proposal_moved), with the three texts that a reader needs, unless this is the present version."""
    if proposal.version != expected:
        raise moved(proposal, expected, "somebody wrote another version since; look at it, then say yours again")


def moved(proposal: Proposal, expected: int, message: str) -> Clash:
    """Return the refusal of whoever saw an older state: what they saw it rest on, what holds now, what is asked now."""
    seen = sight(proposal)
    then = ProposalText.objects.filter(proposal=proposal, version=expected).select_related("base", "proposal").first()
    extra = {
        "version": proposal.version,
        "seen_hash": seen.seen_hash,
        "state": proposal.state,
        "base_then": before_of(then) if then else None,
        "base_now": seen.standing,
        "theirs": seen.text.body,
    }
    return Clash.at("/expected_version", message, code="proposal_moved", extra=extra)


def close(proposal: Proposal, state: ProposalState, *, verb: str, reason: str, now: datetime) -> None:
    """Move a proposal to an end, or back to its proposer, and take it off the desk."""
    ended = None if state == ProposalState.CHANGES_REQUESTED else now
    advance(proposal, state, table=PROPOSAL_TRANSITIONS, verb=verb, reason=reason, closed_at=ended)
    settle_item(InboxKind.PROPOSAL, proposal.ref, now=now)


def sweep_expired(*, now: datetime, trace_id: str = "") -> int:
    """Close the proposals whose time is over; returns how many. No scope is needed: each is its own transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id, system_actor FROM due_proposals(%s, %s)", [now, BATCH])
        due = cursor.fetchall()
    return sum(_expire(system_of(project, system, trace_id=trace_id), found, now=now) for project, found, system in due)


def _expire(acting: Acting, proposal_id: uuid.UUID, *, now: datetime) -> int:
    with project_scope(acting):
        held = Proposal.objects.select_for_update().filter(pk=proposal_id, state__in=WAITING).first()
        if held is None or held.expires_at >= now:
            return 0
        close(held, ProposalState.EXPIRED, verb="proposal.expire", reason="nobody decided in time", now=now)
        return 1
