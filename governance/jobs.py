"""Work that can wait, as rows: asked for in the transaction that needs it, held by one worker at a time, done once."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import connection

from governance.actors import Acting, system_of
from governance.errors import Clash
from governance.ids import new_id, public_id
from governance.models import Job
from governance.people import check_may
from governance.scope import project_scope, record
from governance.vocabulary import Audience, Deed, JobState
from governance.waking import Bell

BACKOFF = timedelta(seconds=5)  # times two for each attempt
# A row that waits for its first attempt already stands for this wish as well. Its lock, which is taken in any case,
# keeps a worker from starting before what the wish is about is committed.
ASK = """
INSERT INTO governance_job AS j (id, created_at, project_id, audience, audience_role, owner_id, kind, subject, state,
  attempts, asked_again, due_at, done_parts, error, trace)
VALUES (%(id)s, clock_timestamp(), %(project)s, %(audience)s, %(audience_role)s, %(owner_id)s, %(kind)s, %(subject)s,
  'waiting', 0, false, clock_timestamp() + %(after)s, 0, '', %(trace)s)
ON CONFLICT (project_id, kind, subject) WHERE NOT (state = 'done') DO UPDATE SET
  asked_again = j.state = 'running',
  due_at = CASE WHEN j.state = 'waiting' THEN least(j.due_at, excluded.due_at) ELSE j.due_at END
WHERE (j.state = 'running' AND NOT j.asked_again)
   OR (j.state = 'waiting' AND j.attempts = 0 AND j.due_at > excluded.due_at)
RETURNING j.id, xmax = 0
"""
DUE = "SELECT project_id, id, kind, held_role, acting FROM due_jobs(%s, %s)"
CLAIM = """
UPDATE governance_job j SET state = 'running', attempts = j.attempts + 1, holder = %(holder)s,
  lease_until = clock_timestamp() + %(lease)s, started_at = clock_timestamp(), ended_at = NULL, done_parts = 0,
  all_parts = NULL
FROM (
  SELECT w.id FROM governance_job w WHERE w.id = %(id)s AND w.state IN ('waiting', 'running')
    AND CASE w.state WHEN 'waiting' THEN w.due_at ELSE w.lease_until END <= clock_timestamp()
  FOR UPDATE SKIP LOCKED) AS free
WHERE j.id = free.id RETURNING j.kind, j.subject, j.attempts, j.trace
"""
FINISH = """
UPDATE governance_job SET state = CASE WHEN asked_again THEN 'waiting' ELSE 'done' END,
  attempts = CASE WHEN asked_again THEN 0 ELSE attempts END, due_at = clock_timestamp(), asked_again = false,
  holder = NULL, lease_until = NULL, error = '', ended_at = clock_timestamp()
WHERE id = %(id)s AND holder = %(holder)s
"""
GIVE_BACK = """
UPDATE governance_job SET state = %(state)s, due_at = clock_timestamp() + %(backoff)s * power(2, attempts),
  holder = NULL, lease_until = NULL, error = %(error)s, ended_at = clock_timestamp()
WHERE id = %(id)s AND holder = %(holder)s
"""
PROGRESS = """
UPDATE governance_job SET done_parts = %(done)s, all_parts = %(whole)s, lease_until = clock_timestamp() + %(lease)s
WHERE id = %(id)s AND holder = %(holder)s
"""
FORGET = """
DELETE FROM governance_job WHERE id IN (
  SELECT id FROM governance_job WHERE project_id = %s AND state = 'done'
    AND created_at < clock_timestamp() - interval '7 days' ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED)
"""  # a few with each that is done, so that the table stays as long as a week
bell = Bell("governance.do_jobs")


class LeaseLost(Exception):
    """Somebody else holds the job now: what this worker did must not take effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One job that is ours: what it is about, in whose name it is done, and the token by which we hold it."""

    id: uuid.UUID
    kind: str
    subject: str
    attempt: int
    holder: uuid.UUID
    acting: Acting
    lease: timedelta


def enqueue(
    acting: Acting,
    kind: str,
    subject: str,
    *,
    after: timedelta = timedelta(0),
    reach: Mapping[str, Any] | None = None,
) -> None:
    """Ask for work in the open scope: it is there exactly when the scope's transaction commits.

    `subject` is the public id of what it is about, and `reach` is `reach_of(row)` of that. One job is open for each
    kind and subject: a wish for one that waits changes nothing, one for one that runs lets it run once more, and one
    that is quarantined stays so until a person lets it go on. A worker is woken after the commit.
    """
    values = {"audience": Audience.PROJECT, "audience_role": None, "owner_id": None} | dict(reach or {})
    values |= {"id": new_id(), "project": acting.project_id, "kind": kind, "subject": subject, "after": after}
    with connection.cursor() as cursor:
        cursor.execute(ASK, values | {"trace": acting.trace_id[:80]})
        asked = cursor.fetchone()
    if asked is not None:
        record("job.ask", public_id("job", asked[0]), detail={"kind": kind, "subject": subject, "new": asked[1]})
        bell.ring()


def claim(leases: Mapping[str, timedelta]) -> Held | None:
    """Take the next job that is due in any project, of the kinds named, for as long as each says; None without one.

    No scope is needed. What has not been tried comes first, and two workers never get the same one.
    """
    with connection.cursor() as cursor:
        cursor.execute(DUE, [list(leases), 16])
        due = cursor.fetchall()
    for project, pk, kind, role, actor in due:
        held = _claimed(system_of(project, actor, role=role), pk, lease=leases[kind])
        if held is not None:
            return held
    return None


def finish(held: Held) -> None:
    """Mark a job as done in the open scope, best in the transaction in which its work takes effect.

    Raises LeaseLost where somebody else holds it: leave the scope by it, and nothing of the work happens.
    """
    if not _changed(FINISH, held):
        raise LeaseLost
    record("job.done", public_id("job", held.id), detail={"kind": held.kind, "subject": held.subject})
    with connection.cursor() as cursor:
        cursor.execute(FORGET, [held.acting.project_id])


def give_back(held: Held, error: str, *, most: int) -> bool:
    """Give a job back that failed; returns whether it was tried `most` times by now and is put into quarantine.

    `error` is a code: the name of an exception's class, and never its words. Nothing where it is no longer ours.
    """
    over = held.attempt >= most
    state = JobState.QUARANTINED if over else JobState.WAITING
    with project_scope(held.acting):
        mine = _changed(GIVE_BACK, held, state=state, error=error[:80], backoff=BACKOFF)
        if mine and over:
            detail = {"kind": held.kind, "subject": held.subject, "attempts": held.attempt, "error": error[:80]}
            record("job.quarantine", public_id("job", held.id), before=JobState.RUNNING, after=state, detail=detail)
    return mine and over


def progress(held: Held, done: int, whole: int | None) -> None:
    """Say how far a job is, and that it lives, in a transaction of its own. Raises LeaseLost."""
    with project_scope(held.acting):
        if not _changed(PROGRESS, held, done=done, whole=whole, lease=held.lease):
            raise LeaseLost


def retry(acting: Acting, job: Job) -> None:
    """Let a quarantined job run again, in the open scope, on a person's word.

    Raises Forbidden (level_too_low) and Clash (not_quarantined).
    """
    check_may(acting, Deed.RETRY_JOB)
    again = Job.objects.filter(pk=job.pk, state=JobState.QUARANTINED)
    if again.update(state=JobState.WAITING, attempts=0, error="", due_at=job.created_at) != 1:
        raise Clash.at("{job_id}", "only a job in quarantine is tried again by hand", code="not_quarantined")
    record("job.retry", job.public_id, before=JobState.QUARANTINED, after=JobState.WAITING)
    bell.ring()


def _claimed(acting: Acting, pk: uuid.UUID, *, lease: timedelta) -> Held | None:
    holder = new_id()
    wanted: dict[str, Any] = {"id": pk, "holder": holder, "lease": lease}
    with project_scope(acting), connection.cursor() as cursor:
        cursor.execute(CLAIM, wanted)
        row = cursor.fetchone()
    if row is None:
        return None
    kind, subject, attempt, trace = row
    mine = replace(acting, trace_id=trace)
    return Held(id=pk, kind=kind, subject=subject, attempt=attempt, holder=holder, acting=mine, lease=lease)


def _changed(statement: str, held: Held, **values: Any) -> bool:
    told: dict[str, Any] = {"id": held.id, "holder": held.holder, **values}
    with connection.cursor() as cursor:
        cursor.execute(statement, told)
        return int(cursor.rowcount) == 1
