"""Which thread an input continues, by what was said there: right, wrong refused, torn, new, in two languages."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.threads.cases_resolution import NOW, ago
from threads.matching import MatchRequest, ThreadMatch, ThreadSignals, match_thread
from threads.talk import FEWEST_TALKS, Talk, Verdict, heard
from threads.talk_values import talk_of
from threads.vocabulary import MatchRule, ThreadType
from threads.wording import counted

SAID = {
    "garden": (
        "The tomatoes in the greenhouse have blight again",
        "I sprayed copper on the seedlings by the fence",
        "Mulch and compost for the raised beds",
        "Slugs ate the lettuce seedlings in the greenhouse",
    ),
    "choir": (
        "The altos miss their entry in the Fauré requiem",
        "Our tenor section lost two voices before the concert",
        "The rehearsal hall is cold, the organ is out of tune",
        "Print the requiem scores for the altos",
    ),
    "boat": (
        "The mast of the dinghy has a crack near the boom",
        "Antifouling paint for the hull before the regatta",
        "The rudder sticks when the dinghy heels",
        "Sail number and insurance for the regatta",
    ),
    "cat": (
        "橘猫昨天又把药片吐出来了",
        "兽医说橘猫的肾指标偏高，要吃处方粮",
        "猫砂盆换到阳台上了",
        "橘猫不肯喝水，换了流动饮水机",
    ),
    "thesis": (
        "论文第三章的实验数据要重新跑一遍",
        "导师说文献综述太长，要压缩到十页",
        "答辩时间定在六月，盲审意见还没回来",
        "参考文献的格式按国标改",
    ),
}


def talk(texts: Sequence[str]) -> Talk:
    return talk_of(counted(texts))


TALKS = {name: talk(texts) for name, texts in SAID.items()}


def signals(name: str, kind: ThreadType = ThreadType.PERSONAL) -> ThreadSignals:
    return ThreadSignals(
        thread_id=name,
        type=kind,
        title=f"line {name[0]}",
        last_active_at=ago(hours=5),
        last_active_by_me_at=ago(hours=5),
    )


def match(text: str, *, verdict: Verdict | None = None, threads: Sequence[ThreadSignals] | None = None) -> ThreadMatch:
    lines = threads or [signals(name) for name in TALKS]
    told = verdict or heard(text, TALKS)
    return match_thread(MatchRequest(text=text, bound_thread_id=None, now=NOW), lines, verdict=told)


@pytest.mark.parametrize(
    ("text", "thread"),
    [
        ("Blight is back on the greenhouse tomatoes, and the seedlings by the fence look poor", "garden"),
        ("The altos finally found their entry in the requiem, but the tenor voices are thin", "choir"),
        ("The dinghy heels too much, maybe the rudder and the boom want work before the regatta", "boat"),
        ("橘猫今天肯吃药片了，处方粮也吃完了，肾指标下周复查", "cat"),
        ("盲审意见回来了，文献综述还要压缩，导师催第三章的实验数据", "thesis"),
        ("橘猫的 checkup 约好了，兽医说肾指标正常，处方粮继续吃 please", "cat"),
    ],
)
def test_talk_that_goes_on_is_found(text: str, thread: str) -> None:
    found = match(text)
    assert (found.thread_id, found.rule) == (thread, MatchRule.SEMANTIC)


@pytest.mark.parametrize(
    "text",
    [
        "Which laptop should the accountant buy for the new office?",
        "The plumber wants another appointment for the bathroom boiler",
        "帮我写一封给供应商的催货邮件",
        "周末的亲子露营要准备哪些装备",
    ],
)
def test_what_nobody_spoke_of_is_new(text: str) -> None:
    found = match(text)
    assert (found.thread_id, found.ambiguous, found.rule) == (None, False, MatchRule.NEW)


def test_small_talk_never_lands_where_people_talked() -> None:
    assert match("haha, good morning, how are you?", verdict=heard("the greenhouse tomatoes", TALKS)).thread_id is None


def test_two_that_are_alike_are_asked_about() -> None:
    twins = TALKS | {"allotment": talk(SAID["garden"])}
    text = "Blight is back on the greenhouse tomatoes, and the seedlings by the fence look poor"
    lines = [signals(name) for name in twins]
    found = match(text, verdict=heard(text, twins), threads=lines)
    assert found.ambiguous
    assert {one.thread_id for one in found.candidates if not one.rejected} == {"garden", "allotment"}


def test_a_match_says_which_words_were_said_there() -> None:
    reason = match("The dinghy heels again, and the rudder sticks before the regatta").candidates[0].reason
    assert reason.startswith("said there: ")
    assert "dinghi" in reason


def test_the_order_of_the_threads_does_not_matter() -> None:
    text = "The altos sing the requiem in the cold hall"
    assert heard(text, TALKS) == heard(text, dict(reversed(TALKS.items())))


def test_among_few_threads_talk_is_silent() -> None:
    few = dict(list(TALKS.items())[: FEWEST_TALKS - 1])
    assert heard("Blight on the greenhouse tomatoes", few) is None


def test_a_thread_that_says_more_of_everything_is_no_better() -> None:
    """A long thread knows most words; what counts is how often it says them for its length."""
    long = TALKS | {"diary": talk([text for texts in SAID.values() for text in texts] * 2)}
    found = heard("橘猫今天肯吃药片了，处方粮也吃完了，肾指标下周复查", long)
    assert found is not None
    assert found.standings[0].thread_id == "cat"


def test_another_languages_threads_do_not_make_common_words_rare() -> None:
    """Whether twenty Chinese threads are there or not, an English one is told by the same words."""
    crowd = TALKS | {f"zh{n}": talk([f"第{n}号档案的第{n}次盘点", "档案柜的钥匙在前台"]) for n in range(20)}
    text = "The altos found their entry in the requiem"
    alone, among = heard(text, TALKS), heard(text, crowd)
    assert alone is not None
    assert among is not None
    assert abs(alone.lead - among.lead) < 0.3


def test_a_title_is_doubted_where_talk_is_for_another() -> None:
    named = ThreadSignals(thread_id="choir", type=ThreadType.WORK, title="Boat", last_active_at=ago(hours=5))
    lines = [named, *(signals(name) for name in TALKS if name != "choir")]
    text = "the boat"
    ahead = heard("The dinghy heels, the rudder sticks, the mast has a crack", TALKS)
    assert match(text, threads=lines, verdict=ahead).thread_id != "choir"


def test_the_latest_of_comparable_threads_is_taken_only_if_it_is_clearly_the_latest() -> None:
    old, older = (
        ThreadSignals(
            thread_id=f"t{hours}",
            type=ThreadType.WORK,
            title="payment callback",
            last_active_at=ago(hours=hours),
            last_active_by_me_at=ago(hours=hours) - timedelta(minutes=1),
        )
        for hours in (30, 31)
    )
    request = MatchRequest(text="the payment callback fails", bound_thread_id=None, now=NOW)
    assert match_thread(request, [old, older]).ambiguous


@given(st.text(max_size=80))
def test_any_input_gets_a_verdict_that_holds_together(text: str) -> None:
    found = heard(text, TALKS)
    assert found is None or (0 <= found.known <= 1 and found.standings[0].behind == 0 and found.lead >= 0)
