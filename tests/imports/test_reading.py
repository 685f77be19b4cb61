"""What holds for every adapter: nothing is dropped, nothing crashes, nothing is held back; formats are told apart."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.errors import Invalid
from sessions.imports.detect import ADAPTERS, detect
from sessions.imports.opening import open_source
from sessions.imports.reading import read_transcript
from sessions.imports.records import Adapter, Line
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind
from tests.imports.reading import events, lines_of, troubles

EVERY = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=list(ADAPTERS))
OWN = {"session": "s", "seq": 0, "role": "user", "kind": "message", "text": "t"}
CHAT = {"role": "user", "content": "hi"}
WORDS = ["role", "user", "assistant", "tool", "content", "type", "text", "messages", "message", "id", "uuid", "kind"]
WORDS += [
    "session",
    "sessionId",
    "summary",
    "tool_use",
    "tool_result",
    "tool_calls",
    "function",
    "isSidechain",
    "input",
]
LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(WORDS) | st.text()
VALUE = st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(WORDS) | st.text(), inner))


@EVERY
@given(values=st.lists(VALUE, min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_any_json_comes_out_as_at_least_one_event_a_line(adapter: Adapter, values: list[Any]) -> None:
    found = events(adapter.read(lines_of(*map(json.dumps, values)), fallback="file"))
    assert len(found) >= len(values)
    assert all(event.raw is not None for event in found if event.kind is EventKind.UNKNOWN)


@given(values=st.lists(VALUE, min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_any_json_has_a_format_or_is_refused(values: list[Any]) -> None:
    with suppress(Invalid):
        assert detect(lines_of(*map(json.dumps, values))) in TranscriptFormat


@EVERY
@pytest.mark.parametrize(
    "text",
    ["{", "no", "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, '{"n": NaN}', '{"n": 1e400}', "9" * 5000, "\x00"],
    ids=["open", "word", "bomb", "deep", "nan", "huge", "digits", "nul"],
)
def test_what_cannot_be_parsed_is_kept_raw_and_reported_by_its_line(adapter: Adapter, text: str) -> None:
    rows = list(adapter.read([Line(7, text)], fallback="file"))
    (event,) = events(rows)
    assert (event.kind, event.raw) == (EventKind.UNKNOWN, text.replace("\x00", "\ufffd"))
    assert {trouble.line for trouble in troubles(rows)} == {7}


@EVERY
def test_an_endless_stream_is_read_as_it_comes(adapter: Adapter) -> None:
    endless: Iterator[Line] = (Line(number, json.dumps(CHAT)) for number in count(1))
    assert len(list(islice(adapter.read(endless, fallback="file"), 300))) == 300


DIRT = "a\x00b\ud83d"
CALL = {"id": DIRT, "name": DIRT, "type": "tool_use", "input": {DIRT: DIRT}}
DIRTY: dict[TranscriptFormat, dict[str, Any]] = {
    TranscriptFormat.JSONL: OWN | {"session": DIRT, "text": DIRT, "tool": DIRT, DIRT: [DIRT]},
    TranscriptFormat.CLAUDE_CODE: {"type": "user", "uuid": DIRT, "sessionId": DIRT, "message": {"content": DIRT}},
    TranscriptFormat.ANTHROPIC: {"session_id": DIRT, "role": "assistant", "content": [CALL], "model": DIRT},
    TranscriptFormat.OPENAI: {"role": "assistant", "content": DIRT, "tool_calls": [{"id": DIRT, "function": CALL}]},
}


def texts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts_of(part)]


@pytest.mark.parametrize(("form", "record"), DIRTY.items())
def test_nothing_that_postgres_cannot_hold_gets_through(form: TranscriptFormat, record: dict[str, Any]) -> None:
    rows = list(ADAPTERS[form].read(lines_of(record), fallback="file"))
    texts = texts_of([asdict(row) for row in rows])
    assert not [text for text in texts if set(text) & {"\x00", "\ud83d"}]
    assert "a\ufffdb\ufffd" in texts
    assert troubles(rows)[-1].message.endswith("became U+FFFD")


@EVERY
def test_a_line_that_was_cut_is_kept_and_not_parsed(adapter: Adapter) -> None:
    rows = list(adapter.read([Line(1, json.dumps(CHAT), ("too long",), cut=True)], fallback="file"))
    assert events(rows)[0].kind is EventKind.UNKNOWN
    assert troubles(rows)[0].message == "too long"


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (OWN, TranscriptFormat.JSONL),
        ({"type": "file-history-snapshot", "isSnapshotUpdate": False}, TranscriptFormat.CLAUDE_CODE),
        ({"type": "user", "session_id": "s", "message": CHAT}, TranscriptFormat.CLAUDE_CODE),
        ({"messages": [CHAT], "system": "be good"}, TranscriptFormat.ANTHROPIC),
        ({"role": "assistant", "content": [{"type": "tool_use"}]}, TranscriptFormat.ANTHROPIC),
        ({"type": "function_call", "call_id": "c"}, TranscriptFormat.OPENAI),
        ([CHAT, {"role": "tool", "content": "x"}], TranscriptFormat.OPENAI),
        (CHAT, TranscriptFormat.OPENAI),
    ],
)
def test_a_format_is_told_by_its_marks(value: Any, form: TranscriptFormat) -> None:
    assert detect(lines_of(value)) is form


def test_plain_messages_wait_for_a_mark_further_down() -> None:
    marked = {"role": "assistant", "content": [{"type": "thinking", "thinking": ""}]}
    assert detect(lines_of("broken {", CHAT, marked)) is TranscriptFormat.ANTHROPIC


@pytest.mark.parametrize("value", ["plain words", 5, {"a": 1}, [], {"role": ["user"], "content": []}])
def test_a_file_of_no_known_format_is_refused_with_the_names_to_choose_from(value: Any) -> None:
    with pytest.raises(Invalid, match=r"/format: no known.*claude-code"):
        detect(lines_of(value))


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n\n")
    with open_source(tmp_path / "empty.jsonl") as source:
        form, rows = read_transcript(source)
        assert (form, list(rows)) == (None, [])


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}")
    with open_source(tmp_path / "a.jsonl") as source, pytest.raises(Invalid, match=r"'word'.*auto"):
        read_transcript(source, form="word")
