"""What a memory's page shows, read in the open scope."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance import refs
from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.vocabulary import Sensitivity
from memories.models import GateVerdict, Memory, MemoryEvidence, MemoryVersion
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    SourceRank,
    WriteAction,
)
from memories.writes import memory_ref
from threads.models import Task, Thread

MOST_VERSIONS = 20


@dataclass(frozen=True, slots=True)
class Words:
    """A text of somebody, and in which language it is."""

    text: str

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A ref behind the memory, the words quoted from it, and whether it opens for this reader now."""

    ref: str
    quote: Words | None
    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """One text of the memory, and who wrote it."""

    version: int
    text: Words
    author: str
    reason: Words | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one gate said."""

    gate: str
    passed: bool
    reason_code: str
    explanation: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """A memory's page. `scope_title` names the thread or task that it holds on, `thread_id` the thread, or ''."""

    memory: Memory
    ref: str
    text: Words
    status: MemoryStatus
    type: MemoryType
    kind: MemoryKind
    action: WriteAction
    scope: ScopeType
    scope_title: Words | None
    thread_id: str
    sensitivity: Sensitivity
    origin: Origin
    rank: SourceRank
    knowledge: KnowledgeStatus
    proposer: str
    change_reason: Words | None
    cited: Sequence[Cited]
    versions: Sequence[VersionLine]
    verdicts: Sequence[Verdict]


def card_of(acting: Acting, memory_id: uuid.UUID) -> MemoryCard:
    """Return a memory's card; raises NotThere. The number of statements is fixed for the schemes that are cited."""
    memory = Memory.objects.filter(pk=memory_id).select_related("proposed_by").first()
    if memory is None:
        raise NotThere
    versions = MemoryVersion.objects.filter(memory=memory).select_related("author").order_by("-version")
    return MemoryCard(
        memory=memory,
        ref=memory_ref(memory),
        text=_words(memory.content),
        status=MemoryStatus(memory.status),
        type=MemoryType(memory.type),
        kind=MemoryKind(memory.kind),
        action=WriteAction(memory.action),
        scope=ScopeType(memory.scope_type),
        scope_title=_scope_title(memory),
        thread_id=_thread_id(memory),
        sensitivity=Sensitivity(memory.sensitivity),
        origin=Origin(memory.origin),
        rank=SourceRank(memory.source_rank),
        knowledge=KnowledgeStatus(memory.knowledge_status),
        proposer=made_visible(memory.proposed_by.name),
        change_reason=_words(memory.change_reason) if memory.change_reason else None,
        cited=_cited(acting, memory),
        versions=[_version(row) for row in versions[:MOST_VERSIONS]],
        verdicts=[_verdict(row) for row in GateVerdict.objects.filter(memory=memory).order_by("created_at", "id")],
    )


def _cited(acting: Acting, memory: Memory) -> list[Cited]:
    rows = list(MemoryEvidence.objects.filter(memory=memory).order_by("ordinal"))
    opening = refs.which_resolve([row.ref for row in rows], acting)
    # Words of what is closed to this reader stay closed too: a quote would say what the ref no longer does.
    return [
        Cited(
            ref=made_visible(row.ref),
            quote=_words(row.quote) if row.quote and row.ref in opening else None,
            opens=row.ref in opening,
        )
        for row in rows
    ]


def _scope_title(memory: Memory) -> Words | None:
    if memory.scope_id is None:
        return None
    if memory.scope_type == ScopeType.THREAD:
        title = Thread.objects.filter(pk=memory.scope_id).values_list("title", flat=True).first()
    elif memory.scope_type == ScopeType.TASK:
        title = Task.objects.filter(pk=memory.scope_id).values_list("title", flat=True).first()
    else:
        return None
    return _words(title) if title else None


def _thread_id(memory: Memory) -> str:
    on_thread = memory.scope_type == ScopeType.THREAD
    return public_id("thr", memory.scope_id) if on_thread and memory.scope_id else ""


def _version(row: MemoryVersion) -> VersionLine:
    return VersionLine(
        version=row.version,
        text=_words(row.content),
        author=made_visible(row.author.name),
        reason=_words(row.change_reason) if row.change_reason else None,
        at=row.created_at,
    )


def _verdict(row: GateVerdict) -> Verdict:
    return Verdict(
        gate=row.gate,
        passed=row.passed,
        reason_code=row.reason_code,
        explanation=made_visible(row.explanation),
        at=row.created_at,
    )


def _words(text: str) -> Words:
    return Words(made_visible(text))
