"""Finding words inside a text, without a database."""

import pytest

from sessions.searching import search_text
from tests.api.asking import tokens


def lines_with(text: str, q: str) -> list[int]:
    return [match.line for match in search_text(text, q, offset=0, limit=50).results]


def test_a_match_in_a_long_line_shows_what_is_around_it() -> None:
    text = "上文" * 300 + "needle" + "下文" * 300
    [match] = search_text(text, "NEEDLE", offset=0, limit=None).results
    assert (match.text[0], match.text[-1], "文needle下" in match.text) == ("…", "…", True)
    assert tokens(match.text) < 70


@pytest.mark.parametrize("blank", ["\u3000", " ", "\t"])
def test_what_was_found_is_cut_where_blanks_go_on_for_ever(blank: str) -> None:
    found = search_text(f"上文 a{blank * 600_000}b 下文", "a b", offset=0, limit=None)
    [match] = found.results
    assert (match.cut, match.text.startswith("上文 a"), match.text.endswith("b 下文")) == (True, True, True)
    assert "…" in match.text
    assert tokens(match.text) == found.tokens < 200


def test_what_was_found_is_cut_between_graphemes() -> None:
    family, words = "👩‍👧‍👦", "👩‍👧‍👦" * 18
    [match] = search_text(f"{words}{' ' * 9_000}{words}", f"{words} {words}", offset=0, limit=None).results
    assert set(match.text.replace(family, "")) <= {"…", " "}


def test_what_was_found_whole_is_not_called_cut() -> None:
    [match] = search_text("a  b", "a b", offset=0, limit=None).results
    assert (match.cut, match.text) == (False, "a  b")


def test_a_page_of_matches_is_no_longer_than_a_read() -> None:
    text = "".join(f"a{'　' * 4_000}b {n}\n" for n in range(60))
    offset, seen = 0, []
    while offset is not None:
        page = search_text(text, "a b", offset=offset, limit=50)
        assert page.tokens <= 4_000
        seen, offset = [*seen, *(match.line for match in page.results)], page.next
    assert seen == list(range(1, 61))


def test_a_line_is_one_match_however_often_it_holds_the_words() -> None:
    [match] = search_text("a b a\nc", "a", offset=0, limit=None).results
    assert (match.line, match.times) == (1, 2)


def test_what_is_looked_for_is_no_pattern() -> None:
    assert lines_with("a.c\nabc\n[x", "a.c") == [1]
    assert lines_with("a.c\nabc\n[x", "[x") == [3]


def test_blanks_match_blanks_of_one_line_only() -> None:
    assert lines_with("one  two\none\ntwo\none\u3000two", "one two") == [1, 4]


def test_an_empty_text_holds_nothing() -> None:
    found = search_text("", "x", offset=0, limit=None)
    assert (found.results, found.total, found.next, found.tokens) == ((), 0, None, 0)


def test_the_last_line_counts_without_a_newline_too() -> None:
    assert lines_with("x\n上下文", "上下文") == [2]
