"""What the demo's content is made of: people, lines of a transcript, and what was written down around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from governance.vocabulary import Phase, Risk
from memories.vocabulary import FeedbackKind, MemoryKind, MemoryType
from memories.writes import ClaimWish
from sessions.context.vocabulary import Dialect, SummarySection
from sessions.lifecycle import ProviderWish
from sessions.vocabulary import EventKind, EventRole, InputType
from threads.vocabulary import ThreadType


class Who(StrEnum):
    """Everybody in the demo: two humans, and agents with the roles that they hold."""

    OWNER = "owner"
    MAINTAINER = "maintainer"
    GREYWIND = "greywind"
    CHIEF = "chief"
    DEV = "dev"
    TESTER = "tester"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of a transcript. `by` is the human who wrote it; None is the agent of the scene or its harness.

    `retires` holds the words of the demand, on the same thread, that a correction takes back.
    """

    role: EventRole
    kind: EventKind
    text: str
    by: Who | None = None
    tool: str = ""
    failed: bool | None = None
    retires: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """A request for context at this place of a scene. `text` None asks with the words of the line before it.

    `refused` says that its cap is meant to be too small for what must be in.
    """

    phase: Phase
    risk: Risk = Risk.MEDIUM
    dialect: Dialect = Dialect.OPENAI_CHAT
    profile: str | None = None
    max_input_tokens: int | None = None
    text: str | None = None
    input_type: InputType = InputType.TEXT
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One stretch of work: who plays it in which role, how long before now it began, and the time between lines."""

    agent: Who
    role: str
    ago: timedelta
    pace: timedelta
    steps: Sequence[Line | Compile]
    provider: ProviderWish | None = None

    @property
    def lines(self) -> list[Line]:
        return [step for step in self.steps if isinstance(step, Line)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadText:
    """A thread as it is made. `channel` is tied to it."""

    title: str
    type: ThreadType
    tags: Sequence[str] = ()
    keywords: Sequence[str] = ()
    summary: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskText:
    """A task; `depends_on` counts the tasks before it in the list, from zero."""

    title: str
    brief: str
    phase: Phase
    risk: Risk
    next_steps: Sequence[str] = ()
    depends_on: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionText:
    """What a maintainer adds to the goal that the first request gave."""

    done_when: Sequence[str]
    non_goals: Sequence[str]
    user_priorities: Sequence[str]
    quality_bar: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffText:
    """What one session leaves to the next. `pinned` are the seqs of its events that must stay in sight."""

    summary: str
    unfinished_items: Sequence[str]
    risks: Sequence[str]
    resume_suggestion: str
    next_actor: str
    pinned: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryText:
    """A work summary. `evidence` says for which event (by seq) what it shows."""

    sections: Mapping[SummarySection, Sequence[str]]
    evidence: Sequence[tuple[int, str]]
    trigger: str = "checkpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cite:
    """An event (by seq) that shows something; `lines` are first and count in the artifact behind its result."""

    seq: int
    lines: tuple[int, int] | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a human did not let something be learnt, and what would change their mind."""

    by: Who
    because: str
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What somebody who used a memory says of it."""

    by: Who
    kind: FeedbackKind
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryText:
    """What was learnt or settled, by whom, and what shows it. Held as a candidate unless somebody decided on it.

    `corrects` is the place, earlier in the same list, of the memory that this one asks to change; `claims` say outright
    what of what it states, so that another statement of the same can be held against it.
    """

    by: Who
    content: str
    cites: Sequence[Cite]
    kind: MemoryKind = MemoryKind.LESSON
    type: MemoryType = MemoryType.PROCEDURAL
    importance: float = 0.5
    confidence: float | None = None
    from_tool: bool = False
    everywhere: bool = False
    private: bool = False
    corrects: int | None = None
    admitted_by: Who | None = None
    refused: Refusal | None = None
    opinions: Sequence[Opinion] = ()
    claims: Sequence[ClaimWish] = ()
    reason: str = field(default="做这条线程时学到的 · learnt on this thread")


def asks(text: str, *, by: Who = Who.OWNER) -> Line:
    """Return what a human said."""
    return Line(role=EventRole.USER, kind=EventKind.MESSAGE, text=text, by=by)


def demands(text: str, *, by: Who = Who.OWNER) -> Line:
    """Return a demand of a human that holds from then on."""
    return Line(role=EventRole.USER, kind=EventKind.CONSTRAINT, text=text, by=by)


def takes_back(demand: str, text: str, *, by: Who = Who.OWNER) -> Line:
    """Return a correction that retires the demand that was made in these words."""
    return Line(role=EventRole.USER, kind=EventKind.CORRECTION, text=text, by=by, retires=demand)


def says(text: str) -> Line:
    """Return what the agent answered."""
    return Line(role=EventRole.ASSISTANT, kind=EventKind.MESSAGE, text=text)


def calls(tool: str, text: str) -> Line:
    """Return a call of a tool by the agent."""
    return Line(role=EventRole.ASSISTANT, kind=EventKind.TOOL_CALL, tool=tool, text=text)


def returns(tool: str, text: str, *, failed: bool = False) -> Line:
    """Return what a tool gave back."""
    return Line(role=EventRole.TOOL, kind=EventKind.TOOL_RESULT, tool=tool, text=text, failed=failed)
