"""What a writer asks for, and what they hear."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.vocabulary import Sensitivity
from memories.models import Conflict, Memory
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryType,
    Origin,
    ReasonCode,
    ScopeType,
    WriteAction,
    WriteMode,
    WriteOutcome,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceWish:
    """A ref behind a proposal, and the words in it that carry the claim."""

    ref: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWish:
    """A claim as its writer puts it; one that nobody gives is read out of the text."""

    subject: str
    attribute: str
    value: str
    unit: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWish:
    """A proposal. `target_id` names the memory that an UPDATE or DELETE is about, `expected_version` the version of it
    that its writer saw; `answers` names a refused or held proposal that this one brings more evidence for.

    `id` is the writer's own choice, a UUIDv7: proposing the same content under it again makes nothing new.
    """

    content: str
    type: MemoryType
    action: WriteAction = WriteAction.ADD
    kind: MemoryKind = MemoryKind.FACT
    target_id: uuid.UUID | None = None
    expected_version: int | None = None
    answers: uuid.UUID | None = None
    scope_type: ScopeType = ScopeType.PROJECT
    scope_id: uuid.UUID | None = None
    importance: float = 0.5
    confidence: float | None = None
    origin: Origin = Origin.AGENT_INFERRED
    sensitivity: Sensitivity = Sensitivity.WORK
    retention_days: int | None = None
    write_mode: WriteMode = WriteMode.APPEND
    knowledge_status: KnowledgeStatus = KnowledgeStatus.INFERRED
    change_reason: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    observed_at: datetime | None = None
    private: bool = False
    evidence: Sequence[EvidenceWish] = ()
    claims: Sequence[ClaimWish] = ()
    parents: Sequence[uuid.UUID] = ()
    id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a proposal. `memory` is its row, or for a duplicate the one that says it already.

    `code` says why it is not in use, `missing` what would help, in words; `conflict` is the one that it is a side of.
    """

    memory: Memory
    outcome: WriteOutcome
    code: ReasonCode | None = None
    missing: str = ""
    conflict: Conflict | None = None
