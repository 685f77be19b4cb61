"""State machines of threads and tasks, as literal tables, and the verbs that make and change a thread."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash
from governance.ids import new_id, public_id
from governance.models.base import reach_of
from governance.people import check_may
from governance.rows import send
from governance.scope import record
from governance.transitions import Table, advance
from governance.vocabulary import Audience, Deed, Destination
from threads.models import Binding, Task, Thread
from threads.titles import checked_title
from threads.vocabulary import PASSED_ON, TaskState, ThreadState, ThreadType

THREAD_TRANSITIONS: Table[ThreadState] = {
    ThreadState.OPEN: frozenset({ThreadState.ARCHIVED, ThreadState.MERGED, ThreadState.SPLIT}),
    ThreadState.ARCHIVED: frozenset({ThreadState.OPEN}),
    ThreadState.MERGED: frozenset({ThreadState.OPEN}),
    ThreadState.SPLIT: frozenset({ThreadState.OPEN}),
}

TASK_TRANSITIONS: Table[TaskState] = {
    TaskState.PLANNED: frozenset({TaskState.READY, TaskState.CANCELLED}),
    TaskState.READY: frozenset({TaskState.DOING, TaskState.CANCELLED}),
    TaskState.DOING: frozenset({TaskState.REVIEW, TaskState.BLOCKED, TaskState.CANCELLED}),
    TaskState.BLOCKED: frozenset({TaskState.DOING, TaskState.CANCELLED}),
    TaskState.REVIEW: frozenset({TaskState.DONE, TaskState.DOING, TaskState.CANCELLED}),
    TaskState.DONE: frozenset({TaskState.CANCELLED}),
    TaskState.CANCELLED: frozenset(),
}
TOUCH_GRAIN = timedelta(seconds=5)  # the resolver thinks in minutes; a new row version for every turn would bloat it
KEPT_GOALS = 5  # recent goals that the resolver matches against; older ones no longer say what a thread is about
TOUCH = """
WITH moved AS (
  UPDATE threads_thread SET last_active_at = %(now)s, provisional = false
  WHERE id = %(thread)s AND (provisional OR last_active_at NOT BETWEEN %(lately)s AND %(now)s))
INSERT INTO threads_threaduse
  (id, project_id, thread_id, actor_id, audience, audience_role, owner_id, role, created_at, last_used_at)
VALUES (%(id)s, %(project)s, %(thread)s, %(actor)s, %(audience)s, %(audience_role)s, %(owner_id)s, %(role)s,
  %(now)s, %(now)s)
ON CONFLICT (project_id, thread_id, actor_id, role) DO UPDATE SET last_used_at = excluded.last_used_at
  WHERE threads_threaduse.last_used_at NOT BETWEEN %(lately)s AND excluded.last_used_at
"""
ONWARD = """
WITH RECURSIVE onward(id) AS (
  SELECT %(thread)s::uuid UNION
  SELECT l.target_id FROM threads_lineage l JOIN onward ON l.source_id = onward.id AND l.state = 'standing' AND l.whole
) SELECT t.id FROM threads_thread t JOIN onward USING (id)
WHERE t.id <> %(thread)s AND t.state NOT IN ('merged', 'split') ORDER BY t.state <> 'open', t.created_at, t.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingWish:
    """A channel (and page) to tie to a thread, and who reads along there."""

    channel: str
    page: str = ""
    destination: Destination = Destination.PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadWish:
    """What a new thread should be."""

    title: str
    type: ThreadType = ThreadType.WORK
    tags: Sequence[str] = ()
    keywords: Sequence[str] = ()
    summary: str = ""
    private: bool = False
    title_is_human: bool = False
    bindings: Sequence[BindingWish] = ()


def create_thread(acting: Acting, wish: ThreadWish, *, now: datetime) -> Thread:
    """Make a provisional thread in the open scope. A private one is its maker's alone.

    Raises Clash (binding_taken) when a channel is tied to another thread already.
    """
    private = wish.private
    thread = Thread.objects.create(
        project_id=acting.project_id,
        title=wish.title,
        type=wish.type,
        tags=list(wish.tags),
        keywords=list(wish.keywords),
        summary=wish.summary,
        title_is_human=wish.title_is_human,
        audience=Audience.PRIVATE if private else Audience.PROJECT,
        owner_id=acting.actor_id if private else None,
        created_by_id=acting.actor_id,
        created_at=now,
        last_active_at=now,
    )
    record("thread.create", thread.public_id, detail={"type": wish.type, "audience": thread.audience})
    for binding in wish.bindings:
        bind(thread, binding)
    return thread


def open_thread(acting: Acting, wish: ThreadWish, *, now: datetime) -> Thread:
    """Make a thread on a person's word in the open scope: its title is checked, and sticks.

    Raises Invalid for a title that cannot be, and what `create_thread` raises.
    """
    check_may(acting, Deed.OPEN_THREAD)
    called = checked_title(wish.title, pointer="/title")
    return create_thread(acting, replace(wish, title=called, title_is_human=True), now=now)


def bind(thread: Thread, wish: BindingWish) -> Binding:
    """Tie a channel to a thread; raises Clash (binding_taken) when it is tied already."""
    try:
        binding = Binding.objects.create(
            project_id=thread.project_id,
            thread=thread,
            channel=wish.channel,
            page=wish.page,
            destination=wish.destination,
        )
    except IntegrityError as error:
        message = f"{wish.channel} {wish.page} is tied to a thread already"
        raise Clash.at("/bindings", message, code="binding_taken") from error
    record("thread.bind", thread.public_id, detail={"binding": binding.public_id, "destination": wish.destination})
    return binding


def check_open(thread: Thread, *, pointer: str = "/thread_id") -> None:
    """Raise Clash (thread_not_open) for a thread that takes no new work: archived, merged or split.

    Of one that was merged or split, `successors` names the threads in which its work goes on.
    """
    if thread.state == ThreadState.OPEN:
        return
    onward = successors(thread)
    remedy = f"its work goes on in {' and '.join(onward)}; name that" if onward else "reopen it or name another"
    message = f"this thread is {thread.state}; {remedy}"
    raise Clash.at(pointer, message, code="thread_not_open", extra={"successors": onward} if onward else {})


def hold_open(thread: Thread, *, pointer: str = "/thread_id") -> None:
    """Lock a thread in the open scope until something new has begun on it; raises what `check_open` raises.

    Without the lock a merge could commit between the look and what begins, which would be left behind by it.
    """
    rows = Thread.objects.select_for_update(no_key=True).filter(pk=thread.pk)
    thread.state = rows.values_list("state", flat=True).get()
    check_open(thread, pointer=pointer)


def successors(thread: Thread) -> list[str]:
    """Return the ids of the threads in which the work of a merged or split one goes on, in the open scope; none for
    another.

    Where one of them was merged in turn, the one that it became part of stands in its place.
    """
    if thread.state not in PASSED_ON:
        return []
    with connection.cursor() as cursor:
        cursor.execute(ONWARD, {"thread": thread.pk})
        return [public_id(Thread.PREFIX, pk) for (pk,) in cursor.fetchall()]


def check_seen(row: Thread | Task, seen: int) -> None:
    """Raise Clash (version_moved) when the row is no longer the version that its editor saw."""
    if row.version != seen:
        message = f"you saw version {seen}, it is now {row.version}; read it again and repeat your change"
        raise Clash(message, code="version_moved")


def rename_thread(acting: Acting, thread: Thread, title: str, *, seen: int) -> Thread:
    """Give a thread a person's title in the open scope; it sticks: no agent's title replaces it.

    Raises Invalid for a title that cannot be, Clash (version_moved) unless `seen` is the thread's version.
    """
    check_may(acting, Deed.RENAME_THREAD)
    called = checked_title(title, pointer="/title")
    check_seen(thread, seen)
    return change_thread(thread, {"title": called, "title_is_human": True})


def archive_thread(acting: Acting, thread: Thread, *, reason: str) -> None:
    """Put an open thread away in the open scope, on a person's word; raises Clash where it is not open."""
    check_may(acting, Deed.ARCHIVE_THREAD)
    move_thread(thread, ThreadState.ARCHIVED, reason=reason)


def reopen_thread(acting: Acting, thread: Thread, *, reason: str) -> None:
    """Open an archived thread again in the open scope, on a person's word.

    Raises Clash (thread_has_lineage) for a merged or split one: undoing that moves more than a state.
    """
    check_may(acting, Deed.ARCHIVE_THREAD)
    move_thread(thread, ThreadState.OPEN, reason=reason)


def change_thread(thread: Thread, changes: dict[str, Any]) -> Thread:
    """Set columns of a thread in the open scope and move its version on.

    Raises Clash (version_moved) when somebody else was faster, and Clash (title_is_a_persons) when the title would
    replace one that a person gave.
    """
    if (
        thread.title_is_human
        and not changes.get("title_is_human")
        and changes.get("title", thread.title) != thread.title
    ):
        message = "a person named this thread; only a person renames it, in the console"
        raise Clash.at("/title", message, code="title_is_a_persons")
    before = {name: getattr(thread, name) for name in changes}
    moved = Thread.objects.filter(pk=thread.pk, version=thread.version).update(version=thread.version + 1, **changes)
    if moved != 1:
        raise Clash("The thread changed meanwhile; read it again.", code="version_moved")
    thread.version += 1
    for name, value in changes.items():
        setattr(thread, name, value)
    detail = {"fields": sorted(changes)}
    record("thread.change", thread.public_id, before=fingerprint(before), after=fingerprint(changes), detail=detail)
    return thread


def move_thread(thread: Thread, to: ThreadState, *, reason: str) -> None:
    """Archive or reopen a thread; raises Clash when its table does not allow it.

    A merge or a split leaves a lineage, which a mere change of state does not: it is refused (invalid_transition), and
    so is opening again what was merged or split (thread_has_lineage).
    """
    if to is ThreadState.OPEN and thread.state in PASSED_ON:
        message = f"this thread was {thread.state}; undo that, it is not merely reopened"
        raise Clash.at("/state", message, code="thread_has_lineage")
    if to in PASSED_ON:
        raise Clash.at("/state", f"a thread becomes {to} by its own verb, with a lineage", code="invalid_transition")
    advance_thread(thread, to, reason=reason)


def advance_thread(thread: Thread, to: ThreadState, *, reason: str) -> None:
    """Move a thread as its table allows, with a ledger entry; of merging and splitting the database asks a lineage."""
    advance(thread, to, table=THREAD_TRANSITIONS, verb=f"thread.{to}", reason=reason, version=thread.version + 1)


def touch(thread: Thread, acting: Acting, *, role: str, now: datetime) -> None:
    """Note that the actor works on the thread in this role: it is no longer provisional, and it is the recent one."""
    use = {"id": new_id(), "project": acting.project_id, "thread": thread.pk, "actor": acting.actor_id}
    send(TOUCH, use | reach_of(thread) | {"role": role, "now": now, "lately": now - TOUCH_GRAIN})


def remember_goal(thread: Thread, goal: str) -> None:
    """Keep a user's request among the recent goals that the resolver matches against (newest first)."""
    thread.recent_goals = [goal, *[kept for kept in thread.recent_goals if kept != goal]][:KEPT_GOALS]
    Thread.objects.filter(pk=thread.pk).update(recent_goals=thread.recent_goals)
