"""Where the texts of sealed transcripts rest: runs of entries, compressed, each under the hash of what it holds."""

import hashlib
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import structlog
from django.db import DEFAULT_DB_ALIAS, models

from governance import meters
from governance.errors import Refusal, Unavailable
from governance.ids import public_id
from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.vocabulary import Codec, EventKind

MOST_BYTES = 64 * 1024  # of one segment's texts: a page of a transcript unpacks little beside what it shows
MOST_ENTRIES = 500
STAYS_WARM = (EventKind.CONSTRAINT, EventKind.CORRECTION)  # what later compiles read of every session of a thread
LEVEL = 9  # written once and read for years
DAMAGED = meters.counter("greywind_damaged_segments_total", "Reads of a cold segment that did not hold what it should.")
WITHHELD = ""  # in the place of the hash: whatever the bytes are by then, they do not open
type Place = tuple[uuid.UUID | None, int]
log = structlog.get_logger("greywind.transcripts")


class SegmentDamaged(Refusal):
    """A stored part of a transcript is not what was put there. Nothing is shown in its place."""

    status = 500
    code = "transcript_damaged"
    title = "A stored transcript is damaged"


class ColdSegment(ContentRow):
    """The texts of a run of entries of a sealed session, compressed; written once.

    `sha256` is over what `content` unpacks to, `raw_bytes` long: the database takes a text out of its entry only for a
    segment under the very hash of what it takes. `entries` counts them; others of the span stay where they are. One
    that was damaged when something was erased is WITHHELD.
    """

    PREFIX: ClassVar[str] = "seg"

    # No index of its own: the numbering below finds a session's segments.
    session = scoped_fk("agent_sessions.Session", db_index=False)
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    entries = models.PositiveIntegerField()
    codec = models.CharField(max_length=8, choices=choices(Codec), default=Codec.ZLIB)
    content = models.BinaryField()
    raw_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            one_of("codec", Codec, name="segment_codec_known"),
            models.UniqueConstraint(fields=["project", "session", "first_seq"], name="segment_once"),
            models.CheckConstraint(
                condition=models.Q(last_seq__gte=models.F("first_seq")), name="segment_runs_forward"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.first_seq}-{self.last_seq}"

    def texts(self) -> Mapping[int, str]:
        """Return the texts by seq. Raises SegmentDamaged, which names the session, for other bytes than were stored."""
        try:
            raw = zlib.decompressobj().decompress(self.content, self.raw_bytes + 1)
        except zlib.error as fault:
            raise self._damaged() from fault
        if hashlib.sha256(raw).hexdigest() != self.sha256:
            raise self._damaged()
        return dict(_parted(raw))

    def _damaged(self) -> SegmentDamaged:
        session = public_id("ses", self.session_id)
        meters.add(DAMAGED, 1)
        log.error("segment_damaged", segment=self.public_id, session=session, first=self.first_seq, last=self.last_seq)
        span = f"{self.first_seq} to {self.last_seq}"
        fault = f"the stored texts of {session} are damaged at its entries {span}; "
        if self.sha256 == WITHHELD:
            fault += "they could not be searched for what was erased since, so they stay shut"
            return SegmentDamaged(fault)
        return SegmentDamaged(fault + "restore a backup of them")


def packed(texts: Iterable[tuple[int, str]]) -> ColdSegment:
    """Return a new segment, not stored yet and nobody's, of texts with their seqs in order."""
    held = list(texts)
    raw = b"".join(map(_numbered, held))
    return ColdSegment(
        first_seq=held[0][0],
        last_seq=held[-1][0],
        entries=len(held),
        content=zlib.compress(raw, LEVEL),
        raw_bytes=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
    )


def texts_of(places: Iterable[Place], *, using: str = DEFAULT_DB_ALIAS) -> Mapping[Place, str]:
    """Return the texts that rest, by the segment of an entry and its seq; an entry without a segment is left out.

    One statement for all of them, and none where nothing rests. Raises SegmentDamaged where one of the segments is not
    what was stored, and Unavailable where an erasure has dropped one since its entries were read.
    """
    resting = [(segment, seq) for segment, seq in places if segment is not None]
    if not resting:
        return {}
    segments = ColdSegment.objects.using(using).in_bulk({segment for segment, _ in resting})
    if any(segment not in segments for segment, _ in resting):
        raise Unavailable("something was erased of this transcript just now; read it again", code="erased_meanwhile")
    held = {pk: segment.texts() for pk, segment in segments.items()}
    return {(segment, seq): held[segment][seq] for segment, seq in resting}


def _numbered(entry: tuple[int, str]) -> bytes:
    """Return an entry as it stands in a segment: seq, length in bytes, text. The database writes down the same."""
    seq, text = entry
    said = text.encode()
    return b"%d %d\n%b\n" % (seq, len(said), said)


def _parted(raw: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(raw):
        start = raw.index(b"\n", at) + 1
        seq, length = map(int, raw[at:start].split())
        yield seq, raw[start : start + length].decode()
        at = start + length + 1
