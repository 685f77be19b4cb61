"""The harness's record of a session, read on from where the last reading stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from greywind_site.client.hooks.transcript import lines


def read(path: Path, *records: Any, offset: int = 0) -> list[dict[str, Any]]:
    with path.open("ab") as file:
        for record in records:
            file.write(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n")
    return [event for line in lines(path, offset) for event in line.events]


def user(text: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": text}} | more


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def test_a_line_that_is_being_written_waits(path: Path) -> None:
    assert read(path, user("one"), b'{"type": "user", "uu') == read(path)
    assert [line.end for line in lines(path, 0)] == [len(json.dumps(user("one"))) + 1]


def test_reading_goes_on_behind_the_offset(path: Path) -> None:
    [first] = lines(path, 0) if read(path, user("one")) else []
    assert [event["text"] for event in read(path, user("two"), offset=first.end)] == ["two"]


@pytest.mark.parametrize(
    "record",
    [
        b"\n",
        b"{}\n",
        b"[1]\n",
        b"not json\n",
        b'{"type": "user"}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        {"type": "user", "message": {"content": [5, None, {"type": "text", "text": 7}]}},
        {"type": "assistant", "message": "words"},
        {"type": "summary", "summary": "a title"},
        {"type": "queue-operation", "operation": "enqueue"},
        user("told by the harness", isMeta=True),
        user("a helper's", isSidechain=True),
    ],
)
def test_what_is_not_understood_is_passed_over(path: Path, record: Any) -> None:
    assert [event["text"] for event in read(path, record, user("next"))] == ["next"]


def test_thinking_is_left_out(path: Path) -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "answer"}]
    record = {"type": "assistant", "uuid": "a", "message": {"content": content}}
    assert [(event["client_id"], event["text"]) for event in read(path, record)] == [("a:1", "answer")]


@pytest.mark.parametrize(
    ("text", "role", "kind"),
    [
        ("do it", "user", None),
        ("[Request interrupted by user for tool use]", "user", "interruption"),
        ("<local-command-stdout>x</local-command-stdout>", "system", None),
    ],
)
def test_words_in_the_user_s_place_are_told_apart(path: Path, text: str, role: str, kind: str | None) -> None:
    [event] = read(path, user(text))
    assert (event["role"], event.get("kind")) == (role, kind)


def test_a_command_reads_as_it_was_typed(path: Path) -> None:
    told = "<command-name>/review</command-name>\n<command-message>review</command-message>\n"
    assert read(path, user(f"{told}<command-args>42</command-args>"))[0]["text"] == "/review 42"


@pytest.mark.parametrize(("stamp", "kept"), [("2026-03-11T05:10:00.120Z", True), ("yesterday", False), (5, False)])
def test_a_time_is_kept_where_it_is_one(path: Path, stamp: Any, kept: bool) -> None:
    assert ("occurred_at" in read(path, user("x", timestamp=stamp))[0]) is kept
