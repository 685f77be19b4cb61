"""Pages with forms on tasks."""

from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Clash, Refusal
from governance.forms import posted, status_of
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, id_in_path, project_page, refused, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from threads import dag
from threads.api import thread_here
from threads.forms import is_stale, seen_now, status_after
from threads.lifecycle import check_open, check_seen
from threads.models import Thread
from threads.places import above, task_address, thread_address
from threads.task_api import task_here
from threads.task_forms import MoveForm, SendBackForm, TaskChangeForm, TaskForm
from threads.task_reading import TaskName, TaskPage, others_of, task_page
from threads.thread_words import KINDS, move_words
from threads.vocabulary import TaskState


@project_page
def new_task(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Add a task to a thread, with what it waits for."""
    desk.check(Deed.CHANGE_TASKS)
    thread, others = _thread_and_tasks(desk, thread_id)
    form, status = TaskForm(posted(request), others=others), 200
    try:
        check_open(thread)
        if form.is_valid():
            with project_scope(desk.acting):
                task = dag.create_task(desk.acting, thread_here(thread_id), form.wish(), now=timezone.now())
            words = gettext("The task is planned. Mark it as ready when somebody may begin.")
            return done(request, words, to=task_address(desk, task))
    except Refusal as refusal:
        if not form.is_bound:
            return refused(request, refusal, to=thread_address(desk, thread))
        status = status_after(refusal)
        _blame(form, refusal)
    shown: dict[str, Any] = {"form": form, "thread": thread, "above": above(desk, thread)}
    status = status if status != 200 else status_of(form)
    return show(request, desk, "threads/new_task.html", status=status, section="threads", **shown)


@project_page
def task(request: HttpRequest, desk: Desk, task_id: str) -> HttpResponse:
    """One task: what it says and waits for, where it may go, and the form that changes it."""
    pk = id_in_path("tsk", task_id)
    page = task_page(desk.acting, pk)
    form = TaskChangeForm(posted(request), page=page)
    if form.is_bound:
        desk.check(Deed.CHANGE_TASKS)
    if not form.is_valid():
        return show_task(request, desk, page, form=form, status=status_of(form))
    try:
        words = _change(desk, task_id, form)
    except Refusal as refusal:
        page = task_page(desk.acting, pk)
        seen_now(form, page.task.version)
        _blame(form, refusal)
        stale = is_stale(refusal)
        return show_task(request, desk, page, form=form, stale=stale, status=status_after(refusal))
    return done(request, words, to=task_address(desk, page.task))


@require_POST
@project_page
def move_task(request: HttpRequest, desk: Desk, task_id: str) -> HttpResponse:
    """Move a task along its states by a button."""
    desk.check(Deed.CHANGE_TASKS)
    page = task_page(desk.acting, id_in_path("tsk", task_id))
    form, to = MoveForm(request.POST), task_address(desk, page.task)
    if not form.is_valid():
        return refused(request, Clash("no such move", code="invalid_transition"), to=to)
    there = TaskState(form.cleaned_data["to"])
    try:
        with project_scope(desk.acting):
            row = task_here(task_id, lock=True)
            check_seen(row, form.cleaned_data["version"])
            dag.move_task(row, there, reason="asked in the console")
    except Clash as refusal:
        return refused(request, refusal, to=to)
    words = gettext("Moved: the task is now %(state)s. The next packet for it says so.")
    return done(request, words % {"state": KINDS[TaskState][there]}, to=to)


def _change(desk: Desk, task_id: str, form: TaskChangeForm) -> str:
    """Store what a valid form changes, and return what happens next."""
    with project_scope(desk.acting):
        row = task_here(task_id, lock=True)
        check_seen(row, form.cleaned_data["version"])
        changes, after = form.changes(row), form.after()
        edges = after if set(after) != set(dag.dependencies(row)) else None
        if not changes and edges is None:
            return gettext("Nothing was changed: the task says this already.")
        dag.change_task(row, changes, depends_on=edges)
    return gettext("Stored. The next packet for the task carries it.")


def show_task(
    request: HttpRequest, desk: Desk, page: TaskPage, *, form: Form, status: int, **more: Any
) -> HttpResponse:
    """Answer with the page of a task, with the forms as they stand."""
    state = page.line.state
    shown: dict[str, Any] = {
        "page": page,
        "form": form,
        "back": SendBackForm(initial={"version": page.task.version}) if state is TaskState.REVIEW else None,
        "moves": [(there.value, move_words(state, there)) for there in page.moves],
        "above": above(desk, page.thread),
        **more,
    }
    return show(request, desk, "threads/task.html", status=status, section="threads", **shown)


def _blame(form: Form, refusal: Refusal) -> None:
    """As `blame`, and a circle is told by the names of its tasks."""
    circle = refusal.extra.get("circle")
    if circle is None:
        blame(form, refusal)
        return
    names = [made_visible(step["title"]) for step in circle]
    path = gettext(" waits for ").join(f"“{name}”" for name in names)
    words = gettext(
        "This would close a circle, and none of its tasks could ever begin: %(path)s. Leave one of them out."
    )
    form.add_error("depends_on", words % {"path": path})


def _thread_and_tasks(desk: Desk, thread_id: str) -> tuple[Thread, list[TaskName]]:
    """Read a thread of the desk's project and the tasks that a new one may wait for; raises NotThere."""
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        return thread, others_of(thread)
