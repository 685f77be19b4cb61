"""OpenAI and Anthropic transcripts in the outer forms that they come in."""

import json
from typing import Any

import pytest

from sessions.imports import anthropic_messages, openai_chat
from sessions.imports.records import Adapter, ImportedRow, Row
from sessions.vocabulary import EventKind, EventRole
from tests.imports.reading import events, lines_of

HELLO = {"role": "user", "content": "你好"}
BOTH = pytest.mark.parametrize("adapter", [openai_chat, anthropic_messages])


def read(adapter: Adapter, *values: Any) -> list[Row]:
    return list(adapter.read(lines_of(*values), fallback="file"))


def sessions(rows: list[Row]) -> list[str]:
    return [row.session.name for row in rows if isinstance(row, ImportedRow)]


@BOTH
@pytest.mark.parametrize("value", [HELLO, [HELLO], {"messages": [HELLO]}])
def test_a_message_reads_the_same_in_every_outer_form(adapter: Adapter, value: Any) -> None:
    (event,) = events(read(adapter, value))
    assert (event.role, event.kind, event.text) == (EventRole.USER, EventKind.MESSAGE, "你好")


@BOTH
def test_messages_a_line_are_one_session(adapter: Adapter) -> None:
    assert sessions(read(adapter, HELLO, HELLO)) == ["file", "file"]


@BOTH
def test_conversations_a_line_are_sessions_of_their_own(adapter: Adapter) -> None:
    named = {"id": "conv-9", "messages": [HELLO]}
    assert sessions(read(adapter, {"messages": [HELLO]}, {"messages": [HELLO]}, named)) == ["file", "file#2", "conv-9"]


@BOTH
def test_the_same_words_twice_are_two_events(adapter: Adapter) -> None:
    first, second = events(read(adapter, HELLO, HELLO))
    assert first.client_id != second.client_id


@BOTH
def test_a_conversation_that_grew_keeps_its_earlier_ids(adapter: Adapter) -> None:
    (before,) = events(read(adapter, {"messages": [HELLO]}))
    after = events(read(adapter, {"messages": [HELLO, HELLO | {"role": "assistant"}]}))
    assert after[0].client_id == before.client_id


@BOTH
@pytest.mark.parametrize("value", [{"messages": []}, [], {}, 7, None, "text", {"role": "user"}, {"role": ["user"]}])
def test_what_is_no_message_is_kept_raw(adapter: Adapter, value: Any) -> None:
    found = events(read(adapter, value, HELLO))
    assert [event.kind for event in found] == [EventKind.UNKNOWN, EventKind.MESSAGE]
    assert found[0].raw is not None


@pytest.mark.parametrize("kind", [["text"], {}, 5, None])
@BOTH
def test_a_part_of_no_known_type_is_kept_raw(adapter: Adapter, kind: Any) -> None:
    (event,) = events(read(adapter, {"role": "user", "content": [{"type": kind, "text": "x"}]}))
    assert event.raw == json.dumps({"type": kind, "text": "x"})


def test_a_result_without_its_call_has_no_tool_name() -> None:
    (event,) = events(read(openai_chat, {"role": "tool", "tool_call_id": "gone", "content": "x"}))
    assert (event.kind, event.tool, event.failed) == (EventKind.TOOL_RESULT, None, None)


def test_a_call_in_one_session_does_not_name_a_result_in_another() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}
    found = events(read(anthropic_messages, {"messages": [call]}, {"messages": [result]}))
    assert [event.tool for event in found] == ["read", None]


def test_thinking_is_never_text() -> None:
    blocks = [{"type": "thinking", "thinking": "secret plan"}, {"type": "text", "text": "Done."}]
    (event,) = events(read(anthropic_messages, {"role": "assistant", "content": blocks}))
    assert (event.text, event.meta["opaque"]) == ("Done.", blocks[:1])


def test_an_answer_that_only_calls_has_no_empty_message() -> None:
    call = {"id": "c", "function": {"name": "ls", "arguments": "{}"}}
    found = events(read(openai_chat, {"role": "assistant", "content": "", "tool_calls": [call]}))
    assert [event.kind for event in found] == [EventKind.TOOL_CALL]


def test_a_stored_response_gives_question_and_answer() -> None:
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4"}]}
    found = events(read(openai_chat, {"id": "resp_1", "input": "2+2?", "output": [answer]}))
    assert [(event.role, event.text) for event in found] == [(EventRole.USER, "2+2?"), (EventRole.ASSISTANT, "4")]


def test_a_stored_completion_gives_its_message() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "好"}}
    found = events(read(openai_chat, {"id": "c1", "object": "chat.completion", "choices": [choice]}))
    assert [event.text for event in found if event.kind is EventKind.MESSAGE] == ["好"]
