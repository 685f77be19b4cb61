"""The list of a project's threads: which ones, in which order, and what a line says of each."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import CharField, Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import StreamingHttpResponse

from governance.actors import Acting
from governance.exports import As, exported_rows
from governance.invisible import made_visible
from governance.languages import language_of
from governance.scope import project_scope
from governance.vocabulary import Audience
from governance.web import Page, newest_first
from sessions.models import Session
from threads.models import Thread, ThreadUse
from threads.vocabulary import ThreadState, ThreadType

ROWS = 50
COLUMNS = ("id", "title", "type", "state", "private", "tags", "sessions", "last_active_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """One thread in the list."""

    id: str
    title: str
    type: ThreadType
    state: ThreadState
    private: bool
    tags: Sequence[str]
    sessions: int
    last_active_at: datetime

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the list. `any_at_all`: whether the project has a thread that the actor may see."""

    rows: Sequence[ThreadRow]
    page: Page
    any_at_all: bool


def listing_of(acting: Acting, wanted: Mapping[str, Any], *, cursor: str | None) -> Listing:
    """Read a page of threads, those with the latest activity first.

    `wanted` may hold q (in the title or a tag), state, type and mine (made by the actor, or worked in). Raises
    Invalid for a cursor that nobody was given.
    """
    with project_scope(acting, read_only=True):
        rows = _counted(acting, wanted)
        page = newest_first(rows, cursor=cursor, limit=ROWS, by="last_active_at")
        return Listing([_row(row) for row in page.rows], page, bool(page.rows) or Thread.objects.exists())


def threads_export(acting: Acting, wanted: Mapping[str, Any], form: As) -> StreamingHttpResponse:
    """Return the threads that fit as a file, as the list shows them."""

    def scope() -> AbstractContextManager[Any]:
        return project_scope(acting, read_only=True)

    with scope():
        rows = _counted(acting, wanted)
        return exported_rows("threads", form, COLUMNS, rows, told=_told, scope=scope, by="last_active_at")


def _told(row: Any) -> Mapping[str, Any]:
    line = _row(row)
    return {name: getattr(line, name) for name in COLUMNS} | {"last_active_at": line.last_active_at.isoformat()}


def _counted(acting: Acting, wanted: Mapping[str, Any]) -> QuerySet[Thread]:
    return _matching(acting, wanted).annotate(sessions=_sessions())


def _matching(acting: Acting, wanted: Mapping[str, Any]) -> QuerySet[Thread]:
    rows = Thread.objects.filter(project_id=acting.project_id)
    for name in ("state", "type"):
        if wanted.get(name):
            rows = rows.filter(**{name: wanted[name]})
    if wanted.get("q"):
        joined = Func(F("tags"), Value(" "), function="array_to_string", output_field=CharField())
        rows = rows.alias(joined=joined).filter(Q(title__icontains=wanted["q"]) | Q(joined__icontains=wanted["q"]))
    if wanted.get("mine"):
        used = ThreadUse.objects.filter(thread=OuterRef("pk"), actor_id=acting.actor_id)
        rows = rows.filter(Q(created_by_id=acting.actor_id) | Exists(used))
    return rows


def _sessions() -> Coalesce:
    counted = Session.objects.filter(thread=OuterRef("pk")).order_by()
    number = counted.values("thread").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(number, output_field=IntegerField()), 0)


def _row(row: Any) -> ThreadRow:
    return ThreadRow(
        id=row.public_id,
        title=made_visible(row.title),
        type=ThreadType(row.type),
        state=ThreadState(row.state),
        private=row.audience == Audience.PRIVATE,
        tags=[made_visible(tag) for tag in row.tags],
        sessions=row.sessions,
        last_active_at=row.last_active_at,
    )
