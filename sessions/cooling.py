"""Moving the texts of a sealed transcript into compressed segments, and back where something in them must change."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from governance.errors import Clash
from governance.models.base import reach_of
from governance.rows import fetch
from governance.scope import record
from sessions.live import hold
from sessions.models import ColdSegment, Event, Session
from sessions.models.event import ERASED
from sessions.models.segment import MOST_BYTES, MOST_ENTRIES, STAYS_WARM, packed
from sessions.models.session import LIVE

STEP_SEGMENTS = 32  # of one transaction: two megabytes of texts, and more where single texts are larger than a segment
STEP_ENTRIES = 4_000  # that one transaction looks at
WARM = f"""
SELECT seq, octet_length(text) FROM agent_sessions_event
WHERE session_id = %s AND seq > %s AND segment_id IS NULL AND text <> ''
  AND kind NOT IN ({", ".join(f"'{kind}'" for kind in STAYS_WARM)}) AND NOT meta ? '{ERASED}'
ORDER BY seq LIMIT {STEP_ENTRIES}
"""  # noqa: S608 - put together from literals
REST = "SELECT rest_in_segment(%s)"


def cool(session: Session, *, after: int = 0, now: datetime) -> int | None:
    """Move the next texts behind `after` into segments, in the open scope; returns where to go on, None at the end.

    The session is locked meanwhile: of two at once the second finds what the first has left. Raises Clash
    (session_open) for a session that is not closed.
    """
    hold(session)
    if session.state in LIVE:
        raise Clash.at("{session_id}", "its transcript is not sealed yet; close it first", code="session_open")
    warm = fetch(WARM, [session.pk, after])
    moved = [_rest(session, run) for run in islice(runs(warm), STEP_SEGMENTS)]
    reached = moved[-1].last_seq if moved else after
    over = len(warm) < STEP_ENTRIES and (not warm or reached == warm[-1][0])
    ended = over and Session.objects.filter(pk=session.pk, cold_at=None).update(cold_at=now)
    if moved or ended:
        record("session.cool", session.public_id, detail=_counted(moved))
    return None if over else reached


def runs(sizes: Iterable[tuple[int, int]]) -> Iterator[Sequence[int]]:
    """Yield the seqs that go into one segment each, of pairs of seq and bytes: few enough, or a single large text."""
    run: list[int] = []
    held = 0
    for seq, size in sizes:
        if run and (held + size > MOST_BYTES or len(run) == MOST_ENTRIES):
            yield run
            run, held = [], 0
        run.append(seq)
        held += size
    if run:
        yield run


def thaw(segments: QuerySet[ColdSegment]) -> None:
    """Put texts back into their entries, and drop the segments; their sessions are warm, until the next sweep.

    A text whose entry rests there no longer was erased meanwhile, and goes. For the owner role alone, while its
    triggers sleep. Raises SegmentDamaged.
    """
    database = segments.db
    entries, sessions = Event.objects.using(database), Session.objects.using(database)
    for segment in segments.iterator():
        texts = segment.texts()
        resting = entries.filter(session_id=segment.session_id, seq__in=texts.keys(), segment=segment)
        rows = list(resting.only("seq"))
        for row in rows:
            row.text, row.segment_id = texts[row.seq], None
        entries.bulk_update(rows, ["text", "segment"])
    sessions.filter(pk__in=segments.values("session_id")).update(cold_at=None)
    segments.delete()


def _rest(session: Session, seqs: Sequence[int]) -> ColdSegment:
    rows = Event.objects.filter(session=session, seq__in=seqs).only("seq", "text").order_by("seq")
    texts = {row.seq: row.text for row in rows}
    segment = packed(texts.items())
    if segment.texts() != texts:  # the database compares hashes and cannot unpack: that the bytes open is seen here
        raise RuntimeError(f"{session.public_id}: a segment from {seqs[0]} on does not open to what it was made of")
    segment.project_id, segment.session = session.project_id, session
    for name, value in reach_of(session).items():
        setattr(segment, name, value)
    segment.save(force_insert=True)
    fetch(REST, [segment.pk])
    return segment


def _counted(segments: Sequence[ColdSegment]) -> dict[str, int]:
    return {
        "segments": len(segments),
        "entries": sum(segment.entries for segment in segments),
        "raw_bytes": sum(segment.raw_bytes for segment in segments),
        "kept_bytes": sum(len(segment.content) for segment in segments),
    }
