"""Where a memory may hold: the thread or task has to be there."""

import uuid
from typing import Any

from django.db.models import QuerySet

from governance.errors import Invalid
from memories.vocabulary import ScopeType
from threads.models import Task, Thread

HOMES: dict[ScopeType, Any] = {ScopeType.THREAD: Thread, ScopeType.TASK: Task}


def check_scope(scope_type: ScopeType, scope_id: uuid.UUID | None, *, pointer: str = "/scope_id") -> None:
    """Raise Invalid (unknown_scope) unless the thread or task that the scope names is in the open scope."""
    if scope_type not in HOMES:
        return
    if scope_id is None or not QuerySet(HOMES[scope_type]).filter(pk=scope_id).exists():
        raise Invalid.at(pointer, f"expected a {scope_type} of this project", code="unknown_scope")
