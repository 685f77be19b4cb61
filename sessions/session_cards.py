"""What a session's page shows beside the transcript, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.ids import public_id
from governance.vocabulary import ContractKind
from sessions.context.vocabulary import SummarySection
from sessions.models import Session
from sessions.models.session import LIVE
from sessions.outlook import Outlook
from sessions.thread_lines import Words
from sessions.vocabulary import (
    AttemptState,
    HandoffOccasion,
    InterruptionKind,
    Loss,
    Recovery,
    ResumeFault,
    SessionState,
)
from threads.vocabulary import ThreadState


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLine:
    """A harness's own session."""

    harness: str
    external_id: str
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRevision:
    """A contract's revision that an attempt started with; `ref` opens it."""

    kind: ContractKind
    slug: str
    number: int
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLine:
    """One process run. `external_id` is that of the provider session it ran in, or ''."""

    public_id: str
    number: int
    state: AttemptState
    actor: str
    harness: str
    external_id: str
    started_at: datetime
    ended_at: datetime | None
    recovery: Recovery | None
    missing: Sequence[Loss]
    pinned: Sequence[PinnedRevision]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCard:
    """The newest version of the work summary. `behind` counts the entries after the last one that it covers.

    Without sections and not `erased`, it found nothing to keep.
    """

    public_id: str
    version: int
    from_seq: int
    to_seq: int
    behind: int
    at: datetime
    sections: Sequence[tuple[SummarySection, Sequence[Words]]]
    erased: bool

    @property
    def stale_since(self) -> int:
        return self.to_seq + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffCard:
    """A handoff that this session wrote or takes; `other` is the session at its other end, or ''."""

    ref: str
    incoming: bool
    other: str
    at: datetime
    summary: Words
    unfinished: Sequence[Words]
    risks: Sequence[Words]
    suggestion: Words
    next_actor: str
    occasion: HandoffOccasion


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """A time when the work stopped without an end.

    `known` is None for a kind that is told of no more; `after` is the last entry before it, `attempt` what it ended.
    """

    kind: str
    known: InterruptionKind | None
    reason: Words
    at: datetime
    after: int | None
    attempt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """That the session was not picked up when somebody last tried, and why."""

    fault: ResumeFault
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """How many entries rest in compressed segments, and how many bytes they take there and would take without."""

    entries: int
    kept: int
    raw: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCard:
    """A session's page without its transcript."""

    session: Session
    state: SessionState
    thread_title: Words
    private: bool
    task_title: Words | None
    resume_point: Words | None
    interruptions: Sequence[Interruption]
    outlook: Outlook
    failure: Failure | None
    providers: Sequence[ProviderLine]
    attempts: Sequence[AttemptLine]
    summary: SummaryCard | None
    handoffs: Sequence[HandoffCard]
    resting: Resting | None

    @property
    def live(self) -> bool:
        """Whether it takes more entries."""
        return self.state in LIVE

    @property
    def thread_open(self) -> bool:
        """Whether the thread takes words of a human."""
        return bool(self.session.thread.state == ThreadState.OPEN)

    @property
    def thread_id(self) -> str:
        return public_id("thr", self.session.thread_id)

    @property
    def task_id(self) -> str:
        return public_id("tsk", self.session.task_id) if self.session.task_id else ""
