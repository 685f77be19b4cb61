"""What two threads want together: each goal whole and once."""

import pytest

from threads.models import Vision
from threads.visions import joined

TOGETHER: dict[str, tuple[str, str, str]] = {
    "two goals": ("build the lights", "print the tables", "build the lights\n\nprint the tables"),
    "the same goal": ("build the lights", "build the lights", "build the lights"),
    "one that merely occurs in the other": (
        "fix the bugs of the pier",
        "fix the bug",
        "fix the bugs of the pier\n\nfix the bug",
    ),
    "a shorter one in Chinese": ("修好码头的灯和门", "修好码头的灯", "修好码头的灯和门\n\n修好码头的灯"),
    "one that came by an earlier merge": (
        "build it\n\nprint it\n\nsell it",
        "print it",
        "build it\n\nprint it\n\nsell it",
    ),
    "two that came by an earlier merge": (
        "build it\n\nprint it\n\nsell it",
        "print it\n\nsell it",
        "build it\n\nprint it\n\nsell it",
    ),
    "none": ("build it", "", "build it"),
    "none before": ("", "build it", "build it"),
}


@pytest.mark.parametrize("case", TOGETHER)
@pytest.mark.parametrize("name", ["origin_goal", "quality_bar"])
def test_a_goal_stands_there_whole_and_once(case: str, name: str) -> None:
    ours, theirs, together = TOGETHER[case]
    wish = joined(Vision(**{name: ours}), Vision(**{name: theirs}))
    assert (ours if wish is None else getattr(wish, name)) == together
