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
    REFUSED = "refused"


class ItemChange(StrEnum):
    """What became of an item of one packet in another: the same source with other tokens is a change."""

    ADDED = "added"
    GONE = "gone"
    CHANGED = "changed"


class Anew(StrEnum):
    """Why what a packet brings along was asked anew, and not kept from the one before."""

    FIRST = "first"  # the session has no packet yet
    MATTER = "matter"  # the input asks something of its own
    PHASE = "phase"
    TASK = "task"
    READERS = "readers"  # it goes to others, or more or less may enter
    EMPTY = "empty"  # nothing had been found
    GONE = "gone"  # something of it was changed, revoked or erased
