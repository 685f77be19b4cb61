"""The lexical leg by itself: terms and keys of a text, what a query asks for, and BM25 by hand."""

import math
import uuid

import pytest

from memories.lexical import K1, MOST_ASKED, B, Terms, asked_terms, bm25, keys_asked, keys_of, rarities, terms_of

HERE, ELSEWHERE = uuid.UUID(int=1), uuid.UUID(int=2)


def test_a_stored_text_keeps_each_term_once_with_how_often_it_occurs() -> None:
    found = terms_of("cache miss, cache hit")
    assert dict(zip(found.terms, found.counts, strict=True)) == {"cach": 2, "hit": 1, "miss": 1}
    assert (found.length, list(found.terms)) == (4, sorted(found.terms))


def test_a_query_asks_for_what_tells_before_single_characters() -> None:
    assert asked_terms("潮汐表 gauge")[:3] == ("潮汐", "汐表", "gaug")


def test_a_long_query_asks_for_its_beginning() -> None:
    asked = asked_terms(" ".join(f"word{n}x" for n in range(100)))
    assert (len(asked), asked[0]) == (MOST_ASKED, "word0x")


def test_the_key_of_a_term_is_no_key_of_another_project() -> None:
    found = terms_of("the gauge of the harbour, the gauge")
    assert not set(keys_of(HERE, found)) & set(keys_of(ELSEWHERE, found))


@pytest.mark.parametrize("times", [1, 2, 3, 7])
def test_a_search_asks_for_every_number_of_times_that_a_term_may_occur(times: int) -> None:
    [key] = keys_of(HERE, terms_of("gauge " * times))
    assert key in keys_asked(HERE, asked_terms("gauge"))


def test_a_key_never_changes() -> None:
    assert keys_asked(HERE, ["潮汐"])[0] == 7439155941452796750


def test_a_rare_term_tells_more_than_a_common_one() -> None:
    told = rarities(["rare", "common", "none"], {"rare": 1, "common": 90}, passages=100)
    assert told["none"] > told["rare"] > told["common"] > 0


def test_bm25_is_what_the_formula_says() -> None:
    weight = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))
    expected = weight * 3 * (K1 + 1) / (3 + K1 * (1 - B + B * 4 / 5))
    found = Terms(terms=["a", "b"], counts=[3, 1], length=4)
    assert bm25(found, rarities(["a"], {"a": 2}, passages=10), mean_length=5) == pytest.approx(expected)


def test_a_longer_passage_counts_less_for_the_same_words() -> None:
    weights = {"a": 1.0}
    short, long = (Terms(terms=["a"], counts=[1], length=length) for length in (3, 300))
    assert bm25(short, weights, mean_length=10) > bm25(long, weights, mean_length=10)


def test_what_was_indexed_without_counts_holds_each_term_once() -> None:
    assert bm25(Terms(terms=["a"], counts=[], length=1), {"a": 1.0}, mean_length=1) > 0
