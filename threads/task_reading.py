"""What pages show of a thread's tasks."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.db.models.functions import JSONObject

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.scope import project_scope
from governance.vocabulary import Phase, Risk
from threads.drawing import Drawing, Node, drawn
from threads.lifecycle import TASK_TRANSITIONS
from threads.models import Task, TaskEdge, Thread
from threads.vocabulary import TaskState

MOST_TASKS = 200  # of one thread that a page shows; a drawing of more says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskName:
    """A task as others name it. `elsewhere`: it belongs to another thread."""

    id: str
    title: str
    state: TaskState
    elsewhere: bool = False

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine(TaskName):
    """A task in the list of its thread."""

    phase: Phase
    risk: Risk
    next_steps: Sequence[str]
    waits_for: Sequence[TaskName]

    @property
    def waiting(self) -> bool:
        """Whether something that it waits for is neither done nor cancelled."""
        return any(other.state not in (TaskState.DONE, TaskState.CANCELLED) for other in self.waits_for)


@dataclass(frozen=True, slots=True)
class Board:
    """The tasks of a thread, oldest first, and their drawing. `more`: the list was cut."""

    lines: Sequence[TaskLine]
    drawing: Drawing
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """One task with what it waits for, what waits for it, and what else it could wait for."""

    task: Task
    line: TaskLine
    thread: Thread
    awaited_by: Sequence[TaskName]
    others: Sequence[TaskName]

    @property
    def brief(self) -> str:
        return made_visible(self.task.brief)

    @property
    def moves(self) -> Sequence[TaskState]:
        """Where a button may move it, in the order of work; sending back and cancelling have forms of their own."""
        if self.line.state == TaskState.REVIEW:
            return [TaskState.DONE]
        allowed = TASK_TRANSITIONS[self.line.state]
        return [state for state in TaskState if state in allowed and state != TaskState.CANCELLED]

    @property
    def cancellable(self) -> bool:
        return TaskState.CANCELLED in TASK_TRANSITIONS[self.line.state]


def board_of(thread: Thread) -> Board:
    """Read the tasks of a thread in the open scope, in one query."""
    rows = list(_with_edges(Task.objects.filter(thread=thread)).order_by("created_at", "id")[: MOST_TASKS + 1])
    lines = [_line(row) for row in rows[:MOST_TASKS]]
    return Board(lines, drawn(_nodes(lines)), len(rows) > MOST_TASKS)


def others_of(thread: Thread, *, without: uuid.UUID | None = None) -> list[TaskName]:
    """Return the tasks of a thread that a task of it may wait for, newest first, in the open scope."""
    rows = Task.objects.filter(thread=thread).order_by("-created_at", "-id")
    found = rows.only("id", "title", "state")[: MOST_TASKS + 1]
    return [_bare(row) for row in found if row.pk != without]


def _bare(row: Task) -> TaskName:
    return TaskName(id=row.public_id, title=made_visible(row.title), state=TaskState(row.state))


def task_page(acting: Acting, task_id: uuid.UUID) -> TaskPage:
    """Read what a task's page shows; raises NotThere."""
    with project_scope(acting, read_only=True):
        task = _with_edges(Task.objects.filter(pk=task_id)).select_related("thread").first()
        if task is None:
            raise NotThere
        awaited = TaskEdge.objects.filter(depends_on=task).order_by("created_at", "id")
        names = list(awaited.values_list(_named("task"), flat=True)[:MOST_TASKS])
        others = others_of(task.thread, without=task.pk)
    line = _line(task)
    return TaskPage(
        task=task,
        line=line,
        thread=task.thread,
        awaited_by=[_name(row, home=task.thread_id) for row in names],
        # What it waits for already stays a choice, wherever it belongs: else saving the form would drop it.
        others=[*others, *(name for name in line.waits_for if name.id not in {other.id for other in others})],
    )


def _with_edges(rows: QuerySet[Task]) -> QuerySet[Task]:
    edges = TaskEdge.objects.filter(task=OuterRef("pk")).order_by("created_at", "id")
    return rows.annotate(after=ArraySubquery(edges.values_list(_named("depends_on"))))


def _named(end: str) -> JSONObject:
    """Return the expression for the task at one end of an edge, as `_name` reads it."""
    return JSONObject(id=f"{end}_id", title=f"{end}__title", state=f"{end}__state", thread=f"{end}__thread_id")


def _line(row: Task) -> TaskLine:
    after: Sequence[Mapping[str, str]] = row.after  # type: ignore[attr-defined]  # annotated by _with_edges
    return TaskLine(
        id=row.public_id,
        title=made_visible(row.title),
        state=TaskState(row.state),
        phase=Phase(row.phase),
        risk=Risk(row.risk),
        next_steps=[made_visible(step) for step in row.next_steps],
        waits_for=[_name(edge, home=row.thread_id) for edge in after],
    )


def _name(row: Mapping[str, str], *, home: uuid.UUID) -> TaskName:
    public = public_id("tsk", uuid.UUID(row["id"]))
    elsewhere = uuid.UUID(row["thread"]) != home
    return TaskName(id=public, title=made_visible(row["title"]), state=TaskState(row["state"]), elsewhere=elsewhere)


def _nodes(lines: Sequence[TaskLine]) -> list[Node]:
    here = {line.id for line in lines}
    foreign = {name.id: name for line in lines for name in line.waits_for if name.id not in here}
    return [
        *(Node(id=name.id, title=name.title, state=name.state, elsewhere=name.elsewhere) for name in foreign.values()),
        *(
            Node(id=line.id, title=line.title, state=line.state, after=[name.id for name in line.waits_for])
            for line in lines
        ),
    ]
