"""Where pages of threads and tasks are, and the way down to them."""

from django.urls import reverse
from django.utils.translation import gettext

from governance.invisible import made_visible
from governance.pages import Desk
from threads.models import Task, Thread

type Trail = list[tuple[str, str]]


def thread_address(desk: Desk, thread: Thread) -> str:
    """Return the address of a thread's page."""
    return reverse("thread", args=[desk.seat.public_id, thread.public_id])


def task_address(desk: Desk, task: Task) -> str:
    """Return the address of a task's page."""
    return reverse("task", args=[desk.seat.public_id, task.public_id])


def above(desk: Desk, thread: Thread | None = None) -> Trail:
    """Return the way down to the list of threads, or to what belongs to one thread, for console/trail.html."""
    project = desk.seat.public_id
    trail = [
        (reverse("project", args=[project]), desk.seat.project_name),
        (reverse("threads", args=[project]), gettext("Threads")),
    ]
    return trail if thread is None else [*trail, (thread_address(desk, thread), made_visible(thread.title))]
