"""The few statements behind a compile."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from governance.ids import parse_id, public_id
from governance.models import Project, Revision
from governance.rows import fetch, holding, on_one_line
from sessions.models import Session
from sessions.models.segment import texts_of
from threads.models import Task, Thread

TASKS_SHOWN = 50  # open tasks of a thread that a packet may name
# Demands and what takes them back, of all sessions of the thread; a summary's own section is never taken from here.
# Beside them those that hold here though they were said elsewhere: the thread comes from a split, or merged with one.
STANDING = """
SELECT d.session_id, d.seq, d.demands, d.text, d.retires FROM (
  SELECT e.session_id, e.seq, e.kind = 'constraint' AS demands, e.text, e.meta ->> 'retires' AS retires, e.created_at
  FROM agent_sessions_event e
  JOIN agent_sessions_session s ON s.id = e.session_id AND s.project_id = e.project_id
  WHERE s.thread_id = %(thread)s AND e.kind IN ('constraint', 'correction') AND e.attested_by <> 'agent'
  UNION
  SELECT e.session_id, e.seq, true, e.text, NULL, e.created_at
  FROM threads_lineage l CROSS JOIN LATERAL jsonb_array_elements(l.moved -> 'demands') AS place
  JOIN agent_sessions_event e ON e.project_id = l.project_id
    AND e.session_id = (place ->> 0)::uuid AND e.seq = (place ->> 1)::integer
  WHERE l.target_id = %(thread)s AND l.state = 'standing' AND e.kind = 'constraint'
) d ORDER BY d.created_at, d.session_id, d.seq
"""
# The session's own task comes first, so that the limit cannot cut it off.
TASKS = """
SELECT t.id, t.version, t.title, t.state, t.phase, t.risk, t.next_steps, t.max_input_tokens, t.created_at,
  ARRAY(SELECT e.depends_on_id FROM threads_taskedge e WHERE e.task_id = t.id ORDER BY e.created_at, e.id) AS after
FROM threads_task t
WHERE t.thread_id = %(thread)s AND (t.state NOT IN ('done', 'cancelled') OR t.id = %(own)s)
ORDER BY (t.id = %(own)s) IS TRUE DESC, t.created_at, t.id LIMIT %(tasks)s
"""
# What each named profile says: the newest shipped row, and above it the revision that the project had approved when the
# attempt began, which an attempt keeps like its other contracts; and what usage has taught about it since.
PROFILES = """
SELECT b.*, (
  SELECT to_json(l) FROM agent_sessions_learntfigures l
  WHERE l.project_id = %(project)s AND l.slug = b.slug ORDER BY l.version DESC LIMIT 1
) AS learnt FROM (
  (SELECT DISTINCT ON (b.slug) b.slug, b.version, b.body::text AS body, NULL AS revision
   FROM agent_sessions_budgetprofile b ORDER BY b.slug, b.version DESC)
  UNION ALL
  (SELECT DISTINCT ON (c.slug) c.slug, r.number, r.body::text, r.id FROM governance_contract c
   JOIN governance_revision r ON r.contract_id = c.id AND r.project_id = c.project_id
   WHERE c.project_id = %(project)s AND c.kind = 'budget_profile' AND r.state <> 'draft' AND r.decided_at <= %(since)s
   ORDER BY c.slug, r.number DESC)
) b WHERE b.slug IN (%(profile)s, %(fallback)s, (SELECT p.default_profile FROM governance_project p
                                                 WHERE p.id = %(project)s))
"""
# What the session's last packet was given and from where on its dialogue was in, for the turn that goes on: also where
# its work goes on in another thread since. What was found is asked anew then, unless all of the thread went along.
# The row is chosen first: a receipt is large, and a plan that sorts would unpack every packet's of the session. Each of
# the two is unpacked once, and what lost the search, most of it, stays there.
LAST = """
SELECT k.id, r.hits, k.input_cap, d.budget ->> 'profile' AS profile, d.dialogue,
  CASE WHEN k.thread_id = %(thread)s OR EXISTS (
    SELECT FROM threads_thread f WHERE f.project_id = k.project_id AND f.id = k.thread_id AND f.state = 'merged'
  ) THEN r.recall - 'lost' END AS recall
FROM agent_sessions_contextpacket k, jsonb_to_record(k.receipt) AS r (hits jsonb, recall jsonb),
  jsonb_to_record(k.decisions) AS d (budget jsonb, dialogue jsonb)
WHERE k.id = (
  SELECT l.id FROM agent_sessions_contextpacket l
  WHERE l.project_id = %(project)s AND l.session_id = %(session)s AND NOT l.refused
  ORDER BY l.created_at DESC LIMIT 1)
"""
# The last handoff for a session: to it by name, or to its role where nobody was named, on its task or on none. It
# belongs to the thread that the session which gave it belongs to now.
ITS_HANDOFF = """
agent_sessions_handoff h
JOIN agent_sessions_session g ON g.project_id = h.project_id AND g.id = h.from_session_id
WHERE g.thread_id = %(thread)s AND (h.to_session_id = %(session)s OR (h.to_session_id IS NULL
  AND h.next_actor IN ('', %(hearer)s) AND (h.task_id IS NULL OR %(own)s::uuid IS NULL OR h.task_id = %(own)s::uuid)))
ORDER BY h.created_at DESC, h.id DESC LIMIT 1
"""
# The first version after the current one that was turned down: from then on the current one is stale.
REFUSED = """
SELECT jsonb_build_object('created_at', r.created_at, 'problems', r.problems) FROM agent_sessions_summaryrefusal r
WHERE r.session_id = s.session_id AND r.after_version = s.version ORDER BY r.created_at LIMIT 1
"""
PROFILE_IN_USE = f"""
SELECT coalesce((SELECT k.profile FROM ({LAST}) k), p.default_profile)
FROM governance_project p WHERE p.id = %(project)s
"""  # noqa: S608 - put together from literals
PROFILE_ROWS = f"SELECT to_json(f) FROM ({PROFILES}) f"  # noqa: S608 - put together from literals
# The newest of each thing that has versions, and the few small lists beside them, in one round trip.
# Row-level security holds inside the subselects as it does outside.
HEADS = on_one_line(f"""
SELECT
  (SELECT to_json(p) FROM governance_project p WHERE p.id = %(project)s),
  (SELECT to_json(v) FROM threads_vision v WHERE v.thread_id = %(thread)s ORDER BY v.version DESC LIMIT 1),
  (SELECT to_jsonb(s) || jsonb_build_object('refused', ({REFUSED})) FROM agent_sessions_worksummary s
   WHERE s.session_id = %(session)s ORDER BY s.version DESC LIMIT 1),
  (SELECT to_json(h) FROM {ITS_HANDOFF}),
  (SELECT json_agg(r) FROM governance_revision r WHERE r.id = ANY(%(revisions)s)),
  (SELECT json_agg(t ORDER BY t.created_at, t.id) FROM ({TASKS}) t),
  (SELECT json_agg(d) FROM ({STANDING}) d),
  (SELECT json_agg(f) FROM ({PROFILES}) f),
  (SELECT to_json(k) FROM ({LAST}) k),
  (SELECT json_agg(w.id ORDER BY w.id) FROM agent_sessions_session w
   WHERE w.project_id = %(project)s AND w.thread_id = %(thread)s AND w.role <> %(hearer)s)
""")  # noqa: S608 - put together from literals
EVENTS = """
SELECT seq, role, kind, text, tool, failed, tokens_o200k, artifact_id, attested_by, occurred_at, segment_id
FROM agent_sessions_event WHERE session_id = %s
"""
EXCHANGES = 10  # latest ones, whose words are read however many tool calls stand between them
REACH = 10  # times the tail: how far back those words are looked for, so that a long session costs no more
# The last entries of every kind, and before them only what was said in the latest exchanges. One range of the
# session's numbering, whatever the session's length: with both its ends told, the way in is the numbering's own index
# and never all entries of the project.
TAIL = f"""
{EVENTS}
AND seq > least(%s - %s, (
  SELECT coalesce(min(u.seq), %s) - 1 FROM (
    SELECT seq FROM agent_sessions_event
    WHERE session_id = %s AND seq > %s - %s AND kind = 'message' AND role = 'user' ORDER BY seq DESC LIMIT %s
  ) u))
AND seq <= %s
AND (seq > %s - %s OR kind = 'message') AND client_id IS DISTINCT FROM %s
ORDER BY seq
"""  # noqa: S608 - put together from literals
EVENTS_AT = EVENTS + "AND seq = ANY(%s) ORDER BY seq"
VERSIONS = """
SELECT
  (SELECT to_json(v) FROM threads_vision v WHERE v.id = %(vision)s::uuid),
  (SELECT to_json(s) FROM agent_sessions_worksummary s WHERE s.id = %(summary)s::uuid),
  (SELECT to_json(h) FROM agent_sessions_handoff h WHERE h.id = %(handoff)s::uuid)
"""


class EventRow(NamedTuple):
    """What a packet may show of one transcript entry. A tuple, since a compile reads hundreds."""

    seq: int
    role: str
    kind: str
    text: str
    tool: str
    failed: bool | None
    tokens: int
    artifact_id: uuid.UUID | None
    attested_by: str
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A demand of a user that holds, and where it was said."""

    ref: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """What a compile reads beside the transcript; vision, summary and handoff are None where there is none yet.

    `tasks` are the thread's open ones and the session's own, oldest first, each with `after`: what it waits for.
    `standing` are the demands that hold on the thread, `retired` the refs of those taken back, `profiles` rows of slug,
    version, body as text, the id of the revision that was approved, None for the shipped row, and the newest learnt
    figures, None where there are none.
    `windows` are the sessions of other roles on the thread.
    """

    project: Project
    vision: Mapping[str, Any] | None
    summary: Mapping[str, Any] | None
    handoff: Mapping[str, Any] | None
    revisions: Sequence[Revision]
    tasks: Sequence[Task]
    standing: Sequence[Standing]
    retired: Sequence[str]
    profiles: Sequence[Mapping[str, Any]]
    last: Mapping[str, Any] | None = None
    windows: Sequence[str] = ()


def heads_of(
    session: Session, *, revisions: Sequence[uuid.UUID], profile: str | None, fallback: str, since: datetime
) -> Heads:
    """Return what there is one of, or a few of, around a session.

    `revisions` are the contracts' revisions to read, `profile` and `fallback` names of budget profiles, which are
    read as they were approved at `since`; the project's own profile is read as well.
    """
    values: dict[str, Any] = {"project": session.project_id, "thread": session.thread_id, "session": session.pk}
    values |= {"revisions": list(revisions), "own": session.task_id, "tasks": TASKS_SHOWN, "hearer": session.role}
    [row] = fetch(HEADS, values | {"profile": profile, "fallback": fallback, "since": since})
    project, vision, summary, handoff, contracts, tasks, standing, profiles, last, windows = map(decoded, row)
    limits = {name: project[name] for name in ("name", "max_input_tokens", "default_profile")}
    return Heads(
        project=holding(Project, {"id": session.project_id} | limits),
        vision=vision,
        summary=summary,
        handoff=handoff,
        revisions=[_revision(row) for row in contracts or ()],
        tasks=[_task(row) for row in tasks or ()],
        standing=_standing(standing or ()),
        retired=sorted(_retired(standing or ())),
        profiles=profiles or (),
        last=last,
        windows=[public_id("ses", uuid.UUID(one)) for one in windows or ()],
    )


def versions_of(vision: str | None, summary: str | None, handoff: str | None) -> tuple[Any, Any, Any]:
    """Return these versions by id, each None when there is none or it is not readable here."""
    with connection.cursor() as cursor:
        cursor.execute(VERSIONS, {"vision": vision, "summary": summary, "handoff": handoff})
        found = [decoded(value) for value in cursor.fetchone()]
    return found[0], found[1], found[2]


def tail_of(session: Session, *, most: int, without: str | None = None) -> list[EventRow]:
    """Return the last `most` events of a session and the words of its latest exchanges, oldest first.

    `without` is the client id of an event that the request carries as its input: it must not stand there twice.
    """
    head = session.head_seq
    words = (head, session.pk, head, REACH * most, EXCHANGES)
    return _events(TAIL, session.pk, head, most, *words, head, head, most, without)


def events_at(session: Session, seqs: Sequence[int]) -> list[EventRow]:
    """Return the events of a session with these seqs, oldest first."""
    return _events(EVENTS_AT, session.pk, list(seqs))


def profiles_of(session: Session, *, fallback: str, since: datetime) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """Return the profile that a session's last packet was made with, else the project's, and what `heads_of` reads."""
    ids = {"project": session.project_id, "thread": session.thread_id, "session": session.pk}
    [[name]] = fetch(PROFILE_IN_USE, ids)
    rows = fetch(PROFILE_ROWS, ids | {"profile": name, "fallback": fallback, "since": since})
    return name, [decoded(row) for (row,) in rows]


def constraints_of(thread: Thread) -> Sequence[Standing]:
    """Return the demands that hold on a thread: attested, and not taken back by an attested correction."""
    names = ("session_id", "seq", "demands", "text", "retires")
    rows = fetch(STANDING, {"thread": thread.pk})
    return _standing([dict(zip(names, row, strict=True)) for row in rows])


def _standing(rows: Sequence[Mapping[str, Any]]) -> Sequence[Standing]:
    retired = _retired(rows)
    said = [(event_place(row["session_id"], row["seq"]), row["text"]) for row in rows if row["demands"]]
    return [Standing(ref, text) for ref, text in said if ref not in retired]


def _retired(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    return {row["retires"] for row in rows if not row["demands"] and row["retires"]}


def event_place(session_id: Any, seq: int) -> str:
    """Return the ref of an event by its session's id, as a UUID or its text."""
    return f"event://{public_id('ses', uuid.UUID(str(session_id)))}/{seq}"


def place_in(ref: str) -> tuple[uuid.UUID, int]:
    """Return the session's id and the seq that `event_place` was given; raises Invalid for another text."""
    session, _, seq = ref.removeprefix("event://").partition("/")
    return parse_id("ses", session, pointer="/ref"), int(seq)


def _events(statement: str, *values: Any) -> list[EventRow]:
    rows = fetch(statement, values)
    cold = texts_of((row[-1], row[0]) for row in rows)
    if not cold:
        return [EventRow._make(row[:-1]) for row in rows]
    return [EventRow._make(row[:-1])._replace(text=cold.get((row[-1], row[0]), row[3])) for row in rows]


def _revision(row: Mapping[str, Any]) -> Revision:
    ids = {name: uuid.UUID(row[name]) if row[name] else None for name in ("id", "contract_id", "owner_id")}
    return holding(Revision, ids | {name: row[name] for name in ("number", "body", "audience", "audience_role")})


def _task(row: Mapping[str, Any]) -> Task:
    columns = ("version", "title", "state", "phase", "risk", "next_steps", "max_input_tokens")
    task = holding(Task, {"id": uuid.UUID(row["id"])} | {name: row[name] for name in columns})
    task.after = [uuid.UUID(other) for other in row["after"]]  # type: ignore[attr-defined]  # no column of its own
    return task


def decoded(value: Any) -> Any:
    """Return a value of JSON that the database gave, as a text or as what it means."""
    return json.loads(value) if isinstance(value, str) else value
