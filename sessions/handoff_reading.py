"""What the page of a handoff shows: all of its parts, who gave it to whom, and the versions that it relies on."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting
from governance.errors import NotThere
from governance.invisible import made_visible
from governance.scope import project_scope
from sessions.fallen import said_now
from sessions.handoffs import parts_of
from sessions.models import Handoff
from sessions.thread_lines import Words
from sessions.vocabulary import HandoffOccasion
from threads.models import Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffPage:
    """A handoff, whole. `to_id` is '' where no session was named; `pins` are refs with the version of each."""

    id: str
    ref: str
    thread: Thread
    from_id: str
    from_role: str
    to_id: str
    to_role: str
    next_actor: str
    occasion: HandoffOccasion
    author: str
    at: datetime
    covers_to: int
    task_id: str
    task: Words | None
    summary: Words
    what: Words | None
    why: Words | None
    suggestion: Words
    unfinished: Sequence[Words]
    risks: Sequence[Words]
    trade_offs: Sequence[Words]
    open: Sequence[Words]
    next: Sequence[Words]
    pins: Sequence[tuple[str, int]]
    erased: bool


def handoff_page(acting: Acting, handoff_id: uuid.UUID) -> HandoffPage:
    """Read a handoff; raises NotThere for one that the actor may not see."""
    with project_scope(acting, read_only=True):
        rows = Handoff.objects.select_related("from_session__thread", "to_session", "task", "author")
        row = rows.filter(pk=handoff_id).first()
        if row is None:
            raise NotThere
        return _page(row)


def _page(row: Handoff) -> HandoffPage:
    said = said_now(parts_of(row))
    lists = {name: [Words.of(text) for text in said.get(name) or ()] for name in ("trade_offs", "open", "next")}
    return HandoffPage(
        id=row.public_id,
        ref=f"handoff://{row.public_id}",
        thread=row.from_session.thread,
        from_id=row.from_session.public_id,
        from_role=row.from_session.role,
        to_id=row.to_session.public_id if row.to_session else "",
        to_role=row.to_session.role if row.to_session else "",
        next_actor=made_visible(row.next_actor),
        occasion=HandoffOccasion(row.occasion),
        author=made_visible(row.author.name),
        at=row.created_at,
        covers_to=row.covers_to_seq,
        task_id=row.task.public_id if row.task else "",
        task=Words.of(row.task.title) if row.task else None,
        summary=Words.of(said["summary"]),
        what=Words.of(said["what"]) if said.get("what") else None,
        why=Words.of(said["why"]) if said.get("why") else None,
        suggestion=Words.of(said["resume_suggestion"]),
        unfinished=[Words.of(text) for text in said["unfinished_items"]],
        risks=[Words.of(text) for text in said["risks"]],
        erased=row.erased,
        pins=sorted((ref, version) for ref, version in row.pins.items() if isinstance(version, int)),
        **lists,
    )
