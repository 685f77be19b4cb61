"""Whom a contract reaches: the agents whose next attempt begins with it."""

from collections.abc import Sequence

from django.db.models import Q

from governance.models import Actor, Proposal
from governance.vocabulary import ActorKind, ProposalKind

OF_ALL = "default"  # the persona of agents without their own, and the policy of all


def agents_under(proposal: Proposal) -> Sequence[str]:
    """Return the names of the active agents that a proposal's contract reaches, in order; a budget profile's are nobody
    in particular, since the request names it, and a memory is no contract.
    """
    reached = _reached(proposal)
    if reached is None:
        return ()
    agents = Actor.objects.filter(reached, kind=ActorKind.AGENT, active=True)
    return list(agents.order_by("name").values_list("name", flat=True))


def _reached(proposal: Proposal) -> Q | None:
    match ProposalKind(proposal.kind):
        case ProposalKind.ROLE:
            return Q(roles__contains=[proposal.slug])
        case ProposalKind.PERSONA if proposal.slug == OF_ALL:
            return Q(persona_id=proposal.contract_id) | Q(persona__isnull=True)
        case ProposalKind.PERSONA if proposal.contract_id is not None:
            return Q(persona_id=proposal.contract_id)
        case ProposalKind.POLICY if proposal.slug == OF_ALL:
            return Q()
        case ProposalKind.SELF_PROFILE if proposal.subject_id is not None:
            return Q(owned_by_id=proposal.subject_id)
    return None
