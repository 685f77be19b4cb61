"""How the words of memory read on a page."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.vocabulary import Sensitivity
from memories.vocabulary import MemoryKind, MemoryStatus, MemoryType, ScopeType, SourceRank, WriteAction

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
