"""Texts that rest in compressed segments, as far as they open. One that is damaged stops no erasure: it is never read
again in this database, and whoever asked is told.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from governance.ids import public_id
from greywind_site.erasing.theirs import Theirs
from sessions.models import ColdSegment, Event, Session
from sessions.models.segment import WITHHELD, SegmentDamaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A span of a session whose texts do not open. `emptied`: entries of theirs are among them, so that the bytes go,
    with those of others; else they stay, withheld, for nobody knows whether words of theirs are repeated in them.
    """

    session: str
    first: int
    last: int
    emptied: bool


def segments_of(theirs: Theirs) -> QuerySet[Any]:
    """Return the ids of the segments in which entries of theirs rest."""
    return theirs.of(Event).exclude(segment=None).values_list("segment_id", flat=True)


def texts_in(theirs: Theirs, segment: ColdSegment) -> Mapping[int, str]:
    """Return the texts of a segment by seq: none of a damaged one, which is noted and opened only once."""
    if segment.pk in theirs.damaged:
        return {}
    try:
        return segment.texts()
    except SegmentDamaged:
        theirs.damaged.add(segment.pk)
        return {}


def said_in(theirs: Theirs) -> Iterator[str]:
    """Yield what the entries that are theirs say, wherever it rests."""
    for event in theirs.of(Event).filter(segment=None).only("text").iterator():
        yield event.text
    resting: dict[uuid.UUID, list[int]] = defaultdict(list)
    for segment, seq in theirs.of(Event).exclude(segment=None).values_list("segment_id", "seq"):
        resting[segment].append(seq)
    for row in theirs.all(ColdSegment).filter(pk__in=resting).iterator():
        texts = texts_in(theirs, row)
        yield from (texts[seq] for seq in resting[row.pk] if seq in texts)


def damaged_in(theirs: Theirs) -> list[Damaged]:
    """Return what did not open, in the order of sessions; before anything is emptied."""
    holding = set(segments_of(theirs))
    rows = theirs.all(ColdSegment).filter(pk__in=theirs.damaged).defer("content").order_by("session_id", "first_seq")
    return [
        Damaged(
            session=public_id(Session.PREFIX, row.session_id),
            first=row.first_seq,
            last=row.last_seq,
            emptied=row.pk in holding,
        )
        for row in rows
    ]


def withhold(theirs: Theirs) -> None:
    """Let what did not open never open again, also once its bytes are whole; those that hold entries of theirs go.

    Whoever brings back such a row from a backup brings back all of it, as with any other.
    """
    unopened = theirs.all(ColdSegment).filter(pk__in=theirs.damaged)
    unopened.filter(pk__in=segments_of(theirs)).update(content=b"")
    unopened.update(sha256=WITHHELD)
