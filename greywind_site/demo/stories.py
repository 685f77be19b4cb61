"""What the demo's content is made of: lines of a transcript, and what was written down around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from governance.vocabulary import Phase, Risk
from sessions.context.vocabulary import SummarySection
from sessions.vocabulary import EventKind, EventRole
from threads.vocabulary import ThreadType


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of a transcript. `attested`: the harness vouches that it was really said or really came back."""

    role: EventRole
    kind: EventKind
    text: str
    tool: str = ""
    failed: bool | None = None
    attested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One session: the role it is played in, how long before now it began, and the time between its lines."""

    role: str
    ago: timedelta
    pace: timedelta
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadText:
    """A thread as it is made."""

    title: str
    type: ThreadType
    tags: Sequence[str] = ()
    keywords: Sequence[str] = ()
    summary: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonText:
    """What was learnt, and the seqs of the events of its session that show it. `by_owner`: the human said it."""

    content: str
    evidence: Sequence[int]
    importance: float
    by_owner: bool = False


def asks(text: str) -> Line:
    """Return what the user said."""
    return Line(role=EventRole.USER, kind=EventKind.MESSAGE, text=text, attested=True)


def demands(text: str) -> Line:
    """Return a demand of the user that holds from then on."""
    return Line(role=EventRole.USER, kind=EventKind.CONSTRAINT, text=text, attested=True)


def says(text: str) -> Line:
    """Return what the agent answered."""
    return Line(role=EventRole.ASSISTANT, kind=EventKind.MESSAGE, text=text)


def calls(tool: str, text: str) -> Line:
    """Return a call of a tool by the agent."""
    return Line(role=EventRole.ASSISTANT, kind=EventKind.TOOL_CALL, tool=tool, text=text)


def returns(tool: str, text: str, *, failed: bool = False) -> Line:
    """Return what a tool gave back."""
    return Line(role=EventRole.TOOL, kind=EventKind.TOOL_RESULT, tool=tool, text=text, failed=failed, attested=True)
