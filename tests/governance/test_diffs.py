"""What changed, field by field and word by word."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.diffs import LONGEST_PROSE, Change, Op, field_diff, three_way, word_diff

TEXT = st.text(alphabet="部署前确认风险阈值 abc .，\n", max_size=60)


def told(before: str, after: str) -> list[tuple[str, str]]:
    return [(span.op, span.text) for span in word_diff(before, after) if span.op != Op.EQUAL]


def test_chinese_prose_differs_by_words() -> None:
    assert told("部署前先确认风险阈值", "部署前先确认安全阈值") == [("delete", "风险"), ("insert", "安全")]


def test_english_prose_differs_by_words() -> None:
    assert told("ask before a deploy", "ask after a deploy") == [("delete", "before"), ("insert", "after")]


@given(TEXT, TEXT)
@settings(max_examples=200, deadline=None)
def test_the_spans_hold_both_texts_whole(before: str, after: str) -> None:
    spans = word_diff(before, after)
    assert "".join(span.text for span in spans if span.op != Op.INSERT) == before
    assert "".join(span.text for span in spans if span.op != Op.DELETE) == after


def test_a_text_without_end_is_replaced_whole() -> None:
    before, after = "a " * LONGEST_PROSE, "b " * LONGEST_PROSE
    assert [span.op for span in word_diff(before, after)] == [Op.DELETE, Op.INSERT]


def kinds(before: Any, after: Any) -> list[tuple[str, str]]:
    return [(change.path, change.kind) for change in field_diff(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": "x"}, {"a": "x"}, []),
        ({"a": ""}, {}, []),
        ({"a": []}, {"a": None}, []),
        (None, {"a": "x"}, [("a", "added")]),
        ({"a": "x"}, {"a": ""}, [("a", "removed")]),
        ({"a": "x"}, {"a": "y"}, [("a", "changed")]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", "changed")]),
        ({"a": ["one", "two"]}, {"a": ["one", "two", "xyz"]}, [("a.2", "added")]),
        ({"a": ["one", "two"]}, {"a": ["two"]}, [("a.0", "removed")]),
        ({"a": ["ask first"]}, {"a": ["ask first, always"]}, [("a.0", "changed")]),
        ({"a": ["ask first"]}, {"a": ["一个别的规则"]}, [("a.0", "added"), ("a.0", "removed")]),
        ({"a": [{"p": 1}]}, {"a": [{"p": 2}]}, [("a.0", "added"), ("a.0", "removed")]),
    ],
)
def test_each_field_and_line_says_how_it_changed(before: Any, after: Any, found: list[tuple[str, str]]) -> None:
    assert sorted(kinds(before, after)) == found


def test_a_line_that_was_rewritten_shows_its_words() -> None:
    [change] = field_diff({"duties": ["部署前先确认风险阈值"]}, {"duties": ["部署前先确认安全阈值"]})
    assert change.kind == Change.CHANGED
    assert change.words is not None


@pytest.mark.parametrize(
    ("now", "asked", "clash"), [("b", "a", False), ("a", "b", False), ("b", "b", False), ("b", "c", True)]
)
def test_three_ways_clash_only_where_both_changed_it(now: str, asked: str, clash: bool) -> None:
    [found] = three_way({"f": "a"}, {"f": now}, {"f": asked})
    assert found.clash is clash


def test_three_ways_leave_out_what_nobody_changed() -> None:
    assert three_way({"f": "a"}, {"f": "a"}, {"f": "a"}) == []
