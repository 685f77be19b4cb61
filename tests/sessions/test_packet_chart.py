"""The bars of a packet's page: every part has its place, and the parts end where the bar ends."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sessions.packet_chart import LEAST, LENGTH, bar, place

PARTS = st.lists(st.integers(0, 1_000_000), min_size=1, max_size=20).map(
    lambda tokens: [(f"p{n}", value) for n, value in enumerate(tokens)]
)


@given(PARTS)
def test_the_parts_fill_the_bar_without_gap_or_overlap(parts: list[tuple[str, int]]) -> None:
    segments = bar(parts)
    ends = [0, *(segment.end for segment in segments)]
    assert [segment.x for segment in segments] == ends[:-1]
    assert ends[-1] == (LENGTH if segments else 0)


@given(PARTS)
def test_whatever_was_used_can_be_seen(parts: list[tuple[str, int]]) -> None:
    segments = bar(parts)
    assert [(one.name, one.tokens) for one in segments] == [(name, tokens) for name, tokens in parts if tokens]
    assert all(segment.width >= LEAST for segment in segments)


@given(PARTS)
def test_more_tokens_are_never_narrower_by_more_than_the_rounding(parts: list[tuple[str, int]]) -> None:
    widths = [segment.width for segment in sorted(bar(parts), key=lambda segment: segment.tokens)]
    assert all(later >= earlier - 1 for earlier, later in pairwise(widths))


def test_a_part_is_as_wide_as_its_share() -> None:
    assert [segment.width for segment in bar([("a", 250), ("b", 750)])] == [250, 750]


def test_a_small_cap_in_a_large_window_is_still_there() -> None:
    used, rest = bar([("used", 100), ("unused", 199_900)])
    assert (used.width, rest.width) == (LEAST, LENGTH - LEAST)


def test_what_the_parts_leave_of_the_whole_stays_empty() -> None:
    assert bar([("a", 100)], whole=400)[-1].end == LENGTH // 4


def test_parts_beyond_the_whole_take_the_whole_bar() -> None:
    assert bar([("a", 300), ("b", 300)], whole=400)[-1].end == LENGTH


def test_nothing_is_no_bar() -> None:
    assert bar([("a", 0)]) == ()


def test_a_place_stays_on_the_bar() -> None:
    assert [place(tokens, whole=400) for tokens in (-1, 0, 100, 400, 999)] == [0, 0, 250, 1000, 1000]


def test_a_place_on_a_bar_of_nothing_is_its_beginning() -> None:
    assert place(5, whole=0) == 0
