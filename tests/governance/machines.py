"""The state machines as the design has them, written by hand: a grid for each, and the gates of a memory."""

from dataclasses import dataclass, field
from typing import Any

from governance.lifecycle import INBOX_TRANSITIONS, PROPOSAL_TRANSITIONS, REVISION_TRANSITIONS
from memories.lifecycle import MEMORY_TRANSITIONS
from sessions.lifecycle import ATTEMPT_TRANSITIONS, SESSION_TRANSITIONS
from threads.lifecycle import TASK_TRANSITIONS, THREAD_TRANSITIONS


@dataclass(frozen=True, eq=False)
class Machine:
    """A state machine as the design has it.

    `grid` has a row per state, and `x` where it may become the state of that column; columns stand in the rows' order.
    """

    table: str
    python: Any
    grid: str
    initial: frozenset[str]
    column: str = "state"
    # Moves that need more than the table, such as a human's decision; their own tests show what it is.
    guarded: frozenset[tuple[str, str]] = frozenset()
    also: dict[str, Any] = field(default_factory=dict)

    @property
    def states(self) -> list[str]:
        return [line.split()[0] for line in self.grid.strip().split("\n")[1:]]

    @property
    def moves(self) -> set[tuple[str, str]]:
        rows = [line.split() for line in self.grid.strip().split("\n")[1:]]
        return {
            (row[0], there) for row in rows for there, mark in zip(self.states, row[1:], strict=True) if mark == "x"
        }


THREAD = Machine(
    "threads_thread",
    THREAD_TRANSITIONS,
    """
               open archived merged split
    open         .     x       x      x
    archived     x     .       .      .
    merged       x     .       .      .
    split        x     .       .      .""",
    initial=frozenset({"open"}),
    guarded=frozenset({("open", "merged"), ("open", "split")}),
)
TASK = Machine(
    "threads_task",
    TASK_TRANSITIONS,
    """
               planned ready doing review blocked done cancelled
    planned       .      x     .     .      .      .       x
    ready         .      .     x     .      .      .       x
    doing         .      .     .     x      x      .       x
    review        .      .     x     .      .      x       x
    blocked       .      .     x     .      .      .       x
    done          .      .     .     .      .      .       x
    cancelled     .      .     .     .      .      .       .""",
    initial=frozenset({"planned"}),
)
SESSION = Machine(
    "agent_sessions_session",
    SESSION_TRANSITIONS,
    """
                     active idle interrupted closed handoff_written
    active              .    x        x         x          .
    idle                x    .        x         x          .
    interrupted         x    .        .         x          .
    closed              .    .        .         .          x
    handoff_written     .    .        .         .          .""",
    # A session of an imported transcript begins where its work stopped.
    initial=frozenset({"active", "interrupted"}),
)
ATTEMPT = Machine(
    "agent_sessions_attempt",
    ATTEMPT_TRANSITIONS,
    """
                running ended crashed
    running        .      x      x
    ended          .      .      .
    crashed        .      .      .""",
    initial=frozenset({"running", "ended"}),
)
REVISION = Machine(
    "governance_revision",
    REVISION_TRANSITIONS,
    """
                  draft active superseded
    draft           .      x       x
    active          .      .       x
    superseded      .      .       .""",
    initial=frozenset({"draft", "active"}),
    guarded=frozenset({("draft", "active"), ("", "active"), ("active", "superseded")}),
    also={"proposal_id": None},
)
PROPOSAL = Machine(
    "governance_proposal",
    PROPOSAL_TRANSITIONS,
    """
                        draft open approved rejected changes_requested withdrawn expired
    draft                 .    x      .        .             .             x        .
    open                  .    .      x        x             x             x        x
    approved              .    .      .        .             .             .        .
    rejected              .    .      .        .             .             .        .
    changes_requested     .    x      .        .             .             x        x
    withdrawn             .    .      .        .             .             .        .
    expired               .    .      .        .             .             .        .""",
    initial=frozenset({"draft"}),
    guarded=frozenset(
        {
            ("draft", "open"),
            ("changes_requested", "open"),
            ("open", "approved"),
            ("open", "rejected"),
            ("open", "changes_requested"),
            ("open", "expired"),
            ("changes_requested", "expired"),
        }
    ),
    also={"version": 0},
)
INBOX = Machine(
    "governance_inboxitem",
    INBOX_TRANSITIONS,
    """
               open snoozed done
    open         .     x      x
    snoozed      x     .      x
    done         x     .      .""",
    initial=frozenset({"open"}),
)
# Steps without verdicts are only those past no gate; the forward jumps have tests of their own.
MEMORY = Machine(
    "memories_memory",
    MEMORY_TRANSITIONS,
    """
                      can scr evi pol use com act arc rev rej
    candidate          .   x   .   .   .   .   .   .   .   x
    screened           .   .   x   .   .   .   .   .   .   x
    evidence_checked   .   .   .   x   .   .   .   .   .   x
    policy_checked     .   .   .   .   x   .   .   .   .   x
    user_aligned       .   .   .   .   .   x   .   .   .   x
    committed          .   .   .   .   .   .   x   x   x   .
    active             .   .   .   .   .   .   .   x   x   .
    archived           .   .   .   .   .   .   x   .   x   .
    revoked            .   .   .   .   .   .   .   .   .   .
    rejected           .   .   .   .   .   .   .   .   .   .""",
    initial=frozenset({"candidate"}),
    column="status",
    also={"reason_code": "why"},
)
PLAIN = [THREAD, TASK, SESSION, ATTEMPT, REVISION, PROPOSAL, INBOX]
ALL = [*PLAIN, MEMORY]
CHAIN = ["candidate", "screened", "evidence_checked", "policy_checked", "user_aligned", "committed", "active"]
GATES = {
    "screened": ["schema", "screening"],
    "evidence_checked": ["evidence"],
    "policy_checked": ["identity", "source_weight", "sensitivity"],
    "user_aligned": ["alignment"],
}
