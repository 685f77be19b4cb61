"""Tasks of a thread and what they wait for."""

import uuid
from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection

from governance.actors import Acting
from governance.errors import Clash, Invalid
from governance.ids import public_id
from governance.scope import record
from governance.transitions import advance
from governance.vocabulary import Phase, Risk
from threads.lifecycle import TASK_TRANSITIONS, hold_open
from threads.models import Task, TaskEdge, Thread
from threads.vocabulary import TaskState

CIRCLE = "GW004"  # raised by the database when a dependency would close a circle
AHEAD = """
WITH RECURSIVE ahead(id) AS (
  SELECT unnest(%s::uuid[]) UNION
  SELECT e.depends_on_id FROM threads_taskedge e JOIN ahead ON e.task_id = ahead.id
) SELECT e.task_id, e.depends_on_id FROM threads_taskedge e JOIN ahead ON e.task_id = ahead.id
"""


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
    """Add a planned task to a thread, with its dependencies, in the open scope.

    Raises Clash (thread_not_open), and what `set_dependencies` raises.
    """
    hold_open(thread)
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

    Raises Invalid when one of them is not a task here, Clash (dependency_circle) when they would close a circle;
    its `circle` names the tasks on it as a path that begins and ends with this one.
    """
    wanted = set(depends_on)
    if Task.objects.filter(pk__in=wanted).count() != len(wanted):
        raise Invalid.at("/depends_on", "each must be a task of this project", code="unknown_task")
    # The thread's lock keeps two writers from closing a circle together, which neither alone would.
    Thread.objects.select_for_update().only("pk").get(pk=task.thread_id)
    TaskEdge.objects.filter(task=task).exclude(depends_on__in=wanted).delete()
    present = set(TaskEdge.objects.filter(task=task).values_list("depends_on_id", flat=True))
    fresh = [TaskEdge(project_id=task.project_id, task=task, depends_on_id=other) for other in wanted - present]
    if fresh:
        _check_circle(task, wanted)
    try:
        TaskEdge.objects.bulk_create(fresh)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", "") not in (CIRCLE, "23514"):
            raise
        raise Clash.at("/depends_on", "this would close a circle of dependencies", code="dependency_circle") from error


def _check_circle(task: Task, wanted: Set[uuid.UUID]) -> None:
    """Raise Clash that names the circle which these dependencies would close; the database only says that one would."""
    with connection.cursor() as cursor:
        cursor.execute(AHEAD, [list(wanted)])
        edges: dict[uuid.UUID, list[uuid.UUID]] = {}
        for here, there in cursor.fetchall():
            edges.setdefault(here, []).append(there)
    path = path_to(task.pk, wanted, edges)
    if path is None:
        return
    titles = dict(Task.objects.filter(pk__in=path).values_list("pk", "title"))
    circle = [{"id": public_id("tsk", pk), "title": titles[pk]} for pk in [task.pk, *path]]
    words = " waits for ".join(f"“{step['title']}”" for step in circle)
    message = f"this would close a circle of dependencies: {words}; leave one of them out"
    raise Clash.at("/depends_on", message, code="dependency_circle", extra={"circle": circle})


def path_to[K](goal: K, starts: Iterable[K], edges: Mapping[K, Iterable[K]]) -> list[K] | None:
    """Return the shortest way along `edges` from one of `starts` to `goal`, both included; None where there is none."""
    came_from: dict[K, K | None] = dict.fromkeys(starts)
    waiting = deque(came_from)
    while waiting:
        here = waiting.popleft()
        if here == goal:
            return _walked(here, came_from)
        for there in edges.get(here, ()):
            if there not in came_from:
                came_from[there] = here
                waiting.append(there)
    return None


def _walked[K](end: K, came_from: Mapping[K, K | None]) -> list[K]:
    path: list[K] = []
    at: K | None = end
    while at is not None:
        path.append(at)
        at = came_from[at]
    return path[::-1]


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


def move_task(task: Task, to: TaskState, *, reason: str, **also: Any) -> None:
    """Move a task along its state machine, setting `also` with it; raises Clash when the table does not allow it."""
    also |= {"version": task.version + 1}
    advance(task, to, table=TASK_TRANSITIONS, verb=f"task.{to}", reason=reason, **also)


def send_back(task: Task, *, reason: str) -> None:
    """Return a task under review to whoever does it, and say why: the reason becomes its first next step.

    What a packet carries of a task are its next steps, so that is where the one who does it will read the reason.
    """
    if task.state != TaskState.REVIEW:
        message = f"only a task under review is sent back; this one is {task.state}"
        raise Clash.at("{task_id}", message, code="not_under_review")
    move_task(task, TaskState.DOING, reason=reason, next_steps=[reason, *task.next_steps])


def dependencies(task: Task) -> list[uuid.UUID]:
    """Return the ids of what a task waits for, oldest first."""
    return list(TaskEdge.objects.filter(task=task).order_by("created_at", "id").values_list("depends_on_id", flat=True))
