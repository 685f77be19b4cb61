"""Work on threads that can wait: rows that somebody sweeps."""

from django.db import connection

from governance.actors import Acting, system_of
from governance.scope import project_scope
from threads.lifecycle import move_thread
from threads.models import Thread
from threads.vocabulary import ThreadState

BATCH = 200  # threads of one sweep; the next sweep takes the rest


def sweep_provisional(*, trace_id: str = "") -> int:
    """Archive provisional threads that stayed empty for a day; returns how many.

    Each is its own transaction, so that a sweep killed half-way has done whole threads, and the next one goes on.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id, system_actor FROM due_work('provisional_thread', %s)", [BATCH])
        due = cursor.fetchall()
    return sum(_archive(system_of(project, system, trace_id=trace_id), thread) for project, thread, system in due)


def _archive(acting: Acting, thread_id: object) -> int:
    with project_scope(acting):
        thread = Thread.objects.select_for_update().filter(pk=str(thread_id), provisional=True).first()
        if thread is None or thread.state != ThreadState.OPEN:
            return 0
        move_thread(thread, ThreadState.ARCHIVED, reason="provisional, and empty for a day")
        return 1
