"""Where a memory may hold: the thread or task has to be there."""

import uuid
from typing import Any

from django.db.models import QuerySet

from governance.errors import Invalid
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
    rows: QuerySet[Any] = QuerySet(HOMES[scope_type]).filter(pk=scope_id)
    home = (rows.select_for_update(no_key=True) if scope_type is ScopeType.THREAD else rows).first()
    if home is None:
        raise Invalid.at(pointer, f"expected a {scope_type} of this project", code="unknown_scope")
    onward = successors(home) if isinstance(home, Thread) else []
    if onward:
        message = f"this thread is {home.state}, its work goes on in {' and '.join(onward)}; name that"
        raise Invalid.at(pointer, message, code="unknown_scope")
