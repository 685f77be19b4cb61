"""What a phase of the work needs first, and what the task graph lets into a packet at its present step.

Planning looks ahead and asks what is open; executing needs the next steps and what they wait for; accepting needs what
done means, what was verified and the evidence. Shares of layers by phase belong to the profile, not here.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from governance.vocabulary import Phase
from sessions.context.material import OpenTask, TaskFact, ThreadFact
from sessions.context.vocabulary import DropReason

PRIORITIES: Mapping[Phase, Mapping[str, int]] = {
    Phase.PLAN: {"open_questions": 6, "dissent": 7, "done_when": 8, "blockers": 9},
    Phase.EXECUTE: {"next_steps": 6, "depends_on": 7, "resume_point": 8, "blockers": 9},
    Phase.ACCEPT: {"done_when": 5, "verification": 6, "evidence": 7, "quality_bar": 8, "dissent": 9},
}
"""Priorities of the parts that a phase needs before everything else that is should."""
FIRST_LINES: Mapping[Phase, tuple[str, ...]] = {
    Phase.PLAN: ("open_questions", "dissent", "blockers"),
    Phase.EXECUTE: (),
    Phase.ACCEPT: ("verification", "evidence"),
}
"""Sections of a summary that stand before the others."""
RESULT_VALUE: Mapping[Phase, float] = {Phase.PLAN: -20.0, Phase.EXECUTE: 0.0, Phase.ACCEPT: 40.0}
"""What a tool result is worth more than a turn of its age."""


class Standing(StrEnum):
    """How an open task of the thread stands to the one in hand."""

    BEFORE = "before"  # the one in hand waits for it
    FREED = "freed"  # it waits for the one in hand alone
    READY = "ready"  # nothing keeps anybody from taking it up
    WAITING = "waiting"


WITHIN_REACH: Mapping[Phase, frozenset[Standing]] = {
    Phase.PLAN: frozenset(Standing),
    Phase.EXECUTE: frozenset((Standing.BEFORE,)),
    Phase.ACCEPT: frozenset((Standing.FREED,)),
}
"""The tasks that a packet for one task names; without a task in hand it names whatever could be handed out."""
STARTABLE = ("planned", "ready")


class Reached(NamedTuple):
    """Open tasks of one standing, and why they are kept out: None where they are let in."""

    standing: Standing
    tasks: Sequence[OpenTask]
    held: DropReason | None


def priority(phase: Phase, part: str, usual: int) -> int:
    """Return the priority of a part in a phase; `usual` where the phase has no wish of its own."""
    return PRIORITIES[phase].get(part, usual)


def reached(thread: ThreadFact, phase: Phase) -> list[Reached]:
    """Return the thread's other open tasks by how they stand to the one in hand, in the order of `Standing`."""
    by_standing: dict[Standing, list[OpenTask]] = {standing: [] for standing in Standing}
    for task in thread.open_tasks:
        if thread.task is None or task.task_id != thread.task.task_id:
            by_standing[_standing(task, thread.task)].append(task)
    within = WITHIN_REACH[phase] if thread.task is not None else frozenset((Standing.READY, *WITHIN_REACH[phase]))
    return [
        Reached(standing, tasks, None if standing in within else DropReason.PLAN_STEP)
        for standing, tasks in by_standing.items()
        if tasks
    ]


def _standing(task: OpenTask, own: TaskFact | None) -> Standing:
    if own is not None and task.task_id in own.depends_on:
        return Standing.BEFORE
    if not task.waits_for:
        return Standing.READY if task.state in STARTABLE else Standing.WAITING
    return Standing.FREED if own is not None and set(task.waits_for) == {own.task_id} else Standing.WAITING


def steps_in_hand(task: TaskFact, most: int) -> tuple[Sequence[str], Sequence[str]]:
    """Return the steps that come next, `most` of them, and the later ones, which only planning looks at."""
    return task.next_steps[:most], task.next_steps[most:]
