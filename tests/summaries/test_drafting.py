"""What the deterministic writer makes of what was said: where it stands, what supersedes it, what stays within room."""

from collections.abc import Sequence

import pytest

from sessions.context.summary_lines import Line, Mark, parse, tokens_of
from sessions.summaries.drafting import draft
from sessions.summaries.entries import Entry
from sessions.vocabulary import EventKind
from tests.summaries.talks import said


def sections(*entries: Entry, budget: int = 2_000) -> dict[str, Sequence[str]]:
    return dict(draft({}, entries, budget=budget).sections)


def told(*texts: str) -> dict[str, Sequence[str]]:
    return sections(*said("Build the importer for the harbour.", *texts))


@pytest.mark.parametrize(
    "text",
    [
        "Never delete raw files.",
        "please don't push to main",
        "you must run the linter before each commit",
        "Only the owner may approve this.",
        "Keep the old API for now.",
        "原始数据不许删",
        "只能在周三发布",
        "每批最多 500 行",
        "别动老接口",
        "金额一律用分",
    ],
)
def test_a_demand_stands_among_the_constraints(text: str) -> None:
    assert [parse(line).seqs for line in told(text)["constraints"]] == [(2,)]


@pytest.mark.parametrize(
    "text",
    [
        "i don't understand this at all",
        "there's only one file left",
        "ok, looks good",
        "what does this function do?",
        "哈哈，真快",
        "这个函数是干什么的？",
        "好的，继续",
    ],
)
def test_what_demands_nothing_stands_nowhere_among_them(text: str) -> None:
    assert "constraints" not in told(text)


@pytest.mark.parametrize(
    ("before", "after", "stands"),
    [
        ("Set the timeout to 30 seconds.", "Change the timeout to 60 seconds.", "60 seconds"),
        ("超时设成 30 秒", "超时改成 60 秒", "60 秒"),
        ("Use Redis for the job queue.", "Actually use Postgres for the job queue instead.", "Postgres"),
        ("任务队列用 Redis", "任务队列改用 Postgres", "Postgres"),
    ],
)
def test_a_later_choice_takes_the_place_of_an_earlier_one(before: str, after: str, stands: str) -> None:
    lines = [line for name, lines in told(before, after).items() if name != "goals" for line in lines]
    assert [stands in line for line in lines] == [True]


@pytest.mark.parametrize("text", ["revert that", "never mind, undo that", "算了，刚才的不要了"])
def test_taking_the_last_thing_back_needs_no_repetition(text: str) -> None:
    assert "Copy all files" not in str(told("Copy all files to the new folder.", text))


def test_a_demand_of_another_matter_is_not_taken_back() -> None:
    held = told("Keep the old importer for reference.", "Remove the old screenshots from the wiki.")
    assert "old importer" in str(held["constraints"])


def test_a_correction_that_the_agent_agrees_to_stands_with_what_it_says_it_will_be() -> None:
    talk = [
        *said("Build it.", "why would we clear the listeners? they should still be there, no?"),
        Entry(
            3,
            "assistant",
            EventKind.MESSAGE,
            "You're right. unsubscribe() must not clear the listeners. Let me fix it.",
        ),
    ]
    [line] = [parse(line) for line in sections(*talk)["decisions"]]
    assert (line.seqs, "unsubscribe() must not clear the listeners" in line.text) == ((2, 3), True)


@pytest.mark.parametrize(
    ("asking", "answer", "line"),
    [
        ("Here is the list. Should I tag the release?", "yeah, do it", "Should I tag the release?; do it [1, 2]"),
        ("This looks like a minor release. Or a patch one?", "minor", "This looks like a minor release; minor [1, 2]"),
        ("迁移脚本写好了。要我现在执行吗？", "好的，执行吧", "要我现在执行吗？; 好的; 执行吧 [1, 2]"),
        ("可以放在缓存里，也可以放在数据库里。放哪里？", "数据库", "可以放在缓存里，也可以放在数据库里; 数据库 [1, 2]"),
    ],
)
def test_a_short_answer_stands_with_what_it_answers(asking: str, answer: str, line: str) -> None:
    assert told_back(asking, answer) == [line]


@pytest.mark.parametrize(
    ("asking", "answer"),
    [
        ("All tests pass. Want to look at something else?", "ok, i hope that you had some sleep meanwhile"),
        ("Should I tag the release?", "what is in it?"),
        ("I tagged the release.", "yes"),
        ("要我现在执行吗？", "现在几点了？"),
    ],
)
def test_what_answers_nothing_is_no_answer(asking: str, answer: str) -> None:
    assert not any("[1, 2]" in line for line in told_back(asking, answer))


def told_back(asking: str, answer: str) -> list[str]:
    """Return the lines of what an agent asked and a user answered."""
    asked = Entry(1, "assistant", EventKind.MESSAGE, asking)
    answered = Entry(2, "user", EventKind.MESSAGE, answer, attested=True)
    return [line for found in sections(asked, answered).values() for line in found]


def test_an_answer_that_opens_a_range_stands_with_the_question_before_it() -> None:
    asked = Entry(1, "assistant", EventKind.MESSAGE, "Both are in. Shall I ship it to the harbour office?")
    answer = Entry(2, "user", EventKind.MESSAGE, "yes, do that", attested=True)
    parent = draft({}, [asked], budget=500).sections
    assert "open_questions" in parent
    assert draft(parent, [answer], budget=500, asking=asked).sections == sections(asked, answer)


def test_repeated_failures_are_one_line_with_a_count() -> None:
    failed = [Entry(n, "tool", EventKind.TOOL_RESULT, "boom", failed=True, tool="bash") for n in (4, 7, 9)]
    assert sections(*said("Build it."), *failed)["verification"] == ["failed: bash (×3) [4, 9]"]


def test_only_a_verification_passes_anything() -> None:
    claim = Entry(2, "assistant", EventKind.MESSAGE, "Done. All 12 tests pass.")
    checked = Entry(3, "system", EventKind.VERIFICATION, "12 tests", failed=False)
    written = sections(*said("Build the importer."), claim, checked)
    assert parse(written["conclusions"][0]).mark is Mark.UNVERIFIED
    assert written["verification"] == ["passed: 12 tests [3]"]


def test_an_unanswered_question_is_open_until_somebody_answers() -> None:
    asked = Entry(2, "assistant", EventKind.MESSAGE, "Which time zone should owners see?")
    answered = Entry(3, "user", EventKind.MESSAGE, "Owners see UTC everywhere.", attested=True)
    assert "open_questions" in sections(*said("Build it."), asked)
    assert "open_questions" not in sections(*said("Build it."), asked, answered)


def test_a_blocker_stands_until_a_user_says_that_it_is_gone() -> None:
    stuck, free = "测试账号卡在信息科审批", "测试账号批下来了，可以继续"
    assert ("blockers" in told(stuck), "blockers" in told(stuck, free)) == (True, False)


def test_a_pasted_log_demands_nothing() -> None:
    log = "it broke:\nError: must never happen\n    at main.ts:3:1\n    at run.ts:9:2\nnode:internal must stop"
    assert "constraints" not in told(log)


def test_a_long_demand_is_never_cut() -> None:
    demand = "Never " + "touch the vendored code of the harbour office and its many suppliers, " * 8 + "please"
    assert not told(demand)["constraints"][0].partition(" [")[0].endswith("…")


def test_decisions_go_before_demands_do() -> None:
    talk = said(*(f"Use module number {n} for station {n}." for n in range(40)), "Never store card numbers.")
    written = sections(*talk, budget=200)
    assert tokens_of(written) <= 200
    assert written["constraints"] == ["Never store card numbers [41]"]


@pytest.mark.parametrize("text", ["passed: all of it", "see this [17]", "tries (×3)"])
def test_no_text_passes_for_a_mark_a_count_or_a_citation(text: str) -> None:
    [entry] = said(f"Never say {text}")
    line = parse(sections(entry)["constraints"][0])
    assert (line.mark, line.times, line.seqs) == (None, 1, (1,))


def test_a_line_is_read_as_it_is_written() -> None:
    line = Line(text="npm test", seqs=(4, 9), refs=("memory://mem_1@2",), mark=Mark.FAILED, times=3)
    assert (str(line), parse(str(line))) == ("failed: npm test (×3) [4, 9, memory://mem_1@2]", line)


def test_two_things_that_are_numbered_keep_their_own_values() -> None:
    held = told("第 3 站的间隔设成 30 秒", "第 4 站的间隔改成 40 秒")
    assert all(value in str(held) for value in ("30 秒", "40 秒"))


def test_a_demand_that_is_said_again_stands_once() -> None:
    assert [parse(line).seqs for line in told("Never print it.", "Never print it.")["constraints"]] == [(2,)]
