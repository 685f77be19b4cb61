"""Counting is exact, offline, and survives every text."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given, settings

from sessions.context import tokens
from sessions.context.cuts import cut_at_sentence, cut_head, cut_tail, excerpt, one_line
from sessions.context.tokens import (
    JOIN_SLACK,
    PIECE_CHARS,
    UnknownEncoding,
    VocabularyDamaged,
    encode,
    estimating_counter,
    exact_counter,
    token_starts,
)
from sessions.context.vocabulary import CountMethod
from tests.context.dice import TEXTS

O200K = exact_counter("o200k_base")
FAMILY = "👩‍👩‍👧"


class Panic(BaseException):
    """What the encoder raises, which no `except Exception` sees."""


Panic.__name__ = "PanicException"


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_a_count_is_the_tokenizers_own(encoding, text):
    assert exact_counter(encoding).count(text) == len(tiktoken.get_encoding(encoding).encode_ordinary(text))


def test_both_encodings_load_without_a_network():
    program = (
        "import socket; socket.socket.connect = None; import sessions.context.tokens, tiktoken;"
        "print(*[len(tiktoken.get_encoding(name).encode('hi')) for name in ('o200k_base', 'cl100k_base')])"
    )
    clean = {key: value for key, value in os.environ.items() if key != "TIKTOKEN_CACHE_DIR"}
    done = subprocess.run([sys.executable, "-c", program], env=clean, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


def test_special_tokens_are_ordinary_text():
    assert O200K.count("<|endoftext|>") > 1


def test_a_million_spaces_are_counted():
    assert 0 < O200K.count(" " * 1_000_000) < 20_000


def test_a_long_text_with_newlines_is_counted_exactly_in_pieces():
    text = "a line of text, and another。\n" * 20_000
    assert O200K.count(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def test_a_long_text_without_a_seam_is_never_counted_too_low():
    text = "abcdefgh" * (PIECE_CHARS // 4)
    exact = len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert exact <= O200K.count(text) <= exact + 2 * (JOIN_SLACK + 4)


def test_what_is_counted_at_once_needs_no_seam_to_be_exact():
    text = "word, " * (PIECE_CHARS // 8)
    assert O200K.count(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def test_a_join_without_a_seam_is_counted_with_slack():
    text = "z" * PIECE_CHARS
    assert O200K.count(text * 2) == 2 * O200K.count(text) + JOIN_SLACK


def test_a_panic_of_the_encoder_is_contained(monkeypatch):
    class Fragile:
        def encode_ordinary(self, text: str) -> list[int]:
            if len(text) > 3:
                raise Panic
            return [0] * len(text)

    monkeypatch.setattr(tokens, "load_encoding", lambda _encoding: Fragile())
    assert len(encode("o200k_base", "abcdefgh")) == 8


def test_other_base_exceptions_are_not_swallowed(monkeypatch):
    class Interrupted:
        def encode_ordinary(self, _text: str) -> list[int]:
            raise KeyboardInterrupt

    monkeypatch.setattr(tokens, "load_encoding", lambda _encoding: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        encode("o200k_base", "abc")


def test_a_damaged_vocabulary_is_named(tmp_path):
    path = tmp_path / "ranks"
    path.write_bytes(b"not ranks")
    with pytest.raises(VocabularyDamaged, match=r"ranks does not have the sha256"):
        tokens.verify_vocabulary(path, sha256="0" * 64)


def test_a_missing_vocabulary_is_named(tmp_path):
    with pytest.raises(VocabularyDamaged, match="gone cannot be read"):
        tokens.verify_vocabulary(tmp_path / "gone", sha256="0" * 64)


def test_an_unknown_encoding_is_named():
    with pytest.raises(UnknownEncoding, match="p50k"):
        exact_counter("p50k")


def test_an_estimate_is_rounded_up_and_says_so():
    counter = estimating_counter("o200k_base", 1.25)
    assert counter.count("one two three") == 4
    assert counter.method is CountMethod.ESTIMATE


def test_a_stored_count_is_used_in_its_own_encoding_and_recounted_in_another():
    assert O200K.stored(7, "abc") == 7
    assert exact_counter("cl100k_base").stored(7, "abc") == 1


@settings(max_examples=100, deadline=None)
@given(TEXTS.map(lambda text: text * 5))
def test_cuts_stay_within_their_tokens(text):
    assert O200K.count(cut_head(text, 9)) <= 9
    assert O200K.count(cut_tail(text, 9)) <= 9


def pieces_at(text: str, starts: list[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_texts_cut_where_tokens_start_add_up(encoding, text):
    starts = token_starts(encoding, text)
    assert "".join(pieces_at(text, starts)) == text
    assert len(starts) == len(tiktoken.get_encoding(encoding).encode_ordinary(text))


def test_each_token_starts_where_its_own_text_does():
    assert pieces_at("one two 三", token_starts("o200k_base", "one two 三")) == ["one", " two", " 三"]


def test_tokens_inside_one_character_share_its_offset():
    assert token_starts("o200k_base", "a\U000130b8b") == [0, 1, 1, 1, 1, 2]


def test_token_starts_of_a_long_text_go_on_from_piece_to_piece():
    text = "第一行 and another。\n" * (PIECE_CHARS // 8)
    starts = token_starts("o200k_base", text)
    assert len(starts) == O200K.count(text)
    assert starts == sorted(starts)
    assert "".join(pieces_at(text, starts)) == text


@pytest.mark.parametrize("tokens_kept", range(1, 12))
def test_a_cut_never_splits_a_family(tokens_kept):
    text = FAMILY * 6
    assert cut_head(text, tokens_kept).replace(FAMILY, "") == ""
    assert cut_tail(text, tokens_kept).replace(FAMILY, "") == ""


def test_a_cut_uses_the_room_it_has():
    assert cut_head("one two three four five", 3) == "one two three"
    assert cut_tail("one two three four five", 2) == " four five"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("第一句。第二句很长很长很长很长很长！", "第一句。"),
        ("First one. Second is 3.5 long and longer still.", "First one."),
        ("line one\nline two is a longer line than that", "line one"),
        ("no end at all in these many many words", "no end at all in these many"),
    ],
)
def test_a_text_is_cut_after_a_sentence(text, kept):
    assert cut_at_sentence(text, 7) == kept


def test_an_excerpt_keeps_head_tail_and_ref_within_its_cap():
    text = "".join(f"row {number}\n" for number in range(2_000))
    cut = excerpt(text, 80, ref="artifact://art_1")
    assert cut.startswith("row 0\n")
    assert cut.endswith("row 1999\n")
    assert "artifact://art_1" in cut
    assert 60 < O200K.count(cut) <= 80


def test_a_short_text_is_its_own_excerpt():
    assert excerpt("short", 80, ref="artifact://art_1") == "short"


def test_an_action_is_one_line():
    line = one_line('{"path": "a",\n "content": "' + "x y\n" * 4_000 + '"}', 16)
    assert "\n" not in line
    assert line.endswith("…")
    assert O200K.count(line) <= 17


def test_an_action_is_not_cut_inside_a_grapheme():
    line = one_line(FAMILY * 400, 16)
    assert line.removesuffix("…").replace(FAMILY, "") == ""
    assert one_line(" " * 5_000, 16) == "…"
