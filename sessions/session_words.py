"""How the words of sessions, attempts and transcripts read on a page."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.vocabulary import ContractKind
from sessions.context.vocabulary import SummarySection
from sessions.vocabulary import (
    AttemptState,
    AttestedBy,
    EventKind,
    EventRole,
    HandoffOccasion,
    Happening,
    InterruptionKind,
    Loss,
    Prospect,
    ResumeFault,
    SessionState,
)

# What a new attempt cannot bring back.
LOST: Mapping[str, Promise] = {
    Loss.PROVIDER_SESSION: gettext_lazy("the harness’s own session"),
    Loss.EVENTS: gettext_lazy("a transcript"),
    Loss.WORK_SUMMARY: gettext_lazy("a work summary"),
    Loss.HANDOFF: gettext_lazy("a handoff"),
    Loss.TRANSCRIPT_PART: gettext_lazy("a part of the transcript"),
    Loss.CURRENT_SUMMARY: gettext_lazy("a work summary that still holds"),
    Loss.WHOLE_HANDOFF: gettext_lazy("a part of the handoff"),
}
# One table for each vocabulary: members of two of them are equal when they are spelt alike.
SESSION_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    SessionState: {
        SessionState.ACTIVE: pgettext_lazy("session state", "active"),
        SessionState.IDLE: pgettext_lazy("session state", "idle"),
        SessionState.INTERRUPTED: pgettext_lazy("session state", "interrupted"),
        SessionState.CLOSED: pgettext_lazy("session state", "closed"),
        SessionState.HANDOFF_WRITTEN: pgettext_lazy("session state", "handed over"),
    },
    AttemptState: {
        AttemptState.RUNNING: pgettext_lazy("attempt state", "running"),
        AttemptState.ENDED: pgettext_lazy("attempt state", "ended"),
        AttemptState.CRASHED: pgettext_lazy("attempt state", "crashed"),
    },
    EventKind: {
        EventKind.MESSAGE: pgettext_lazy("entry kind", "message"),
        EventKind.TOOL_CALL: pgettext_lazy("entry kind", "tool call"),
        EventKind.TOOL_RESULT: pgettext_lazy("entry kind", "tool result"),
        EventKind.CONSTRAINT: pgettext_lazy("entry kind", "constraint"),
        EventKind.CORRECTION: pgettext_lazy("entry kind", "correction"),
        EventKind.INTERRUPTION: pgettext_lazy("entry kind", "interruption"),
        EventKind.SCREEN: pgettext_lazy("entry kind", "screen"),
        EventKind.PROVIDER_COMPACTION: pgettext_lazy("entry kind", "summary by the provider"),
        EventKind.VERIFICATION: pgettext_lazy("entry kind", "verification"),
        EventKind.UNKNOWN: pgettext_lazy("entry kind", "of an unknown kind"),
    },
    EventRole: {
        EventRole.USER: pgettext_lazy("entry role", "user"),
        EventRole.ASSISTANT: pgettext_lazy("entry role", "assistant"),
        EventRole.TOOL: pgettext_lazy("entry role", "tool"),
        EventRole.SYSTEM: pgettext_lazy("entry role", "system"),
    },
    AttestedBy: {
        AttestedBy.CONSOLE: gettext_lazy("said in the console"),
        AttestedBy.HARNESS: gettext_lazy("vouched for by the harness"),
        AttestedBy.AGENT: gettext_lazy("the agent’s word alone"),
        AttestedBy.IMPORT: gettext_lazy("from an imported transcript"),
    },
    Prospect: {
        Prospect.FIRST: gettext_lazy("Nobody has worked here yet; the first process that asks begins."),
        Prospect.CONTINUED: gettext_lazy("An attempt is running; its next request goes on in it."),
        Prospect.LAPSED: gettext_lazy(
            "An attempt counts as running, but has given no sign of life for longer than its lease; "
            "it can go on, or a new one takes over and marks it as crashed."
        ),
        Prospect.RESUMED: gettext_lazy("No attempt is running; the harness’s own session is alive and can be resumed."),
        Prospect.REBUILT: gettext_lazy("No attempt is running; a new one is rebuilt from what is stored here."),
        Prospect.FAILED: gettext_lazy("A resume would fail: nothing usable is left to resume from."),
        Prospect.OVER: gettext_lazy("This session is over; the next request opens a new one."),
    },
    ContractKind: {
        ContractKind.PERSONA: pgettext_lazy("contract", "persona"),
        ContractKind.ROLE: pgettext_lazy("contract", "role"),
        ContractKind.POLICY: pgettext_lazy("contract", "policy"),
        ContractKind.SELF_PROFILE: pgettext_lazy("contract", "self profile"),
        ContractKind.BUDGET_PROFILE: pgettext_lazy("contract", "budget profile"),
    },
    SummarySection: {
        SummarySection.CONSTRAINTS: pgettext_lazy("summary", "Constraints and demands"),
        SummarySection.GOALS: pgettext_lazy("summary", "Goals"),
        SummarySection.DECISIONS: pgettext_lazy("summary", "Decisions, corrections and values"),
        SummarySection.CONCLUSIONS: pgettext_lazy("summary", "Conclusions"),
        SummarySection.VERIFICATION: pgettext_lazy("summary", "Verification"),
        SummarySection.OPEN_QUESTIONS: pgettext_lazy("summary", "Open questions"),
        SummarySection.DISSENT: pgettext_lazy("summary", "Dissent"),
        SummarySection.BLOCKERS: pgettext_lazy("summary", "Blockers"),
        SummarySection.NEXT_STEPS: pgettext_lazy("summary", "Next steps"),
        SummarySection.EVIDENCE: pgettext_lazy("summary", "Evidence"),
    },
    Loss: LOST,
    ResumeFault: {
        ResumeFault.THREAD_ARCHIVED: gettext_lazy(
            "Its thread is archived. Open the thread again, or go on in another one."
        ),
        ResumeFault.THREAD_MERGED: gettext_lazy("Its thread was merged into another one; the work goes on there."),
        ResumeFault.THREAD_SPLIT: gettext_lazy("Its thread was split; the work goes on in the threads that it became."),
        ResumeFault.SESSION_OVER: gettext_lazy(
            "The session is over. The next one on this thread begins with its handoff."
        ),
        ResumeFault.TAKEN: gettext_lazy("Two processes picked it up at once. One goes on; the other was told to stop."),
        ResumeFault.NOTHING_LEFT: gettext_lazy("Nothing was ever stored in it, so there was nothing to go on from."),
    },
    InterruptionKind: {
        InterruptionKind.USER: pgettext_lazy("interruption", "stopped by the user"),
        InterruptionKind.PROCESS_EXIT: pgettext_lazy("interruption", "the process ended"),
        InterruptionKind.TOOL_STOPPED: pgettext_lazy("interruption", "a tool was stopped"),
        InterruptionKind.CONNECTION_LOST: pgettext_lazy("interruption", "the connection was lost"),
    },
    Happening: {
        Happening.OPENED: pgettext_lazy("timeline", "session opened"),
        Happening.ATTEMPT: pgettext_lazy("timeline", "attempt began"),
        Happening.INTERRUPTED: pgettext_lazy("timeline", "interrupted"),
        Happening.SUMMARY: pgettext_lazy("timeline", "work summary"),
        Happening.HANDOFF: pgettext_lazy("timeline", "handoff"),
        Happening.SENT_BACK: pgettext_lazy("timeline", "sent back"),
        Happening.CLOSED: pgettext_lazy("timeline", "session closed"),
        Happening.MERGED_INTO: pgettext_lazy("timeline", "merged into"),
        Happening.MERGED_FROM: pgettext_lazy("timeline", "took in"),
        Happening.SPLIT_OFF: pgettext_lazy("timeline", "split off"),
        Happening.SPLIT_FROM: pgettext_lazy("timeline", "split off from"),
        Happening.UNDONE: pgettext_lazy("timeline", "undone"),
    },
    HandoffOccasion: {
        HandoffOccasion.ASKED: pgettext_lazy("handoff", "handed over"),
        HandoffOccasion.SENT_BACK: pgettext_lazy("handoff", "sent back"),
        HandoffOccasion.CLOSED: pgettext_lazy("handoff", "written as the session was closed"),
        HandoffOccasion.CRASHED: pgettext_lazy("handoff", "written from the records, after the process died"),
    },
}
# Why a version of a work summary was written. Callers may name another reason, which stands as they wrote it.
SUMMARY_TRIGGERS: Mapping[str, Promise] = {
    "asked": gettext_lazy("in the background, as it was due"),
    "checkpoint": gettext_lazy("asked for by the agent"),
    "asked_in_console": gettext_lazy("asked for in the console"),
}
