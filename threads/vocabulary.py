"""Words of long-lived belonging: threads, bindings, tasks and how a request found its thread."""

from enum import StrEnum


class ThreadType(StrEnum):
    WORK = "work"
    SMALL_TALK = "small_talk"
    PERSONAL = "personal"


class ThreadState(StrEnum):
    OPEN = "open"
    ARCHIVED = "archived"
    MERGED = "merged"
    SPLIT = "split"


class TaskState(StrEnum):
    PLANNED = "planned"
    READY = "ready"
    DOING = "doing"
    REVIEW = "review"
    BLOCKED = "blocked"
    DONE = "done"
    CANCELLED = "cancelled"


class MatchRule(StrEnum):
    """Which rule of the resolver chose the thread, in the order they are tried."""

    BINDING = "binding"
    RECENT = "recent"
    SEMANTIC = "semantic"
    NEW = "new"


class VisionSource(StrEnum):
    """Where a version of the vision came from."""

    FIRST_REQUEST = "first_request"
    TASK_BRIEF = "task_brief"
    MAINTAINER = "maintainer"
    AGENT = "agent"
