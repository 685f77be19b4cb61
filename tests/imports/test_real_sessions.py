"""Real working days, where the measuring data lies next to the checkout."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from sessions.imports.records import ImportedRow
from sessions.imports.vocabulary import TranscriptFormat
from sessions.vocabulary import EventKind
from tests.imports.reading import events, read_file, troubles

DATA = Path(__file__).parents[3] / "shared" / "data" / "agent-sessions" / "sessions.jsonl.gz"
pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"the real sessions are not at {DATA}: NOTHING OF THEM IS TESTED"
)


def test_every_row_comes_out_exactly_once() -> None:
    written = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).splitlines()]
    rows = [row for row in read_file(DATA) if isinstance(row, ImportedRow)]
    assert len(rows) == len({row.event.client_id for row in rows}) == 2510
    assert [(row.session.name, row.event.text) for row in rows] == [(row["session"], row["text"]) for row in written]


def test_every_row_is_understood_without_trouble() -> None:
    rows = read_file(DATA)
    assert troubles(rows) == []
    assert Counter(event.kind for event in events(rows))[EventKind.UNKNOWN] == 0


def test_what_a_row_says_of_time_and_failure_is_kept() -> None:
    found = events(read_file(DATA))
    assert sum(event.occurred_at is not None for event in found) == 2314
    assert sum(event.failed is not None for event in found) == 821


def test_the_agents_own_checkpoints_carry_the_tokens_before_them() -> None:
    compactions = [event for event in events(read_file(DATA)) if event.kind is EventKind.PROVIDER_COMPACTION]
    assert [event.meta["tokens_before"] for event in compactions] == [175004, 185014]


def test_naming_the_format_changes_nothing() -> None:
    assert read_file(DATA, TranscriptFormat.JSONL) == read_file(DATA)
