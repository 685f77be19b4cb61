"""Planting: that a part of a line of work, which had nothing yet, was split off."""

from datetime import datetime

from governance.actors import Acting
from governance.models.base import reach_of
from governance.vocabulary import Audience
from greywind_site.hunting.leaks.marks import Mint
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Lineage, Thread
from threads.vocabulary import LineageKind


def write_part(acting: Acting, thread: Thread, texts: Mint, *, now: datetime) -> None:
    """Make an empty thread and write that it was split off, in the open scope."""
    title = texts.say("a part of the lights")
    wish = ThreadWish(title=title, tags=[texts.word()], private=thread.audience == Audience.PRIVATE)
    part = create_thread(acting, wish, now=now)
    Lineage.objects.create(
        project_id=thread.project_id,
        created_at=now,
        kind=LineageKind.SPLIT,
        act=part.pk,
        source=thread,
        target=part,
        whole=False,
        reason=texts.say("another matter"),
        author_id=acting.actor_id,
        **reach_of(thread),
    )
