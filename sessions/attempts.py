"""Which contract revisions an attempt starts with, and keeps."""

import uuid
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, F, Q, Subquery

from governance.actors import Acting
from governance.errors import Clash
from governance.models import Actor, Revision
from governance.vocabulary import ContractKind, RevisionState

DEFAULT_PERSONA = "default"
DEFAULT_POLICY = "default"


def pinned_revisions(acting: Acting, role: str) -> dict[str, Any]:
    """Return the active revisions for an actor in a role, as columns of an attempt, in the open scope.

    Raises Clash (contract_missing) when there is no active persona or no active contract for the role: a packet
    without its duties must not look whole.
    """
    actor = Actor.objects.filter(pk=acting.actor_id)
    own = Q(contract_id=Subquery(actor.values("persona_id")[:1]))
    human = acting.on_behalf_of or Subquery(actor.values("owned_by_id")[:1])
    wanted = (
        Q(contract__kind=ContractKind.ROLE, contract__slug=role)
        | Q(contract__kind=ContractKind.POLICY, contract__slug=DEFAULT_POLICY)
        | Q(contract__kind=ContractKind.PERSONA, contract__slug=DEFAULT_PERSONA)
        | own
        | Q(contract__kind=ContractKind.SELF_PROFILE, contract__subject_id=human)
    )
    found = Revision.objects.filter(wanted, state=RevisionState.ACTIVE)
    found = found.annotate(kind=F("contract__kind"), own_persona=ExpressionWrapper(own, output_field=BooleanField()))
    ids: dict[str, uuid.UUID] = {}
    # The actor's own persona comes last, and so stands above the project's.
    for revision in sorted(found, key=lambda row: bool(row.own_persona)):
        ids[f"{revision.kind}_revision_id"] = revision.pk
    for kind in (ContractKind.PERSONA, ContractKind.ROLE):
        if f"{kind}_revision_id" not in ids:
            name = role if kind is ContractKind.ROLE else DEFAULT_PERSONA
            message = f"there is no active {kind} contract “{name}”; an owner has to approve one"
            raise Clash.at("/role", message, code="contract_missing")
    return ids


def self_profile_of(human_id: uuid.UUID) -> Revision | None:
    """Return the active self profile of a human in the open scope, or None when there is none."""
    return Revision.objects.filter(
        contract__kind=ContractKind.SELF_PROFILE, contract__subject_id=human_id, state=RevisionState.ACTIVE
    ).first()
