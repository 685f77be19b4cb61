"""What the pages of a merge, a split and an undoing show before anything moves."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from governance.invisible import made_visible
from governance.places import page_of_id
from governance.refusal_words import told as in_words
from sessions.lineage_facts import Holdings, those
from sessions.models import Session
from sessions.thread_lines import Words
from sessions.vocabulary import SessionState
from threads.lineage import Moved
from threads.lineage_plan import Hindrance
from threads.lineage_words import told
from threads.models import Thread
from threads.vocabulary import TaskState, ThreadState

MOST_OTHERS = 200  # open threads that the form of a merge offers, the latest ones first


@dataclass(frozen=True, slots=True)
class Barrier:
    """One thing that stands against it, and where what it is about is shown: (id, address or '')."""

    words: Promise | str
    about: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMove:
    """A session that goes along."""

    id: str
    role: str
    state: SessionState
    task: Words | None
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMove:
    """A task that goes along."""

    id: str
    title: Words
    state: TaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMove:
    """A memory that goes along."""

    id: str
    text: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveList:
    """What goes along, fit to be shown. `demands` were said in what stays, and hold there too."""

    sessions: Sequence[SessionMove]
    tasks: Sequence[TaskMove]
    bindings: Sequence[str]
    memories: Sequence[MemoryMove]
    demands: int


def barriers(project: str, found: Sequence[Hindrance]) -> list[Barrier]:
    """Return what stands against it, with the addresses of what it is about."""
    return [_barrier(project, one) for one in found]


def moves(held: Holdings, moved: Moved) -> MoveList:
    """Return what goes along as a page shows it."""
    bindings = those(held.bindings, moved.bindings)
    return MoveList(
        sessions=[_session(row) for row in those(held.sessions, moved.sessions)],
        tasks=[
            TaskMove(id=row.public_id, title=Words.of(row.title), state=TaskState(row.state))
            for row in those(held.tasks, moved.tasks)
        ],
        bindings=[made_visible(" ".join(filter(None, (row.channel, row.page)))) for row in bindings],
        memories=[
            MemoryMove(id=row.public_id, text=Words.of(row.content)) for row in those(held.memories, moved.memories)
        ],
        demands=len(moved.demands),
    )


def others_of(thread: Thread) -> list[Thread]:
    """Return the open threads with the same readers, those with the latest activity first."""
    same = {"audience": thread.audience, "audience_role": thread.audience_role, "owner_id": thread.owner_id}
    rows = Thread.objects.filter(state=ThreadState.OPEN, **same).exclude(pk=thread.pk)
    return list(rows.order_by("-last_active_at", "-id")[:MOST_OTHERS])


def _barrier(project: str, one: Hindrance) -> Barrier:
    return Barrier(in_words(one.why, told(one)), [(thing, page_of_id(project, thing) or "") for thing in one.about])


def _session(row: Session) -> SessionMove:
    return SessionMove(
        id=row.public_id,
        role=row.role,
        state=SessionState(row.state),
        task=Words.of(row.task.title) if row.task else None,
        entries=row.head_seq,
    )
