"""One file of each format, read into exactly the rows that were written down for it."""

import json

import pytest

from sessions.imports.vocabulary import TranscriptFormat
from tests.imports.reading import GOLDEN, events, plain, read_file

FILES = {
    "own.jsonl": TranscriptFormat.JSONL,
    "chat.json": TranscriptFormat.OPENAI,
    "responses.jsonl": TranscriptFormat.OPENAI,
    "messages.json": TranscriptFormat.ANTHROPIC,
    "claude-code.jsonl": TranscriptFormat.CLAUDE_CODE,
}


@pytest.mark.parametrize("name", FILES)
def test_a_golden_file_reads_as_written_down(name: str) -> None:
    expected = (GOLDEN / name).with_suffix(".expected.jsonl").read_text("utf-8").splitlines()
    assert [plain(row) for row in read_file(GOLDEN / name)] == [json.loads(line) for line in expected]


@pytest.mark.parametrize(("name", "form"), FILES.items())
def test_the_format_named_by_hand_reads_like_the_one_found(name: str, form: TranscriptFormat) -> None:
    assert read_file(GOLDEN / name, form) == read_file(GOLDEN / name)


@pytest.mark.parametrize("name", FILES)
def test_reading_twice_gives_the_same_ids(name: str) -> None:
    first, second = (events(read_file(GOLDEN / name)) for _ in range(2))
    assert [event.client_id for event in first] == [event.client_id for event in second]


@pytest.mark.parametrize("name", FILES)
def test_no_two_events_of_a_file_share_an_id(name: str) -> None:
    ids = [event.client_id for event in events(read_file(GOLDEN / name))]
    assert len(set(ids)) == len(ids)


def test_ids_stay_what_they_were_in_earlier_versions() -> None:
    """Changing how ids are made would import every known transcript a second time."""
    first = {name: events(read_file(GOLDEN / name))[0].client_id for name in ("own.jsonl", "claude-code.jsonl")}
    assert first == {
        "own.jsonl": "jsonl:d8585783ab86409ec86d0fad992dce45",
        "claude-code.jsonl": "claude-code:e55591a91dcce9a2f61b768f6b3f46d1",
    }
