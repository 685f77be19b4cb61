"""Moving what belongs to a thread to another one: one way for a merge and a split, and back for their undoing."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

from django.db.models import F

from governance.ids import public_id
from memories.rehoming import rehome, rehome_spoken
from sessions.models import Session
from threads.lineage import Moved, carry, check_all
from threads.models import Task, Thread


def move_sessions(sessions: Sequence[uuid.UUID], *, here: Thread, there: Thread) -> None:
    """Let sessions, with all that was said in them, belong to another thread; their entries stay as they are.

    Raises Clash (moved_meanwhile) where one of them is not here any more.
    """
    rows = Session.objects.filter(pk__in=sessions, thread=here)
    check_all(rows.update(thread=there, version=F("version") + 1), sessions)
    rehome_spoken([public_id(Session.PREFIX, pk) for pk in sessions], here=here, there=there)


def move_memories(memories: Sequence[uuid.UUID], *, here: Thread, there: Thread) -> None:
    """Let memories hold on another thread; raises Clash (moved_meanwhile) where one of them does not hold here."""
    check_all(rehome(memories, here=here, there=there), memories)


def take_back(moved: Moved, *, here: Thread, there: Thread) -> None:
    """Move what a lineage had moved back `there`, and with a task the sessions that have begun on it since."""
    since = Session.objects.filter(thread=here, task__in=Task.objects.filter(pk__in=moved.tasks, thread=here))
    sessions = list(dict.fromkeys([*moved.sessions, *since.values_list("pk", flat=True)]))
    carry(replace(moved, sessions=sessions), here=here, there=there)
    move_sessions(sessions, here=here, there=there)
    move_memories(moved.memories, here=here, there=there)
