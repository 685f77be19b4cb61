"""Making one thread of two: what would move, and moving it in one transaction, so that it can be undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import new_id
from governance.people import check_may
from governance.vocabulary import ActorKind, Deed
from memories.models import Memory
from memories.rehoming import follow, said_already
from sessions.lineage_facts import Holdings, demands_left, hold, holdings_of
from sessions.lineage_moves import move_memories, move_sessions
from threads.lifecycle import advance_thread, change_thread, check_seen
from threads.lineage import Moved, Passing, absorbed, pass_on, share_uses, standing_before
from threads.lineage_plan import Hindrance, against_merge
from threads.lineage_words import check_free
from threads.models import Lineage, Thread, Vision
from threads.visions import VisionWish, current_vision, joined, write_vision
from threads.vocabulary import LineageKind, ThreadState, VisionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeWish:
    """Which thread becomes part of which, and why. `seen` and `seen_into` are their versions as somebody saw them;
    None means any.
    """

    source: Thread
    into: Thread
    reason: str = ""
    seen: int | None = None
    seen_into: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """What a merge would move, or what stands against it. `stays` are memories that the other thread says already;
    `vision` what the two together want, None where nothing is added.
    """

    source: Holdings
    into: Holdings
    hindrances: Sequence[Hindrance]
    moved: Moved
    stays: Sequence[Memory]
    vision: VisionWish | None

    @property
    def free(self) -> bool:
        return not self.hindrances


def plan_merge(source: Thread, into: Thread) -> MergePlan:
    """Return what a merge of two threads of the open scope would do; changes nothing."""
    ours, theirs = holdings_of(source), holdings_of(into)
    known = said_already(ours.memories, into)
    sessions = [row.pk for row in ours.sessions]
    moved = Moved(
        sessions=sessions,
        tasks=[row.pk for row in ours.tasks],
        bindings=[row.pk for row in ours.bindings],
        memories=[row.pk for row in ours.memories if row.pk not in known],
        demands=demands_left(source, sessions),
    )
    return MergePlan(
        source=ours,
        into=theirs,
        hindrances=against_merge(ours.line, theirs.line),
        moved=moved,
        stays=[row for row in ours.memories if row.pk in known],
        vision=joined(current_vision(into), current_vision(source)),
    )


def merge(acting: Acting, wish: MergeWish, *, now: datetime) -> Lineage:
    """Make `source` part of `into`, in the open scope: sessions, tasks, channels, memories and demands go along.

    Raises Invalid (reason_missing), Clash (version_moved) when either thread is another version than was seen, and
    Clash that names what stands against it, of several merges at once for all but one.
    """
    source, into = wish.source, wish.into
    check_word(acting, wish.reason)
    hold(source, into, sessions_of=[source])
    for thread, seen in ((source, wish.seen), (into, wish.seen_into)):
        if seen is not None:
            check_seen(thread, seen)
    plan = plan_merge(source, into)
    check_free(plan.hindrances)
    columns, base = absorbed(into, source), current_vision(into)
    passing = Passing(
        kind=LineageKind.MERGE,
        source=source,
        target=into,
        moved=plan.moved,
        reason=wish.reason,
        act=new_id(),
        before=standing_before(into) | {"vision": _versions(base, plan.vision)},
    )
    row = pass_on(acting, passing, now=now)
    if plan.vision is not None:
        write_vision(into, plan.vision, acting=acting, source=VisionSource.MERGE, base=base)
    move_sessions(plan.moved.sessions, here=source, there=into)
    move_memories(plan.moved.memories, here=source, there=into)
    follow(row.pk, everything=True)
    share_uses(source, into, now=now)
    change_thread(into, columns)
    advance_thread(source, ThreadState.MERGED, reason=wish.reason)
    return row


def check_word(acting: Acting, reason: str) -> None:
    """Raise Forbidden (level_too_low) for a human who may not, and Invalid (reason_missing) where nothing is said."""
    if acting.kind is ActorKind.HUMAN:
        check_may(acting, Deed.MERGE_THREAD)
    if not reason.strip():
        raise Invalid.at("/reason", "say why; the ledger and both threads keep it", code="reason_missing")


def _versions(base: Vision | None, wish: VisionWish | None) -> list[int] | None:
    """Return the version that stands and the one that a merge writes, None for none. The lineage names them before
    that one is written: the database looks there for where it comes from.
    """
    return None if base is None or wish is None else [base.version, base.version + 1]
