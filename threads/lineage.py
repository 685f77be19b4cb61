"""Where a thread's work went and came from: the rows that say so, and what a merge or split does to threads' rows."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from django.db import connection
from django.db.models import F, Q, QuerySet

from governance.actors import Acting
from governance.audit import told
from governance.errors import Clash
from governance.models.base import ContentRow, reach_of
from governance.scope import record
from threads.lifecycle import change_thread
from threads.models import Binding, Lineage, Task, Thread, ThreadTalk, ThreadUse, Vision
from threads.vocabulary import PASSED_ON, LineageKind, LineageState

LONGEST_WORD = 64  # of a tag or keyword; a longer title is found by its words alone
KINDS = ("sessions", "tasks", "bindings", "memories")
# Whoever worked in the one goes on in the other: "continue" finds it.
USES = """
INSERT INTO threads_threaduse AS u
  (id, project_id, thread_id, actor_id, audience, audience_role, owner_id, role, created_at, last_used_at)
SELECT gen_random_uuid(), o.project_id, %(there)s, o.actor_id, o.audience, o.audience_role, o.owner_id, o.role,
  %(now)s, o.last_used_at
FROM threads_threaduse o WHERE o.thread_id = %(here)s AND (%(roles)s::text[] IS NULL OR o.role = ANY(%(roles)s))
ON CONFLICT (project_id, thread_id, actor_id, role) DO UPDATE SET
  last_used_at = greatest(u.last_used_at, excluded.last_used_at)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What goes from one thread to another, by id. `demands` are those that hold there though they were said elsewhere:
    the session and the seq of each.
    """

    sessions: Sequence[uuid.UUID] = ()
    tasks: Sequence[uuid.UUID] = ()
    bindings: Sequence[uuid.UUID] = ()
    memories: Sequence[uuid.UUID] = ()
    demands: Sequence[tuple[uuid.UUID, int]] = ()

    def out(self) -> dict[str, Any]:
        """Return it as a row keeps it."""
        ids = {kind: [str(pk) for pk in getattr(self, kind)] for kind in KINDS}
        return ids | {"demands": [[str(session), seq] for session, seq in self.demands]}

    @classmethod
    def of(cls, row: Lineage) -> Self:
        """Return what a row kept."""
        ids = {kind: [uuid.UUID(pk) for pk in row.moved.get(kind, ())] for kind in KINDS}
        return cls(**ids, demands=[(uuid.UUID(session), seq) for session, seq in row.moved.get("demands", ())])

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each, for the ledger."""
        return {kind: len(getattr(self, kind)) for kind in (*KINDS, "demands")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """One passing on of work: from where to where, what, why, and what an undoing will need."""

    kind: LineageKind
    source: Thread
    target: Thread
    moved: Moved
    reason: str
    act: uuid.UUID
    whole: bool = True
    before: Mapping[str, Any] = field(default_factory=dict)


def shared_rows() -> QuerySet[Lineage]:
    """Return the rows whose readers are those of the threads themselves."""
    return Lineage.objects.filter(audience=F("source__audience")).select_related("source", "target")


def lineages_of(thread: Thread) -> list[Lineage]:
    """Return what a thread passed on and received, in the open scope, the latest first."""
    rows = shared_rows().select_related("author", "undone_by").filter(Q(source=thread) | Q(target=thread))
    return list(rows.order_by("-created_at", "-id"))


def undoable(thread: Thread) -> list[Lineage]:
    """Return the rows of the act that an undoing on this thread's page undoes; none where there is nothing to undo.

    A merged or split thread has the act that ended it, an open one the split that it came from.
    """
    standing = shared_rows().filter(state=LineageState.STANDING)
    if thread.state in PASSED_ON:
        own = standing.filter(source=thread, whole=True)
    else:
        own = standing.filter(target=thread, kind=LineageKind.SPLIT)
    row = own.order_by("-created_at", "-id").first()
    return list(standing.filter(act=row.act).order_by("created_at", "id")) if row else []


def merged_since(row: Lineage) -> list[Thread]:
    """Return the threads that became part of the target of a lineage after it, and still are: the latest first."""
    later = Q(created_at__gt=row.created_at) | Q(created_at=row.created_at, pk__gt=row.pk)
    standing = shared_rows().filter(later, state=LineageState.STANDING, kind=LineageKind.MERGE, target=row.target)
    return [one.source for one in standing.exclude(act=row.act).order_by("-created_at", "-id")]


def hold_threads(*threads: Thread) -> None:
    """Lock threads in one order, and see what others have done to them meanwhile."""
    rows = Thread.objects.select_for_update(no_key=True).filter(pk__in=[thread.pk for thread in threads])
    found = {row.pk: row for row in rows.order_by("pk")}
    for thread in threads:
        thread.__dict__.update({name: value for name, value in vars(found[thread.pk]).items() if name != "_state"})


def pass_on(acting: Acting, passing: Passing, *, now: datetime) -> Lineage:
    """Write down in the open scope that work goes on elsewhere, and move what belongs to threads alone."""
    source, target = passing.source, passing.target
    row = Lineage.objects.create(
        project_id=source.project_id,
        created_at=now,
        kind=passing.kind,
        act=passing.act,
        source=source,
        target=target,
        whole=passing.whole,
        reason=passing.reason,
        author_id=acting.actor_id,
        moved=passing.moved.out(),
        before=dict(passing.before),
        **reach_of(source),
    )
    carry(passing.moved, here=source, there=target)
    detail = {"from": source.public_id, "to": target.public_id, **passing.moved.counts}
    record(f"thread.{passing.kind}", row.public_id, reason=told(passing.reason, row), detail=detail)
    return row


def carry(moved: Moved, *, here: Thread, there: Thread) -> None:
    """Let tasks, bindings and what was heard in sessions belong to another thread, in the open scope.

    Raises Clash (moved_meanwhile) where one of them is not here any more.
    """
    tasks = Task.objects.filter(pk__in=moved.tasks, thread=here)
    check_all(tasks.update(thread=there, version=F("version") + 1), moved.tasks)
    check_all(Binding.objects.filter(pk__in=moved.bindings, thread=here).update(thread=there), moved.bindings)
    ThreadTalk.objects.filter(thread=here, source__in=moved.sessions).update(thread=there)


def check_all(changed: int, wanted: Collection[object]) -> None:
    """Raise Clash (moved_meanwhile) unless as many rows changed as were to."""
    if changed != len(wanted):
        message = f"{len(wanted) - changed} of {len(wanted)} are not there any more; look again and repeat it"
        raise Clash(message, code="moved_meanwhile")


def share_uses(here: Thread, there: Thread, *, now: datetime, roles: Collection[str] | None = None) -> None:
    """Let those who worked in one thread have worked in the other, as recently; of these roles, or of all."""
    named = None if roles is None else sorted(roles)
    with connection.cursor() as cursor:
        cursor.execute(USES, {"here": here.pk, "there": there.pk, "now": now, "roles": named})


def absorbed(into: Thread, source: Thread) -> dict[str, Any]:
    """Return the columns of a thread that has another one's work as well: it is found by the other's words too."""
    return {
        **{name: _union(getattr(into, name), words) for name, words in _names(source).items()},
        "last_active_at": max(into.last_active_at, source.last_active_at),
        "provisional": into.provisional and source.provisional,
    }


def standing_before(into: Thread) -> dict[str, Any]:
    """Return what an undoing needs to know of a thread as it is before it absorbs another."""
    uses = ThreadUse.objects.filter(thread=into).values_list("pk", "last_used_at")
    return {
        "tags": len(into.tags),
        "keywords": len(into.keywords),
        "last_active_at": into.last_active_at.isoformat(),
        "provisional": into.provisional,
        "uses": {str(pk): at.isoformat() for pk, at in uses},
    }


def put_back(into: Thread, row: Lineage, *, unused: bool) -> None:
    """Give a thread the columns that it had before it absorbed another; what was changed since stays as it is now.

    `unused` says that without the other's work it holds none: then it is provisional again if it was.
    """
    before, changes = row.before, dict[str, Any]()
    for name, words in _names(row.source).items():
        own = getattr(into, name)[: before[name]]
        if _union(own, words) == getattr(into, name):
            changes[name] = own
    if into.last_active_at <= row.created_at:
        changes["last_active_at"] = datetime.fromisoformat(before["last_active_at"])
    if unused and before.get("provisional"):
        changes["provisional"] = True
    change_thread(into, changes)
    _put_back_uses(into, row)


def _put_back_uses(into: Thread, row: Lineage) -> None:
    """Take back from those who worked in a thread what they had of the other one alone."""
    given = set(ThreadUse.objects.filter(thread=row.source).values_list("actor_id", "role", "last_used_at"))
    for use in ThreadUse.objects.filter(thread=into, last_used_at__lte=row.created_at):
        if (use.actor_id, use.role, use.last_used_at) not in given:
            continue
        was_used = row.before["uses"].get(str(use.pk))
        rows = ThreadUse.objects.filter(pk=use.pk)
        _ = rows.update(last_used_at=datetime.fromisoformat(was_used)) if was_used else rows.delete()


def mark_undone(acting: Acting, rows: Iterable[Lineage], *, reason: str, now: datetime) -> None:
    """Write down that these were undone; raises Clash (moved_meanwhile) where somebody else was faster."""
    changes = {"undone_at": now, "undone_by_id": acting.actor_id, "undone_because": reason}
    for row in rows:
        standing = Lineage.objects.filter(pk=row.pk, state=LineageState.STANDING)
        check_all(standing.update(state=LineageState.UNDONE, **changes), [row])
        detail = {"from": row.source.public_id, "to": row.target.public_id}
        record("thread.undo", row.public_id, before=LineageState.STANDING, after=LineageState.UNDONE, detail=detail)


def newest_version(thread: Thread) -> int:
    """Return the number of a thread's newest vision, 0 where there is none."""
    rows = Vision.objects.filter(thread=thread).order_by("-version")
    return rows.values_list("version", flat=True).first() or 0


def reach(row: ContentRow) -> tuple[str, str | None, str | None]:
    """Return who reads a row, as plans compare it."""
    return row.audience, row.audience_role, str(row.owner_id) if row.owner_id else None


def _names(source: Thread) -> dict[str, list[str]]:
    """Return the words by which a thread is found, by column: its title is one of them."""
    own = [source.title] if len(source.title) <= LONGEST_WORD else []
    return {"tags": source.tags, "keywords": [*source.keywords, *own]}


def _union(own: Iterable[str], others: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*own, *others]))
