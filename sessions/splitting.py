"""Making threads of parts of one: what would move where, and moving it in one transaction, so that it can be undone."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governance.actors import Acting
from governance.errors import Invalid, NotThere
from governance.ids import new_id
from governance.vocabulary import ActorKind, Audience
from memories.rehoming import follow, resting_on
from sessions.lineage_facts import Holdings, demands_left, hold, holdings_of, those
from sessions.lineage_moves import move_memories, move_sessions
from sessions.merging import check_word
from threads.lifecycle import ThreadWish, advance_thread, check_seen, create_thread
from threads.lineage import Moved, Passing, pass_on, share_uses
from threads.lineage_plan import Hindrance, Share, against_split, divides_whole
from threads.lineage_words import check_free
from threads.models import Lineage, Thread
from threads.titles import checked_title
from threads.visions import as_it_says, current_vision, write_vision
from threads.vocabulary import LineageKind, ThreadState, ThreadType, VisionSource

MOST_PARTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one new thread takes along, by public id; with a task its sessions."""

    title: str
    sessions: Collection[str] = ()
    tasks: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitWish:
    """Which parts of a thread become threads of their own, and why. `seen` as in a merge."""

    thread: Thread
    parts: Sequence[Part]
    reason: str = ""
    seen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPlan:
    """What a split would move, in the order of its parts, or what stands against it.

    `whole`: nothing is left, so that the thread itself takes no more work.
    """

    held: Holdings
    moved: Sequence[Moved]
    hindrances: Sequence[Hindrance]
    whole: bool

    @property
    def free(self) -> bool:
        return not self.hindrances


def plan_split(thread: Thread, parts: Sequence[Part]) -> SplitPlan:
    """Return what a split of a thread of the open scope would do; changes nothing.

    Raises Invalid for too many parts or a title that cannot be, and NotThere for what is not the thread's.
    """
    if len(parts) > MOST_PARTS:
        raise Invalid.at("/parts", f"at most {MOST_PARTS} at once; split again afterwards")
    held = holdings_of(thread)
    for n, part in enumerate(parts):
        _check_part(held, part, at=f"/parts/{n}")
    shares = [Share(windows=frozenset(part.sessions), tasks=frozenset(part.tasks)) for part in parts]
    whole = len(parts) > 1 and divides_whole(held.line, shares)
    moved = [_moved(held, share) for share in shares]
    if whole:
        moved[0] = _with_what_is_left(held, moved)
    return SplitPlan(held=held, moved=moved, hindrances=against_split(held.line, shares), whole=whole)


def split(acting: Acting, wish: SplitWish, *, now: datetime) -> Sequence[Lineage]:
    """Make a thread of each part, in the open scope; returns a lineage for each, in their order.

    A thread of which something is left stays open; one that is divided whole takes no more work. Raises what
    `plan_split` raises, Invalid (reason_missing), Clash (version_moved), and Clash that names what stands against it.
    """
    thread, act = wish.thread, new_id()
    check_word(acting, wish.reason)
    hold(thread, sessions_of=[thread])
    if wish.seen is not None:
        check_seen(thread, wish.seen)
    plan = plan_split(thread, wish.parts)
    check_free(plan.hindrances)
    rows = []
    for part, moved in zip(wish.parts, plan.moved, strict=True):
        passing = Passing(
            kind=LineageKind.SPLIT,
            source=thread,
            target=_opened(acting, thread, part, now=now),
            moved=moved,
            reason=wish.reason,
            act=act,
            whole=plan.whole,
        )
        rows.append(_passed_on(acting, passing, plan.held, now=now))
    for row in rows:
        follow(row.pk, everything=False)
    if plan.whole:
        follow(rows[0].pk, everything=True)
        advance_thread(thread, ThreadState.SPLIT, reason=wish.reason)
    return rows


def _check_part(held: Holdings, part: Part, *, at: str) -> None:
    checked_title(part.title, pointer=f"{at}/title")
    named = {"session_ids": (part.sessions, held.session_ids()), "task_ids": (part.tasks, held.task_ids())}
    for name, (ids, known) in named.items():
        for n, one in enumerate(ids):
            if one not in known:
                raise NotThere.at(f"{at}/{name}/{n}", "this thread has no such thing")


def _moved(held: Holdings, share: Share) -> Moved:
    known, tasks, windows = held.session_ids(), held.task_ids(), share.of(held.line)
    sessions = [known[one] for one in sorted(windows)]
    return Moved(
        sessions=sessions,
        tasks=[tasks[one] for one in sorted(share.tasks)],
        memories=sorted(resting_on(held.memories, windows)),
        demands=demands_left(held.thread, sessions),
    )


def _with_what_is_left(held: Holdings, moved: Sequence[Moved]) -> Moved:
    """Return the first part with the channels, and the memories that no part has: a divided thread keeps none."""
    memories = {pk for one in moved for pk in one.memories}
    return replace(
        moved[0],
        memories=[*moved[0].memories, *(row.pk for row in held.memories if row.pk not in memories)],
        bindings=[row.pk for row in held.bindings],
    )


def _opened(acting: Acting, thread: Thread, part: Part, *, now: datetime) -> Thread:
    """Make the thread of a part: its readers are those of the thread that it comes from."""
    wish = ThreadWish(
        title=checked_title(part.title, pointer="/title"),
        type=ThreadType(thread.type),
        tags=thread.tags,
        private=thread.audience == Audience.PRIVATE,
        title_is_human=acting.kind is ActorKind.HUMAN,
    )
    made = create_thread(acting, wish, now=now)
    Thread.objects.filter(pk=made.pk).update(provisional=False, last_active_at=thread.last_active_at)
    return made


def _want_the_same(acting: Acting, here: Thread, there: Thread) -> None:
    """Begin the vision of a part with what the thread wants that it comes from, which its lineage says by now."""
    vision = current_vision(here)
    if vision is not None:
        write_vision(there, as_it_says(vision), acting=acting, source=VisionSource.SPLIT, base=None)


def _passed_on(acting: Acting, passing: Passing, held: Holdings, *, now: datetime) -> Lineage:
    here, there, moved = passing.source, passing.target, passing.moved
    row = pass_on(acting, passing, now=now)
    _want_the_same(acting, here, there)
    move_sessions(moved.sessions, here=here, there=there)
    move_memories(moved.memories, here=here, there=there)
    roles = {one.role for one in those(held.sessions, moved.sessions)}
    share_uses(here, there, now=now, roles=roles)
    return row
