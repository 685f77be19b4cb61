"""The original intent of a thread: immutable versions, each naming where it came from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash, Invalid
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import Deed
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


def current_vision(thread: Thread) -> Vision | None:
    """Return the newest version of a thread's vision in the open scope, or None."""
    return Vision.objects.filter(thread=thread).order_by("-version").first()


def write_vision(
    thread: Thread, wish: VisionWish, *, acting: Acting, source: VisionSource, base: Vision | None
) -> Vision:
    """Add the version after `base` in the open scope. Raises Clash (version_moved) when `base` is not the newest."""
    # Not for the key: a packet that points at the thread and is about to touch it must not wait for both.
    Thread.objects.select_for_update(no_key=True).only("pk").get(pk=thread.pk)
    newest = current_vision(thread)
    if (newest and newest.pk) != (base and base.pk):
        raise Clash("The vision changed meanwhile; read it again.", code="version_moved")
    vision = Vision.objects.create(
        project_id=thread.project_id,
        thread=thread,
        version=newest.version + 1 if newest else 1,
        source=source,
        author_id=acting.actor_id,
        origin_goal=wish.origin_goal,
        origin_ref=wish.origin_ref,
        done_when=list(wish.done_when),
        non_goals=list(wish.non_goals),
        user_priorities=list(wish.user_priorities),
        quality_bar=wish.quality_bar,
    )
    detail = {"version": vision.version, "source": source}
    record("vision.write", thread.public_id, after=fingerprint(wish.origin_goal), detail=detail)
    return vision


def revise_vision(acting: Acting, thread: Thread, wish: VisionWish, *, seen: int) -> Vision:
    """Add a maintainer's version of the vision after version `seen` in the open scope; 0 where there was none.

    A goal that stays the same keeps the ref to the words it was taken from. Raises Invalid for an empty goal, Clash
    (version_moved) when `seen` is not the newest version, and Clash (nothing_changed) when it would say the same.
    """
    check_may(acting, Deed.EDIT_VISION)
    if not wish.origin_goal.strip():
        raise Invalid.at("/origin_goal", "say what is wanted", code="goal_empty")
    base = current_vision(thread)
    if (base.version if base else 0) != seen:
        raise Clash("The vision changed meanwhile; read it again.", code="version_moved")
    if base is not None and _says(base) == _says(wish):
        raise Clash("It says what the newest version says already; nothing was stored.", code="nothing_changed")
    if base is not None and base.origin_goal == wish.origin_goal:
        wish = replace(wish, origin_ref=base.origin_ref)
    return write_vision(thread, wish, acting=acting, source=VisionSource.MAINTAINER, base=base)


def _says(vision: Vision | VisionWish) -> tuple[object, ...]:
    lists = (vision.done_when, vision.non_goals, vision.user_priorities)
    return vision.origin_goal, *(tuple(lines) for lines in lists), vision.quality_bar


def joined(into: Vision | None, source: Vision | None) -> VisionWish | None:
    """Return what two threads want together, `into` first; None where the second wants nothing more."""
    if into is None or source is None:
        return None
    goals = [into.origin_goal, *([] if source.origin_goal in into.origin_goal else [source.origin_goal])]
    bars = [into.quality_bar, *([] if source.quality_bar in into.quality_bar else [source.quality_bar])]
    names = ("done_when", "non_goals", "user_priorities")
    lists = {name: list(dict.fromkeys([*getattr(into, name), *getattr(source, name)])) for name in names}
    wish = VisionWish(
        origin_goal="\n\n".join(goals),
        origin_ref=into.origin_ref,
        quality_bar="\n\n".join(bar for bar in bars if bar),
        **lists,
    )
    return None if _says(wish) == _says(into) else wish


def as_it_says(vision: Vision) -> VisionWish:
    """Return a version as a wish for another one that says the same."""
    return VisionWish(
        origin_goal=vision.origin_goal,
        origin_ref=vision.origin_ref,
        done_when=vision.done_when,
        non_goals=vision.non_goals,
        user_priorities=vision.user_priorities,
        quality_bar=vision.quality_bar,
    )
