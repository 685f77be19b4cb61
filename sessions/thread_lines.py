"""The parts of a thread's page, fit to be shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.invisible import made_visible
from governance.languages import language_of
from governance.vocabulary import Destination
from sessions.context.vocabulary import CountMethod
from sessions.gauge import Gauged
from sessions.vocabulary import AttestedBy, Happening, InterruptionKind, Recovery, SessionState
from threads.models import Thread
from threads.task_reading import Board
from threads.vision_reading import EditWaiting
from threads.vocabulary import LineageKind, ThreadState, ThreadType, VisionSource


@dataclass(frozen=True, slots=True)
class Words:
    """A text of somebody's, fit to be shown, with the language it is in."""

    text: str

    @classmethod
    def of(cls, text: str) -> "Words":
        """Return the words of a stored text: what would act unseen is a mark."""
        return cls(made_visible(text))

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionLine:
    """One version of the original intent; of one that was approved, its `proposal` and who decided, '' elsewhere."""

    version: int
    source: VisionSource
    goal: Words
    origin: "Place | None"
    done_when: Sequence[Words]
    non_goals: Sequence[Words]
    priorities: Sequence[Words]
    quality_bar: Words | None
    author: str
    at: datetime
    proposal: str
    decider: str


@dataclass(frozen=True, slots=True)
class Place:
    """A ref to one entry, and where its page is: the session's public id and the seq."""

    ref: str
    session: str
    seq: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A standing constraint: who said it, when, and where."""

    text: Words
    place: Place
    by: str
    attested_by: AttestedBy
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """One session. `tokens` are those of its transcript's words, counted with o200k_base, exactly."""

    id: str
    role: str
    state: SessionState
    task_id: str | None
    task: Words | None
    attempts: int
    provider: str
    last_event_at: datetime | None
    entries: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffLine:
    """What one session left for the next. `to_role` is None where nobody has taken it up."""

    id: str
    at: datetime
    from_id: str
    from_role: str
    to_id: str | None
    to_role: str | None
    next_actor: str
    summary: Words
    unfinished: Sequence[Words]
    risks: Sequence[Words]
    suggestion: Words


@dataclass(frozen=True, slots=True)
class BindingLine:
    """A channel that is tied to the thread, and who reads along there."""

    channel: str
    page: str
    destination: Destination


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketLine(Gauged):
    """One compile. `used` and `cap` are tokens; `method` is None where it was not stored."""

    id: str
    at: datetime
    role: str
    used: int
    cap: int
    method: CountMethod | None
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageLine:
    """That work came from, or went to, another thread. `undo_at` is the thread on whose page it is undone."""

    kind: LineageKind
    here_is_source: bool
    other: str
    undo_at: str
    title: Words
    reason: Words
    by: str
    at: datetime
    undone_at: datetime | None
    undone_by: str
    counts: Mapping[str, int]

    @property
    def standing(self) -> bool:
        return self.undone_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineLine:
    """One thing that happened. `role` and `to` are roles, `who` an actor, `href` where it is shown; `detail` is a word
    of ours that the page translates, `words` somebody's own. A work summary has its version and the last entry that it
    covers.
    """

    at: datetime
    what: Happening
    href: str
    role: str = ""
    to: str = ""
    who: str = ""
    detail: Recovery | InterruptionKind | None = None
    words: Words | None = None
    version: int | None = None
    covers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    """Everything on the page of one thread; each list is bounded."""

    thread: Thread
    title: Words
    tags: Sequence[str]
    type: ThreadType
    state: ThreadState
    private: bool
    visions: Sequence[VisionLine]
    waiting: Sequence[EditWaiting]
    demands: Sequence[Demand]
    board: Board
    sessions: Sequence[SessionLine]
    handoffs: Sequence[HandoffLine]
    bindings: Sequence[BindingLine]
    packets: Sequence[PacketLine]
    lineage: Sequence[LineageLine]
    timeline: Sequence[TimelineLine]

    @property
    def open(self) -> bool:
        return self.state is ThreadState.OPEN

    @property
    def vision(self) -> VisionLine | None:
        return self.visions[0] if self.visions else None

    @property
    def earlier(self) -> Sequence[VisionLine]:
        return self.visions[1:]
