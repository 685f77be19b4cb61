"""Changing a contract in a test the only way there is: somebody proposes, and a human decides what they saw."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.decisions import DecisionWish, decide
from governance.models import Decision, Proposal, Revision
from governance.people import invite
from governance.proposal_reading import sight
from governance.proposals import ProposalWish, propose
from governance.scope import project_scope
from governance.vocabulary import ContractKind, DecisionReason, DecisionVerb, MembershipLevel, ProofKind
from tests.cast import Cast

SOFT = {"name": "灰风", "speaking_style": "warm"}  # what a persona is changed to, where that is all


def asked(who: Acting, kind: ContractKind, slug: str, body: Mapping[str, Any], **more: Any) -> Proposal:
    """Propose a text for a contract."""
    with project_scope(who):
        wish = ProposalWish(kind=kind, slug=slug, body=dict(body), title="a change", **more)
        return propose(who, wish, now=timezone.now())


def decided(who: Acting, proposal: Proposal, verb: DecisionVerb = DecisionVerb.APPROVE, **more: Any) -> Decision:
    """Decide on a proposal as it stands now."""
    with project_scope(who):
        seen = sight(Proposal.objects.get(pk=proposal.pk))
        bound = {"expected_version": seen.proposal.version, "seen_hash": seen.seen_hash, "proof": ProofKind.PASSWORD}
        wish = DecisionWish(verb=verb, **(bound | {"reason_code": DecisionReason.WRONG, "text": "so"} | more))
        return decide(who, proposal, wish, now=timezone.now())


def changed(cast: Cast, kind: ContractKind, slug: str, body: Mapping[str, Any]) -> Revision:
    """Change a contract on the word of the project's owner, who is alone in it; returns the new revision."""
    proposal = asked(cast.owner.acting, kind, slug, body)
    decided(cast.owner.acting, proposal)
    with project_scope(cast.owner.acting):
        return Revision.objects.get(proposal=proposal)


def joined(cast: Cast, username: str, level: MembershipLevel) -> Acting:
    """Let another human into the project."""
    with project_scope(cast.owner.acting):
        return acting_as(invite(cast.owner.acting, username, level, now=timezone.now()).actor)


def again(proposal: Proposal, who: Acting) -> Proposal:
    """Return the proposal as it stands now."""
    with project_scope(who):
        return Proposal.objects.get(pk=proposal.pk)
