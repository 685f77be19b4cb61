"""Words of memory: types, origins, states and gates."""

from enum import StrEnum


class MemoryType(StrEnum):
    EPISODE = "episode"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    PREFERENCE = "preference"


class MemoryKind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    LESSON = "lesson"
    SOP = "sop"


class ScopeType(StrEnum):
    IDENTITY = "identity"
    THREAD = "thread"
    TASK = "task"
    SOP = "sop"
    PROJECT = "project"


class Origin(StrEnum):
    USER_EXPLICIT = "user_explicit"
    AGENT_INFERRED = "agent_inferred"
    EXTERNAL_AGENT = "external_agent"
    TOOL_OUTPUT = "tool_output"


class SourceRank(StrEnum):
    """Weight of a source, weakest first; derivation can only lower it."""

    UNTRUSTED_EXTERNAL = "untrusted_external"
    TRUSTED_AGENT = "trusted_agent"
    VERIFIED_TOOL_OUTPUT = "verified_tool_output"
    USER_CORRECTION = "user_correction"
    USER_EXPLICIT = "user_explicit"


class KnowledgeStatus(StrEnum):
    """How far a statement may be relied on, weakest first."""

    DISPUTED = "disputed"
    OPEN = "open"
    INFERRED = "inferred"
    CONFIRMED = "confirmed"


class MemoryStatus(StrEnum):
    CANDIDATE = "candidate"
    SCREENED = "screened"
    EVIDENCE_CHECKED = "evidence_checked"
    POLICY_CHECKED = "policy_checked"
    USER_ALIGNED = "user_aligned"
    COMMITTED = "committed"
    ACTIVE = "active"
    ARCHIVED = "archived"
    REVOKED = "revoked"
    REJECTED = "rejected"


class WriteMode(StrEnum):
    APPEND = "append"
    MERGE = "merge"
    IMMUTABLE = "immutable"


class WriteAction(StrEnum):
    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


class SourceType(StrEnum):
    """What kind of thing a retrieved passage is a copy of."""

    IDENTITY = "identity"
    THREAD = "thread"
    TASK = "task"
    EVENT = "event"
    SUMMARY = "summary"
    DECISION = "decision"
    LESSON = "lesson"
    SOP = "sop"
    FACT = "fact"
