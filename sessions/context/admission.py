"""Whether a fact may enter a packet at all, whatever room there is: one predicate, and why not."""

from governance.vocabulary import Audience, Destination, Sensitivity
from memories.vocabulary import KnowledgeStatus
from sessions.context.budget import Budget
from sessions.context.items import Item
from sessions.context.material import Eligibility, Reach
from sessions.context.vocabulary import DropReason, Fidelity

_SENSITIVITY = {level: index for index, level in enumerate(Sensitivity)}
_STATUS: dict[str, int] = {status.value: index for index, status in enumerate(KnowledgeStatus)}


def may_enter(reach: Reach, eligibility: Eligibility) -> DropReason | None:
    """Return None when everyone in the destination may read a fact of this reach, else why it stays out.

    Outsiders get what is public to the project. A private fact enters only a private window of its owner; a role's
    fact only where that role's facts may go; and nothing enters above the highest sensitivity.
    """
    if not _reaches(reach, eligibility):
        return DropReason.AUDIENCE
    outside = eligibility.destination is Destination.EXTERNAL
    highest = Sensitivity.PUBLIC if outside else eligibility.highest_sensitivity
    return DropReason.SENSITIVITY if _SENSITIVITY[reach.sensitivity] > _SENSITIVITY[highest] else None


def _reaches(reach: Reach, eligibility: Eligibility) -> bool:
    match reach.audience:
        case Audience.PROJECT:
            return True
        case Audience.ROLE:
            return eligibility.destination is not Destination.EXTERNAL and reach.role in eligibility.roles
        case Audience.PRIVATE:
            private = eligibility.destination is Destination.PRIVATE
            return private and reach.owner is not None and reach.owner == eligibility.private_owner


def is_reliable_enough(status: str, eligibility: Eligibility) -> bool:
    """Return whether a knowledge status reaches the lowest that may enter; an unknown word ranks lowest."""
    return _STATUS.get(status, 0) >= _STATUS.get(eligibility.lowest_knowledge_status, 0)


def why_not(item: Item, eligibility: Eligibility, budget: Budget) -> DropReason | None:
    """Return why an item may not enter, or None. Must items always may: they are rules, not recollections."""
    if item.fidelity is Fidelity.MUST:
        return None
    if item.reach is not None and (reason := may_enter(item.reach, eligibility)):
        return reason
    if item.knowledge_status is not None and not is_reliable_enough(item.knowledge_status, eligibility):
        return DropReason.KNOWLEDGE_STATUS
    if item.barred is not None:
        return item.barred
    return DropReason.PHASE if budget.layers[item.layer].held else None
