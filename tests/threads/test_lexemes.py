"""Words of a text: the same in both languages, for what is stored and what is asked."""

import pytest

from threads.lexemes import MAX_TERM_CHARS, MAX_TERMS, Kind, fold, lexemes, spans, terms


def test_full_width_and_upper_case_are_one_form() -> None:
    assert fold("ＡＢＣ　１２３") == "abc 123"


def test_chinese_gives_characters_and_pairs() -> None:
    assert terms("迁移") == ["迁", "迁移", "移"]


def test_particles_end_a_word() -> None:
    assert "器的" not in terms("解析器的测试")


@pytest.mark.parametrize("word", ["目的", "了解", "除了"])
def test_a_particle_inside_a_word_stays(word: str) -> None:
    assert word in terms(word)


@pytest.mark.parametrize(("one", "other"), [("migrations", "migration"), ("Parsing", "parsed"), ("user's", "users")])
def test_forms_of_an_english_word_meet(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("foo_bar", ["foo", "bar"]),
        ("PR-123", ["pr", "123"]),
        ("v1.2", []),
        ("parseYAML2", ["pars", "yaml"]),
        ("src/app/main.py", ["src", "app", "main", "py"]),
        ("HTTPServer", ["http", "server"]),
    ],
)
def test_identifiers_stay_whole_and_give_their_parts(text: str, parts: list[str]) -> None:
    assert terms(text) == [text.lower(), *parts]


@pytest.mark.parametrize("text", ["C++", "c#"])
def test_names_that_end_in_signs(text: str) -> None:
    assert terms(text) == [text.lower()]


def test_identifiers_are_found_inside_chinese() -> None:
    assert {"parse_yaml", "报错"} <= set(terms("parse_yaml报错了"))


@pytest.mark.parametrize("text", ["the of and it's", "的了吗", "don’t", " \n\t ", "", "。！？😂"])
def test_nothing_to_find(text: str) -> None:
    assert terms(text) == []


def test_repeats_are_kept_in_order() -> None:
    assert terms("cache miss cache") == ["cach", "miss", "cach"]


def test_kinds_tell_identifiers_from_words_and_pairs() -> None:
    assert [lexeme.kind for lexeme in lexemes("v1.2 cache 迁移")] == [
        Kind.IDENTIFIER,
        Kind.WORD,
        Kind.CHARACTER,
        Kind.BIGRAM,
        Kind.CHARACTER,
    ]


@pytest.mark.parametrize("text", ["word " * 400_000, "测" * 700_000, "foo_bar " * 200_000, "aA" * 1_000_000])
def test_terms_of_a_huge_text_are_bounded(text: str) -> None:
    assert 0 < len(terms(text)) <= MAX_TERMS


@pytest.mark.parametrize("text", [" " * 1_000_000, "的" * 700_000, "the " * 500_000, "'" * 1_000_000, "-" * 2_000_000])
def test_a_huge_text_without_words_has_none(text: str) -> None:
    assert terms(text) == []


def test_a_run_without_end_is_no_term() -> None:
    assert terms("x" * (MAX_TERM_CHARS + 1)) == []


def test_the_limit_is_kept_inside_a_run() -> None:
    assert len(terms("测试" * 100, limit=7)) == 7


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [("資料庫遷移", "资料库迁移"), ("頭髮", "头发"), ("瞭解", "了解"), ("著手", "着手"), ("憑藉", "凭借")],
)
def test_traditional_and_simplified_give_the_same_terms(traditional: str, simplified: str) -> None:
    assert terms(traditional) == terms(simplified)


def test_folding_leaves_what_is_neither_width_nor_case_nor_tradition() -> None:
    assert fold("Ｇａｕｇｅ café 漢字 かな") == "gauge café 汉字 かな"


def test_spans_show_where_terms_stand_in_the_text_as_it_was_written() -> None:
    text = "我們討論了遷移腳本 parse_yaml 和 Tests"
    found = spans(text, frozenset(terms("迁移脚本 yaml test")))
    assert [text[start:end] for start, end in found] == ["遷移腳本", "parse_yaml", "Tests"]


def test_spans_of_terms_that_are_not_there_are_none() -> None:
    assert spans("完全无关 text", frozenset(terms("gauge"))) == []
