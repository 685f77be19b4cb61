"""Every word that a packet can hold has the reader's words, in both languages."""

import pytest
from django.utils import translation

from sessions import packet_sentences
from sessions.context.items import Pen
from sessions.context.profile_form import RESERVES
from sessions.context.slots import render_items
from sessions.context.vocabulary import SummarySection
from sessions.packet_sentences import candidate_reason, found_reason, warning_words
from sessions.packet_words import KINDS, RECOVERY_NAMES, RULE_NAMES, word_of
from sessions.vocabulary import Recovery
from tests.context.cast import O200K, bare_material, budget_of, compiled_of, full_material
from threads.vocabulary import MatchRule


@pytest.mark.parametrize("kind", list(KINDS), ids=lambda kind: kind.__name__)
def test_every_member_has_words(kind) -> None:
    assert set(KINDS[kind]) == set(kind)


@pytest.mark.parametrize(("names", "kind"), [(RULE_NAMES, MatchRule), (RECOVERY_NAMES, Recovery)])
def test_every_short_name_is_there(names, kind) -> None:
    assert set(names) == set(kind)


def test_every_reserve_has_words() -> None:
    assert set(packet_sentences.RESERVES) == set(RESERVES)


def test_every_section_of_a_summary_has_words() -> None:
    assert {section.value for section in SummarySection} <= set(packet_sentences.PARTS)


@pytest.mark.parametrize("language", ["zh-hans", "en"])
@pytest.mark.parametrize(
    "reason", ["bound", "never active", "active 5 min ago", "active 1 h ago", "active 3 d ago", "shares parser, 表格"]
)
def test_every_reason_of_the_resolver_is_put_into_words(language: str, reason: str) -> None:
    with translation.override(language):
        assert candidate_reason(reason) != reason


def test_every_warning_of_the_compiler_has_a_sentence() -> None:
    codes = {warning["code"] for warning in compiled_of(bare_material()).warnings}
    assert codes
    assert codes <= set(packet_sentences.WARNINGS)


def test_every_item_of_a_full_packet_has_a_name() -> None:
    items = render_items(full_material(), Pen(O200K, budget_of()))
    fragments = {item.ref.partition("#")[2].partition("/")[0] for item in items}
    schemes = {item.ref.partition("://")[0] for item in items}
    assert fragments - {""} <= set(packet_sentences.PARTS)
    assert schemes <= set(packet_sentences.SCHEMES)


def test_a_found_passage_says_where_it_is_from() -> None:
    with translation.override("en"):
        assert found_reason("shares a, b; in this thread") == "shares “a, b” · in this thread"


def test_a_new_reason_is_shown_as_it_is() -> None:
    assert found_reason("smells alike") == "smells alike"


def test_an_unknown_warning_speaks_for_itself() -> None:
    assert warning_words("new_code", "It says so.") == "It says so."


def test_a_word_from_elsewhere_stays_itself() -> None:
    assert word_of(MatchRule, "by_dice") == "by_dice"
