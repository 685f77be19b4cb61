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


SPOKEN = (SourceRank.USER_EXPLICIT, SourceRank.USER_CORRECTION)  # what a user said, and not an agent or a tool


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


# Waiting for a verdict, by a gate or by a human.
PENDING = (
    MemoryStatus.CANDIDATE,
    MemoryStatus.SCREENED,
    MemoryStatus.EVIDENCE_CHECKED,
    MemoryStatus.POLICY_CHECKED,
    MemoryStatus.USER_ALIGNED,
)
LIVING = (*PENDING, MemoryStatus.COMMITTED, MemoryStatus.ACTIVE)


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


class Gate(StrEnum):
    """The checks that a proposal passes, in this order."""

    SCHEMA = "schema"
    SCREENING = "screening"
    EVIDENCE = "evidence"
    IDENTITY = "identity"
    SOURCE_WEIGHT = "source_weight"
    SENSITIVITY = "sensitivity"
    ALIGNMENT = "alignment"


class WriteOutcome(StrEnum):
    """What a writer hears of a proposal."""

    ACTIVE = "active"
    HELD = "held"
    DUPLICATE_OF = "duplicate_of"
    CONFLICT = "conflict"
    REJECTED = "rejected"


class ReasonCode(StrEnum):
    """Why a gate held a proposal for a human, refused it, or took it for something that is known."""

    # held: a human may let it in
    SCREENING_SUSPICIOUS = "screening_suspicious"
    IDENTITY_NEEDS_HUMAN = "identity_needs_human"
    LOW_SOURCE_NEEDS_HUMAN = "low_source_needs_human"
    WEAKER_SOURCE = "weaker_source"
    SENSITIVITY_NEEDS_HUMAN = "sensitivity_needs_human"
    PRIVATE_TO_SHARED_NEEDS_HUMAN = "private_to_shared_needs_human"
    REVIEW_MODE_NEEDS_HUMAN = "review_mode_needs_human"
    RISK_NEEDS_HUMAN = "risk_needs_human"
    APPROVAL_NEEDS_HUMAN = "approval_needs_human"
    CONFLICT_OPEN = "conflict_open"
    # refused: only another proposal can do better
    CONTENT_EMPTY = "content_empty"
    CONTENT_TOO_LONG = "content_too_long"
    VALIDITY_BACKWARD = "validity_backward"
    SCREENING_CREDENTIAL = "screening_secret"
    SCREENING_INJECTION = "screening_injection"
    EVIDENCE_MISSING = "evidence_missing"
    EVIDENCE_UNRESOLVABLE = "evidence_unresolvable"
    EVIDENCE_QUOTE_NOT_FOUND = "evidence_quote_not_found"
    EVIDENCE_OWN_WORDS = "evidence_own_words"
    LEAVES_ITS_DOMAIN = "secret_stays_inside"
    ECHO_OF_INJECTED = "echo_of_injected"
    SUPERSEDED_BEFORE = "superseded_before"
    SOURCE_NOT_ACCEPTED = "source_not_accepted"
    TARGET_IMMUTABLE = "target_immutable"
    TARGET_GONE = "target_gone"
    REFUSED_BY_HUMAN = "refused_by_human"
    LOST_CONFLICT = "lost_conflict"
    PARENT_REVOKED = "parent_revoked"
    MERGED_INTO_ANOTHER = "merged_into_another"
    ERASED = "erased"
    # nothing to do
    DUPLICATE = "duplicate"


class ArchivedFor(StrEnum):
    """Why a memory is no longer in use."""

    SUPERSEDED = "superseded"
    MERGED = "merged"
    DELETED = "deleted"
    LOST_CONFLICT = "lost_conflict"
    EXPIRED = "expired"
    STALE = "stale"
    BUDGET = "budget"
    PARENT_REVOKED = "parent_revoked"
    BY_HAND = "by_hand"


class ConflictState(StrEnum):
    OPEN = "open"
    SNOOZED = "snoozed"
    SETTLED = "settled"


class SettlementVerb(StrEnum):
    """What is done about two claims that cannot both hold."""

    TAKE_NEW = "take_new"
    KEEP_OLD = "keep_old"
    MERGE = "merge"
    BOTH_VALID = "both_valid"
    NEITHER = "neither"
    NEEDS_EVIDENCE = "needs_evidence"


class SideRole(StrEnum):
    """Where a side of a conflict came from: what was known, or what arrived."""

    OLD = "old"
    NEW = "new"


class OfferState(StrEnum):
    """Where the wish to share a private memory stands, before anybody else hears of it."""

    ASKED = "asked"
    AGREED = "agreed"
    DECLINED = "declined"


class FeedbackKind(StrEnum):
    USEFUL = "useful"
    WRONG = "wrong"
    OUTDATED = "outdated"
    DO_NOT_USE = "do_not_use"


class ReadThrough(StrEnum):
    """By which way a memory was read. Packets have a record of their own."""

    API = "api"
    CONSOLE = "console"
    EVIDENCE = "evidence"


class VectorState(StrEnum):
    """Of a passage's vector: waited for, there, or given up after several tries on this text alone."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"


class LostBy(StrEnum):
    """The rule by which a passage that a search looked at is not among its hits."""

    UNLIKE = "unlike"  # too little about what was asked, or all of it too unsure: the search abstained
    CORRECTED = "corrected"  # a memory in use says otherwise, and said it later
    SAID_ALREADY = "said_already"  # a better hit says the same
    OVER_LIMIT = "over_limit"  # the count of hits was reached
