"""What belongs to a thread, read for a merge, a split or an undoing: rows, and the plain values that a plan judges."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from governance.models.base import ProjectRow
from memories.models import Memory
from memories.rehoming import memories_on
from sessions.models import Handoff, Session
from sessions.models.session import LIVE
from sessions.reading import constraints_of, place_in
from threads.lineage import hold_threads, newest_version, reach
from threads.lineage_plan import Errand, Line, Window
from threads.models import Binding, Task, Thread
from threads.vocabulary import ThreadState, ThreadType


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What belongs to a thread in the open scope, each list oldest first. `errands` are handoffs to a session by name,
    of each session the latest; `version` is that of the thread's vision.
    """

    thread: Thread
    sessions: Sequence[Session]
    tasks: Sequence[Task]
    bindings: Sequence[Binding]
    memories: Sequence[Memory]
    errands: Sequence[Handoff]
    version: int
    line: Line = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "line", _line(self))

    def session_ids(self) -> Mapping[str, uuid.UUID]:
        """Return the ids of its sessions by what the outside calls them."""
        return {row.public_id: row.pk for row in self.sessions}

    def task_ids(self) -> Mapping[str, uuid.UUID]:
        """Return the ids of its tasks by what the outside calls them."""
        return {row.public_id: row.pk for row in self.tasks}


def holdings_of(thread: Thread) -> Holdings:
    """Read what belongs to a thread, in the open scope."""
    between = Q(from_session__thread=thread) | Q(to_session__thread=thread)
    to_somebody = Handoff.objects.filter(between, to_session__state__in=LIVE).select_related(
        "from_session", "to_session"
    )
    return Holdings(
        thread=thread,
        sessions=list(Session.objects.filter(thread=thread).select_related("task").order_by("created_at", "id")),
        tasks=list(Task.objects.filter(thread=thread).order_by("created_at", "id")),
        bindings=list(Binding.objects.filter(thread=thread).order_by("created_at", "id")),
        memories=memories_on(thread),
        errands=list(to_somebody.order_by("to_session_id", "-created_at", "-id").distinct("to_session_id")),
        version=newest_version(thread),
    )


def hold(*threads: Thread, sessions_of: Sequence[Thread]) -> None:
    """Let nothing change about threads, and nothing in the sessions of some, until the open scope ends."""
    for thread in sessions_of:
        _lock_sessions(thread)
    hold_threads(*threads)
    for thread in sessions_of:
        _lock_sessions(thread)  # also what was opened before the thread was held


def those[R: ProjectRow](rows: Sequence[R], ids: Collection[uuid.UUID]) -> list[R]:
    """Return the rows with these ids, in the rows' order."""
    chosen = set(ids)
    return [row for row in rows if row.pk in chosen]


def _lock_sessions(thread: Thread) -> None:
    """Let no entry be appended and no attempt begin in a thread's sessions until the open scope ends.

    Whoever appends holds the session first and its thread then: so must who locks both. A row that merely points at a
    session, as a packet does, is let pass.
    """
    rows = Session.objects.select_for_update(no_key=True).filter(thread=thread).order_by("pk")
    list(rows.values_list("pk", flat=True))


def demands_left(thread: Thread, leaving: Collection[uuid.UUID]) -> list[tuple[uuid.UUID, int]]:
    """Return where the demands that hold on a thread were said, of those that were not said in a session that leaves.

    They hold for the work that leaves as well, so they have to be named beside it.
    """
    places = [place_in(row.ref) for row in constraints_of(thread)]
    return [place for place in places if place[0] not in leaving]


def _line(held: Holdings) -> Line:
    thread = held.thread
    return Line(
        id=thread.public_id,
        state=ThreadState(thread.state),
        type=ThreadType(thread.type),
        reach=reach(thread),
        vision=held.version > 0,
        windows=[_window(row) for row in held.sessions],
        tasks=[row.public_id for row in held.tasks],
        errands=[_errand(row) for row in held.errands],
    )


def _window(row: Session) -> Window:
    task = row.task.public_id if row.task else None
    return Window(id=row.public_id, role=row.role, task=task, live=row.state in LIVE)


def _errand(row: Handoff) -> Errand:
    taker = row.to_session.public_id if row.to_session else ""
    return Errand(id=row.public_id, giver=row.from_session.public_id, taker=taker)
