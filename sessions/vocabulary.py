"""Words of the living window: sessions, attempts, events, and how work was picked up."""

from enum import StrEnum


class SessionState(StrEnum):
    ACTIVE = "active"
    IDLE = "idle"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"
    HANDOFF_WRITTEN = "handoff_written"


class AttemptState(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    CRASHED = "crashed"


class Recovery(StrEnum):
    """How a session was picked up; never a silent empty start."""

    OPENED = "opened"
    CONTINUED = "continued"
    RESUMED = "resumed"
    REBUILT = "rebuilt"
    FAILED = "failed"


class Loss(StrEnum):
    """What could not be brought back as a session was picked up."""

    PROVIDER_SESSION = "provider_session"
    EVENTS = "events"  # nothing was ever appended
    WORK_SUMMARY = "work_summary"
    HANDOFF = "handoff"
    TRANSCRIPT_PART = "transcript_part"  # entries are missing, or the harness has some that never came here
    CURRENT_SUMMARY = "current_summary"  # the summary cannot be read, or rests on what no longer holds
    WHOLE_HANDOFF = "whole_handoff"  # a part of the handoff is missing


class ResumeFault(StrEnum):
    """Why a session was not picked up at all."""

    THREAD_ARCHIVED = "thread_archived"
    THREAD_MERGED = "thread_merged"
    THREAD_SPLIT = "thread_split"
    SESSION_OVER = "session_over"
    TAKEN = "taken"  # another process picked it up at the same time
    NOTHING_LEFT = "nothing_left"


class InterruptionKind(StrEnum):
    """What stopped the work without an end."""

    USER = "user"
    PROCESS_EXIT = "process_exit"
    TOOL_STOPPED = "tool_stopped"
    CONNECTION_LOST = "connection_lost"


class HandoffOccasion(StrEnum):
    """When a handoff was written, and so by whom: an agent asks or sends back, a close or a sweep writes its own."""

    ASKED = "asked"
    SENT_BACK = "sent_back"
    CLOSED = "closed"
    CRASHED = "crashed"


class Happening(StrEnum):
    """What the timeline of a thread tells of."""

    OPENED = "opened"
    ATTEMPT = "attempt"
    INTERRUPTED = "interrupted"
    SUMMARY = "summary"
    HANDOFF = "handoff"
    SENT_BACK = "sent_back"
    CLOSED = "closed"
    MERGED_INTO = "merged_into"
    MERGED_FROM = "merged_from"
    SPLIT_OFF = "split_off"
    SPLIT_FROM = "split_from"
    UNDONE = "undone"


class Chore(StrEnum):
    """Kinds of jobs that this app asks for and does."""

    SUMMARISE = "summarise_session"
    COOL = "cool_session"


class Codec(StrEnum):
    """How the texts of a cold segment are compressed."""

    ZLIB = "zlib"


class Prospect(StrEnum):
    """What the next request for context in a session meets."""

    FIRST = "first"  # nobody has worked in it yet
    CONTINUED = "continued"
    LAPSED = "lapsed"  # the running attempt has given no sign of life for longer than its lease
    RESUMED = "resumed"
    REBUILT = "rebuilt"
    FAILED = "failed"
    OVER = "over"


class EventKind(StrEnum):
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    CONSTRAINT = "constraint"
    CORRECTION = "correction"
    INTERRUPTION = "interruption"
    SCREEN = "screen"
    PROVIDER_COMPACTION = "provider_compaction"
    VERIFICATION = "verification"
    UNKNOWN = "unknown"


class EventRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class AttestedBy(StrEnum):
    """Who vouches for an event: a person at the console, a harness with that right, or only the agent."""

    CONSOLE = "console"
    HARNESS = "harness"
    AGENT = "agent"
    IMPORT = "import"


class VerificationState(StrEnum):
    UNVERIFIED = "unverified"
    PASSED = "passed"
    FAILED = "failed"


class ReadUnit(StrEnum):
    """What a bounded read is measured in."""

    TOKENS = "tokens"
    LINES = "lines"


class InputType(StrEnum):
    TEXT = "text"
    VOICE = "voice"
    IMAGE = "image"
    FILE = "file"
    SYSTEM = "system"


class CompileResult(StrEnum):
    """How a request for context came out."""

    OK = "ok"
    WARNED = "warned"
    DEGRADED = "degraded"  # compiled, with less than the work had
    REFUSED = "refused"


class ItemChange(StrEnum):
    """What became of an item of one packet in another: the same source with other tokens or words is a change.

    Not known is what was erased since in one of them, so that nobody can say whether it said the same.
    """

    ADDED = "added"
    GONE = "gone"
    CHANGED = "changed"
    NOT_KNOWN = "not_known"


class Anew(StrEnum):
    """Why what a packet brings along was asked anew, and not kept from the one before."""

    FIRST = "first"  # the session has no packet yet
    MATTER = "matter"  # the input asks something of its own
    PHASE = "phase"
    TASK = "task"
    READERS = "readers"  # it goes to others, or more or less may enter
    EMPTY = "empty"  # nothing had been found
    GONE = "gone"  # something of it was changed, revoked or erased


class PartLoss(StrEnum):
    """Why a part of a recorded packet cannot be shown again."""

    ERASED = "erased"
    REVOKED = "revoked"
    CHANGED = "changed"  # it says something else now, and nothing kept says what it said then
    NOT_HERE = "not_here"  # it is not there for this reader
    MOVED = "moved"  # a budget profile that has a newer version


class ReplayVerdict(StrEnum):
    """What compiling a recorded packet once more came to."""

    IDENTICAL = "identical"
    PARTS_LOST = "parts_lost"
    DIFFERENT = "different"  # every part is there, and today's compiler gives other bytes


class Explained(StrEnum):
    """What became of something in a compile."""

    IN = "in"
    PARTLY = "partly"  # of what it consists of some is in, and some is not
    HELD = "held"  # not sent again, because the caller holds it
    CUT = "cut"  # it might have entered, and a rule of room or rank left it out
    NOT_ELIGIBLE = "not_eligible"  # a gate kept it out, whatever room there was
    NEVER_CONSIDERED = "never_considered"


class Overlooked(StrEnum):
    """Why something was never considered in a compile."""

    NOT_THERE = "not_there"  # nothing of this name is there for this reader
    LATER = "later"  # it was made after the compile
    ANOTHER_THREAD = "another_thread"
    ANOTHER_SESSION = "another_session"
    ANOTHER_TASK = "another_task"
    BEFORE_TAIL = "before_tail"  # older than what a compile reads of its session
    AS_INPUT = "as_input"  # the words of the request, which stand in the packet as its input
    COVERED = "covered"  # older than that, and the work summary in the packet covers it
    NOT_IN_USE = "not_in_use"  # a memory that was not active then
    REPLACED = "replaced"  # another version of it was there to be taken
    NOT_PINNED = "not_pinned"  # a contract's revision that the attempt did not begin with
    NOT_ASKED = "not_asked"  # the packet went on with what an earlier one had found
    NOT_FOUND = "not_found"  # the search did not bring it: too little in common with what was asked
    NOT_SEARCHED = "not_searched"  # of a kind that is not searched
    NOT_LATEST = "not_latest"  # no summary that the project's state was compiled from
    REFUSED = "refused"  # must content did not fit, so that nothing entered


class UsageFate(StrEnum):
    """What became of a provider's count that was reported for a packet."""

    TAKEN = "taken"
    IMPLAUSIBLE = "implausible"  # no vocabulary counts so little, or so much, for this prompt


class Learning(StrEnum):
    """How far what reported usage taught about a profile can be relied on; COLLECTING where there is too little yet."""

    COLLECTING = "collecting"
    UNSTEADY = "unsteady"  # the reports do not agree with each other: what ships goes on
    LEARNT = "learnt"


class TextKind(StrEnum):
    """Kinds of text in which vocabularies differ most."""

    CHINESE = "chinese"
    ENGLISH = "english"
    CODE = "code"
