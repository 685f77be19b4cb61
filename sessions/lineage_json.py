"""What a merge, a split or an undoing would do, as the API shows it."""

from collections.abc import Mapping, Sequence
from typing import Any

from governance.ids import public_id
from sessions.lineage_facts import Holdings, those
from sessions.merging import MergePlan
from sessions.models import Session
from sessions.reading import event_place
from sessions.splitting import Part, SplitPlan
from sessions.undoing import UndoPlan
from threads.lineage import Moved
from threads.lineage_words import hindrances_out
from threads.models import Task


def merge_out(plan: MergePlan) -> dict[str, Any]:
    """Return what would move into the other thread, and what stays because it is said there already."""
    versions = {held.thread.public_id: held.thread.version for held in (plan.source, plan.into)}
    return {
        "dry_run": True,
        "possible": plan.free,
        "obstacles": hindrances_out(plan.hindrances),
        "versions": versions,
        "thread_id": plan.source.thread.public_id,
        "into_thread_id": plan.into.thread.public_id,
        "moves": moves_out(plan.source, plan.moved),
        "stays": {"memories": [row.public_id for row in plan.stays]},
        "vision": _vision(plan),
    }


def split_out(plan: SplitPlan, parts: Sequence[Part]) -> dict[str, Any]:
    """Return what each part would take along, and whether the thread itself would take no more work."""
    return {
        "dry_run": True,
        "possible": plan.free,
        "obstacles": hindrances_out(plan.hindrances),
        "versions": {plan.held.thread.public_id: plan.held.thread.version},
        "thread_id": plan.held.thread.public_id,
        "whole": plan.whole,
        "parts": [
            {"title": part.title, "moves": moves_out(plan.held, moved)}
            for part, moved in zip(parts, plan.moved, strict=True)
        ],
    }


def undo_out(plan: UndoPlan) -> dict[str, Any]:
    """Return what would go back where, by the rows that would be undone."""
    return {
        "dry_run": True,
        "possible": plan.free,
        "obstacles": hindrances_out(plan.hindrances),
        "undoes": [
            {"id": row.public_id, "kind": row.kind, "from": row.target.public_id, "to": row.source.public_id}
            | {"moves": Moved.of(row).counts}
            for row in plan.rows
        ],
    }


def moves_out(held: Holdings, moved: Moved) -> dict[str, Any]:
    """Return what moves, each thing by its id and by what tells it apart."""
    return {
        "sessions": [_session(row) for row in those(held.sessions, moved.sessions)],
        "tasks": [_task(row) for row in those(held.tasks, moved.tasks)],
        "bindings": [{"channel": row.channel, "page": row.page} for row in those(held.bindings, moved.bindings)],
        "memories": [row.public_id for row in those(held.memories, moved.memories)],
        "demands": [event_place(session, seq) for session, seq in moved.demands],
    }


def _session(row: Session) -> Mapping[str, Any]:
    task = public_id("tsk", row.task_id) if row.task_id else None
    return {"id": row.public_id, "role": row.role, "state": row.state, "task_id": task, "entries": row.head_seq}


def _task(row: Task) -> Mapping[str, Any]:
    return {"id": row.public_id, "title": row.title, "state": row.state}


def _vision(plan: MergePlan) -> dict[str, Any] | None:
    if plan.vision is None:
        return None
    names = ("origin_goal", "done_when", "non_goals", "user_priorities", "quality_bar")
    return {name: getattr(plan.vision, name) for name in names}
