"""How the words of threads and tasks read on a page, in the reader's language."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from governance.vocabulary import Destination, Phase, Risk
from threads.vocabulary import LineageKind, TaskState, ThreadState, ThreadType, VisionSource

# One table for each vocabulary: members of two of them are equal when they are spelt alike.
KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    ThreadType: {
        ThreadType.WORK: pgettext_lazy("thread type", "work"),
        ThreadType.SMALL_TALK: pgettext_lazy("thread type", "small talk"),
        ThreadType.PERSONAL: pgettext_lazy("thread type", "personal"),
    },
    ThreadState: {
        ThreadState.OPEN: pgettext_lazy("thread state", "open"),
        ThreadState.ARCHIVED: pgettext_lazy("thread state", "archived"),
        ThreadState.MERGED: pgettext_lazy("thread state", "merged"),
        ThreadState.SPLIT: pgettext_lazy("thread state", "split"),
    },
    TaskState: {
        TaskState.PLANNED: pgettext_lazy("task state", "planned"),
        TaskState.READY: pgettext_lazy("task state", "ready"),
        TaskState.DOING: pgettext_lazy("task state", "doing"),
        TaskState.REVIEW: pgettext_lazy("task state", "in review"),
        TaskState.BLOCKED: pgettext_lazy("task state", "blocked"),
        TaskState.DONE: pgettext_lazy("task state", "done"),
        TaskState.CANCELLED: pgettext_lazy("task state", "cancelled"),
    },
    VisionSource: {
        VisionSource.FIRST_REQUEST: pgettext_lazy("vision source", "the first request"),
        VisionSource.TASK_BRIEF: pgettext_lazy("vision source", "the brief of a task"),
        VisionSource.MAINTAINER: pgettext_lazy("vision source", "a maintainer’s note"),
        VisionSource.AGENT: pgettext_lazy("vision source", "an agent"),
        VisionSource.MERGE: pgettext_lazy("vision source", "two threads that were merged"),
        VisionSource.SPLIT: pgettext_lazy("vision source", "the thread that was split"),
        VisionSource.PROPOSAL: pgettext_lazy("vision source", "a proposal"),
    },
    LineageKind: {
        LineageKind.MERGE: pgettext_lazy("lineage", "merged"),
        LineageKind.SPLIT: pgettext_lazy("lineage", "split off"),
    },
    Destination: {
        Destination.PRIVATE: pgettext_lazy("destination", "a private window"),
        Destination.PROJECT: pgettext_lazy("destination", "the project"),
        Destination.EXTERNAL: pgettext_lazy("destination", "people outside the project"),
    },
    Phase: {
        Phase.PLAN: pgettext_lazy("phase", "plan"),
        Phase.EXECUTE: pgettext_lazy("phase", "execute"),
        Phase.ACCEPT: pgettext_lazy("phase", "accept"),
    },
    Risk: {
        Risk.LOW: pgettext_lazy("risk", "low risk"),
        Risk.MEDIUM: pgettext_lazy("risk", "medium risk"),
        Risk.HIGH: pgettext_lazy("risk", "high risk"),
    },
}
# What a button says that moves a task there.
MOVES: Mapping[TaskState, Promise] = {
    TaskState.READY: pgettext_lazy("move", "Mark as ready"),
    TaskState.DOING: pgettext_lazy("move", "Begin"),
    TaskState.REVIEW: pgettext_lazy("move", "Send to review"),
    TaskState.BLOCKED: pgettext_lazy("move", "Mark as blocked"),
    TaskState.DONE: pgettext_lazy("move", "Accept as done"),
}
GO_ON = pgettext_lazy("move", "Go on")


def choices_of(kind: type[StrEnum]) -> list[tuple[str, Promise]]:
    """Return a form's choices for a vocabulary, in the reader's words."""
    return [(member.value, KINDS[kind][member]) for member in kind]


def move_words(here: TaskState, there: TaskState) -> Promise:
    """Return what the button says that moves a task from `here` to `there`."""
    return GO_ON if here is TaskState.BLOCKED and there is TaskState.DOING else MOVES[there]
