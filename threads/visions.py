"""The original intent of a thread: immutable versions, each naming where it came from."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash
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


def current_vision(thread: Thread) -> Vision | None:
    """Return the newest version of a thread's vision in the open scope, or None."""
    return Vision.objects.filter(thread=thread).order_by("-version").first()


def write_vision(
    thread: Thread, wish: VisionWish, *, acting: Acting, source: VisionSource, base: Vision | None
) -> Vision:
    """Add the version after `base` in the open scope. Raises Clash (version_moved) when `base` is not the newest."""
    Thread.objects.select_for_update().only("pk").get(pk=thread.pk)
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
