"""What the gates judge, and what they answer: plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from governance.policies import PolicyRules
from governance.vocabulary import ActorKind, Audience, Sensitivity
from memories.screening import Screening
from memories.vocabulary import (
    Gate,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ReasonCode,
    ScopeType,
    SourceRank,
    WriteAction,
    WriteMode,
    WriteOutcome,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedFact:
    """A ref behind a proposal, as it stands now for its writer. `quoted`: the words quoted from it stand in it."""

    ref: str
    opens: bool
    quoted: bool = True
    source: SourceRank = SourceRank.UNTRUSTED_EXTERNAL
    own_words: bool = False
    from_tool: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFact:
    """The memory that an UPDATE or DELETE is about. `same_voice`: the same human stands behind both."""

    in_use: bool
    rank: SourceRank
    write_mode: WriteMode
    sensitivity: Sensitivity = Sensitivity.PUBLIC
    same_voice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A memory in use whose claim cannot hold beside the proposed one."""

    rank: SourceRank
    same_voice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A proposal, with everything that the gates may know of it.

    `alone` says that nobody but its writer will ever read it; `signed` that the writer is a human who speaks for
    themselves. `echoes` says that a packet carried this text just before, `outlived` that it was taken out of use after
    what it rests on was said.
    """

    text: str
    origin: Origin
    rank: SourceRank
    screening: Screening
    rules: PolicyRules
    type: MemoryType = MemoryType.SEMANTIC
    kind: MemoryKind = MemoryKind.FACT
    action: WriteAction = WriteAction.ADD
    scope_type: ScopeType = ScopeType.PROJECT
    sensitivity: Sensitivity = Sensitivity.WORK
    audience: Audience = Audience.PROJECT
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    actor_kind: ActorKind = ActorKind.AGENT
    cited: Sequence[CitedFact] = ()
    target: TargetFact | None = None
    rivals: Sequence[Rival] = ()
    touches_identity: bool = False
    echoes: bool = False
    outlived: bool = False
    alone: bool = False
    signed: bool = False


class Say(StrEnum):
    """What one gate says."""

    PASS = "pass"  # noqa: S105 - a word, not a password
    HOLD = "hold"
    CONFLICT = "conflict"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one gate said: why, and what would help, in one sentence each without its stop."""

    say: Say
    code: ReasonCode | None = None
    missing: str = ""
    gate: Gate = Gate.SCHEMA

    @property
    def passed(self) -> bool:
        return self.say is Say.PASS


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What becomes of a proposal: what each gate said, and how far that carries it."""

    rulings: Sequence[Ruling] = field(default=())
    outcome: WriteOutcome
    reached: MemoryStatus
    code: ReasonCode | None = None
    missing: str = ""
