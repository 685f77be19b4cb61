"""Where a memory may hold: the thread or task has to be there."""

import uuid
from typing import Any

from django.db.models import QuerySet

from governance.errors import Invalid
from governance.ids import public_id
from memories.vocabulary import ScopeType
from threads.lifecycle import successors
from threads.models import Task, Thread

HOMES: dict[ScopeType, Any] = {ScopeType.THREAD: Thread, ScopeType.TASK: Task}


def check_scope(scope_type: ScopeType, scope_id: uuid.UUID | None, *, pointer: str = "/scope_id") -> None:
    """Raise Invalid (unknown_scope) unless the thread or task that the scope names is in the open scope.

    A thread that was merged or split is refused, and named is where its work goes on; it is held until the open scope
    ends, so that no merge passes by what is being written.
    """
    if scope_type not in HOMES:
        return
    if scope_id is None or not QuerySet(HOMES[scope_type]).filter(pk=scope_id).exists():
        raise Invalid.at(pointer, f"expected a {scope_type} of this project", code="unknown_scope")
    if scope_type is ScopeType.THREAD:
        _check_goes_on(scope_id, pointer=pointer)


def _check_goes_on(thread_id: uuid.UUID, *, pointer: str) -> None:
    thread = Thread.objects.select_for_update(no_key=True).get(pk=thread_id)
    onward = [public_id(Thread.PREFIX, pk) for pk in successors(thread)]
    if onward:
        message = f"this thread is {thread.state}, its work goes on in {' and '.join(onward)}; name that"
        raise Invalid.at(pointer, message, code="unknown_scope")
