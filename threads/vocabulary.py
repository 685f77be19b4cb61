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


PASSED_ON = (ThreadState.MERGED, ThreadState.SPLIT)  # a lineage says where the work goes on


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
    MERGE = "merge"  # two threads became one, and so did what was wanted of them
    SPLIT = "split"  # it came along from the thread that was split
    PROPOSAL = "proposal"  # somebody proposed it, and a human decided


class LineageKind(StrEnum):
    """How a thread's work came to go on in another one."""

    MERGE = "merge"
    SPLIT = "split"


class LineageState(StrEnum):
    STANDING = "standing"
    UNDONE = "undone"


class Obstacle(StrEnum):
    """Why two threads are not merged, one is not split, or either is not undone."""

    SAME_THREAD = "same_thread"
    NOT_OPEN = "thread_not_open"
    AUDIENCE = "audiences_differ"
    SMALL_TALK = "small_talk_stays"
    NO_VISION = "vision_missing"
    TWO_WINDOWS = "two_live_sessions"
    NOTHING_CHOSEN = "nothing_to_move"
    NOTHING_LEFT = "nothing_left_behind"
    CHOSEN_TWICE = "chosen_twice"
    TASK_STAYS = "task_stays"
    HANDOFF_CUT = "handoff_cut"
    NOTHING_TO_UNDO = "nothing_to_undo"
    MOVED_ON = "moved_on"
    VISION_EDITED = "vision_edited"
    BEGUN_SINCE = "begun_since"
    SAID_AGAIN = "said_again"
    MERGED_SINCE = "merged_since"
