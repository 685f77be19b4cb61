"""The project's own transcript lines."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sessions.imports import jsonl
from sessions.imports.records import ImportedEvent
from sessions.vocabulary import EventKind
from tests.imports.reading import events, lines_of, troubles

GOOD = {"session": "s", "seq": 1, "role": "user", "kind": "message", "text": "继续"}


def read_one(**changes: Any) -> ImportedEvent:
    (event,) = events(jsonl.read(lines_of(GOOD | changes), fallback="file"))
    return event


def test_a_summary_is_the_providers_compaction() -> None:
    assert read_one(kind="summary", tokens_before=9).kind is EventKind.PROVIDER_COMPACTION


def test_a_missing_time_and_an_unsaid_error_stay_unknown() -> None:
    event = read_one()
    assert (event.occurred_at, event.failed) == (None, None)


def test_a_time_is_turned_into_utc() -> None:
    assert read_one(ts="2026-03-11T14:10:00+09:00").occurred_at == datetime(2026, 3, 11, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize("ts", ["2026-03-11T14:10:00", "soon", True, [], "0001-01-01T00:00:00+14:00", 10**30])
def test_an_unusable_time_is_left_empty_and_reported(ts: Any) -> None:
    rows = list(jsonl.read(lines_of(GOOD | {"ts": ts}), fallback="file"))
    assert events(rows)[0].occurred_at is None
    assert troubles(rows)[0].message.startswith("time left empty")


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "mood"},
        {"kind": "constraint"},
        {"role": "king"},
        {"text": 5},
        {"tool": 1},
        {"error": "no"},
        {"kind": []},
    ],
)
def test_a_record_of_another_shape_is_kept_raw(changes: dict[str, Any]) -> None:
    event = read_one(**changes)
    assert event.kind is EventKind.UNKNOWN
    assert event.raw == lines_of(GOOD | changes)[0].text


def test_fields_without_a_place_of_their_own_are_kept_in_meta() -> None:
    assert read_one(demo=True, mood="好").meta == {"seq": 1, "demo": True, "mood": "好"}


@pytest.mark.parametrize("name", [None, "", "  ", 3.5, "长" * 201])
def test_a_record_without_a_usable_session_goes_to_the_session_before_it(name: Any) -> None:
    rows = list(jsonl.read(lines_of(GOOD, GOOD | {"session": name, "seq": 2}), fallback="file"))
    assert [row.session.name for row in rows if hasattr(row, "session")] == ["s", "s"]
    assert troubles(rows)[0].line == 2


def test_lines_added_or_moved_leave_the_ids_of_the_others_alone() -> None:
    other = GOOD | {"seq": 2, "text": "done"}
    (one,) = events(jsonl.read(lines_of(GOOD), fallback="a"))
    moved = events(jsonl.read(lines_of(other, GOOD, {"odd": 1}), fallback="b"))
    assert moved[1].client_id == one.client_id


def test_one_seq_with_two_texts_gives_two_ids() -> None:
    both = events(jsonl.read(lines_of(GOOD, GOOD | {"text": "停"}), fallback="file"))
    assert both[0].client_id != both[1].client_id


def test_spacing_and_the_order_of_keys_do_not_change_an_id() -> None:
    shuffled = '{ "text":"继续", "kind":"message",  "role":"user","seq":1, "session":"s" }'
    assert events(jsonl.read(lines_of(shuffled), fallback="file"))[0].client_id == read_one().client_id
