"""Claude Code's session files."""

from typing import Any

import pytest

from sessions.imports import claude_code
from sessions.imports.records import ImportedRow
from sessions.vocabulary import EventKind, EventRole
from tests.imports.reading import events, lines_of


def said(uuid: str, content: Any = "好", **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "sessionId": "s1", "message": message, **more}


def read(*values: Any) -> list[ImportedRow]:
    return [row for row in claude_code.read(lines_of(*values), fallback="file") if isinstance(row, ImportedRow)]


def test_a_session_carries_its_harness_and_provider_id() -> None:
    (row,) = read(said("u1"))
    assert (row.session.harness, row.session.provider_session_id, row.session.parent) == ("claude-code", "s1", None)


def test_a_sub_agents_chain_is_one_session_under_its_parent() -> None:
    rows = read(said("a", isSidechain=True), said("b", isSidechain=True, parentUuid="a"), said("c", isSidechain=True))
    assert [(row.session.name, row.session.parent) for row in rows] == [
        ("s1/side-a", "s1"),
        ("s1/side-a", "s1"),
        ("s1/side-c", "s1"),
    ]


def test_records_without_a_session_belong_to_the_first_one_named() -> None:
    rows = read({"type": "summary", "summary": "早", "leafUuid": "u1"}, said("u1"))
    assert [row.session.name for row in rows] == ["s1", "s1"]


def test_without_any_session_the_files_name_serves() -> None:
    assert read({"type": "summary", "summary": "t", "leafUuid": "u"})[0].session.name == "file"


def test_two_sessions_in_one_file_stay_apart() -> None:
    assert [row.session.name for row in read(said("u1"), said("u2", sessionId="s2"))] == ["s1", "s2"]


def test_a_compact_summary_is_not_the_users_words() -> None:
    event = read(said("u1", isCompactSummary=True))[0].event
    assert (event.role, event.kind) == (EventRole.ASSISTANT, EventKind.PROVIDER_COMPACTION)


def test_a_reminder_from_the_harness_is_not_the_users_words() -> None:
    assert read(said("u1", "<system-reminder>be good</system-reminder>"))[0].event.role is EventRole.SYSTEM


def test_usage_stands_on_a_records_first_event_only() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "ls", "input": {}}]
    record = said("u1", blocks) | {"message": {"role": "assistant", "content": blocks, "usage": {"output_tokens": 5}}}
    assert ["usage" in row.event.meta for row in read(record)] == [True, False]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "progress", "uuid": "p", "sessionId": "s1"},
        {"type": "user", "uuid": "u", "sessionId": "s1", "message": "not an object"},
        {"type": "user", "uuid": "u", "sessionId": "s1", "message": {"content": None}},
        {"type": "summary", "summary": 5, "leafUuid": "u"},
        {"type": ["user"], "uuid": {}, "sessionId": 4.5},
        said("m", isMeta=True),
    ],
)
def test_what_is_not_understood_is_kept_raw(record: dict[str, Any]) -> None:
    (row,) = read(record)
    assert (row.event.kind, row.event.raw) == (EventKind.UNKNOWN, lines_of(record)[0].text)


def test_a_record_keeps_its_id_wherever_it_stands() -> None:
    (alone,) = read(said("u2"))
    assert read(said("u1"), said("u2"))[1].event.client_id == alone.event.client_id


def test_tool_results_know_their_tool_and_do_not_fail_silently() -> None:
    call = said("u1", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}], type="assistant")
    result = said("u2", [{"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True}])
    found = events(read(call, result))
    assert (found[1].role, found[1].tool, found[1].failed) == (EventRole.TOOL, "Bash", True)
