"""The list of memories: what it may be narrowed to, what stood in it on a day, and why a search found a line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from memories.embeddings.queries import AskedVectors
from memories.finding import OF_MEMORIES
from memories.models import Memory, MemoryMove, MemoryVersion
from memories.ranking.reasons import CLOSE_IN_MEANING
from memories.reading import Words, last_used, scope_title, worded
from memories.retrieval import Found, Hit, Limits, Scope, retrieve
from memories.store_forms import Expiry, Used
from memories.store_words import LEVELS, TYPES
from memories.vocabulary import KnowledgeStatus, MemoryStatus, MemoryType, ScopeType
from threads.lexemes import spans

type Rows = QuerySet[Any]  # of Memory, with what the line needs of other tables

PAGE, MOST_FOUND = 50, 50
MOST_TERMS = 6  # words that a line shares with the question that are named
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


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a shown text, and whether it is what a search matched."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLine:
    """One memory of the list. Of a search, `matched` are the words that it shares, `by_words` and `by_meaning` in which
    way it is like the question, and `pieces` its text with what matched marked.
    """

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
    by_words: bool = False
    by_meaning: bool = False
    pieces: Sequence[Piece] = ()

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
    """One page of the list. Of a search, `cut` says that it found more than is shown, `search` what it looked at, and
    `looked_up` which words of the question are telling.
    """

    lines: Sequence[MemoryLine]
    page: Page | None
    cut: bool = False
    search: Found | None = None
    looked_up: str = ""


def memory_list(
    filters: Filters, *, cursor: str | None, now: datetime, vectors: AskedVectors | None = None
) -> MemoryList:
    """Return the memories of the open scope that fit, newest first; with `q` the best of them, best first.

    `vectors` are those of `q`, made before the scope was opened. Raises Invalid for a cursor of another form.
    """
    rows = memory_rows(filters, now=now)
    if filters.q:
        return _searched(rows, filters, vectors, now=now)
    page = newest_first(rows, cursor=cursor, limit=PAGE)
    return MemoryList(lines=[line_of(row) for row in page.rows], page=page)


def memory_rows(filters: Filters, *, now: datetime) -> Rows:
    """Return the rows that fit, in no order, with what a line needs of other tables; `q` is not looked at."""
    return _narrowed(_annotated(filters), filters, now=now)


def as_lines(rows: QuerySet[Memory], *, most: int) -> list[MemoryLine]:
    """Return the first rows as the list shows them, in one statement."""
    then = {"status_then": F("status"), "text_then": F("content")}
    return [line_of(row) for row in rows.annotate(scope_title=scope_title(), last_used=last_used(), **then)[:most]]


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


def _searched(rows: Rows, filters: Filters, vectors: AskedVectors | None, *, now: datetime) -> MemoryList:
    """Return what the product's own search finds first, then what holds the very words and is in no search."""
    scope = Scope(thread_id=None, now=now, sources=tuple(OF_MEMORIES))
    found = retrieve(filters.q, scope=scope, limits=Limits(most=MOST_FOUND, through=True), vectors=vectors)
    hits = {hit.memory_id: hit for hit in _told(found.hits) if hit.memory_id is not None}
    held = rows.filter(Q(pk__in=list(hits)) | Q(text_then__icontains=filters.q)).order_by("-created_at", "-id")
    read = {row.pk: row for row in held[: 2 * MOST_FOUND]}
    order = [pk for pk in hits if pk in read] + [pk for pk in read if pk not in hits]
    lines = [_found_line(read[pk], hits.get(pk), filters.q) for pk in order]
    looked_up = _words(_marked(filters.q, found.asked))
    return MemoryList(
        lines=lines[:MOST_FOUND], page=None, cut=len(lines) > MOST_FOUND, search=found, looked_up=looked_up
    )


def _told(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Return the hits of which a reader can be told why they are there; all, where that can be told of none."""
    return [hit for hit in hits if _by_words(hit) or _by_meaning(hit)] or hits


def _by_words(hit: Hit) -> bool:
    return "lexical" in hit.found_by


def _by_meaning(hit: Hit) -> bool:
    # In a small project every memory is among the nearest; whether it is near is what the reason says.
    return CLOSE_IN_MEANING in hit.reason.split("; ")


def _found_line(row: Any, hit: Hit | None, q: str) -> MemoryLine:
    line = line_of(row)
    if hit is None:
        begins = line.text.text.casefold().find(q.casefold())
        return replace(line, pieces=pieces_of(line.text.text, [(begins, begins + len(q))] if begins >= 0 else []))
    pieces = _marked(line.text.text, hit.matched)
    words = _words(pieces) or made_visible(", ".join(hit.matched[:MOST_TERMS]))
    return replace(line, matched=words, by_words=_by_words(hit), by_meaning=_by_meaning(hit), pieces=pieces)


def _marked(text: str, terms: Iterable[str]) -> list[Piece]:
    return pieces_of(text, spans(text, frozenset(terms)))


def _words(pieces: Sequence[Piece]) -> str:
    """Return what is marked, each once and nothing that stands in a longer one: words as they are written, no stems."""
    marked = list(dict.fromkeys(piece.text for piece in pieces if piece.marked))
    whole = [one for one in marked if not any(one != other and one in other for other in marked)]
    return made_visible(", ".join(whole[:MOST_TERMS]))


def pieces_of(text: str, marks: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return a text in stretches, those marked that begin and end at these characters; none of them is empty."""
    pieces, at = [], 0
    for start, end in marks:
        pieces += [Piece(text[at:start], marked=False), Piece(text[start:end], marked=True)]
        at = end
    return [piece for piece in (*pieces, Piece(text[at:], marked=False)) if piece.text]


def line_of(row: Any) -> MemoryLine:
    """Return a row of `memory_rows` as the list shows it."""
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
    )
