"""Titles that people give."""

import pytest

from governance.errors import Invalid
from threads.titles import checked_title, graphemes

FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize(
    ("text", "title"), [("  a  b ", "a b"), ("一\n二", "一 二"), ("é", "é"), ("长" * 60, "长" * 60), (FAMILY, FAMILY)]
)
def test_a_title_is_one_line(text: str, title: str) -> None:
    assert checked_title(text, pointer="/title") == title


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "title_empty"),
        (" \t\n", "title_empty"),
        ("\u200b\u2060", "title_empty"),
        ("长" * 61, "title_too_long"),
        (FAMILY * 43, "title_too_long"),  # few to the eye, more characters than are kept
        ("a\u202eb", "title_unprintable"),
        ("a\x07b", "title_unprintable"),
    ],
)
def test_a_title_that_cannot_be_names_its_fault(text: str, code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        checked_title(text, pointer="/title")
    assert [(fault.pointer, fault.code) for fault in refusal.value.faults] == [("/title", code)]


def test_a_longer_title_may_be_allowed() -> None:
    assert len(checked_title("长" * 300, pointer="/title", most=300)) == 300


def test_a_family_is_one_character() -> None:
    assert graphemes(f"a{FAMILY}b") == ["a", FAMILY, "b"]
