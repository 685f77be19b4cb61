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
