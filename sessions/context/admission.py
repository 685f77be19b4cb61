"""Whether a fact may enter a packet at all, whatever room there is: one predicate, and why not."""

from governance.policies import Reason, judge_certainty, judge_placement
from sessions.context.budget import Budget
from sessions.context.items import Item
from sessions.context.material import Eligibility, Reach
from sessions.context.vocabulary import DropReason, Fidelity

_DROPPED = {Reason.AUDIENCE_TOO_NARROW: DropReason.AUDIENCE, Reason.ABOVE_SENSITIVITY: DropReason.SENSITIVITY}


def may_enter(reach: Reach, eligibility: Eligibility) -> DropReason | None:
    """Return None when everyone in the destination may read a fact of this reach, else why it stays out.

    The rule is the policies': outsiders get what is public to the project, a private fact enters only a private window
    of its owner, a role's fact only where that role's facts may go, and nothing above the highest sensitivity.
    """
    decision = judge_placement(reach, eligibility)
    return None if decision.allowed else _DROPPED[decision.reason]


def is_reliable_enough(status: str, eligibility: Eligibility) -> bool:
    """Return whether a knowledge status reaches the lowest that may enter; an unknown word ranks lowest."""
    return judge_certainty(status, eligibility).allowed


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
