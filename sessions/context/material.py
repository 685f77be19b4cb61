"""Everything one compile may look at, as plain frozen values.

`sessions.gathering` fills a Material in one read; the compiler sees nothing else. A packet is replayed by filling
the same Material again, so every fact names the ref it was read from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from governance.vocabulary import Audience, Destination, Phase, Risk, Sensitivity

type Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Who may read a fact, and how sensitive it is. `owner` is a public actor id, set when private."""

    audience: Audience = Audience.PROJECT
    role: str | None = None
    owner: str | None = None
    sensitivity: Sensitivity = Sensitivity.WORK


OPEN_REACH = Reach()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractFact:
    """An immutable revision of a persona, role, policy or self profile. `body` follows the schema of its kind.

    `reach` limits where its optional parts may go; a self profile should name its human as a private owner.
    """

    ref: str
    revision: int
    body: Body
    reach: Reach | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionFact:
    """One version of the original intent. `origin_ref` opens the whole text behind a long `origin_goal`."""

    ref: str
    version: int
    source: str
    origin_goal: str
    origin_ref: str | None = None
    done_when: tuple[str, ...] = ()
    non_goals: tuple[str, ...] = ()
    user_priorities: tuple[str, ...] = ()
    quality_bar: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFact:
    ref: str
    task_id: str
    title: str
    state: str
    phase: Phase
    risk: Risk
    depends_on: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTask:
    """A task of the thread that is neither done nor cancelled; `waits_for` are the open ones before it, by id."""

    task_id: str
    title: str
    state: str
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFact:
    """The thread of a compile. `private` says that its owner alone reads it, and so everything that was said there."""

    ref: str
    thread_id: str
    title: str
    type: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    linked_task_ids: tuple[str, ...] = ()
    task: TaskFact | None = None
    open_tasks: tuple[OpenTask, ...] = ()
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintFact:
    """A standing demand of a user; must, until it is retired. `ref` opens the event that carried it."""

    ref: str
    text: str


class EventFact(NamedTuple):
    """One transcript entry. A tuple, since hundreds are made in each compile.

    `tokens` is the stored count of `seams.block_body(text)` plus its newline.
    """

    ref: str
    seq: int
    role: str
    kind: str
    text: str
    tokens: int
    tool: str | None = None
    failed: bool | None = None
    artifact_ref: str | None = None
    attested_by: str = "agent"
    occurred_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFact:
    """What the caller's window holds. `delivered` are digests of what packets brought, by ref, `base` the last of them.

    `refs` are those that the caller itself names. `withdrawn` was delivered and holds no longer.
    """

    base: str | None = None
    delivered: Mapping[str, str] = field(default_factory=dict)
    refs: frozenset[str] = frozenset()
    withdrawn: tuple[str, ...] = ()


class Beginning(NamedTuple):
    """From which seqs on a session's entries stand in its packets: what was said, and the calls and results of work."""

    words: int = 0
    work: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFact:
    ref: str
    session_id: str
    state: str
    resume_point: str = ""
    interruptions: tuple[str, ...] = ()
    screen_context: Body | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFact:
    """One immutable version of a work summary: section name to its items, in the order of writing.

    `stale_because` says why it does not say how things stand, where `stale_since` says since when.
    """

    ref: str
    version: int
    covers: str
    sections: Mapping[str, tuple[str, ...]]
    stale_since: str | None = None
    stale_because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandFact:
    """How a thread of the project stands, as the current work summary of one of its sessions has it.

    `over` says that the session's work is done or went on in a later one: what it decided holds, and nothing of it is
    open. `behind` says that the session has entries which the summary does not cover. `topics` are the thread's tags.
    """

    thread_id: str
    thread_title: str
    session_id: str
    role: str
    summary: SummaryFact
    topics: tuple[str, ...] = ()
    over: bool = False
    behind: bool = False
    reach: Reach = OPEN_REACH


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffFact:
    ref: str
    from_session_id: str
    to_session_id: str | None
    summary: str
    unfinished_items: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    resume_suggestion: str = ""
    next_actor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitFact:
    """One retrieved passage. `score` orders it; `confidence` is in [0, 1]; `as_of` is RFC 3339 or None.

    `tokens` is the stored count of `seams.block_body(content)` plus its newline, None when there is none.
    """

    ref: str
    source_type: str
    source_id: str
    relevance_reason: str
    content: str
    score: float
    confidence: float | None
    knowledge_status: str
    origin: str
    as_of: str | None = None
    reach: Reach = OPEN_REACH
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFact:
    """The words of the user for this turn, verbatim. `timestamp` is RFC 3339 as it was sent."""

    raw_text: str
    input_type: str = "text"
    timestamp: str | None = None
    attached_context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """What may enter: the destination, its reader, and the policy's answer for (phase, risk).

    `reader` is the public id of the actor the packet is for; `private_owner` is set when the destination is a
    private window, and names whose private facts may enter it. `roles` are the roles whose facts may enter.
    """

    destination: Destination = Destination.PROJECT
    private_owner: str | None = None
    roles: tuple[str, ...] = ()
    highest_sensitivity: Sensitivity = Sensitivity.WORK
    lowest_knowledge_status: str = "inferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """All facts of one compile. Absent is None or empty; the compiler turns absence into a warning, not an error.

    `beginning` is that of the session's last packet under the same budget, None where there is none to go on from.
    `held` asks for a delta packet: None for a whole one. `project_state` holds the threads in the order of their rank,
    None for a role that is not told it.
    """

    persona: ContractFact
    role: ContractFact
    policy: ContractFact | None
    self_profile: ContractFact | None
    vision: VisionFact | None
    thread: ThreadFact
    session: SessionFact
    summary: SummaryFact | None
    handoff: HandoffFact | None
    user_input: InputFact
    eligibility: Eligibility
    constraints: tuple[ConstraintFact, ...] = ()
    retired: tuple[str, ...] = ()
    events: tuple[EventFact, ...] = ()
    hits: tuple[HitFact, ...] = ()
    project_state: tuple[StandFact, ...] | None = None
    beginning: Beginning | None = None
    held: HeldFact | None = None
    phase: Phase = Phase.EXECUTE
    risk: Risk = Risk.LOW
    trace_id: str = ""
    now: str = ""
    warnings: tuple[str, ...] = field(default=())
