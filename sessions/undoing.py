"""Undoing a merge or a split: what went along goes back, unless later work would be torn apart by it."""

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting
from governance.ids import public_id
from governance.models.base import ProjectRow
from memories.rehoming import follow_back, said_already
from sessions.lineage_facts import Holdings, hold, holdings_of, those
from sessions.lineage_moves import take_back
from sessions.merging import check_word
from sessions.models import ContextPacket, Session
from threads.lifecycle import advance_thread, check_seen, move_thread
from threads.lineage import Moved, mark_undone, merged_since, put_back, share_uses, undoable
from threads.lineage_plan import Hindrance, Return, against_undoing
from threads.lineage_words import check_free
from threads.models import Lineage, Thread, Vision
from threads.visions import approved_as, as_it_says, current_vision, write_vision
from threads.vocabulary import LineageKind, Obstacle, ThreadState, VisionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoWish:
    """The thread whose merge or split is to be undone, and why. `seen` as in a merge."""

    thread: Thread
    reason: str = ""
    seen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """What an undoing would take back, by the rows that it undoes, or what stands against it. `held` is what each row's
    target has by now.
    """

    rows: Sequence[Lineage]
    held: Sequence[Holdings]
    hindrances: Sequence[Hindrance]

    @property
    def free(self) -> bool:
        return not self.hindrances


def plan_undo(thread: Thread) -> UndoPlan:
    """Return what undoing the merge or split on a thread would do, in the open scope; changes nothing."""
    return _plan(thread, _rows(thread))


def undo(acting: Acting, wish: UndoWish, *, now: datetime) -> Sequence[Lineage]:
    """Undo the merge or split on a thread, in the open scope; returns what was undone.

    A merged thread opens again with what it had; the thread of a part gives back what it took and is archived. Work
    that has begun since on a task goes with the task. Raises Invalid (reason_missing), Clash (version_moved,
    nothing_to_undo), and Clash that names what stands against it.
    """
    check_word(acting, wish.reason)
    rows = _rows(wish.thread)
    hold(wish.thread, *_threads_of(rows), sessions_of=[row.target for row in rows])
    if wish.seen is not None:
        check_seen(wish.thread, wish.seen)
    check_free(_plan(wish.thread, rows).hindrances, pointer="{thread_id}")
    mark_undone(acting, rows, reason=wish.reason, now=now)
    for row in rows:
        take_back(Moved.of(row), here=row.target, there=row.source)
        follow_back(row.pk)
        if row.kind == LineageKind.MERGE:
            _unmerge(acting, row)
        else:
            _unsplit(row, reason=wish.reason, now=now)
    if rows[0].whole:
        advance_thread(rows[0].source, ThreadState.OPEN, reason=wish.reason)
    return rows


def _rows(thread: Thread) -> list[Lineage]:
    rows = undoable(thread)
    for row in rows:
        row.source = rows[0].source  # one object for all, so that each sees what was done to it before
    return rows


def _threads_of(rows: Sequence[Lineage]) -> list[Thread]:
    return [thread for row in rows for thread in (row.source, row.target)]


def _plan(thread: Thread, rows: Sequence[Lineage]) -> UndoPlan:
    if not rows:
        return UndoPlan(rows=(), held=(), hindrances=[Hindrance(Obstacle.NOTHING_TO_UNDO, (thread.public_id,))])
    home, held = holdings_of(rows[0].source), [holdings_of(row.target) for row in rows]
    returns = [_return(row, home, there) for row, there in zip(rows, held, strict=True)]
    return UndoPlan(rows=rows, held=held, hindrances=[one for back in returns for one in against_undoing(back)])


def _return(row: Lineage, home: Holdings, there: Holdings) -> Return:
    moved = Moved.of(row)
    sessions, tasks = set(moved.sessions), set(moved.tasks)
    windows = {one.public_id for one in there.sessions if one.pk in sessions or one.task_id in tasks}
    returning = those(there.memories, moved.memories)
    said = said_already(returning, row.source)
    return Return(
        line=there.line,
        home=home.line,
        whole=row.whole,
        windows=frozenset(windows),
        gone=list(_gone(moved, there)),
        begun=list(_begun(moved, there, windows)) if row.kind == LineageKind.SPLIT else (),
        said=[one.public_id for one in returning if one.pk in said],
        vision_edited=_edited(row),
        later=[one.public_id for one in merged_since(row)],
    )


def _gone(moved: Moved, there: Holdings) -> Iterator[str]:
    """Yield what a lineage moved and is elsewhere by now; a memory also where another took its place."""
    yield from _missing(moved.sessions, there.sessions, "ses")
    yield from _missing(moved.tasks, there.tasks, "tsk")
    yield from _missing(moved.bindings, there.bindings, "bnd")
    yield from _missing(moved.memories, there.memories, "mem")
    kept = set(moved.memories)
    here = those(there.memories, kept)
    yield from (one.public_id for one in here if one.superseded_by_id and one.superseded_by_id not in kept)


def _missing(wanted: Sequence[uuid.UUID], here: Sequence[ProjectRow], prefix: str) -> Iterator[str]:
    present = {row.pk for row in here}
    return (public_id(prefix, pk) for pk in wanted if pk not in present)


def _begun(moved: Moved, there: Holdings, windows: Collection[str]) -> Iterator[str]:
    """Yield what the thread of a part has and did not get from the thread that it comes from."""
    yield from (row.public_id for row in there.sessions if row.public_id not in windows)
    pairs = ((there.tasks, moved.tasks), (there.bindings, moved.bindings), (there.memories, moved.memories))
    for rows, got in pairs:
        known = set(got)
        yield from (row.public_id for row in rows if row.pk not in known)


def _edited(row: Lineage) -> bool:
    """Return whether somebody wrote a vision that an undoing would lose; a later merge and its undoing lose nothing."""
    newest = current_vision(row.target)
    if row.kind == LineageKind.SPLIT:
        return newest is not None and newest.source != VisionSource.SPLIT
    if newest is None or row.before["vision"] is None:
        return False
    written = Vision.objects.get(thread=row.target, version=row.before["vision"][1])
    return as_it_says(newest) != as_it_says(written)


def _unmerge(acting: Acting, row: Lineage) -> None:
    """Give the thread that had absorbed another what it had before, and its vision in a version that says it again."""
    into = row.target
    put_back(into, row, unused=_is_unused(into))
    if row.before["vision"] is not None:
        former = Vision.objects.get(thread=into, version=row.before["vision"][0])
        write_vision(
            into,
            as_it_says(former),
            acting=acting,
            source=VisionSource(former.source),
            base=current_vision(into),
            approved=approved_as(former),
        )


def _is_unused(thread: Thread) -> bool:
    """Return whether a thread has neither an entry nor a packet, so that it may be provisional."""
    spoken_in = Session.objects.filter(thread=thread, head_seq__gt=0)
    return not spoken_in.exists() and not ContextPacket.objects.filter(thread=thread).exists()


def _unsplit(row: Lineage, *, reason: str, now: datetime) -> None:
    """Put the thread of a part away: it is empty, and those who worked in it go on where its work is now."""
    share_uses(row.target, row.source, now=now)
    move_thread(row.target, ThreadState.ARCHIVED, reason=reason)
