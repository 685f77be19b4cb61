"""What happened on a thread, the latest first: its sessions, who picked them up, what was handed over and sent back,
and which threads its work came from and went to.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from operator import attrgetter
from typing import Any

from django.urls import reverse

from governance.ids import public_id
from governance.invisible import made_visible
from governance.rows import fetch
from sessions.models import Attempt, Handoff, Session, WorkSummary
from sessions.reading import decoded
from sessions.thread_lines import LineageLine, TimelineLine, Words
from sessions.vocabulary import HandoffOccasion, Happening, InterruptionKind, Recovery
from threads.lineage import KINDS
from threads.models import Thread
from threads.vocabulary import LineageKind

MOST_LINES = 60  # of a timeline; older ones stand on the sessions' own pages
# How an attempt begins that says nothing which its session does not.
QUIET = ("", Recovery.OPENED, Recovery.CONTINUED)
# All that happened in one round trip, of each kind the latest.
HISTORY = """
(SELECT 'session', to_jsonb(r) FROM (
  SELECT s.id, s.role, s.created_at AS at, s.closed_at, s.interruptions FROM agent_sessions_session s
  WHERE s.thread_id = %(thread)s ORDER BY s.created_at DESC LIMIT %(most)s) r)
UNION ALL
(SELECT 'attempt', to_jsonb(r) FROM (
  SELECT a.id, s.id AS session, s.role, a.started_at AS at, a.recovery, w.name AS who FROM agent_sessions_attempt a
  JOIN agent_sessions_session s ON s.project_id = a.project_id AND s.id = a.session_id
  JOIN governance_actor w ON w.project_id = a.project_id AND w.id = a.actor_id
  WHERE s.thread_id = %(thread)s AND a.recovery <> ALL(%(quiet)s) ORDER BY a.started_at DESC LIMIT %(most)s) r)
UNION ALL
(SELECT 'summary', to_jsonb(r) FROM (
  SELECT m.id, s.role, m.created_at AS at, m.version, m.to_seq FROM agent_sessions_worksummary m
  JOIN agent_sessions_session s ON s.project_id = m.project_id AND s.id = m.session_id
  WHERE s.thread_id = %(thread)s ORDER BY m.created_at DESC LIMIT %(most)s) r)
UNION ALL
(SELECT 'handoff', to_jsonb(r) FROM (
  SELECT h.id, s.role, coalesce(t.role, h.next_actor) AS taker, h.created_at AS at, h.occasion, h.resume_suggestion
  FROM agent_sessions_handoff h
  JOIN agent_sessions_session s ON s.project_id = h.project_id AND s.id = h.from_session_id
  LEFT JOIN agent_sessions_session t ON t.project_id = h.project_id AND t.id = h.to_session_id
  WHERE s.thread_id = %(thread)s ORDER BY h.created_at DESC LIMIT %(most)s) r)
UNION ALL
(SELECT 'lineage', to_jsonb(r) FROM (
  SELECT l.id, l.kind, l.source_id, l.target_id, o.id AS other, o.title, l.reason, l.created_at AS at, l.undone_at,
    w.name AS who, u.name AS undone_by, l.moved
  FROM threads_lineage l
  JOIN threads_thread o ON o.project_id = l.project_id
    AND o.id = CASE WHEN l.source_id = %(thread)s THEN l.target_id ELSE l.source_id END
  JOIN governance_actor w ON w.project_id = l.project_id AND w.id = l.author_id
  LEFT JOIN governance_actor u ON u.project_id = l.project_id AND u.id = l.undone_by_id
  WHERE (l.source_id = %(thread)s OR l.target_id = %(thread)s) AND l.audience = o.audience
  ORDER BY l.created_at DESC, l.id DESC LIMIT %(most)s) r)
"""
type Row = Mapping[str, Any]


def history_of(project: str, thread: Thread) -> tuple[list[TimelineLine], list[LineageLine]]:
    """Return the latest of what happened on a thread, in the open scope, and its lineage by itself, the latest first.

    `project` is the public id that addresses begin with.
    """
    values = {"thread": thread.pk, "most": MOST_LINES, "quiet": list(QUIET)}
    rows = [(kind, decoded(row)) for kind, row in fetch(HISTORY, values)]
    lines = [line for kind, row in rows for line in _TOLD[kind](project, thread, row)]
    lineage = [_lineage_line(thread, row) for kind, row in rows if kind == "lineage"]
    return list(islice(sorted(lines, key=attrgetter("at"), reverse=True), MOST_LINES)), lineage


def _session(project: str, _: Thread, row: Row) -> Iterator[TimelineLine]:
    href = reverse("session", args=[project, _id(Session.PREFIX, row["id"])])
    yield TimelineLine(at=_moment(row["at"]), what=Happening.OPENED, href=href, role=row["role"])
    if row["closed_at"]:
        yield TimelineLine(at=_moment(row["closed_at"]), what=Happening.CLOSED, href=href, role=row["role"])
    for note in row["interruptions"]:
        yield TimelineLine(
            at=_moment(note["at"]),
            what=Happening.INTERRUPTED,
            href=href,
            role=row["role"],
            detail=InterruptionKind(note["kind"]) if note["kind"] in set(InterruptionKind) else None,
            words=Words.of(note["reason"]) if note["reason"] else None,
        )


def _attempt(project: str, _: Thread, row: Row) -> Iterator[TimelineLine]:
    session, attempt = _id(Session.PREFIX, row["session"]), _id(Attempt.PREFIX, row["id"])
    yield TimelineLine(
        at=_moment(row["at"]),
        what=Happening.ATTEMPT,
        href=f"{reverse('session', args=[project, session])}#{attempt}",
        role=row["role"],
        who=made_visible(row["who"]),
        detail=Recovery(row["recovery"]),
    )


def _summary(project: str, _: Thread, row: Row) -> Iterator[TimelineLine]:
    href = reverse("summary", args=[project, _id(WorkSummary.PREFIX, row["id"])])
    at, covered = _moment(row["at"]), {"version": row["version"], "covers": row["to_seq"]}
    yield TimelineLine(at=at, what=Happening.SUMMARY, href=href, role=row["role"], **covered)


def _handoff(project: str, _: Thread, row: Row) -> Iterator[TimelineLine]:
    back = row["occasion"] == HandoffOccasion.SENT_BACK
    yield TimelineLine(
        at=_moment(row["at"]),
        what=Happening.SENT_BACK if back else Happening.HANDOFF,
        href=reverse("handoff", args=[project, _id(Handoff.PREFIX, row["id"])]),
        role=row["role"],
        to=made_visible(row["taker"]),
        words=Words.of(row["resume_suggestion"]) if back else None,
    )


def _lineage(project: str, thread: Thread, row: Row) -> Iterator[TimelineLine]:
    href, title = reverse("thread", args=[project, _id(Thread.PREFIX, row["other"])]), Words.of(row["title"])
    what, at = _passing(thread, row), _moment(row["at"])
    yield TimelineLine(at=at, what=what, href=href, who=made_visible(row["who"]), words=title)
    if row["undone_at"]:
        at, who = _moment(row["undone_at"]), made_visible(row["undone_by"])
        yield TimelineLine(at=at, what=Happening.UNDONE, href=href, who=who, words=title)


_TOLD = {
    "session": _session,
    "attempt": _attempt,
    "summary": _summary,
    "handoff": _handoff,
    "lineage": _lineage,
}


def _passing(thread: Thread, row: Row) -> Happening:
    is_source = row["source_id"] == str(thread.pk)
    if row["kind"] == LineageKind.MERGE:
        return Happening.MERGED_INTO if is_source else Happening.MERGED_FROM
    return Happening.SPLIT_OFF if is_source else Happening.SPLIT_FROM


def _lineage_line(thread: Thread, row: Row) -> LineageLine:
    kind = LineageKind(row["kind"])
    return LineageLine(
        kind=kind,
        here_is_source=row["source_id"] == str(thread.pk),
        other=_id(Thread.PREFIX, row["other"]),
        undo_at=_id(Thread.PREFIX, row["source_id" if kind is LineageKind.MERGE else "target_id"]),
        title=Words.of(row["title"]),
        reason=Words.of(row["reason"]),
        by=made_visible(row["who"]),
        at=_moment(row["at"]),
        undone_at=_moment(row["undone_at"]) if row["undone_at"] else None,
        undone_by=made_visible(row["undone_by"] or ""),
        counts={name: len(_listed(row["moved"], name)) for name in KINDS},
    )


def _listed(moved: Row, name: str) -> Sequence[Any]:
    found: Sequence[Any] = moved.get(name, ())
    return found


def _id(prefix: str, value: str) -> str:
    return public_id(prefix, uuid.UUID(value))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
