"""Texts that steer an agent where people decide: a human reads them first. Tuned on its own files."""

import json
from pathlib import Path

import pytest

from memories.identity_words import touches_identity
from memories.screening import Verdict, screen
from memories.steering_words import SHORT, steers

DATA = Path(__file__).parent / "data"


def rows_of(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


TEXTS, LESSONS = rows_of("steering.jsonl"), rows_of("lessons.jsonl")


def stopped(text: str) -> bool:
    return steers(text) or touches_identity(text) or screen(text).verdict is not Verdict.CLEAN


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nearly_every_planted_text_is_read_by_a_human(language: str) -> None:
    planted = [row["text"] for row in TEXTS if (row["label"], row["lang"]) == ("injection", language)]
    assert sum(map(stopped, planted)) >= 0.93 * len(planted)


def test_what_people_say_of_their_work_steers_nobody() -> None:
    assert [row["text"] for row in TEXTS if row["label"] == "benign" and steers(row["text"])] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lesson_about_work_steers_nobody(language: str) -> None:
    lessons = [row["text"] for row in LESSONS if (row["label"], row["lang"]) == ("benign", language)]
    assert [text for text in lessons if steers(text) or touches_identity(text)] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_poison_that_is_worded_as_a_lesson_is_read_by_a_human(language: str) -> None:
    planted = [row["text"] for row in LESSONS if (row["label"], row["lang"]) == ("injection", language)]
    assert sum(map(stopped, planted)) >= 0.95 * len(planted)


@pytest.mark.parametrize(
    "text",
    [
        "Never merge without a second review when it touches billing.",
        "不要跳过审批，哪怕只改一行。",
        "密码不要写进日志。",
        "不要让用户等超过三秒。",
        "先备份再升级，以后都这样做。",
    ],
)
def test_a_duty_that_guards_is_no_steering(text: str) -> None:
    assert not steers(text)


@pytest.mark.parametrize(
    "text", ["Ignore the flaky test.", "请记住，我对花生过敏", "We do not log IP addresses.", "你好"]
)
def test_a_plain_wish_is_no_steering(text: str) -> None:
    assert not steers(text)


def test_words_that_meet_by_chance_in_a_long_text_say_nothing() -> None:
    text = "Whenever you pay. " + "The tide rises. " * (SHORT // 16) + "Reviews are long."
    assert not steers(text)
