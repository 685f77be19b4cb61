"""The list of memories: what it may be narrowed to, what stood in it on a day, and why a search found a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import regex
from django.db.models import CharField, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce
from django.utils.functional import Promise

from governance.forms import midnight
from governance.invisible import made_visible
from governance.languages import language_of
from governance.vocabulary import Audience, Sensitivity
from governance.web import Page, newest_first
from memories.models import Memory, MemoryMove, MemoryVersion
from memories.reading import Words, last_used, scope_title, worded
from memories.retrieval import Limits, Scope, retrieve
from memories.store_forms import Expiry, Used
from memories.store_words import LEVELS, TYPES
from memories.vocabulary import KnowledgeStatus, MemoryStatus, MemoryType, ScopeType

type Rows = QuerySet[Any]  # of Memory, with what the line needs of other tables

PAGE, MOST_FOUND = 50, 50
LATELY, SOON = timedelta(days=30), timedelta(days=30)
EXCERPT = regex.compile(r"\X{0,240}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the list is narrowed to; an empty value narrows nothing. `day` asks for what held at its end."""

    q: str = ""
    type: str = ""
    scope: str = ""
    sensitivity: str = ""
    status: str = ""
    knowledge: str = ""
    used: str = ""
    expiry: str = ""
    audience: str = ""
    day: date | None = None

    @property
    def until(self) -> datetime | None:
        """The end of the day, in the reader's zone."""
        if self.day is None:
            return None
        return midnight(self.day + timedelta(days=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLine:
    """One memory of the list. `matched` says why a search found it: the terms that it shares, or ''."""

    id: str
    text: Words
    status: MemoryStatus
    type: MemoryType
    scope: ScopeType
    scope_title: Words | None
    sensitivity: Sensitivity
    knowledge: KnowledgeStatus
    private: bool
    used: datetime | None
    expires: datetime | None
    at: datetime
    matched: str = ""
    whole_words: bool = False

    @property
    def type_word(self) -> Promise:
        return TYPES[self.type]

    @property
    def level_word(self) -> Promise:
        return LEVELS[self.sensitivity]

    @property
    def matched_language(self) -> str:
        return language_of(self.matched)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryList:
    """One page of the list; `cut` says that a search found more than is shown."""

    lines: Sequence[MemoryLine]
    page: Page | None
    cut: bool = False


def memory_list(filters: Filters, *, cursor: str | None, now: datetime) -> MemoryList:
    """Return the memories of the open scope that fit, newest first; with `q` the best of them, best first.

    Raises Invalid for a cursor of another form.
    """
    rows = _narrowed(_annotated(filters), filters, now=now)
    if filters.q:
        return _searched(rows, filters, now=now)
    page = newest_first(rows, cursor=cursor, limit=PAGE)
    return MemoryList(lines=[_line(row) for row in page.rows], page=page)


def as_lines(rows: QuerySet[Memory], *, most: int) -> list[MemoryLine]:
    """Return the first rows as the list shows them, in one statement."""
    then = {"status_then": F("status"), "text_then": F("content")}
    return [_line(row) for row in rows.annotate(scope_title=scope_title(), last_used=last_used(), **then)[:most]]


def excerpt(text: str) -> Words:
    """Return the beginning of a memory, for a line of a list."""
    shown = made_visible(text)
    found = EXCERPT.match(shown)
    begins = found.group() if found else ""
    return Words(begins if len(begins) == len(shown) else f"{begins}…")


def _annotated(filters: Filters) -> Rows:
    rows: Rows = Memory.objects.annotate(scope_title=scope_title(), last_used=last_used())
    until = filters.until
    if until is None:
        now_it_is: Rows = rows.annotate(status_then=F("status"), text_then=F("content"))
        return now_it_is
    moves = MemoryMove.objects.filter(memory=OuterRef("pk"), at__lt=until).order_by("-at", "-id").values("there")
    texts = MemoryVersion.objects.filter(memory=OuterRef("pk")).values("content")
    then, earliest = texts.filter(created_at__lt=until).order_by("-version"), texts.order_by("version")
    first = Value(MemoryStatus.CANDIDATE.value, output_field=CharField())
    then_it_was: Rows = rows.filter(created_at__lt=until).annotate(
        status_then=Coalesce(Subquery(moves[:1]), first, output_field=CharField()),
        text_then=Coalesce(Subquery(then[:1]), Subquery(earliest[:1]), F("content"), output_field=TextField()),
    )
    return then_it_was


def _narrowed(rows: Rows, filters: Filters, *, now: datetime) -> Rows:
    columns = {
        "type": filters.type,
        "scope_type": filters.scope,
        "sensitivity": filters.sensitivity,
        "knowledge_status": filters.knowledge,
        "audience": filters.audience,
        "status_then": filters.status,
    }
    rows = rows.filter(**{name: value for name, value in columns.items() if value})
    match filters.used:
        case Used.LATELY:
            rows = rows.filter(last_used__gte=now - LATELY)
        case Used.BEFORE:
            rows = rows.filter(last_used__lt=now - LATELY)
        case Used.NEVER:
            rows = rows.filter(last_used=None)
    match filters.expiry:
        case Expiry.SOON:
            rows = rows.filter(expires_at__gte=now, expires_at__lt=now + SOON)
        case Expiry.OVER:
            rows = rows.filter(expires_at__lt=now)
        case Expiry.NONE:
            rows = rows.filter(expires_at=None)
    return rows


def _searched(rows: Rows, filters: Filters, *, now: datetime) -> MemoryList:
    """Return what the product's own search finds first, then what holds the very words and is in no search."""
    found = retrieve(filters.q, scope=Scope(thread_id=None, now=now), limits=Limits(most=MOST_FOUND))
    hits = {hit.memory_id: hit for hit in found.hits if hit.memory_id is not None}
    held = rows.filter(Q(pk__in=list(hits)) | Q(text_then__icontains=filters.q)).order_by("-created_at", "-id")
    read = {row.pk: row for row in held[: 2 * MOST_FOUND]}
    order = [pk for pk in hits if pk in read] + [pk for pk in read if pk not in hits]
    why = {pk: _shared(hit.reason) for pk, hit in hits.items()}
    lines = [_line(read[pk], matched=why.get(pk, ""), whole=_says(read[pk], filters.q)) for pk in order]
    return MemoryList(lines=lines[:MOST_FOUND], page=None, cut=len(lines) > MOST_FOUND)


def _shared(reason: str) -> str:
    """Return the terms that a hit shares with the query, out of the sentence that says so."""
    return made_visible(reason.partition(";")[0].removeprefix("shares "))


def _says(row: Any, q: str) -> bool:
    return q.casefold() in row.text_then.casefold()


def _line(row: Any, *, matched: str = "", whole: bool = False) -> MemoryLine:
    return MemoryLine(
        id=row.public_id,
        text=excerpt(row.text_then),
        status=MemoryStatus(row.status_then),
        type=MemoryType(row.type),
        scope=ScopeType(row.scope_type),
        scope_title=worded(row.scope_title) if row.scope_title else None,
        sensitivity=Sensitivity(row.sensitivity),
        knowledge=KnowledgeStatus(row.knowledge_status),
        private=row.audience == Audience.PRIVATE,
        used=row.last_used,
        expires=row.expires_at,
        at=row.created_at,
        matched=matched,
        whole_words=whole,
    )
