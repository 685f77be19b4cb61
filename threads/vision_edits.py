"""Editing what is wanted of a thread: at once, or by a proposal where the policy says so; and what follows of one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governance.actors import Acting, acting_as
from governance.contracts import rules_in_force
from governance.errors import Clash, Invalid, NotThere
from governance.gauges import check_with
from governance.ids import parse_id, public_id
from governance.models import Actor, Proposal, ProposalText
from governance.people import check_may, level_of
from governance.policies import writes_vision
from governance.proposal_desk import hold
from governance.proposal_reading import text_of
from governance.proposal_texts import LONGEST_TEXT, TextWish
from governance.proposals import EDITABLE, ProposalWish, edit, propose
from governance.schemas import check_fields, checked_body, fields_of
from governance.undertakings import Ground, Undertaking, heard_of, undertake
from governance.vocabulary import ActorKind, Audience, Deed, ProposalKind
from threads.lifecycle import check_open, hold_open
from threads.models import Thread, Vision
from threads.visions import (
    Approved,
    VisionWish,
    current_vision,
    moved_meanwhile,
    says,
    wish_of,
    words_of,
    write_vision,
)
from threads.vocabulary import ThreadState, VisionSource

# Why nothing is approved for a thread that is not open, by its state.
SHUT: Mapping[str, str] = {
    ThreadState.OPEN: "",
    ThreadState.ARCHIVED: "thread_archived",
    ThreadState.MERGED: "thread_passed_on",
    ThreadState.SPLIT: "thread_passed_on",
}


def register_visions() -> None:
    """Tell governance how a proposed vision is checked, asked for and written, and what it changes."""
    check_with(ProposalKind.VISION, check_body)
    undertake(ProposalKind.VISION, Undertaking(ask=ask, apply=write_approved, made=written_for, ground=ground_of_body))


def must_propose(acting: Acting, thread: Thread) -> bool:
    """Return whether the policy in force makes a proposal of this actor's edit of the thread's vision.

    What only its owner reads stays theirs to edit: nobody else could decide it.
    """
    if thread.audience != Audience.PROJECT:
        return False
    return not writes_vision(rules_in_force(), acting.kind, level_of(acting))


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A thread whose vision is to be revised, and its newest version. `held`: the edit becomes a proposal."""

    thread: Thread
    base: Vision | None
    held: bool

    @property
    def version(self) -> int:
        """The number of the newest version, 0 where there is none."""
        return _version(self.base)


def take_up(acting: Acting, thread: Thread, *, pointer: str = "/thread_id") -> Taken:
    """Look at what is to be revised in the open scope, and ask the policy once.

    Where a version is written at once, the thread stays locked; where it is proposed it does not, for a decision locks
    the proposal first and the thread then. Raises Clash (thread_not_open).
    """
    held = must_propose(acting, thread)
    (check_open if held else hold_open)(thread, pointer=pointer)
    return Taken(thread=thread, base=current_vision(thread), held=held)


def revise_vision(
    acting: Acting, taken: Taken, wish: VisionWish, *, seen: int, now: datetime, why: str = ""
) -> Vision | Proposal:
    """Add the version after `seen` (0: there was none) in the open scope, or the proposal of it: what the policy asks.

    A goal that stays the same keeps the ref to the words it was taken from; `why` goes with a proposal. A person needs
    a maintainer's level. Raises Invalid for an empty goal, Clash (version_moved) when `seen` is not the newest version,
    Clash (nothing_changed) when a person's version or a proposal would say the same, and what `propose_vision` does.
    """
    if acting.kind is not ActorKind.AGENT:
        check_may(acting, Deed.EDIT_VISION)
    if not wish.origin_goal.strip():
        raise Invalid.at("/origin_goal", "say what is wanted", code="goal_empty")
    thread, base = taken.thread, taken.base
    if taken.version != seen:
        raise moved_meanwhile()
    if base is not None and says(base) == says(wish) and (taken.held or acting.kind is ActorKind.HUMAN):
        raise Clash("It says what the newest version says already; nothing was stored.", code="nothing_changed")
    if taken.held:
        return propose_vision(acting, thread, wish, seen=seen, now=now, why=why)
    source = VisionSource.MAINTAINER if acting.kind is ActorKind.HUMAN else VisionSource.AGENT
    return write_vision(thread, _with_origin(wish, base), acting=acting, source=source, base=base)


def propose_vision(
    acting: Acting, thread: Thread, wish: VisionWish, *, seen: int, now: datetime, why: str = ""
) -> Proposal:
    """Ask a human to let `wish` be the version after `seen`, in the open scope.

    Of one proposer one edit of a thread waits at a time: saying it again changes nothing, and other words are its next
    version. Raises Clash (thread_not_open, version_moved) and what `propose` and `edit` raise.
    """
    hold(f"{acting.project_id} {thread.public_id} {acting.actor_id}")  # said twice at once, it is one proposal
    said = {"thread": thread.public_id, "version": seen, **words_of(wish)}
    body = checked_body(ProposalKind.VISION, said)
    check_open(thread, pointer="/body/thread")
    if _version(current_vision(thread)) != seen:
        raise moved_meanwhile()
    mine = Proposal.objects.filter(proposer_id=acting.actor_id, state__in=EDITABLE)
    waiting = mine.filter(kind=ProposalKind.VISION, slug=thread.public_id).first()
    if waiting is None:
        title = thread.title.strip() or thread.public_id
        proposed = ProposalWish(
            kind=ProposalKind.VISION, slug=thread.public_id, body=body, title=title, rationale=why, base=0
        )
        return propose(acting, proposed, now=now)
    if text_of(waiting, waiting.version).body != body:
        edit(acting, waiting, TextWish(body=body, rationale=why or None), expected_version=waiting.version, now=now)
        waiting.refresh_from_db()
    return waiting


def ask(acting: Acting, body: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Propose what an agent asks for: `body` is that of a vision (thread, version, origin_goal, …), and may give a
    reason. Raises Invalid (invalid_body), NotThere, and what `propose_vision` raises.
    """
    check_fields(body, (*fields_of(ProposalKind.VISION), "reason"))
    why = body.get("reason", "")
    if not isinstance(why, str) or len(why) > LONGEST_TEXT:
        message = f"expected a text of at most {LONGEST_TEXT} characters"
        raise Invalid.at("/body/reason", message, code="invalid_body")
    said = checked_body(ProposalKind.VISION, {name: value for name, value in body.items() if name != "reason"})
    thread = _named(said["thread"])
    return heard_of(propose_vision(acting, thread, wish_of(said), seen=said["version"], now=now, why=why))


def check_body(body: Mapping[str, Any]) -> None:
    """Raise what is wrong with a proposed vision: NotThere, Invalid (goal_empty, thread_not_shared, unknown_version).

    That its thread is shut is not: what moved is written onto what holds now, also only to be rejected.
    """
    thread = _named(body["thread"])
    if thread.audience != Audience.PROJECT:
        message = "only its owner reads this thread, and edits its vision without asking anybody"
        raise Invalid.at("/body/thread", message, code="thread_not_shared")
    if not body["origin_goal"].strip():
        raise Invalid.at("/body/origin_goal", "say what is wanted", code="goal_empty")
    if body["version"] and not Vision.objects.filter(thread=thread, version=body["version"]).exists():
        raise Invalid.at("/body/version", "the vision has no such version; read it again", code="unknown_version")


def ground_of_body(body: Mapping[str, Any]) -> Ground:
    """Return the version that a proposed vision changes and the newest one, and whether its thread still takes one."""
    try:
        thread = _named(body["thread"])
    except (Invalid, NotThere):
        return Ground(then=None, now=None, shut="thread_gone")
    newest = current_vision(thread)
    then = newest
    if newest is not None and newest.version != body["version"]:
        then = Vision.objects.filter(thread=thread, version=body["version"]).first()
    was, stands = (body_of(each) if each else None for each in (then, newest))
    return Ground(then=was, now=stands, shut=SHUT[thread.state])


def body_of(vision: Vision) -> dict[str, Any]:
    """Return a version as the body of a proposal that would change it."""
    return {"thread": public_id(Thread.PREFIX, vision.thread_id), "version": vision.version, **words_of(vision)}


def write_approved(proposal: Proposal, text: ProposalText, decider: Actor, _: datetime) -> None:
    """Write the approved version, in the name of whoever proposed it. Raises Clash (thread_not_open, version_moved)
    where the thread is no longer what was decided about: then nothing was decided.
    """
    body = text.body
    thread = _named(body["thread"])
    hold_open(thread)
    base = current_vision(thread)
    if _version(base) != body["version"]:
        raise moved_meanwhile()
    wish = _with_origin(wish_of(body), base)
    approved = Approved(proposal=proposal.pk, proposer=proposal.proposer_id, decider=decider.pk)
    source = VisionSource.PROPOSAL
    write_vision(thread, wish, acting=acting_as(decider), source=source, base=base, approved=approved)


def written_for(proposal: Proposal) -> str:
    """Return the id of the thread whose vision a proposal became, '' where the open scope may not read it."""
    row = Vision.objects.filter(proposal=proposal).select_related("thread").first()
    return row.thread.public_id if row else ""


def _named(text: str) -> Thread:
    found = Thread.objects.filter(pk=parse_id(Thread.PREFIX, text, pointer="/body/thread")).first()
    if found is None:
        raise NotThere.there("/body/thread")
    return found


def _version(vision: Vision | None) -> int:
    return vision.version if vision else 0


def _with_origin(wish: VisionWish, base: Vision | None) -> VisionWish:
    """A goal that stays the same still comes of the words that it was taken from."""
    if base is None or base.origin_goal != wish.origin_goal:
        return wish
    return replace(wish, origin_ref=base.origin_ref)
