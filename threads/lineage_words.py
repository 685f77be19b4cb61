"""What a caller hears of what stands against a merge, a split or an undoing: the field, and the remedy."""

from collections.abc import Mapping, Sequence

from governance.errors import Clash
from threads.lineage_plan import Hindrance
from threads.vocabulary import Obstacle

REMEDIES: Mapping[Obstacle, tuple[str, str]] = {
    Obstacle.SAME_THREAD: ("/into_thread_id", "it is the thread itself; name the other one"),
    Obstacle.NOT_OPEN: ("{thread_id}", "{0} is not open; reopen it or undo what ended it, then repeat this"),
    Obstacle.AUDIENCE: (
        "/into_thread_id",
        "{0} and {1} are not read by the same people; what one reads alone is never merged into what others read",
    ),
    Obstacle.SMALL_TALK: ("/into_thread_id", "one of {0} and {1} is small talk and the other is not; they stay apart"),
    Obstacle.NO_VISION: (
        "/into_thread_id",
        "{0} has no vision yet and the other thread has one; merge it the other way round, or write its vision first",
    ),
    Obstacle.TWO_WINDOWS: (
        "/into_thread_id",
        "{0} and {1} are live sessions of one role on one task or on none; close one of them, then repeat this",
    ),
    Obstacle.NOTHING_CHOSEN: ("/parts", "each part takes at least one session or task along; name some"),
    Obstacle.NOTHING_LEFT: (
        "/parts",
        "one part would take everything of {0}; leave something, name a second part, or rename the thread instead",
    ),
    Obstacle.CHOSEN_TWICE: ("/parts", "{0} stands in two parts; name it in one"),
    Obstacle.TASK_STAYS: ("/parts", "{0} works on {1}, which stays; name the task, and its sessions go along with it"),
    Obstacle.HANDOFF_CUT: (
        "/parts",
        "{0} hands work of {1} to {2}, and they would be in two threads; keep both sessions together",
    ),
    Obstacle.NOTHING_TO_UNDO: (
        "{thread_id}",
        "{0} was not merged or split, and it came from no split; there is nothing to undo",
    ),
    Obstacle.MOVED_ON: ("{thread_id}", "{0} is somewhere else by now; undo what took it there first"),
    Obstacle.VISION_EDITED: (
        "{thread_id}",
        "the vision of {0} was edited since, which an undoing would lose; merge or split the thread instead",
    ),
    Obstacle.MERGED_SINCE: ("{thread_id}", "{0} became part of {1} since; undo that merge first, then this one"),
    Obstacle.BEGUN_SINCE: ("{thread_id}", "{0} began here since; merge the thread back instead"),
    Obstacle.SAID_AGAIN: (
        "{thread_id}",
        "what {0} says was said again where it came from; archive one of the two first",
    ),
}


def told(hindrance: Hindrance) -> str:
    """Return one sentence on what stands against it and what would help."""
    return REMEDIES[hindrance.why][1].format(*hindrance.about)


def hindrances_out(found: Sequence[Hindrance]) -> list[dict[str, object]]:
    """Return what stands against it as the API shows it."""
    return [{"code": one.why, "about": list(one.about), "message": told(one)} for one in found]


def check_free(found: Sequence[Hindrance], *, pointer: str = "") -> None:
    """Raise Clash that names the first of these and holds them all; nothing where there is none.

    `pointer` is the field that is to blame for each of them, where their own are no fields of what was asked.
    """
    if found:
        first = found[0]
        extra = {"obstacles": hindrances_out(found)}
        raise Clash.at(pointer or REMEDIES[first.why][0], told(first), code=first.why, extra=extra)
