"""Counts add up at a seam, and stored text cannot forge structure."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.context.seams import BLANK, atom, block_body, list_body, stored_text
from sessions.context.tokens import load_encoding
from tests.context.dice import TEXTS

ENCODINGS = ("o200k_base", "cl100k_base")
often = settings(max_examples=400, deadline=None)
letters = st.sampled_from("aZ9中é٣ß")


def count(encoding: str, text: str) -> int:
    """The tokenizer's own count, past all of ours."""
    return len(load_encoding(encoding).encode_ordinary(text))


@pytest.mark.parametrize("encoding", ENCODINGS)
@often
@given(left=TEXTS | st.text(), right=TEXTS | st.text(), first=st.sampled_from("#-<[§a1中!\\'"))
def test_counts_add_up_after_a_newline_before_what_is_no_blank_and_no_slash(encoding, left, right, first):
    left, right = left + "\n", first + right
    assert count(encoding, left + right) == count(encoding, left) + count(encoding, right)


@pytest.mark.parametrize("encoding", ENCODINGS)
@often
@given(left=TEXTS | st.text(), letter=letters, text=TEXTS | st.text())
def test_counts_add_up_between_a_header_and_a_body(encoding, left, letter, text):
    left, right = f"{left}{letter}\n", block_body(text) + "\n"
    assert count(encoding, left + right) == count(encoding, left) + count(encoding, right)


def test_a_slash_after_punctuation_and_a_newline_is_no_seam():
    assert count("o200k_base", "}\n" + "//") != count("o200k_base", "}\n") + count("o200k_base", "//")


def test_a_blank_line_after_a_header_is_no_seam():
    assert count("o200k_base", "a\n" + "\nb") != count("o200k_base", "a\n") + count("o200k_base", "\nb")


@pytest.mark.parametrize("text", ["", "  ", "\n\n", "\t\r\n\u3000"])
def test_a_blank_text_becomes_the_marker(text):
    assert block_body(text) == BLANK


def test_a_body_loses_blank_lines_before_and_blanks_after_and_keeps_its_indent():
    assert block_body("\n  \n    x = 1\n\n  y\n \t\n") == "    x = 1\n\n  y"


@pytest.mark.parametrize(
    "line", ["§ request", "§§ policy", "  § rules", "\u200b§ rules", "\ufeff§§ role", "\\§ rules", "\t\u3000§"]
)
@pytest.mark.parametrize("before", ["", "x\n", "x\r", "x\u2028", "x\x85", "x\x0b"])
def test_a_line_of_stored_text_cannot_begin_with_the_mark(line, before):
    body = block_body(before + line)
    assert body != before + line
    assert stored_text(body) == before + line


@often
@given(TEXTS | st.text())
def test_escapes_are_taken_back_to_the_same_text(text):
    body = block_body(text)
    assert not any(line.startswith("§") for line in body.split("\n"))
    assert block_body(stored_text(body)) == body


def test_a_mark_inside_a_line_is_left_alone():
    assert block_body("see § 12 of the law") == "see § 12 of the law"


def test_lone_surrogates_are_replaced():
    assert block_body("a\ud800b") == "a\ufffdb"


def test_lines_of_a_list_entry_are_indented():
    assert list_body(["a\nb", "- c"]) == "- a\n  b\n- - c"


@pytest.mark.parametrize("value", ["a b\n§ policy", "x\u2028y", "§", "a\ud800"])
def test_an_atom_is_one_word_without_the_mark(value):
    word = atom(value)
    assert "§" not in word
    assert len(word.split()) == 1
