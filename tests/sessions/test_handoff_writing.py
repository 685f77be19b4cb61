"""A handoff that is written from the records: every part says something, and what nobody knows stands under risks."""

from dataclasses import fields, replace

import pytest

from governance.vocabulary import Phase, Risk
from sessions.context.material import SummaryFact, TaskFact
from sessions.handoff_words import CHINESE, ENGLISH, SENTENCES, Say
from sessions.handoff_writing import MOST_LINES, Parts, Records, Said, written
from sessions.vocabulary import EventKind, EventRole

PLACE = "event://ses_1"
ASKED = Said(1, f"{PLACE}/1", EventRole.USER, EventKind.MESSAGE, "Build the lexer.")
CALLED = Said(2, f"{PLACE}/2", EventRole.ASSISTANT, EventKind.TOOL_CALL, "pytest", "shell")
FAILED = Said(3, f"{PLACE}/3", EventRole.TOOL, EventKind.TOOL_RESULT, "2 failed", "shell", True)
ANSWERED = Said(4, f"{PLACE}/4", EventRole.ASSISTANT, EventKind.MESSAGE, "The lexer reads numbers.")
BARE = Records(
    session_ref="session://ses_1",
    head=1,
    covered=0,
    summary=None,
    since=[ASKED],
    task=None,
    goal="",
    resume_point="",
    screen="",
)


def summary(**sections: tuple[str, ...]) -> SummaryFact:
    return SummaryFact(ref="summary://sum_1@2", version=2, covers=f"{PLACE}/1-4", sections=sections)


def test_every_part_says_something_or_is_a_list() -> None:
    parts = written(BARE)
    texts = {field.name: getattr(parts, field.name) for field in fields(Parts)}
    assert all(value.strip() for value in texts.values() if isinstance(value, str))


def test_an_unanswered_request_is_unfinished_and_open() -> None:
    parts = written(BARE)
    assert any("Build the lexer." in item and f"{PLACE}/1" in item for item in parts.unfinished_items)
    assert parts.open == parts.unfinished_items


def test_an_answered_request_is_not_unfinished() -> None:
    parts = written(replace(BARE, head=4, since=[ASKED, ANSWERED]))
    assert (parts.unfinished_items, "The lexer reads numbers." in parts.what) == ([], True)


def test_a_call_without_a_result_is_a_risk() -> None:
    risks = written(replace(BARE, head=2, since=[ASKED, CALLED])).risks
    assert any("shell" in risk and "not known" in risk for risk in risks)


def test_a_failed_call_is_a_risk_and_no_open_call() -> None:
    risks = written(replace(BARE, head=3, since=[ASKED, CALLED, FAILED])).risks
    assert (any("2 failed" in risk for risk in risks), any("not known" in risk for risk in risks)) == (True, False)


def test_entries_that_no_summary_covers_are_a_risk() -> None:
    covered = replace(BARE, head=4, covered=2, summary=summary(conclusions=("The lexer stands.",)), since=[ANSWERED])
    assert any("3–4" in risk and f"{PLACE}/3-4" in risk for risk in written(covered).risks)


def test_what_a_summary_says_is_taken_over_with_its_ref() -> None:
    told = summary(
        conclusions=("The lexer stands.",), open_questions=("Which strings?",), next_steps=("Read strings.",)
    )
    parts = written(replace(BARE, head=4, covered=4, summary=told, since=[]))
    assert (parts.what, parts.open, parts.next) == ("The lexer stands.", ["Which strings?"], ["Read strings."])
    assert "summary://sum_1@2" in parts.summary


def test_a_dead_process_is_a_risk() -> None:
    assert any("stopped without an end" in risk for risk in written(replace(BARE, crashed=True)).risks)


def test_a_long_history_is_not_repeated() -> None:
    told = summary(conclusions=tuple(f"Conclusion {n}." for n in range(50)))
    assert len(written(replace(BARE, head=4, covered=4, summary=told, since=[])).what.split("\n")) == MOST_LINES


def test_chinese_work_is_handed_over_in_chinese() -> None:
    asked = replace(BARE, since=[Said(1, f"{PLACE}/1", EventRole.USER, EventKind.MESSAGE, "先写词法分析器。")])
    assert "最后的请求还没有回答" in written(asked).unfinished_items[0]


def test_the_resume_point_of_the_session_is_the_suggestion() -> None:
    assert written(replace(BARE, resume_point="at the string literals")).resume_suggestion == "at the string literals"


def test_a_second_handoff_tells_of_what_came_since_the_first() -> None:
    assert f"{PLACE}/3-4" in written(replace(BARE, head=4, first_new=3, since=[ASKED, ANSWERED])).summary


@pytest.mark.parametrize("say", Say)
def test_each_sentence_is_said_in_both_languages_with_the_same_figures(say: Say) -> None:
    english, chinese = (SENTENCES[language][say] for language in (ENGLISH, CHINESE))
    assert {part.split("}")[0] for part in english.split("{")[1:]} == {
        part.split("}")[0] for part in chinese.split("{")[1:]
    }


def test_the_task_and_its_steps_are_named() -> None:
    task = TaskFact(
        ref="task://tsk_1@3",
        task_id="tsk_1",
        title="lexer",
        state="doing",
        phase=Phase.EXECUTE,
        risk=Risk.LOW,
        depends_on=(),
        next_steps=("read strings",),
    )
    parts = written(replace(BARE, task=task, since=[]))
    assert ("lexer" in parts.summary, parts.next, "read strings" in parts.resume_suggestion) == (
        True,
        ["read strings"],
        True,
    )
