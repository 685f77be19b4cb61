"""Letting memories that hold on one thread hold on another, when the work that they are about goes on there."""

import uuid
from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Q

from governance.models.base import reach_of
from governance.vocabulary import Audience
from memories.models import Memory, MemoryEvidence, Passage
from memories.vocabulary import LIVING, ScopeType
from threads.models import Thread

REACH = ("audience", "audience_role", "owner_id")
READ = ("id", "content", "status", "version", "dedupe_key", "superseded_by", *REACH)
# What was said in a session is found as said where the session belongs.
SPOKEN = """
UPDATE memories_passage SET thread_id = %(there)s
WHERE thread_id = %(here)s AND memory_id IS NULL AND split_part(ref, '/', 3) = ANY(%(sessions)s)
"""


def memories_on(thread: Thread) -> list[Memory]:
    """Return what holds on a thread and is read by all who read the thread, in the open scope, oldest first.

    On a private one that is also what its owner offered to everybody.
    """
    readers = Q(**reach_of(thread)) | Q(audience=Audience.PROJECT)
    rows = Memory.objects.filter(readers, scope_type=ScopeType.THREAD, scope_id=thread.pk)
    return list(rows.only(*READ).order_by("created_at", "id"))


def said_already(memories: Sequence[Memory], there: Thread) -> set[uuid.UUID]:
    """Return which of the memories another thread says already to the same readers: it says each thing once."""
    keys = {memory.dedupe_key for memory in memories if memory.dedupe_key and memory.status in LIVING}
    rows = Memory.objects.filter(scope_type=ScopeType.THREAD, scope_id=there.pk, status__in=LIVING, dedupe_key__in=keys)
    known = set(rows.values_list("dedupe_key", *REACH))
    living = [memory for memory in memories if memory.status in LIVING]
    return {memory.pk for memory in living if (memory.dedupe_key, *reach_of(memory).values()) in known}


def resting_on(memories: Sequence[Memory], sessions: Collection[str]) -> set[uuid.UUID]:
    """Return which of the memories rest on what was said in these sessions (public ids), and on nothing else."""
    found: dict[uuid.UUID, bool] = {}
    cited = MemoryEvidence.objects.filter(memory__in=memories).values_list("memory_id", "ref")
    for memory, ref in cited:
        scheme, _, rest = ref.partition("://")
        within = scheme == "event" and rest.partition("/")[0] in sessions
        found[memory] = found.get(memory, True) and within
    return {memory for memory, within in found.items() if within}


def rehome(memories: Collection[uuid.UUID], *, here: Thread, there: Thread) -> int:
    """Let these memories hold on another thread, in the open scope; returns how many did.

    They are looked at anew by whoever looks for contradictions, since they stand beside others now.
    """
    rows = Memory.objects.filter(pk__in=memories, scope_type=ScopeType.THREAD, scope_id=here.pk)
    moved = rows.update(scope_id=there.pk)
    Passage.objects.filter(memory_id__in=memories, thread=here).update(thread=there)
    return moved


def rehome_spoken(sessions: Sequence[str], *, here: Thread, there: Thread) -> None:
    """Let what is found of these sessions (public ids) belong to another thread, in the open scope."""
    with connection.cursor() as cursor:
        cursor.execute(SPOKEN, {"here": here.pk, "there": there.pk, "sessions": list(sessions)})


def follow(lineage: uuid.UUID, *, everything: bool) -> None:
    """Let what narrower circles of readers have on a thread follow its work, unseen by whoever passes the work on.

    `everything` that they have there, or what rests on the sessions that went along alone.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT follow_lineage(%s, %s)", [lineage, everything])


def follow_back(lineage: uuid.UUID) -> None:
    """Let what had followed a lineage go back, now that it is undone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT return_lineage(%s)", [lineage])
