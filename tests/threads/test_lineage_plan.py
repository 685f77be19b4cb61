"""What stands against a merge, a split or an undoing: plain values in, obstacles out."""

from dataclasses import replace

import pytest

from threads.lineage_plan import (
    Errand,
    Line,
    Return,
    Share,
    Window,
    against_merge,
    against_split,
    against_undoing,
    divides_whole,
)
from threads.vocabulary import Obstacle, ThreadState, ThreadType

DEV, TESTER = Window(id="ses_dev", role="dev", task="tsk_1"), Window(id="ses_tester", role="tester", task="tsk_1")
CHIEF = Window(id="ses_chief", role="chief")
HOME = Line(id="thr_home", windows=[DEV, TESTER, CHIEF], tasks=["tsk_1", "tsk_2"])
OTHER = Line(id="thr_other", windows=[replace(CHIEF, id="ses_other", role="dev")])
MINE, THEIRS = ("private", None, "me"), ("private", None, "them")

MERGES: dict[str, tuple[Line, Line, list[Obstacle]]] = {
    "nothing": (HOME, OTHER, []),
    "itself": (HOME, HOME, [Obstacle.SAME_THREAD]),
    "a merged one": (replace(HOME, state=ThreadState.MERGED), OTHER, [Obstacle.NOT_OPEN]),
    "an archived one": (HOME, replace(OTHER, state=ThreadState.ARCHIVED), [Obstacle.NOT_OPEN]),
    "a private one into a shared one": (replace(HOME, reach=MINE), OTHER, [Obstacle.AUDIENCE]),
    "a shared one into a private one": (HOME, replace(OTHER, reach=MINE), [Obstacle.AUDIENCE]),
    "two of two owners": (replace(HOME, reach=MINE), replace(OTHER, reach=THEIRS), [Obstacle.AUDIENCE]),
    "two of one owner": (replace(HOME, reach=MINE), replace(OTHER, reach=MINE), []),
    "small talk": (replace(HOME, type=ThreadType.SMALL_TALK), OTHER, [Obstacle.SMALL_TALK]),
    "into one without a vision": (HOME, replace(OTHER, vision=False), [Obstacle.NO_VISION]),
    "one without a vision": (replace(HOME, vision=False), OTHER, []),
    "two of one role": (HOME, replace(OTHER, windows=[replace(CHIEF, id="ses_2")]), [Obstacle.TWO_WINDOWS]),
    "one of them over": (HOME, replace(OTHER, windows=[replace(CHIEF, id="ses_2", live=False)]), []),
}
SPLITS: dict[str, tuple[list[Share], list[Obstacle]]] = {
    "a task with its sessions": ([Share(tasks=frozenset({"tsk_1"}))], []),
    "a session": ([Share(windows=frozenset({"ses_chief"}))], []),
    "no part": ([], [Obstacle.NOTHING_CHOSEN]),
    "an empty part": ([Share(tasks=frozenset({"tsk_1"})), Share()], [Obstacle.NOTHING_CHOSEN]),
    "everything": (
        [Share(windows=frozenset({"ses_chief"}), tasks=frozenset({"tsk_1", "tsk_2"}))],
        [Obstacle.NOTHING_LEFT],
    ),
    "a session without its task": ([Share(windows=frozenset({"ses_dev"}))], [Obstacle.TASK_STAYS]),
    "one task twice": ([Share(tasks=frozenset({"tsk_1"}))] * 2, [Obstacle.CHOSEN_TWICE]),
}


@pytest.mark.parametrize("case", MERGES)
def test_what_stands_against_a_merge(case: str) -> None:
    source, into, why = MERGES[case]
    assert [one.why for one in against_merge(source, into)] == why


@pytest.mark.parametrize("case", SPLITS)
def test_what_stands_against_a_split(case: str) -> None:
    shares, why = SPLITS[case]
    assert [one.why for one in against_split(HOME, shares)] == why


def test_a_handoff_by_name_is_not_cut() -> None:
    errand = Errand(id="hnd_1", giver="ses_tester", taker="ses_chief")
    found = against_split(replace(HOME, errands=[errand]), [Share(tasks=frozenset({"tsk_1"}))])
    assert [(one.why, one.about) for one in found] == [(Obstacle.HANDOFF_CUT, ("hnd_1", "ses_tester", "ses_chief"))]


def test_two_parts_that_take_all_divide_the_thread_whole() -> None:
    parts = [Share(tasks=frozenset({"tsk_1", "tsk_2"})), Share(windows=frozenset({"ses_chief"}))]
    assert (against_split(HOME, parts), divides_whole(HOME, parts)) == ([], True)
    assert not divides_whole(HOME, parts[:1])


UNDOINGS: dict[str, tuple[Return, list[Obstacle]]] = {
    "nothing": (Return(line=OTHER, home=replace(HOME, windows=[])), []),
    "something is elsewhere": (Return(line=OTHER, home=HOME, gone=["ses_x"]), [Obstacle.MOVED_ON]),
    "something began": (Return(line=OTHER, home=HOME, begun=["tsk_x"]), [Obstacle.BEGUN_SINCE]),
    "another was merged after it": (
        Return(line=OTHER, home=HOME, vision_edited=True, later=["thr_third"]),
        [Obstacle.MERGED_SINCE],
    ),
    "the vision was edited": (Return(line=OTHER, home=HOME, vision_edited=True), [Obstacle.VISION_EDITED]),
    "its home was put away": (
        Return(line=OTHER, home=replace(HOME, windows=[], state=ThreadState.ARCHIVED), whole=False),
        [Obstacle.NOT_OPEN],
    ),
    "it was said again": (Return(line=OTHER, home=HOME, said=["mem_x"]), [Obstacle.SAID_AGAIN]),
    "it was merged on": (Return(line=replace(OTHER, state=ThreadState.MERGED), home=HOME), [Obstacle.NOT_OPEN]),
    "the role lives there again": (
        Return(line=HOME, home=replace(OTHER, windows=[replace(CHIEF, id="ses_2")]), windows=frozenset({"ses_chief"})),
        [Obstacle.TWO_WINDOWS],
    ),
}


@pytest.mark.parametrize("case", UNDOINGS)
def test_what_stands_against_an_undoing(case: str) -> None:
    back, why = UNDOINGS[case]
    assert [one.why for one in against_undoing(back)] == why
