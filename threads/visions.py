"""The original intent of a thread: immutable versions, each naming where it came from."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash
from governance.ids import public_id
from governance.scope import record
from threads.models import Thread, Vision
from threads.vocabulary import VisionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionWish:
    """What a version of the vision says. `origin_ref` opens the whole text behind a shortened goal."""

    origin_goal: str
    origin_ref: str = ""
    done_when: Sequence[str] = ()
    non_goals: Sequence[str] = ()
    user_priorities: Sequence[str] = ()
    quality_bar: str = ""


WORDED = ("origin_goal", "done_when", "non_goals", "user_priorities", "quality_bar")


def words_of(vision: Vision | VisionWish) -> dict[str, Any]:
    """Return what a version or a wish says, field by field."""
    return {name: getattr(vision, name) for name in WORDED}


def wish_of(said: Mapping[str, Any]) -> VisionWish:
    """Return the wish that says what these fields say; others beside them are left alone."""
    return VisionWish(**{name: said[name] for name in WORDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """The proposal that a version comes of, who proposed it, and who decided it last."""

    proposal: uuid.UUID
    proposer: uuid.UUID
    decider: uuid.UUID


def approved_as(vision: Vision) -> Approved | None:
    """Return what a version says of its proposal; None where it came of none."""
    if vision.proposal_id is None or vision.decided_by_id is None:
        return None
    return Approved(proposal=vision.proposal_id, proposer=vision.author_id, decider=vision.decided_by_id)


def current_vision(thread: Thread) -> Vision | None:
    """Return the newest version of a thread's vision in the open scope, or None."""
    return Vision.objects.filter(thread=thread).order_by("-version").first()


def write_vision(
    thread: Thread,
    wish: VisionWish,
    *,
    acting: Acting,
    source: VisionSource,
    base: Vision | None,
    approved: Approved | None = None,
) -> Vision:
    """Add the version after `base` in the open scope; one whose source is a proposal names it by `approved`.

    Raises Clash (version_moved) when `base` is not the newest.
    """
    # Not for the key: a packet that points at the thread and is about to touch it must not wait for both.
    Thread.objects.select_for_update(no_key=True).only("pk").get(pk=thread.pk)
    newest = current_vision(thread)
    if (newest and newest.pk) != (base and base.pk):
        raise moved_meanwhile()
    vision = Vision.objects.create(
        project_id=thread.project_id,
        thread=thread,
        version=newest.version + 1 if newest else 1,
        source=source,
        author_id=approved.proposer if approved else acting.actor_id,
        proposal_id=approved.proposal if approved else None,
        decided_by_id=approved.decider if approved else None,
        origin_goal=wish.origin_goal,
        origin_ref=wish.origin_ref,
        done_when=list(wish.done_when),
        non_goals=list(wish.non_goals),
        user_priorities=list(wish.user_priorities),
        quality_bar=wish.quality_bar,
    )
    detail = {"version": vision.version, "source": source} | (_told(approved) if approved else {})
    before = fingerprint(says(newest)) if newest else ""
    record("vision.write", thread.public_id, before=before, after=fingerprint(says(vision)), detail=detail)
    return vision


def moved_meanwhile() -> Clash:
    """Return the refusal of whoever saw an older version."""
    return Clash("The vision changed meanwhile; read it again.", code="version_moved")


def _told(approved: Approved) -> dict[str, str]:
    who = {"proposed_by": approved.proposer, "decided_by": approved.decider}
    return {"proposal": public_id("prp", approved.proposal)} | {name: public_id("act", pk) for name, pk in who.items()}


def says(vision: Vision | VisionWish) -> tuple[object, ...]:
    """Return what a version or a wish says, to be compared."""
    lists = (vision.done_when, vision.non_goals, vision.user_priorities)
    return vision.origin_goal, *(tuple(lines) for lines in lists), vision.quality_bar


def joined(into: Vision | None, source: Vision | None) -> VisionWish | None:
    """Return what two threads want together, `into` first; None where the second wants nothing more.

    What stands there whole already, as from an earlier merge, is not said twice; words that merely occur within others
    are a goal of their own.
    """
    if into is None or source is None:
        return None
    names = ("done_when", "non_goals", "user_priorities")
    lists = {name: list(dict.fromkeys([*getattr(into, name), *getattr(source, name)])) for name in names}
    wish = VisionWish(
        origin_goal=_together(into.origin_goal, source.origin_goal),
        origin_ref=into.origin_ref,
        quality_bar=_together(into.quality_bar, source.quality_bar),
        **lists,
    )
    return None if says(wish) == says(into) else wish


def _together(text: str, more: str) -> str:
    """Return a text with another one behind it, unless its paragraphs stand there already, one after the other."""
    stands = f"\n\n{more}\n\n" in f"\n\n{text}\n\n"
    return text if stands else "\n\n".join(part for part in (text, more) if part)


def as_it_says(vision: Vision) -> VisionWish:
    """Return a version as a wish for another one that says the same."""
    return replace(wish_of(words_of(vision)), origin_ref=vision.origin_ref)
