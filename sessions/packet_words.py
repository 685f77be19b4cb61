"""How the words of a compile read on a page. The API says them in one language; people read their own."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.vocabulary import Phase, Risk
from memories.memory_words import MEMORY_KINDS
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from sessions.context.vocabulary import (
    ActionKind,
    ActionReason,
    CountMethod,
    Dialect,
    DropReason,
    Fidelity,
    Group,
    Layer,
    LimitOrigin,
    Section,
    Slot,
    Step,
    Threshold,
    Trigger,
)
from sessions.vocabulary import CompileResult, ItemChange, Recovery, VerificationState
from threads.thread_words import KINDS as THREAD_KINDS
from threads.vocabulary import MatchRule

type Words = Mapping[str, Promise]

# One table for each vocabulary: members of two of them are equal when they are spelt alike.
KINDS: Mapping[type[StrEnum], Words] = {
    Layer: {
        Layer.POLICY: pgettext_lazy("layer", "policy"),
        Layer.ROLE: pgettext_lazy("layer", "role contract"),
        Layer.PERSONA: pgettext_lazy("layer", "persona"),
        Layer.PREFERENCES: pgettext_lazy("layer", "preferences"),
        Layer.VISION: pgettext_lazy("layer", "vision"),
        Layer.THREAD: pgettext_lazy("layer", "thread"),
        Layer.PLAN: pgettext_lazy("layer", "plan"),
        Layer.CONSTRAINTS: pgettext_lazy("layer", "user constraints"),
        Layer.SUMMARY: pgettext_lazy("layer", "work summary"),
        Layer.DIALOGUE: pgettext_lazy("layer", "dialogue"),
        Layer.TOOL_RESULTS: pgettext_lazy("layer", "tool results"),
        Layer.HANDOFF: pgettext_lazy("layer", "handoff"),
        Layer.MEMORIES: pgettext_lazy("layer", "memories"),
        Layer.INPUT: pgettext_lazy("layer", "user input"),
    },
    Group: {
        Group.POLICY: pgettext_lazy("group", "rules"),
        Group.PLAN: pgettext_lazy("group", "plan"),
        Group.SELF: pgettext_lazy("group", "self"),
        Group.EVIDENCE: pgettext_lazy("group", "evidence"),
        Group.HEADROOM: pgettext_lazy("group", "headroom"),
    },
    Slot: {
        Slot.PERSONA: pgettext_lazy("slot", "Persona"),
        Slot.VISION: pgettext_lazy("slot", "Vision"),
        Slot.THREAD: pgettext_lazy("slot", "Thread"),
        Slot.SESSION: pgettext_lazy("slot", "Session"),
        Slot.HANDOFF: pgettext_lazy("slot", "Handoff"),
        Slot.PROJECT_STATE: pgettext_lazy("slot", "Project state"),
        Slot.RETRIEVED: pgettext_lazy("slot", "Retrieved"),
        Slot.USER_INPUT: pgettext_lazy("slot", "User input"),
    },
    Section: {
        Section.READING: pgettext_lazy("prompt section", "How to read this"),
        Section.POLICY: pgettext_lazy("prompt section", "Policy"),
        Section.ROLE: pgettext_lazy("prompt section", "Role contract"),
        Section.PERSONA: pgettext_lazy("prompt section", "Persona"),
        Section.PREFERENCES: pgettext_lazy("prompt section", "Preferences"),
        Section.VISION: pgettext_lazy("prompt section", "Vision"),
        Section.THREAD: pgettext_lazy("prompt section", "Thread"),
        Section.PLAN: pgettext_lazy("prompt section", "Task"),
        Section.CONSTRAINTS: pgettext_lazy("prompt section", "Constraints of the user"),
        Section.SUMMARY: pgettext_lazy("prompt section", "Work summary"),
        Section.PROJECT_STATE: pgettext_lazy("prompt section", "Project state by thread"),
        Section.DIALOGUE: pgettext_lazy("prompt section", "Dialogue and tool results"),
        Section.HANDOFF: pgettext_lazy("prompt section", "Handoff"),
        Section.MEMORIES: pgettext_lazy("prompt section", "Retrieved"),
        Section.INPUT: pgettext_lazy("prompt section", "User input"),
    },
    Fidelity: {
        Fidelity.MUST: pgettext_lazy("fidelity", "must"),
        Fidelity.SHOULD: pgettext_lazy("fidelity", "should"),
        Fidelity.MAY: pgettext_lazy("fidelity", "may"),
    },
    Step: {
        Step.FULL: pgettext_lazy("step", "whole"),
        Step.EXCERPT: pgettext_lazy("step", "excerpt"),
        Step.TITLE: pgettext_lazy("step", "one line"),
    },
    Threshold: {
        Threshold.NONE: gettext_lazy("The packet stayed below both thresholds."),
        Threshold.SOFT: gettext_lazy("The packet passed the soft threshold: a work summary is due."),
        Threshold.HARD: gettext_lazy("The packet passed the hard threshold: a work summary is overdue."),
    },
    Trigger: {
        Trigger.INPUT_SHARE: gettext_lazy("Everything together comes near the input cap."),
        Trigger.LAYER_SHARE: gettext_lazy("The dialogue or its tool results come near their layer’s cap."),
        Trigger.EVENT_COUNT: gettext_lazy("Many entries are covered by no work summary yet."),
    },
    CountMethod: {
        CountMethod.EXACT: pgettext_lazy("count", "exact"),
        CountMethod.PROVIDER: pgettext_lazy("count", "by the provider"),
        CountMethod.ESTIMATE: pgettext_lazy("count", "estimate"),
    },
    LimitOrigin: {
        LimitOrigin.REQUEST: pgettext_lazy("limit", "the request"),
        LimitOrigin.TASK: pgettext_lazy("limit", "the task"),
        LimitOrigin.ROLE: pgettext_lazy("limit", "the role contract"),
        LimitOrigin.PROJECT: pgettext_lazy("limit", "the project"),
        LimitOrigin.POLICY: pgettext_lazy("limit", "the policy"),
        LimitOrigin.LEARNT: pgettext_lazy("limit", "reported usage"),
        LimitOrigin.PROFILE: pgettext_lazy("limit", "the budget profile"),
        LimitOrigin.DEFAULT: pgettext_lazy("limit", "the default profile"),
    },
    DropReason: {
        DropReason.INPUT_CAP: gettext_lazy("No room was left under the input cap."),
        DropReason.LAYER_CAP: gettext_lazy("Its layer was full."),
        DropReason.COUNT_LIMIT: gettext_lazy("The most items of this kind were in already."),
        DropReason.AUDIENCE: gettext_lazy("Not everyone who reads along there may read it."),
        DropReason.SENSITIVITY: gettext_lazy("It is more sensitive than the policy lets in at this phase and risk."),
        DropReason.KNOWLEDGE_STATUS: gettext_lazy("It is less certain than the policy lets in at this phase and risk."),
        DropReason.PHASE: gettext_lazy("This phase or risk holds optional items of the layer back."),
        DropReason.PLAN_STEP: gettext_lazy("The plan does not need it at this step."),
        DropReason.COMPACTION: gettext_lazy(
            "It gave way when the dialogue was last shortened, to keep the rest in place."
        ),
        DropReason.DUPLICATE: gettext_lazy("It says the same as something that is in."),
        DropReason.STALE: gettext_lazy("It is out of date."),
    },
    ActionKind: {
        ActionKind.LOAD: pgettext_lazy("action", "loaded"),
        ActionKind.COMPRESS: pgettext_lazy("action", "shortened"),
        ActionKind.EVICT: pgettext_lazy("action", "left out"),
        ActionKind.CACHE_HIT: pgettext_lazy("action", "found in the cache"),
        ActionKind.CACHE_MISS: pgettext_lazy("action", "not in the cache"),
        ActionKind.CAPSULE_EMIT: pgettext_lazy("action", "given out as a capsule"),
        ActionKind.WRITE_DECISION: pgettext_lazy("action", "decision written"),
    },
    ActionReason: {
        ActionReason.PLAN_STEP_CHANGE: gettext_lazy("the step of the plan changed"),
        ActionReason.RISK_GATE: gettext_lazy("the policy for this risk"),
        ActionReason.TOKEN_BUDGET: gettext_lazy("the token budget"),
        ActionReason.USER_CORRECTION: gettext_lazy("a correction by the user"),
        ActionReason.PHASE: gettext_lazy("the phase of the work"),
        ActionReason.STALE: gettext_lazy("it was out of date"),
        ActionReason.DUPLICATE: gettext_lazy("it was there already"),
        ActionReason.NOT_ELIGIBLE: gettext_lazy("not for everyone who reads along"),
    },
    Dialect: {
        Dialect.OPENAI_CHAT: pgettext_lazy("dialect", "OpenAI chat messages"),
        Dialect.OPENAI_RESPONSES: pgettext_lazy("dialect", "OpenAI responses: instructions and input items"),
        Dialect.ANTHROPIC_MESSAGES: pgettext_lazy("dialect", "Anthropic messages"),
        Dialect.TEXT: pgettext_lazy("dialect", "one text"),
    },
    MatchRule: {
        MatchRule.BINDING: gettext_lazy("The request, its session or its channel named the thread."),
        MatchRule.RECENT: gettext_lazy("It went on with the most recent work."),
        MatchRule.SEMANTIC: gettext_lazy("Its words fit this thread best."),
        MatchRule.NEW: gettext_lazy("It fitted no thread, so a new one was begun."),
    },
    Recovery: {
        Recovery.OPENED: gettext_lazy("A new session was opened."),
        Recovery.CONTINUED: gettext_lazy("The running attempt went on."),
        Recovery.RESUMED: gettext_lazy("A new attempt resumed the harness’s own session."),
        Recovery.REBUILT: gettext_lazy("A new attempt was rebuilt from what is stored here."),
        Recovery.FAILED: gettext_lazy("Nothing usable was left to resume from."),
    },
    CompileResult: {
        CompileResult.OK: pgettext_lazy("compile", "ok"),
        CompileResult.WARNED: pgettext_lazy("compile", "with warnings"),
        CompileResult.DEGRADED: pgettext_lazy("compile", "degraded"),
        CompileResult.REFUSED: pgettext_lazy("compile", "refused"),
    },
    ItemChange: {
        ItemChange.ADDED: pgettext_lazy("change", "added"),
        ItemChange.GONE: pgettext_lazy("change", "gone"),
        ItemChange.CHANGED: pgettext_lazy("change", "changed"),
        ItemChange.NOT_KNOWN: pgettext_lazy("change", "cannot be compared"),
    },
    VerificationState: {
        VerificationState.UNVERIFIED: pgettext_lazy("verification", "unverified"),
        VerificationState.PASSED: pgettext_lazy("verification", "passed"),
        VerificationState.FAILED: pgettext_lazy("verification", "failed"),
    },
    Phase: THREAD_KINDS[Phase],
    Risk: THREAD_KINDS[Risk],
    KnowledgeStatus: MEMORY_KINDS[KnowledgeStatus],
    Origin: {
        Origin.USER_EXPLICIT: pgettext_lazy("origin", "said by a user"),
        Origin.AGENT_INFERRED: pgettext_lazy("origin", "inferred by an agent"),
        Origin.EXTERNAL_AGENT: pgettext_lazy("origin", "from an outside agent"),
        Origin.TOOL_OUTPUT: pgettext_lazy("origin", "output of a tool"),
    },
    SourceType: {
        SourceType.IDENTITY: pgettext_lazy("source", "identity"),
        SourceType.THREAD: pgettext_lazy("source", "thread"),
        SourceType.TASK: pgettext_lazy("source", "task"),
        SourceType.EVENT: pgettext_lazy("source", "event"),
        SourceType.SUMMARY: pgettext_lazy("source", "work summary"),
        SourceType.DECISION: pgettext_lazy("source", "decision"),
        SourceType.LESSON: pgettext_lazy("source", "lesson"),
        SourceType.SOP: pgettext_lazy("source", "procedure"),
        SourceType.FACT: pgettext_lazy("source", "fact"),
    },
}

# Where a line has no room for a sentence.
RULE_NAMES: Words = {
    MatchRule.BINDING: pgettext_lazy("rule", "thread named"),
    MatchRule.RECENT: pgettext_lazy("rule", "recent thread"),
    MatchRule.SEMANTIC: pgettext_lazy("rule", "thread by its words"),
    MatchRule.NEW: pgettext_lazy("rule", "new thread"),
}
RECOVERY_NAMES: Words = {
    Recovery.OPENED: pgettext_lazy("recovery", "session opened"),
    Recovery.CONTINUED: pgettext_lazy("recovery", "attempt continued"),
    Recovery.RESUMED: pgettext_lazy("recovery", "session resumed"),
    Recovery.REBUILT: pgettext_lazy("recovery", "session rebuilt"),
    Recovery.FAILED: pgettext_lazy("recovery", "nothing to resume"),
}


def word_of(kind: type[StrEnum], value: str) -> Promise | str:
    """Return the reader's word for a stored value of a vocabulary; the value itself where it is not in there."""
    return KINDS[kind].get(value, value)
