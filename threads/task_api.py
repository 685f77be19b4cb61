"""HTTP: tasks of a thread."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.input import Count, Id, Input, OptionalText, Texts, Title
from governance.replays import written
from governance.scope import project_scope
from governance.vocabulary import KeyScope, Phase, Risk
from governance.web import acting_of, answer, check_if_match, row_here
from threads.api import thread_here
from threads.dag import TaskWish, change_task, create_task, dependencies, move_task
from threads.models import Task
from threads.vocabulary import TaskState

router = Router(tags=["tasks"])
type Needs = Annotated[list[Id], Field(max_length=100)]


class TaskIn(Input):
    thread_id: Id
    """The thread that it belongs to (thr_…)."""
    title: Title
    """What is to be done, in a line."""
    brief: OptionalText = ""
    """What is to be done, in words."""
    phase: Phase = Phase.PLAN
    """The phase that it is in."""
    risk: Risk = Risk.LOW
    """It narrows what may enter the packets of its work."""
    next_steps: Texts = []
    """What comes next, in order: the first ones decide what a packet carries."""
    depends_on: Needs = []
    """Tasks that have to be done before (tsk_…)."""
    max_input_tokens: Count | None = None
    """Most tokens of a packet for it."""


class TaskChange(Input):
    title: Title | None = None
    brief: OptionalText | None = None
    phase: Phase | None = None
    risk: Risk | None = None
    next_steps: Texts | None = None
    depends_on: Needs | None = None
    max_input_tokens: Count | None = None
    state: TaskState | None = None
    reason: OptionalText = ""


@router.post("/tasks", operation_id="create_task")
def post_task(request: HttpRequest, body: TaskIn) -> HttpResponse:
    """Add a planned task to a thread."""

    def write(acting: Acting) -> HttpResponse:
        thread = thread_here(body.thread_id, pointer="/thread_id")
        fields = body.model_dump(exclude={"thread_id", "depends_on"})
        wish = TaskWish(**fields, depends_on=_ids(body.depends_on))
        task = create_task(acting, thread, wish, now=timezone.now())
        return answer(task_out(task), status=201, version=task.version)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.get("/tasks/{task_id}", operation_id="get_task")
def get_task(request: HttpRequest, task_id: str) -> HttpResponse:
    """Show a task and what it waits for."""
    with project_scope(acting_of(request, KeyScope.SESSION_WRITE), read_only=True):
        task = task_here(task_id)
        return answer(task_out(task), version=task.version)


@router.patch("/tasks/{task_id}", operation_id="change_task")
def patch_task(request: HttpRequest, task_id: str, body: TaskChange) -> HttpResponse:
    """Change a task, or move it along its states. Needs If-Match."""

    def write(_acting: Acting) -> HttpResponse:
        task = task_here(task_id, lock=True)
        check_if_match(request, task.version, lambda: task_out(task))
        _change(task, body)
        return answer(task_out(task), version=task.version)

    return written(request, KeyScope.SESSION_WRITE, write)


def task_here(task_id: str, *, pointer: str = "{task_id}", lock: bool = False) -> Task:
    """Return a task of the open scope by public id, as `row_here` does."""
    return row_here(Task.objects.all(), "tsk", task_id, pointer=pointer, lock=lock)


def task_out(task: Task) -> dict[str, Any]:
    """Return a task as the API shows it."""
    fields = ("title", "brief", "state", "phase", "risk", "next_steps", "max_input_tokens", "version", "created_at")
    return {
        "id": task.public_id,
        "thread_id": public_id("thr", task.thread_id),
        "depends_on": [public_id("tsk", other) for other in dependencies(task)],
        **{name: getattr(task, name) for name in fields},
    }


def _change(task: Task, body: TaskChange) -> None:
    changes = body.model_dump(exclude_unset=True, exclude={"state", "depends_on", "reason"})
    depends_on = None if body.depends_on is None else _ids(body.depends_on)
    if body.state is not None and body.state != task.state:
        move_task(task, body.state, reason=body.reason or "asked by the API")
    if changes or depends_on is not None:
        change_task(task, _checked(changes), depends_on=depends_on)


def _ids(texts: list[str]) -> list[Any]:
    return [parse_id("tsk", text, pointer=f"/depends_on/{n}") for n, text in enumerate(texts)]


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    for name, value in changes.items():
        if value is None and name != "max_input_tokens":
            raise Invalid.at(f"/{name}", "leave it out to keep it; null is not a value here")
    return changes
