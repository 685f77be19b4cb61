"""Contracts and their immutable revisions: found, installed at their birth, and changed by what was approved."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from governance.audit import fingerprint
from governance.errors import Clash
from governance.models import Actor, Contract, Proposal, ProposalText, Revision
from governance.policies import PolicyRules
from governance.proposal_reading import POLICY
from governance.schemas import body_hash, checked_body
from governance.scope import record
from governance.vocabulary import ContractKind, RevisionState


def active_revision(kind: ContractKind | str, slug: str) -> Revision | None:
    """Return the active revision of a contract in the open scope, or None."""
    return (
        Revision.objects.filter(contract__kind=kind, contract__slug=slug, state=RevisionState.ACTIVE)
        .select_related("contract")
        .first()
    )


def rules_in_force() -> PolicyRules:
    """Return the rules of the open scope's active policy; the careful defaults where the project has none."""
    policy = active_revision(*POLICY)
    return PolicyRules.of(policy.body if policy else None)


def revisions_of(contract: Contract) -> list[Revision]:
    """Return the revisions of a contract that hold or held, newest first."""
    kept = Revision.objects.filter(contract=contract).exclude(state=RevisionState.DRAFT)
    return list(kept.select_related("proposed_by", "decided_by", "proposal").order_by("-number"))


def install(
    kind: ContractKind,
    slug: str,
    body: Any,
    *,
    by: Actor,
    reason: str,
    now: datetime,
    subject: Actor | None = None,
) -> Revision:
    """Make `body` the first revision of a contract, on the decision of an owner, inside the open scope.

    `subject` is the human whom a self profile is about. Raises Invalid when the body breaks its schema, and Clash
    (contract_stands) when the contract has had a revision: from then on a proposal changes it.
    """
    checked = checked_body(kind, body)
    about = {"subject": subject}
    contract, _ = Contract.objects.get_or_create(project_id=by.project_id, kind=kind, slug=slug, defaults=about)
    if Revision.objects.filter(contract=contract).exclude(state=RevisionState.DRAFT).exists():
        message = f"the {kind} “{slug}” has a revision already; propose a change of it"
        raise Clash.at("/slug", message, code="contract_stands")
    revision = Revision.objects.create(
        project_id=by.project_id,
        contract=contract,
        number=_next_number(contract),
        state=RevisionState.ACTIVE,
        body=checked,
        body_hash=body_hash(checked),
        proposed_by=by,
        decided_by=by,
        decided_at=now,
        reason=reason,
    )
    detail = {"contract": contract.public_id, "number": revision.number}
    record("contract.install", revision.public_id, reason=reason, after=fingerprint(checked), detail=detail)
    return revision


def put_in_force(proposal: Proposal, text: ProposalText, *, decider: Actor, now: datetime) -> Revision:
    """Make the approved text the active revision of its contract; the one it was based on is superseded.

    Raises Clash (slug_taken) when the contract was to be new and the slug is not free.
    """
    contract = _contract_for(proposal)
    active = active_revision(proposal.kind, proposal.slug)
    if (active.pk if active else None) != text.base_id:
        raise Clash.at("/base", "another revision holds since; rebase the proposal onto it", code="base_moved")
    if text.base_id is not None:
        Revision.objects.filter(pk=text.base_id).update(state=RevisionState.SUPERSEDED)
    revision = Revision.objects.create(
        project_id=proposal.project_id,
        contract=contract,
        number=_next_number(contract),
        state=RevisionState.ACTIVE,
        body=text.body,
        body_hash=text.body_hash,
        base_id=text.base_id,
        proposal=proposal,
        proposed_by_id=proposal.proposer_id,
        decided_by=decider,
        decided_at=now,
        reason=text.title,
    )
    detail = {"contract": contract.public_id, "number": revision.number, "proposal": proposal.public_id}
    before = fingerprint(text.base.body) if text.base else ""
    record("contract.change", revision.public_id, before=before, after=fingerprint(text.body), detail=detail)
    return revision


def _contract_for(proposal: Proposal) -> Contract:
    """Return the proposal's contract, locked; made now when it is new."""
    named = {"project_id": proposal.project_id, "kind": proposal.kind, "slug": proposal.slug}
    try:
        with transaction.atomic():
            contract, _ = Contract.objects.get_or_create(**named, defaults={"subject_id": proposal.subject_id})
    except IntegrityError as error:
        raise Clash.at("/slug", "this slug is not free; propose another one", code="slug_taken") from error
    return Contract.objects.select_for_update().get(pk=contract.pk)


def _next_number(contract: Contract) -> int:
    return (Revision.objects.filter(contract=contract).aggregate(top=Max("number"))["top"] or 0) + 1
