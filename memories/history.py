"""How a memory came to be what it is, and who has read it: its texts, its moves, its readers, what they said of it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.utils.functional import Promise

from governance.diffs import Span, word_diff
from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from memories.models import Feedback, Injection, Memory, MemoryMove, MemoryRead, MemoryVersion
from memories.reading import MOST_INLINE, Words, worded
from memories.store_words import reason_of
from memories.vocabulary import ArchivedFor, FeedbackKind, MemoryStatus, ReadThrough

MOST_VERSIONS, MOST_MOVES = 50, 50
MOST_READS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """One text of the memory, who wrote it, and by which words it differs from the one before it; () for the first."""

    version: int
    text: Words
    author: str
    reason: Words | None
    at: datetime
    spans: Sequence[Span] = ()

    @property
    def before(self) -> int:
        return self.version - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLine:
    """One step from a state to another, and why, where that was kept."""

    here: MemoryStatus
    there: MemoryStatus
    why: Promise | str | ArchivedFor
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """The texts, newest first, and the moves, first to last."""

    versions: Sequence[VersionLine]
    moves: Sequence[MoveLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two texts and the words by which the second differs from the first."""

    first: VersionLine
    second: VersionLine
    spans: Sequence[Span]

    @property
    def language(self) -> str:
        return self.second.text.language

    @property
    def sides(self) -> Sequence[VersionLine]:
        return (self.first, self.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    """Somebody read it by itself."""

    reader: str
    through: ReadThrough
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UseLine:
    """A packet carried it."""

    packet_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLine:
    """What somebody said of it, and of which packet, or ''."""

    kind: FeedbackKind
    actor: str
    note: Words | None
    packet_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The readers, the packets and what was said, each newest first and at most MOST_READS."""

    reads: Sequence[ReadLine]
    uses: Sequence[UseLine]
    said: Sequence[SaidLine]

    @property
    def cut(self) -> bool:
        """Whether there may be more than is shown."""
        return MOST_READS in (len(self.reads), len(self.uses), len(self.said))


def past_of(memory: Memory) -> Past:
    """Return how a memory's text and status came about, in two statements."""
    found = MemoryVersion.objects.filter(memory=memory).select_related("author").order_by("-version")
    rows = list(found[: MOST_VERSIONS + 1])  # of the oldest one shown the one before it is asked, too
    texts = {row.version: made_visible(row.content) for row in rows}
    moves = MemoryMove.objects.filter(memory=memory).order_by("at", "id")[:MOST_MOVES]
    return Past(
        versions=[_version(row, texts.get(row.version - 1)) for row in rows[:MOST_VERSIONS]],
        moves=[_move(row) for row in moves],
    )


def last_change(memory: Memory) -> str:
    """Return the id of the proposal whose text a memory in use has now, where it went into its row; '' for none."""
    if memory.status != MemoryStatus.ACTIVE or memory.version == 1:
        return ""
    made = {"target": memory, "target_version": memory.version - 1, "content_hash": memory.content_hash}
    found = Memory.objects.filter(**made, status=MemoryStatus.ARCHIVED, archived_for=ArchivedFor.MERGED).first()
    return found.public_id if found else ""


def compared(memory: Memory, first: int, second: int) -> Comparison:
    """Return two versions side by side; raises NotThere for one that there is none of."""
    rows = MemoryVersion.objects.filter(memory=memory, version__in=[first, second]).select_related("author")
    found = {row.version: _version(row, None) for row in rows}
    if first not in found or second not in found:
        raise NotThere
    spans = word_diff(found[first].text.text, found[second].text.text)
    return Comparison(first=found[first], second=found[second], spans=spans)


def access_of(memory: Memory) -> Access:
    """Return who read a memory, which packets carried it, and what was said of it, in three statements."""
    reads = MemoryRead.objects.filter(memory=memory).annotate(reader=F("actor__name")).order_by("-created_at", "-id")
    uses = Injection.objects.filter(memory=memory).order_by("-at", "-id")
    said = Feedback.objects.filter(memory=memory).select_related("actor").order_by("-created_at", "-id")
    return Access(
        reads=[
            ReadLine(reader=made_visible(name), through=ReadThrough(through), at=at)
            for name, through, at in reads.values_list("reader", "through", "created_at")[:MOST_READS]
        ],
        uses=[UseLine(packet_id=_packet(row.packet_id), at=row.at) for row in uses[:MOST_READS]],
        said=[_said(row) for row in said[:MOST_READS]],
    )


def _version(row: MemoryVersion, before: str | None) -> VersionLine:
    text = worded(row.content)
    return VersionLine(
        version=row.version,
        text=text,
        author=made_visible(row.author.name),
        reason=worded(row.change_reason) if row.change_reason else None,
        at=row.created_at,
        spans=word_diff(before, text.text) if before is not None and len(text.text) <= MOST_INLINE else (),
    )


def _move(row: MemoryMove) -> MoveLine:
    archived = row.code in set(ArchivedFor) and row.there == MemoryStatus.ARCHIVED
    return MoveLine(
        here=MemoryStatus(row.here),
        there=MemoryStatus(row.there),
        why=ArchivedFor(row.code) if archived else reason_of(row.code),
        at=row.at,
    )


def _said(row: Feedback) -> SaidLine:
    return SaidLine(
        kind=FeedbackKind(row.kind),
        actor=made_visible(row.actor.name),
        note=worded(row.note) if row.note else None,
        packet_id=_packet(row.packet_id) if row.packet_id else "",
        at=row.created_at,
    )


def _packet(packet_id: uuid.UUID) -> str:
    return public_id("pkt", packet_id)
