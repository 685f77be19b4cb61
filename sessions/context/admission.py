"""Whether a fact may enter a packet at all, whatever room there is: one predicate, and why not."""

from dataclasses import replace

from governance.policies import Reason, judge_certainty, judge_placement
from governance.vocabulary import Destination
from sessions.context.budget import Budget
from sessions.context.items import Item
from sessions.context.material import Eligibility, Material, Reach, SessionFact, ThreadFact
from sessions.context.vocabulary import DropReason

WITHHELD = "private_thread: Others read this channel along, so what was said in the private thread stays out."
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


def for_readers(material: Material) -> Material:
    """Return the material without what was said in a private thread, where others read the packet along.

    A personal agent that answers in a group says nothing of what it was told alone: neither what the thread is about,
    nor its demands, nor its dialogue. Contracts and passages have a reach of their own and are judged one by one.
    """
    thread, session = material.thread, material.session
    if not thread.private or material.eligibility.destination is Destination.PRIVATE:
        return material
    bare = ThreadFact(ref=thread.ref, thread_id=thread.thread_id, title="", type=thread.type, private=True)
    return replace(
        material,
        thread=bare,
        session=SessionFact(ref=session.ref, session_id=session.session_id, state=session.state),
        vision=None,
        summary=None,
        handoff=None,
        constraints=(),
        retired=(),
        events=(),
        held=None,
        beginning=None,
        warnings=(*material.warnings, WITHHELD),
    )


def why_not(item: Item, eligibility: Eligibility, budget: Budget) -> DropReason | None:
    """Return why an item that is not must may not enter, or None. Must items are rules, and always may."""
    if item.reach is not None and (reason := may_enter(item.reach, eligibility)):
        return reason
    if item.knowledge_status is not None and not is_reliable_enough(item.knowledge_status, eligibility):
        return DropReason.KNOWLEDGE_STATUS
    if item.barred is not None:
        return item.barred
    return DropReason.PHASE if budget.layers[item.layer].held else None
