"""HTTP: proposing a memory, reading one, and searching."""

from typing import Annotated, Any, Literal

import regex
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field, Strict

from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.input import Count, Flag, Id, Input, Moment, OptionalText, Ref, Text
from governance.replays import once
from governance.scope import project_scope
from governance.vocabulary import KeyScope, Sensitivity
from governance.web import acting_of, answer, listed, newest_first, row_here
from memories.models import Memory, MemoryEvidence
from memories.retrieval import Hit, Limits, Scope, retrieve
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    WriteAction,
    WriteMode,
)
from memories.writes import EvidenceWish, MemoryWish, memory_ref, propose

router = Router(tags=["memories"])
type Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
EXCERPT = regex.compile(r"\X{0,200}")  # of a text in a list: enough to know it again


class EvidenceIn(Input):
    ref: Ref
    quote: OptionalText = ""


class MemoryIn(Input):
    content: Text
    type: MemoryType
    action: Literal[WriteAction.ADD, WriteAction.UPDATE, WriteAction.DELETE] = WriteAction.ADD
    kind: MemoryKind = MemoryKind.FACT
    target_id: Id | None = None
    scope_type: ScopeType = ScopeType.PROJECT
    scope_id: Id | None = None
    importance: Share = 0.5
    confidence: Share | None = None
    origin: Origin = Origin.AGENT_INFERRED
    sensitivity: Sensitivity = Sensitivity.WORK
    retention_days: Count | None = None
    write_mode: WriteMode = WriteMode.APPEND
    knowledge_status: KnowledgeStatus = KnowledgeStatus.INFERRED
    change_reason: Annotated[OptionalText, Field(max_length=500)] = ""
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    observed_at: Moment | None = None
    private: Flag = False
    evidence: Annotated[list[EvidenceIn], Field(max_length=20)] = []


@router.post("/memories", operation_id="propose_memory")
def post_memory(request: HttpRequest, body: MemoryIn) -> HttpResponse:
    """Propose a memory. It is held as a candidate: no search finds it and no packet carries it until it is admitted."""
    acting = acting_of(request, KeyScope.MEMORY_PROPOSE)

    def act() -> HttpResponse:
        with project_scope(acting):
            memory = propose(acting, _wish(body), now=timezone.now())
            return answer(memory_out(memory) | {"held": True}, status=201, version=memory.version)

    return once(request, acting, act)


@router.get("/memories", operation_id="list_memories")
def get_memories(
    request: HttpRequest, status: MemoryStatus | None = None, cursor: str | None = None, limit: int | None = None
) -> HttpResponse:
    """List what this key's agent proposed, newest first, and where each stands; `excerpt` is the text's beginning."""
    acting = acting_of(request, KeyScope.MEMORY_READ)
    with project_scope(acting, read_only=True):
        mine = Memory.objects.filter(proposed_by_id=acting.actor_id).defer("content")
        chosen = mine if status is None else mine.filter(status=status)
        page = newest_first(chosen.annotate(head=Left("content", 2000)), cursor=cursor, limit=limit)
        return answer(listed(page, _brief_out))


@router.get("/memories/search", operation_id="search_memories")
def get_search(request: HttpRequest, q: str, limit: int = 5) -> HttpResponse:
    """Search what this key may read. An empty answer means that nothing is about it."""
    acting = acting_of(request, KeyScope.MEMORY_READ)
    if not q.strip() or len(q) > 2000:
        raise Invalid.at("?q", "expected 1 to 2,000 characters")
    if not 1 <= limit <= 20:
        raise Invalid.at("?limit", "expected 1 to 20")
    with project_scope(acting, read_only=True):
        scope = Scope(thread_id=None, now=timezone.now())
        found = retrieve(q, scope=scope, limits=Limits(most=limit))
        return answer({"results": [_hit_out(hit) for hit in found.hits], "abstained": not found.hits})


@router.get("/memories/{memory_id}", operation_id="get_memory")
def get_memory(request: HttpRequest, memory_id: str) -> HttpResponse:
    """Show a memory with its evidence."""
    with project_scope(acting_of(request, KeyScope.MEMORY_READ), read_only=True):
        memory = memory_here(memory_id)
        cited = MemoryEvidence.objects.filter(memory=memory).order_by("ordinal")
        evidence = [{"ref": row.ref, "quote": row.quote} for row in cited]
        return answer(memory_out(memory) | {"evidence": evidence}, version=memory.version)


def memory_here(memory_id: str) -> Memory:
    """Return a memory of the open scope by public id; raises NotThere for a foreign, unknown or malformed one."""
    return row_here(Memory.objects.all(), "mem", memory_id, pointer="{memory_id}")


def memory_out(memory: Memory) -> dict[str, Any]:
    """Return a memory as the API shows it."""
    fields = [
        "type",
        "kind",
        "action",
        "content",
        "version",
        "scope_type",
        "importance",
        "confidence",
        "origin",
        "source_rank",
        "sensitivity",
        "retention_days",
        "write_mode",
        "knowledge_status",
        "status",
        "reason_code",
        "evidence_gap",
        "change_reason",
        "audience",
        "valid_from",
        "valid_to",
        "observed_at",
        "created_at",
        "updated_at",
    ]
    prefix = {ScopeType.THREAD: "thr", ScopeType.TASK: "tsk"}.get(ScopeType(memory.scope_type))
    return {
        "id": memory.public_id,
        "ref": memory_ref(memory),
        "scope_id": public_id(prefix, memory.scope_id) if prefix and memory.scope_id else None,
        "target_id": public_id("mem", memory.target_id) if memory.target_id else None,
        **{name: getattr(memory, name) for name in fields},
    }


def _brief_out(memory: Any) -> dict[str, Any]:
    head = EXCERPT.match(memory.head)
    fields = ["type", "kind", "action", "version", "status", "reason_code", "evidence_gap", "created_at", "updated_at"]
    return {
        "id": memory.public_id,
        "ref": memory_ref(memory),
        "target_id": public_id("mem", memory.target_id) if memory.target_id else None,
        "excerpt": head.group() if head else "",
        **{name: getattr(memory, name) for name in fields},
    }


def _hit_out(hit: Hit) -> dict[str, Any]:
    return {
        "ref": hit.ref,
        "source_type": hit.source_type,
        "content": hit.text,
        "score": hit.score,
        "reason": hit.reason,
        "origin": hit.origin,
        "knowledge_status": hit.knowledge_status,
        "confidence": hit.confidence,
        "as_of": hit.as_of,
    }


def _wish(body: MemoryIn) -> MemoryWish:
    prefix = {ScopeType.THREAD: "thr", ScopeType.TASK: "tsk"}.get(body.scope_type)
    if body.scope_id is not None and prefix is None:
        raise Invalid.at("/scope_id", f"has no place with the scope {body.scope_type}")
    fields = body.model_dump(exclude={"target_id", "scope_id", "evidence"})
    return MemoryWish(
        **fields,
        target_id=parse_id("mem", body.target_id, pointer="/target_id") if body.target_id else None,
        scope_id=parse_id(prefix, body.scope_id, pointer="/scope_id") if prefix and body.scope_id else None,
        evidence=[EvidenceWish(ref=cited.ref, quote=cited.quote) for cited in body.evidence],
    )
