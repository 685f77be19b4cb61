"""How the words of memory read on a page."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.vocabulary import Sensitivity
from memories.vocabulary import (
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    ReasonCode,
    ScopeType,
    SourceRank,
    WriteAction,
)

# One table for each vocabulary: members of two of them are equal when they are spelt alike.
MEMORY_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    MemoryType: {
        MemoryType.EPISODE: gettext_lazy("episode: something that happened"),
        MemoryType.SEMANTIC: gettext_lazy("semantic: how things are"),
        MemoryType.PROCEDURAL: gettext_lazy("procedural: how something is done"),
        MemoryType.PREFERENCE: gettext_lazy("preference: what somebody likes"),
    },
    MemoryKind: {
        MemoryKind.FACT: pgettext_lazy("memory kind", "fact"),
        MemoryKind.DECISION: pgettext_lazy("memory kind", "decision"),
        MemoryKind.LESSON: pgettext_lazy("memory kind", "lesson"),
        MemoryKind.SOP: pgettext_lazy("memory kind", "procedure"),
    },
    ScopeType: {
        ScopeType.IDENTITY: pgettext_lazy("memory scope", "identity"),
        ScopeType.THREAD: pgettext_lazy("memory scope", "one thread"),
        ScopeType.TASK: pgettext_lazy("memory scope", "one task"),
        ScopeType.SOP: pgettext_lazy("memory scope", "a procedure"),
        ScopeType.PROJECT: pgettext_lazy("memory scope", "the whole project"),
    },
    MemoryStatus: {
        MemoryStatus.CANDIDATE: pgettext_lazy("memory status", "candidate"),
        MemoryStatus.SCREENED: pgettext_lazy("memory status", "screened"),
        MemoryStatus.EVIDENCE_CHECKED: pgettext_lazy("memory status", "evidence checked"),
        MemoryStatus.POLICY_CHECKED: pgettext_lazy("memory status", "policy checked"),
        MemoryStatus.USER_ALIGNED: pgettext_lazy("memory status", "aligned with the user"),
        MemoryStatus.COMMITTED: pgettext_lazy("memory status", "committed"),
        MemoryStatus.ACTIVE: pgettext_lazy("memory status", "in use"),
        MemoryStatus.ARCHIVED: pgettext_lazy("memory status", "archived"),
        MemoryStatus.REVOKED: pgettext_lazy("memory status", "revoked"),
        MemoryStatus.REJECTED: pgettext_lazy("memory status", "rejected"),
    },
    Sensitivity: {
        Sensitivity.PUBLIC: gettext_lazy("public: may leave the project"),
        Sensitivity.WORK: gettext_lazy("work: for this project’s work"),
        Sensitivity.PERSONAL: gettext_lazy("personal: about a person"),
        Sensitivity.SECRET: gettext_lazy("secret: never leaves its domain"),
    },
    KnowledgeStatus: {
        KnowledgeStatus.DISPUTED: pgettext_lazy("knowledge", "disputed"),
        KnowledgeStatus.OPEN: pgettext_lazy("knowledge", "open"),
        KnowledgeStatus.INFERRED: pgettext_lazy("knowledge", "inferred"),
        KnowledgeStatus.CONFIRMED: pgettext_lazy("knowledge", "confirmed"),
    },
    SourceRank: {
        SourceRank.UNTRUSTED_EXTERNAL: pgettext_lazy("source rank", "untrusted"),
        SourceRank.TRUSTED_AGENT: pgettext_lazy("source rank", "a trusted agent"),
        SourceRank.VERIFIED_TOOL_OUTPUT: pgettext_lazy("source rank", "verified output of a tool"),
        SourceRank.USER_CORRECTION: pgettext_lazy("source rank", "a user’s correction"),
        SourceRank.USER_EXPLICIT: pgettext_lazy("source rank", "a user’s own statement"),
    },
    WriteAction: {
        WriteAction.ADD: pgettext_lazy("write action", "adds"),
        WriteAction.UPDATE: pgettext_lazy("write action", "updates another memory"),
        WriteAction.DELETE: pgettext_lazy("write action", "takes another memory away"),
        WriteAction.NOOP: pgettext_lazy("write action", "changes nothing"),
    },
}

# Why a proposal waits, or was refused, in one sentence without its stop.
REASON_WORDS: Mapping[ReasonCode, Promise] = {
    ReasonCode.SCREENING_SUSPICIOUS: pgettext_lazy(
        "why not learnt", "A human has to read it before anything remembers it"
    ),
    ReasonCode.IDENTITY_NEEDS_HUMAN: pgettext_lazy(
        "why not learnt", "It speaks of who somebody is or what they may do"
    ),
    ReasonCode.LOW_SOURCE_NEEDS_HUMAN: pgettext_lazy(
        "why not learnt", "Its source is not trusted enough to go without a human"
    ),
    ReasonCode.WEAKER_SOURCE: pgettext_lazy(
        "why not learnt", "A weaker source does not change what a stronger one said"
    ),
    ReasonCode.SENSITIVITY_NEEDS_HUMAN: pgettext_lazy(
        "why not learnt", "A human decides whether content this sensitive is shared"
    ),
    ReasonCode.PRIVATE_TO_SHARED_NEEDS_HUMAN: pgettext_lazy(
        "why not learnt", "It rests on something private, and everybody would read it"
    ),
    ReasonCode.REVIEW_MODE_NEEDS_HUMAN: pgettext_lazy("why not learnt", "The policy lets a human decide every write"),
    ReasonCode.RISK_NEEDS_HUMAN: pgettext_lazy("why not learnt", "The policy lets a human decide writes of this risk"),
    ReasonCode.APPROVAL_NEEDS_HUMAN: pgettext_lazy("why not learnt", "The policy requires an approval for this kind"),
    ReasonCode.CONFLICT_OPEN: pgettext_lazy(
        "why not learnt", "It says otherwise than what is known; the conflict is open"
    ),
    ReasonCode.CONTENT_EMPTY: pgettext_lazy("why not learnt", "It says nothing"),
    ReasonCode.CONTENT_TOO_LONG: pgettext_lazy("why not learnt", "It is longer than a memory may be"),
    ReasonCode.VALIDITY_BACKWARD: pgettext_lazy("why not learnt", "Its validity ends before it begins"),
    ReasonCode.SCREENING_CREDENTIAL: pgettext_lazy("why not learnt", "It held a secret, which was not stored"),
    ReasonCode.SCREENING_INJECTION: pgettext_lazy(
        "why not learnt", "It reads like an instruction to whoever remembers it"
    ),
    ReasonCode.EVIDENCE_MISSING: pgettext_lazy("why not learnt", "It cites nothing that bears it out"),
    ReasonCode.EVIDENCE_UNRESOLVABLE: pgettext_lazy("why not learnt", "What it cites does not open for its writer"),
    ReasonCode.EVIDENCE_QUOTE_NOT_FOUND: pgettext_lazy(
        "why not learnt", "The words that it quotes do not stand where it says"
    ),
    ReasonCode.EVIDENCE_OWN_WORDS: pgettext_lazy("why not learnt", "It rests on an agent’s own words alone"),
    ReasonCode.LEAVES_ITS_DOMAIN: pgettext_lazy(
        "why not learnt", "Content this sensitive stays where its owner alone reads it"
    ),
    ReasonCode.ECHO_OF_INJECTED: pgettext_lazy(
        "why not learnt", "A packet carried it just before: it is no new knowledge"
    ),
    ReasonCode.SUPERSEDED_BEFORE: pgettext_lazy(
        "why not learnt", "It was taken out of use after what it rests on was said"
    ),
    ReasonCode.SOURCE_NOT_ACCEPTED: pgettext_lazy("why not learnt", "The policy accepts nothing from this source"),
    ReasonCode.TARGET_IMMUTABLE: pgettext_lazy("why not learnt", "The memory that it would change never changes"),
    ReasonCode.TARGET_GONE: pgettext_lazy("why not learnt", "The memory that it would change is not in use"),
    ReasonCode.REFUSED_BY_HUMAN: pgettext_lazy("why not learnt", "A human refused it"),
    ReasonCode.LOST_CONFLICT: pgettext_lazy("why not learnt", "It lost a conflict"),
    ReasonCode.PARENT_REVOKED: pgettext_lazy("why not learnt", "What it was made of was revoked"),
    ReasonCode.MERGED_INTO_ANOTHER: pgettext_lazy("why not learnt", "Another memory says it now"),
    ReasonCode.ERASED: pgettext_lazy("why not learnt", "It was erased"),
    ReasonCode.DUPLICATE: pgettext_lazy("why not learnt", "It was known already"),
}
