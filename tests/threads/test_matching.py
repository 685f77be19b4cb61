"""Where a request belongs and why: the rules in their order, and what a person would expect."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.threads.cases_resolution import (
    ASK,
    CASES,
    CHAT,
    HELD_OUT,
    INBOX,
    LOGIN,
    NEW,
    NOW,
    ONCALL,
    ORDERS,
    RETRY,
    SIGNING,
    THREADS,
    YAML,
    Case,
    ago,
)
from threads.matching import MatchNumbers, MatchRequest, ThreadMatch, ThreadSignals, match_thread
from threads.speech import SpeechAct
from threads.vocabulary import MatchRule, ThreadType


def match(text: str, *threads: ThreadSignals, bound: str | None = None, standing: bool = False) -> ThreadMatch:
    request = MatchRequest(text=text, bound_thread_id=bound, now=NOW, standing_binding=standing)
    return match_thread(request, threads)


def outcome(found: ThreadMatch) -> str:
    return ASK if found.ambiguous else found.thread_id or NEW


def touched(thread: ThreadSignals, moment: datetime | None, *, by_me: bool = True) -> ThreadSignals:
    return replace(thread, last_active_at=moment, last_active_by_me_at=moment if by_me else None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_what_a_person_would_expect(case: Case) -> None:
    found = match(case.text, *THREADS, bound=case.bound)
    assert (outcome(found), found.rule) == (case.expected, case.rule)


@pytest.mark.parametrize("case", HELD_OUT, ids=lambda case: case.text)
def test_inputs_thought_of_after_the_rules(case: Case) -> None:
    found = match(case.text, *THREADS, bound=case.bound)
    assert (outcome(found), found.rule) == (case.expected, case.rule)


@pytest.mark.parametrize("case", [case for case in CASES if not case.bound], ids=lambda case: case.text)
def test_the_order_of_the_candidates_does_not_matter(case: Case) -> None:
    assert match(case.text, *THREADS) == match(case.text, *reversed(THREADS))


# binding


def test_a_binding_to_a_thread_out_of_sight_is_kept_without_a_candidate() -> None:
    found = match("fix the login bug", LOGIN, bound="thr_elsewhere")
    assert (found.thread_id, found.candidates) == ("thr_elsewhere", ())


def test_a_named_binding_holds_even_against_a_restart() -> None:
    assert match("新话题", YAML, bound="thr_yaml").rule is MatchRule.BINDING


def test_a_restart_leaves_a_channels_standing_binding() -> None:
    assert outcome(match("新话题", INBOX, bound="thr_inbox", standing=True)) == NEW


def test_small_talk_leaves_a_standing_binding_to_work() -> None:
    assert match("谢谢", YAML, CHAT, bound="thr_yaml", standing=True).thread_id == "thr_chat"


def test_small_talk_stays_in_a_standing_binding_to_small_talk() -> None:
    assert match("谢谢", CHAT, bound="thr_chat", standing=True).rule is MatchRule.BINDING


def test_work_leaves_a_standing_binding_to_small_talk() -> None:
    assert match("fix the login bug", CHAT, LOGIN, bound="thr_chat", standing=True).thread_id == "thr_login"


# small talk and restart


@pytest.mark.parametrize("text", ["哈哈", "what's the weather like?"])
def test_small_talk_without_a_thread_of_its_own_opens_one(text: str) -> None:
    found = match(text, YAML, LOGIN, INBOX)
    assert (outcome(found), found.new_type) == (NEW, ThreadType.SMALL_TALK)


def test_small_talk_does_not_join_somebody_elses() -> None:
    assert outcome(match("哈哈", touched(CHAT, ago(minutes=1), by_me=False))) == NEW


def test_work_never_lands_in_small_talk_even_where_the_words_agree() -> None:
    assert outcome(match("build a weather joke API", CHAT)) == NEW


@pytest.mark.parametrize("text", ["新话题：支付回调验签", "new topic: login page redesign"])
def test_a_restart_is_new_even_where_an_old_thread_fits(text: str) -> None:
    found = match(text, *THREADS)
    assert (outcome(found), found.new_type) == (NEW, ThreadType.WORK)


def test_a_restart_into_small_talk_is_small_talk() -> None:
    assert match("换个话题，今天天气真好", YAML).new_type is ThreadType.SMALL_TALK


def test_a_title_waits_where_there_are_no_words_for_it() -> None:
    assert match("新话题", YAML).new_title is None


# going on


@pytest.mark.parametrize("text", ["继续", "go on"])
def test_going_on_without_any_thread_begins_one(text: str) -> None:
    found = match(text)
    assert (outcome(found), found.new_type, found.new_title) == (NEW, ThreadType.WORK, None)


@pytest.mark.parametrize("text", ["继续", "continue the snorkel inventory"])
def test_going_on_after_a_long_pause_asks(text: str) -> None:
    found = match(text, RETRY, SIGNING)
    assert [one.thread_id for one in found.candidates if not one.rejected] == ["thr_retry", "thr_signing"]


def test_going_on_takes_my_latest_over_the_projects_latest() -> None:
    assert match("继续", ONCALL, ORDERS).thread_id == "thr_orders"


def test_going_on_with_none_of_my_own_takes_the_projects_only_line() -> None:
    found = match("继续", ONCALL, CHAT)
    assert (found.thread_id, found.confidence) == ("thr_oncall", 0.5)


def test_going_on_with_none_of_my_own_asks_between_two_busy_lines() -> None:
    other = touched(LOGIN, ago(hours=1), by_me=False)
    assert match("继续", ONCALL, other).ambiguous


def test_two_kinds_touched_at_about_the_same_time_are_asked_about() -> None:
    trip = replace(touched(LOGIN, ago(minutes=33)), type=ThreadType.PERSONAL)
    assert match("继续", YAML, trip).ambiguous


def test_two_of_a_kind_touched_at_about_the_same_time_give_the_later() -> None:
    assert match("继续", YAML, touched(LOGIN, ago(minutes=33))).thread_id == "thr_yaml"


def test_two_touched_at_the_same_moment_are_asked_about() -> None:
    assert match("继续", YAML, touched(LOGIN, YAML.last_active_by_me_at)).ambiguous


def test_going_on_does_not_take_an_empty_thread() -> None:
    empty = replace(touched(LOGIN, NOW), provisional=True)
    assert match("继续", empty, YAML).thread_id == "thr_yaml"


def test_the_windows_edge_is_still_recent() -> None:
    edge = touched(YAML, NOW - MatchNumbers().recent_window)
    assert match("继续", edge, ONCALL).thread_id == "thr_yaml"


def test_a_clock_that_runs_ahead_counts_as_now() -> None:
    assert match("继续", touched(YAML, NOW + timedelta(minutes=5))).confidence == 1.0


# leaning and meaning


def test_leaning_on_what_is_hours_away_is_new() -> None:
    assert outcome(match("把它改成异步的", touched(YAML, ago(hours=5)))) == NEW


@pytest.mark.parametrize("text", ["fix this: TypeError in pay.py", "also rename the spinner", "这个再加个深色主题"])
def test_a_short_request_leans_on_what_was_just_touched(text: str) -> None:
    assert (match(text, YAML, LOGIN).thread_id, match(text, YAML).rule) == ("thr_yaml", MatchRule.RECENT)


def test_a_whole_identifier_is_stronger_than_its_parts() -> None:
    parts = replace(LOGIN, title="foo bar", tags=(), keywords=(), recent_goals=(), recent_tasks=())
    whole = replace(parts, thread_id="thr_whole", title="Cleanup", recent_goals=("Remove foo_bar",))
    assert match("where does foo_bar come from", parts, whole).thread_id == "thr_whole"


def test_an_identifier_is_stronger_than_leaning() -> None:
    assert match("fix it in PR-123", YAML, LOGIN).thread_id == "thr_login"


def test_a_matter_of_its_own_does_not_lean_for_saying_also() -> None:
    assert outcome(match("also build a landing page for the bakery downtown", YAML)) == NEW


@pytest.mark.parametrize(
    "text",
    [
        "write a landing page for the bakery",
        "Compare three password managers for the family",
        "写一篇关于分布式锁的博客",
        "订一束花送给客户",
        "整理一下上个月的报销发票",
        "add dark mode to the settings screen",
        "我要给用户发一封道歉邮件",
        "Find a dentist near the office",
    ],
)
def test_words_of_every_product_do_not_make_a_match(text: str) -> None:
    assert outcome(match(text, *THREADS)) == NEW


@pytest.mark.parametrize(
    "text", ["pgloader takes four hours since the last upgrade", "京都的酒店帮我换成离车站近一点的"]
)
def test_one_telling_word_suffices_among_new_details(text: str) -> None:
    trip = replace(
        ORDERS, thread_id="thr_trip", type=ThreadType.PERSONAL, title="京都旅行", tags=(), keywords=("酒店",)
    )
    assert match(text, LOGIN, replace(trip, recent_goals=(), recent_tasks=()), ORDERS).rule is MatchRule.SEMANTIC


def test_near_topics_go_to_the_recent_one_of_the_same_type() -> None:
    assert match("支付回调又出问题了", touched(RETRY, ago(days=1)), SIGNING).thread_id == "thr_retry"


def test_near_topics_of_two_types_are_asked_about() -> None:
    personal = replace(SIGNING, type=ThreadType.PERSONAL)
    assert match("支付回调又出问题了", touched(RETRY, ago(days=1)), personal).ambiguous


def test_an_ambiguity_offers_the_close_ones_and_rejects_the_rest() -> None:
    found = match("支付回调的订单又出问题了", RETRY, SIGNING, ORDERS)
    assert {one.thread_id for one in found.candidates if not one.rejected} == {"thr_retry", "thr_signing"}


def test_a_match_shows_the_chosen_one_first_and_says_why() -> None:
    first = match("The redirect loop after login is back", *THREADS).candidates[0]
    assert (first.thread_id, first.rejected, first.reason) == ("thr_login", False, "shares login, redirect, loop")


def test_a_new_thread_shows_what_was_turned_down() -> None:
    found = match("write a landing page for the bakery", LOGIN)
    assert [(one.thread_id, one.rejected) for one in found.candidates] == [("thr_login", True)]


def test_the_floor_is_a_number_of_the_caller() -> None:
    request = MatchRequest(text="hi, can you fix the login bug?", bound_thread_id=None, now=NOW)
    assert match_thread(request, (LOGIN,), MatchNumbers(semantic_floor=0.9)).rule is MatchRule.NEW


# whatever comes


@given(st.text(max_size=120))
def test_any_input_gets_an_answer_that_holds_together(text: str) -> None:
    found = match(text, *THREADS)
    assert (found.new_type is not None) == (found.thread_id is None and not found.ambiguous)
    assert all(0 <= figure <= 1 for figure in (found.confidence, *(one.score for one in found.candidates)))


@given(st.text(max_size=120))
def test_whatever_reads_as_small_talk_stays_out_of_work(text: str) -> None:
    found = match(f"哈哈 {text}", *THREADS)
    assert found.speech is not SpeechAct.SMALL_TALK or found.thread_id == "thr_chat"


@given(st.text(max_size=120))
def test_whatever_reads_as_a_request_stays_out_of_small_talk(text: str) -> None:
    found = match(f"weather joke 天气 {text}", *THREADS)
    assert found.speech is not SpeechAct.REQUEST or found.thread_id != "thr_chat"
