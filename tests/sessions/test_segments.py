"""Texts come out of a segment as they went in, or not at all."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from governance.errors import Unavailable
from governance.ids import public_id
from sessions.cooling import runs
from sessions.models import ColdSegment, Event
from sessions.models.segment import MOST_BYTES, MOST_ENTRIES, SegmentDamaged, packed, texts_of

TEXTS = {1: "", 2: "7 3\nabc\n", 9: "灰风\r\n\u2028 🌊", 10: "x" * 70_000}
DAMAGE: Sequence[dict[str, Any]] = (
    {"content": b""},
    {"content": b"x\x9c"},
    {"content": packed([(1, "another")]).content},
    {"raw_bytes": 3},
    {"sha256": "0" * 64},
)


def sizes(*each: int) -> Sequence[tuple[int, int]]:
    return list(enumerate(each, start=1))


def test_texts_come_out_as_they_went_in() -> None:
    assert packed(TEXTS.items()).texts() == TEXTS


@pytest.mark.parametrize("change", DAMAGE)
def test_other_bytes_than_were_stored_are_no_text_and_name_their_session(change: dict[str, Any]) -> None:
    kept = packed(TEXTS.items())
    whole = {
        "content": kept.content,
        "raw_bytes": kept.raw_bytes,
        "sha256": kept.sha256,
        "first_seq": 1,
        "last_seq": 10,
    }
    session = uuid.uuid4()
    with pytest.raises(SegmentDamaged, match=f"{public_id('ses', session)} are damaged at its entries 1 to 10"):
        ColdSegment(session_id=session, **whole | change).texts()


def test_a_segment_is_bounded_in_bytes_and_in_entries() -> None:
    half = MOST_BYTES // 2
    assert list(runs(sizes(half, half, 1, 3 * MOST_BYTES, 1))) == [[1, 2], [3], [4], [5]]
    assert [len(run) for run in runs(sizes(*[1] * (MOST_ENTRIES + 1)))] == [MOST_ENTRIES, 1]


def test_a_row_of_values_does_not_pass_for_what_was_said() -> None:
    for ask in (lambda: Event.objects.values_list("seq", "text").iterator(), Event.objects.values):
        with pytest.raises(TypeError, match="fetch entries"):
            list(ask())


@pytest.mark.django_db
def test_an_entry_whose_segment_an_erasure_has_dropped_meanwhile_is_to_be_read_again() -> None:
    with pytest.raises(Unavailable, match="read it again"):
        texts_of([(uuid.uuid4(), 1)])
