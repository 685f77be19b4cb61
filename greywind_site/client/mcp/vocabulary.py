"""Words that an agent chooses from. They are those of the API; a test holds the two equal."""

from enum import StrEnum


class Phase(StrEnum):
    PLAN = "plan"
    EXECUTE = "execute"
    ACCEPT = "accept"


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Speaker(StrEnum):
    """Whose words an entry of a transcript is."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class EntryKind(StrEnum):
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    CONSTRAINT = "constraint"
    CORRECTION = "correction"
    INTERRUPTION = "interruption"
    VERIFICATION = "verification"


class Unit(StrEnum):
    """What a read is measured in."""

    TOKENS = "tokens"
    LINES = "lines"


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


class SourceType(StrEnum):
    """What kind of thing a hit is a copy of."""

    IDENTITY = "identity"
    THREAD = "thread"
    TASK = "task"
    EVENT = "event"
    SUMMARY = "summary"
    DECISION = "decision"
    LESSON = "lesson"
    SOP = "sop"
    FACT = "fact"


class WriteAction(StrEnum):
    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class Origin(StrEnum):
    """Where a proposal comes from; an agent cannot speak as its user."""

    AGENT_INFERRED = "agent_inferred"
    EXTERNAL_AGENT = "external_agent"
    TOOL_OUTPUT = "tool_output"


class ScopeType(StrEnum):
    IDENTITY = "identity"
    THREAD = "thread"
    TASK = "task"
    SOP = "sop"
    PROJECT = "project"


class Sensitivity(StrEnum):
    PUBLIC = "public"
    WORK = "work"
    PERSONAL = "personal"
    SECRET = "secret"  # noqa: S105 - a level of sensitivity


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
