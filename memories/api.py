"""HTTP: proposing a memory, reading one, searching, and saying what one is worth."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field, Strict

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import parse_id
from governance.input import Count, Flag, Id, Input, Moment, OptionalText, Ref, Text, Title
from governance.replays import once
from governance.scope import project_scope
from governance.vocabulary import KeyScope, Sensitivity
from governance.web import acting_of, answer, listed, newest_first
from memories.as_of import HEAD, about, held_at, held_on
from memories.feedback import FeedbackWish, give_feedback, note_read
from memories.memory_json import brief_out, held_out, memory_here, then_out, whole_out, written_out
from memories.models import Memory
from memories.searching import SearchWish, search, search_out
from memories.vocabulary import (
    PENDING,
    FeedbackKind,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ReadThrough,
    ScopeType,
    SourceType,
    WriteAction,
    WriteMode,
    WriteOutcome,
)
from memories.writes import ClaimWish, EvidenceWish, MemoryWish, submit

router = Router(tags=["memories"])
type Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
VERSION = re.compile(r'"(\d{1,9})"')


class EvidenceIn(Input):
    ref: Ref
    """What carries it, such as event://ses_…/12 or artifact://art_…; it has to open for the caller now."""
    quote: OptionalText = ""
    """The words in it that carry it."""


class ClaimIn(Input):
    subject: Title
    """Whom or what it is about."""
    attribute: Title
    """What is said of it."""
    value: Title
    """What that is."""
    unit: Annotated[OptionalText, Field(max_length=64)] = ""
    """The unit of a number."""
    valid_from: Moment | None = None
    """From when on it holds."""
    valid_to: Moment | None = None
    """Until when it holds."""


class MemoryIn(Input):
    content: Text
    """One statement that stands by itself: names instead of pronouns, dates instead of “yesterday”."""
    type: MemoryType
    """What kind of memory it is."""
    action: Literal[WriteAction.ADD, WriteAction.UPDATE, WriteAction.DELETE] = WriteAction.ADD
    """UPDATE and DELETE need target_id."""
    kind: MemoryKind = MemoryKind.FACT
    """How it is used again."""
    target_id: Id | None = None
    """The memory that UPDATE or DELETE is about (mem_…)."""
    expected_version: Count | None = None
    """The version of the target that was seen; If-Match says the same."""
    answers: Id | None = None
    """A refused or held proposal that this one brings more evidence for (mem_…)."""
    scope_type: ScopeType = ScopeType.PROJECT
    """Where it holds; thread and task need scope_id."""
    scope_id: Id | None = None
    """The thread or task."""
    importance: Share = 0.5
    """0 to 1."""
    confidence: Share | None = None
    """0 to 1, where the proposer can tell."""
    origin: Origin = Origin.AGENT_INFERRED
    """Where it comes from; it can only lower what follows from the evidence."""
    sensitivity: Sensitivity = Sensitivity.WORK
    """How sensitive it is; it can be raised here and lowered by a decision alone."""
    retention_days: Count | None = None
    """After how many days it lapses."""
    write_mode: WriteMode = WriteMode.APPEND
    """Whether later ones are added to it, merged into it, or refused."""
    knowledge_status: KnowledgeStatus = KnowledgeStatus.INFERRED
    """How sure it is."""
    change_reason: Annotated[OptionalText, Field(max_length=500)] = ""
    """Why it is changed."""
    valid_from: Moment | None = None
    """From when on it holds."""
    valid_to: Moment | None = None
    """Until when it holds."""
    observed_at: Moment | None = None
    """When it was observed, where that is not now."""
    private: Flag = False
    """For the proposer alone instead of the project."""
    evidence: Annotated[list[EvidenceIn], Field(max_length=20)] = []
    """What it rests on; without any it is not learnt."""
    claims: Annotated[list[ClaimIn], Field(max_length=20)] = []
    """What it says as subject, attribute and value; left out, it is read from the words."""


class FeedbackIn(Input):
    kind: FeedbackKind
    """What is said of it."""
    packet_id: Id | None = None
    """The packet that carried it (pkt_…)."""
    note: Annotated[OptionalText, Field(max_length=1000)] = ""
    """Why, in words."""


class SearchIn(Schema):
    """What is searched for, and what it is narrowed to."""

    q: str
    limit: int = 5
    thread_id: str | None = None
    source: SourceType | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    valid_at: Moment | None = None

    def wish(self) -> SearchWish:
        """Return it as a wish. Raises Invalid for what is out of bounds, for no thread's id, and for what does not go
        together.
        """
        self.check()
        thread = parse_id("thr", self.thread_id, pointer="?thread_id") if self.thread_id else None
        said = {"since": self.since, "until": self.until}
        return SearchWish(q=self.q, most=self.limit, thread_id=thread, source=self.source, **said)

    def check(self) -> None:
        if not self.q.strip() or len(self.q) > 2000:
            raise Invalid.at("?q", "expected 1 to 2,000 characters")
        if not 1 <= self.limit <= 20:
            raise Invalid.at("?limit", "expected 1 to 20")
        if self.since and self.until and self.until <= self.since:
            raise Invalid.at("?until", "has to lie after since, or nothing can lie between the two")
        self._check_past()

    def _check_past(self) -> None:
        narrowed = [name for name in ("thread_id", "source", "since", "until") if getattr(self, name)]
        if narrowed and (self.as_of or self.valid_at):
            message = "has no place with as_of or valid_at, which search the memories of one moment; leave it out"
            raise Invalid.at(f"?{narrowed[0]}", message)


@router.post("/memories", operation_id="propose_memory")
def post_memory(request: HttpRequest, body: MemoryIn) -> HttpResponse:
    """Propose a memory. `outcome` says what became of it; `code` and `missing` say why not, and what would help.

    Until it is in use no search finds it and no packet carries it. What is known already answers 200 with the id of
    the memory that says it; If-Match, or expected_version, says which version of the target was seen.
    """
    acting = acting_of(request, KeyScope.MEMORY_PROPOSE)
    wish = wish_of(body, if_match=request.headers.get("If-Match"))

    def act() -> HttpResponse:
        with project_scope(acting):
            written = submit(acting, wish, now=timezone.now())
            status = 200 if written.outcome is WriteOutcome.DUPLICATE_OF else 201
            return answer(written_out(acting, written), status=status, version=written.memory.version)

    return once(request, acting, act)


@router.get("/memories", operation_id="list_memories")
def get_memories(
    request: HttpRequest,
    *,
    status: MemoryStatus | None = None,
    waiting: bool = False,
    as_of: Moment | None = None,
    valid_at: Moment | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> HttpResponse:
    """List what this key's agent proposed, newest first, and where each stands; `excerpt` is the text's beginning.

    With `waiting`, only those that no gate and no human has settled, whatever status they have reached.
    With `as_of`, list what this key may read of what was in use at that moment, with its version and text of then;
    with `valid_at`, what by today's knowledge held at that moment.
    """
    acting = acting_of(request, KeyScope.MEMORY_READ)
    with project_scope(acting, read_only=True):
        then = _then(as_of, valid_at)
        if then is not None:
            return answer(listed(newest_first(then, cursor=cursor, limit=limit), held_out))
        mine = Memory.objects.filter(proposed_by_id=acting.actor_id).defer("content")
        chosen = mine if status is None else mine.filter(status=status)
        chosen = chosen.filter(status__in=PENDING) if waiting else chosen
        page = newest_first(chosen.annotate(head=Left("content", HEAD)), cursor=cursor, limit=limit)
        return answer(listed(page, brief_out))


@router.get("/memories/search", operation_id="search_memories")
def get_search(request: HttpRequest, asked: Query[SearchIn]) -> HttpResponse:
    """Search what this key may read. An empty answer means that nothing is about it; `searched` says in what.

    `legs` are the scores of each way to find a hit, `found_by` those that found it by themselves; `matched` are the
    terms that it shares with the query, and `marks` where they stand in `content`, as ranges of code points.
    With `as_of` or `valid_at`, search the memories of that moment, by their words alone.
    """
    acting = acting_of(request, KeyScope.MEMORY_READ)
    wish = asked.wish()
    if asked.as_of is not None or asked.valid_at is not None:
        return answer(_found_then(acting, asked))
    return answer(search_out(search(acting, wish, now=timezone.now()), wish))


@router.get("/memories/{memory_id}", operation_id="get_memory")
def get_memory(request: HttpRequest, memory_id: str) -> HttpResponse:
    """Show a memory with its evidence, its claims and the history of its status. That it was read is noted."""
    acting = acting_of(request, KeyScope.MEMORY_READ)
    with project_scope(acting):
        memory = memory_here(memory_id)
        note_read(acting, memory, ReadThrough.API)
        return answer(whole_out(acting, memory, now=timezone.now()), version=memory.version)


@router.post("/memories/{memory_id}/feedback", operation_id="give_memory_feedback")
def post_feedback(request: HttpRequest, memory_id: str, body: FeedbackIn) -> HttpResponse:
    """Say of a memory that it was useful, is wrong or outdated, or must not be used."""
    acting = acting_of(request, KeyScope.MEMORY_READ)
    packet = parse_id("pkt", body.packet_id, pointer="/packet_id") if body.packet_id else None

    def act() -> HttpResponse:
        with project_scope(acting):
            wish = FeedbackWish(kind=body.kind, packet_id=packet, note=body.note)
            made = give_feedback(acting, memory_here(memory_id), wish)
            return answer({"id": made.public_id, "memory_id": memory_id, "kind": made.kind}, status=201)

    return once(request, acting, act)


def _found_then(acting: Acting, asked: SearchIn) -> dict[str, Any]:
    with project_scope(acting, read_only=True):
        then = _then(asked.as_of, asked.valid_at)
        found = [] if then is None else about(then, asked.q, most=asked.limit)
        return {"results": [then_out(one) for one in found], "abstained": not found}


def _then(as_of: datetime | None, valid_at: datetime | None) -> QuerySet[Any] | None:
    if as_of is not None and valid_at is not None:
        raise Invalid.at("?valid_at", "ask by as_of or by valid_at, not by both")
    if as_of is not None:
        return held_at(as_of)
    return held_on(valid_at) if valid_at is not None else None


def wish_of(body: MemoryIn, *, if_match: str | None) -> MemoryWish:
    """Return a body as a wish; raises Invalid for an id or a version that is none."""
    prefix = {ScopeType.THREAD: "thr", ScopeType.TASK: "tsk"}.get(body.scope_type)
    if body.scope_id is not None and prefix is None:
        raise Invalid.at("/scope_id", f"has no place with the scope {body.scope_type}")
    named = {"target_id", "scope_id", "answers", "evidence", "claims", "expected_version"}
    return MemoryWish(
        **body.model_dump(exclude=named),
        target_id=parse_id("mem", body.target_id, pointer="/target_id") if body.target_id else None,
        expected_version=body.expected_version or _version_in(if_match),
        answers=parse_id("mem", body.answers, pointer="/answers") if body.answers else None,
        scope_id=parse_id(prefix, body.scope_id, pointer="/scope_id") if prefix and body.scope_id else None,
        evidence=[EvidenceWish(ref=cited.ref, quote=cited.quote) for cited in body.evidence],
        claims=[ClaimWish(**claim.model_dump()) for claim in body.claims],
    )


def _version_in(if_match: str | None) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    found = VERSION.fullmatch(if_match.strip())
    if found is None:
        raise Invalid.at("If-Match", 'expected the ETag of a memory, such as "3"')
    return int(found.group(1))
