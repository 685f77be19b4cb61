"""The words of a text as keys: what it is about, and the turns of phrase of who says it."""

from hypothesis import given
from hypothesis import strategies as st

from threads.wording import Channel, Wording, clauses


def wordings(text: str) -> list[Wording]:
    return [one for clause in clauses(text) for one in clause]


def manner(text: str) -> set[str]:
    return {one.shown for one in wordings(text) if one.channel is Channel.MANNER}


def matter(text: str) -> list[str]:
    return [one.shown for one in wordings(text) if one.channel is Channel.MATTER]


def test_a_clause_is_known_by_its_ends_and_whole_while_it_is_short() -> None:
    assert {"<^你 好", ">你 好,", "=,朋 友。"} <= manner("你好，朋友。今天去了公园")


def test_a_long_clause_is_not_counted_whole() -> None:
    assert not [
        one for one in manner("the seedlings in the third row of the north greenhouse bed wilt") if one[0] == "="
    ]


def test_turns_sent_together_are_counted_as_turns() -> None:
    assert manner("good evening\nsee you") == manner("good evening") | manner("see you")


def test_width_and_case_do_not_matter() -> None:
    assert [one.key for one in wordings("Ｇａｒｄｅｎ！")] == [one.key for one in wordings("garden!")]


def test_marks_inside_an_identifier_end_no_clause() -> None:
    assert len(clauses("see threads/talk.py and v1.2.3")) == 1


def test_repeats_are_kept() -> None:
    assert matter("moss, moss and moss") == ["moss"] * 3


def test_a_key_is_the_same_on_every_machine() -> None:
    assert next(one.key for one in wordings("moss")) == 0xE059ED91


@given(st.text(max_size=200))
def test_any_text_has_keys_of_32_bits(text: str) -> None:
    assert all(0 <= one.key < 2**32 for one in wordings(text))
