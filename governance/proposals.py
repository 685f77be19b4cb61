"""Asking for a change of a contract: propose, edit, withdraw, comment, rebase, revert. Deciding is in decisions."""

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from governance.actors import Acting
from governance.audit import fingerprint
from governance.consents import take_back
from governance.contracts import active_revision
from governance.errors import Clash, Forbidden, Invalid
from governance.models import Actor, Comment, Contract, Proposal, ProposalText, Revision
from governance.people import check_may
from governance.proposal_desk import WAITING, back_on_desk, check_version, close, lock, put_on_desk
from governance.proposal_reading import sight, text_of
from governance.proposal_texts import TextWish, checked_text, write_text
from governance.schemas import PLACED, checked_slug
from governance.scope import record
from governance.vocabulary import (
    ActorKind,
    Audience,
    ContractKind,
    Deed,
    Proposable,
    ProposalKind,
    ProposalState,
    Risk,
)

MOST_OPEN = 50  # proposals of one proposer that wait at once: an agent in a loop does not bury the desk
EDITABLE = (ProposalState.DRAFT, ProposalState.OPEN, ProposalState.CHANGES_REQUESTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalWish:
    """A change that is asked for: of a contract, or of what else a ProposalKind names.

    `base` is the number of the revision it changes; None means the active one. `risk` may raise what follows from the
    change, never lower it. `subject` is the human of a new self profile; None means the one who asks, or who owns the
    agent that does. `draft` keeps it off the desk until it is opened.
    """

    kind: Proposable
    slug: str
    body: Any
    title: str
    rationale: str = ""
    base: int | None = None
    risk: Risk = Risk.LOW
    subject: uuid.UUID | None = None
    draft: bool = False


def propose(acting: Acting, wish: ProposalWish, *, now: datetime, reverts: Revision | None = None) -> Proposal:
    """Ask for a change of a contract, for a new one, or for what else may be proposed, in the open scope; a human
    decides.

    Raises Invalid (invalid_body, body_too_large, contract_too_long, nothing_changed), Clash (base_moved, with what
    stands now; too_many_open) and Forbidden (level_too_low; consent_missing for a memory that
    its human has not agreed to share).
    """
    _check_may_propose(acting)
    slug = checked_slug(wish.kind, wish.slug)
    contract = Contract.objects.filter(kind=wish.kind, slug=slug).first()
    if contract is not None and contract.audience != Audience.PROJECT:
        raise Invalid.at("/slug", "this contract is private, so it is not proposed to the project", code="private")
    base = _checked_base(active_revision(wish.kind, slug), wish.base)
    proposal = Proposal.objects.create(
        project_id=acting.project_id,
        created_at=now,
        kind=wish.kind,
        slug=slug,
        contract=contract,
        subject_id=_subject(acting, wish, contract),
        proposer_id=acting.actor_id,
        reverts=reverts,
        expires_at=now + timedelta(days=settings.GREYWIND.proposal_days),
    )
    text = TextWish(body=wish.body, title=wish.title, rationale=wish.rationale, risk=wish.risk)
    written = write_text(acting, proposal, text, base=base, now=now)
    detail = {"kind": wish.kind, "version": 1, "risk": written.risk, "level": written.level}
    record("proposal.create", proposal.public_id, after=fingerprint(written.body), detail=detail)
    if not wish.draft:
        open_for_decision(acting, proposal, now=now)
    return proposal


def propose_revert(
    acting: Acting, revision: Revision, *, rationale: str, now: datetime, title: str | None = None
) -> Proposal:
    """Ask for an older revision's text to hold again, as a new proposal on what holds now.

    Raises what `propose` does; nothing_changed when it is the one in force.
    """
    contract = revision.contract
    wish = ProposalWish(
        kind=ContractKind(contract.kind),
        slug=contract.slug,
        body=revision.body,
        title=title or f"Revert {contract.kind} {contract.slug} to revision {revision.number}",
        rationale=rationale,
    )
    return propose(acting, wish, now=now, reverts=revision)


def edit(acting: Acting, proposal: Proposal, wish: TextWish, *, expected_version: int, now: datetime) -> ProposalText:
    """Write the next version of a proposal; what was approved before no longer counts, and the editor co-wrote it.

    A proposal that was sent back is open again. Raises Clash (proposal_moved, invalid_transition), Invalid as
    `propose`, and Forbidden (not_the_proposer, level_too_low).
    """
    held = lock(proposal)
    check_version(held, expected_version)
    _check_may_edit(acting, held)
    before = text_of(held, held.version)
    return _next_text(acting, held, wish, before=before, base=before.base, now=now)


def rebase(acting: Acting, proposal: Proposal, wish: TextWish, *, expected_version: int, now: datetime) -> ProposalText:
    """Write the next version of a proposal as a change of what holds now.

    Raises what `edit` does, and Invalid (nothing_changed) when it rests on that already.
    """
    held = lock(proposal)
    check_version(held, expected_version)
    _check_may_edit(acting, held)
    seen = sight(held)
    if not seen.moved:
        raise Invalid.at("/version", "it rests on what holds now already", code="nothing_changed")
    standing = seen.ground.now if seen.ground else None
    if standing is not None:
        placed = {name: standing[name] for name in PLACED[ProposalKind(held.kind)]}
        wish = replace(wish, body={**wish.body, **placed})
    return _next_text(acting, held, wish, before=seen.text, base=seen.active, now=now)


def open_for_decision(acting: Acting, proposal: Proposal, *, now: datetime) -> None:
    """Put a draft on the desk. Raises Forbidden (not_the_proposer), Clash (invalid_transition, too_many_open)."""
    _check_is_proposers(acting, proposal)
    if proposal.state != ProposalState.DRAFT:
        message = f"the proposal is {proposal.state}; only a draft is opened, and a new text opens what was sent back"
        raise Clash.at("/state", message, code="invalid_transition")
    waiting = Proposal.objects.filter(proposer_id=proposal.proposer_id, state__in=WAITING).count()
    if waiting >= MOST_OPEN:
        message = f"{waiting} proposals of this proposer wait already; withdraw some, or wait for decisions"
        raise Clash.at("/", message, code="too_many_open")
    put_on_desk(proposal, text_of(proposal, proposal.version), now=now)


def withdraw(acting: Acting, proposal: Proposal, *, reason: str, now: datetime) -> None:
    """Take a proposal back: its proposer, or the human who owns the proposing agent. Raises Forbidden, Clash.

    With an offered memory the consent ends, and its words are taken out.
    """
    held = lock(proposal)
    _check_is_proposers(acting, held)
    close(
        held,
        ProposalState.WITHDRAWN,
        verb="proposal.withdraw",
        reason=checked_text(reason, "/reason", most=500),
        now=now,
    )
    proposal.state, proposal.closed_at = held.state, held.closed_at
    if held.kind == ProposalKind.MEMORY:
        take_back(held)


def comment(acting: Acting, proposal: Proposal, text: str, *, now: datetime) -> Comment:
    """Say something about the present version. Agents speak of their own proposals; humans need a maintainer's level.

    Raises Invalid (text_missing, too_long) and Forbidden.
    """
    if acting.kind == ActorKind.HUMAN:
        check_may(acting, Deed.PROPOSE_CONTRACT)
    else:
        _check_is_proposers(acting, proposal)
    said = checked_text(text, "/text")
    if not said:
        raise Invalid.at("/text", "say something", code="text_missing")
    made = Comment.objects.create(
        project_id=acting.project_id,
        created_at=now,
        proposal=proposal,
        version=proposal.version,
        author_id=acting.actor_id,
        text=said,
    )
    record("proposal.comment", proposal.public_id, after=fingerprint(said), detail={"comment": made.public_id})
    return made


def _next_text(
    acting: Acting,
    proposal: Proposal,
    wish: TextWish,
    *,
    before: ProposalText,
    base: Revision | None,
    now: datetime,
) -> ProposalText:
    if proposal.state not in EDITABLE:
        message = f"the proposal is {proposal.state}; make a new one"
        raise Clash.at("/state", message, code="invalid_transition")
    kept = TextWish(
        body=wish.body,
        title=before.title if wish.title is None else wish.title,
        rationale=before.rationale if wish.rationale is None else wish.rationale,
        risk=wish.risk,
    )
    written = write_text(acting, proposal, kept, base=base, now=now, before=before)
    detail = {"version": written.version, "risk": written.risk, "level": written.level}
    record(
        "proposal.edit",
        proposal.public_id,
        before=fingerprint(before.body),
        after=fingerprint(written.body),
        detail=detail,
    )
    back_on_desk(proposal, written)
    return written


def _checked_base(active: Revision | None, number: int | None) -> Revision | None:
    """Return what the change rests on; raises Clash (base_moved) with what is active unless that is it."""
    here = active.number if active else 0
    if number is not None and number != here:
        message = f"the active revision is {here}, not {number}; read it and propose on it"
        shown = {"number": active.number, "body": active.body, "body_hash": active.body_hash} if active else None
        raise Clash.at("/base", message, code="base_moved", extra={"current": shown})
    return active


def _subject(acting: Acting, wish: ProposalWish, contract: Contract | None) -> uuid.UUID | None:
    """Return the human whom a self profile is about; the contract's own once it has one."""
    if wish.kind != ContractKind.SELF_PROFILE:
        return None
    if contract is not None:
        return contract.subject_id
    if wish.subject is None and acting.kind == ActorKind.HUMAN:
        return acting.actor_id
    wanted = wish.subject or Actor.objects.filter(pk=acting.actor_id).values_list("owned_by_id", flat=True).first()
    found = Actor.objects.filter(pk=wanted, kind=ActorKind.HUMAN).first() if wanted else None
    if found is None:
        raise Invalid.at("/subject", "a self profile is about a human of this project", code="unknown_subject")
    return found.pk


def _check_may_propose(acting: Acting) -> None:
    if acting.kind == ActorKind.HUMAN:
        check_may(acting, Deed.PROPOSE_CONTRACT)
    elif acting.kind != ActorKind.AGENT:
        raise Forbidden("the system proposes nothing", code="not_the_proposer")


def _check_may_edit(acting: Acting, proposal: Proposal) -> None:
    if acting.kind == ActorKind.HUMAN:
        check_may(acting, Deed.PROPOSE_CONTRACT)
    else:
        _check_is_proposers(acting, proposal)


def _check_is_proposers(acting: Acting, proposal: Proposal) -> None:
    """Raise Forbidden unless the proposal is the actor's own, or that of an agent which the human owns."""
    own = acting.actor_id == proposal.proposer_id
    if not own and not (acting.kind == ActorKind.HUMAN and proposal.proposer.owned_by_id == acting.actor_id):
        raise Forbidden("only whoever proposed it, or owns the agent that did, may do this", code="not_the_proposer")
