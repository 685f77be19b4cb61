"""Tasks of a thread and what they wait for."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from governance.actors import Acting
from governance.errors import Clash, Invalid
from governance.scope import record
from governance.transitions import advance
from governance.vocabulary import Phase, Risk
from threads.lifecycle import TASK_TRANSITIONS
from threads.models import Task, TaskEdge, Thread
from threads.vocabulary import TaskState

CIRCLE = "GW004"  # raised by the database when a dependency would close a circle


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWish:
    """What a new task should be; `depends_on` names tasks of the same project."""

    title: str
    brief: str = ""
    phase: Phase = Phase.PLAN
    risk: Risk = Risk.LOW
    next_steps: Sequence[str] = ()
    depends_on: Sequence[uuid.UUID] = ()
    max_input_tokens: int | None = None


def create_task(acting: Acting, thread: Thread, wish: TaskWish, *, now: datetime) -> Task:
    """Add a planned task to a thread, with its dependencies, in the open scope."""
    task = Task.objects.create(
        project_id=thread.project_id,
        thread=thread,
        title=wish.title,
        brief=wish.brief,
        phase=wish.phase,
        risk=wish.risk,
        next_steps=list(wish.next_steps),
        max_input_tokens=wish.max_input_tokens,
        created_by_id=acting.actor_id,
        created_at=now,
    )
    record("task.create", task.public_id, detail={"thread": thread.public_id, "risk": wish.risk})
    set_dependencies(task, wish.depends_on)
    return task


def set_dependencies(task: Task, depends_on: Sequence[uuid.UUID]) -> None:
    """Make `depends_on` the whole list of what a task waits for.

    Raises Invalid when one of them is not a task here, Clash (dependency_circle) when they would close a circle.
    """
    wanted = set(depends_on)
    if Task.objects.filter(pk__in=wanted).count() != len(wanted):
        raise Invalid.at("/depends_on", "each must be a task of this project", code="unknown_task")
    # The thread's lock keeps two writers from closing a circle together, which neither alone would.
    Thread.objects.select_for_update().only("pk").get(pk=task.thread_id)
    TaskEdge.objects.filter(task=task).exclude(depends_on__in=wanted).delete()
    present = set(TaskEdge.objects.filter(task=task).values_list("depends_on_id", flat=True))
    fresh = [TaskEdge(project_id=task.project_id, task=task, depends_on_id=other) for other in wanted - present]
    try:
        TaskEdge.objects.bulk_create(fresh)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", "") not in (CIRCLE, "23514"):
            raise
        raise Clash.at("/depends_on", "this would close a circle of dependencies", code="dependency_circle") from error


def change_task(task: Task, changes: dict[str, Any], *, depends_on: Sequence[uuid.UUID] | None = None) -> Task:
    """Set columns of a task in the open scope, and what it waits for, and move its version on.

    Raises Clash when somebody was faster, and what `set_dependencies` raises.
    """
    if depends_on is not None:
        set_dependencies(task, depends_on)
    moved = Task.objects.filter(pk=task.pk, version=task.version).update(version=task.version + 1, **changes)
    if moved != 1:
        raise Clash("The task changed meanwhile; read it again.", code="version_moved")
    task.version += 1
    for name, value in changes.items():
        setattr(task, name, value)
    record(
        "task.change",
        task.public_id,
        detail={"fields": sorted([*changes, *(["depends_on"] if depends_on is not None else [])])},
    )
    return task


def move_task(task: Task, to: TaskState, *, reason: str) -> None:
    """Move a task along its state machine; raises Clash when the table does not allow it."""
    advance(task, to, table=TASK_TRANSITIONS, verb=f"task.{to}", reason=reason, version=task.version + 1)


def send_back(task: Task, *, reason: str) -> None:
    """Return a task under review to whoever does it, and say why."""
    if task.state != TaskState.REVIEW:
        message = f"only a task under review is sent back; this one is {task.state}"
        raise Clash.at("{task_id}", message, code="not_under_review")
    move_task(task, TaskState.DOING, reason=reason)


def dependencies(task: Task) -> list[uuid.UUID]:
    """Return the ids of what a task waits for, oldest first."""
    return list(TaskEdge.objects.filter(task=task).order_by("created_at", "id").values_list("depends_on_id", flat=True))
