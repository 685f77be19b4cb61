"""Which live session a request goes on in, and holding it while it changes."""

import uuid
from typing import Any

from governance.actors import Acting
from governance.rows import columns, fetch, made
from sessions.models import Attempt, Session
from sessions.models.session import LIVE
from threads.models import Thread

# What others may change in a session while somebody waits for its lock.
HELD = (
    "state",
    "version",
    "head_seq",
    "thread_id",
    "interruptions",
    "resume_point",
    "screen_context",
    "resume_failure",
)
LIVE_SESSION = """
SELECT {columns} FROM agent_sessions_session
LEFT JOIN agent_sessions_attempt ON agent_sessions_attempt.project_id = agent_sessions_session.project_id
  AND agent_sessions_attempt.session_id = agent_sessions_session.id AND agent_sessions_attempt.state = 'running'
WHERE agent_sessions_session.thread_id = %s AND agent_sessions_session.role = %s
  AND agent_sessions_session.state = ANY(%s) AND (%s OR agent_sessions_session.task_id IS NOT DISTINCT FROM %s::uuid)
  AND agent_sessions_session.owner_id IS NOT DISTINCT FROM %s::uuid
ORDER BY coalesce(agent_sessions_session.last_event_at, agent_sessions_session.created_at) DESC
"""


def live_session(
    acting: Acting, thread: Thread, *, role: str, task_id: uuid.UUID | None, any_task: bool
) -> tuple[Session | None, Attempt | None]:
    """Return the live session of a role on a thread with its running attempt, both in one round trip.

    There is one at most for a task, and one without any. With `any_task` work goes on where this actor is at work;
    else in the session without a task, else in the latest one that nobody works in: a task that was stopped half-way
    is not left for an empty session beside it.
    """
    statement = LIVE_SESSION.format(columns=f"{columns(Session)}, {columns(Attempt)}")
    values = [thread.pk, role, list(LIVE), any_task, task_id, thread.owner_id]
    live = [_session_and_attempt(row) for row in fetch(statement, values)]
    if not any_task:
        return live[0] if live else (None, None)
    mine = [pair for pair in live if pair[1] and pair[1].actor_id == acting.actor_id]
    plain = [pair for pair in live if pair[0].task_id is None]
    left = [pair for pair in live if pair[1] is None]
    return next(iter([*mine, *plain, *left]), (None, None))


def hold(session: Session) -> None:
    """Lock a session in the open scope, and see what others have done to it meanwhile."""
    row = Session.objects.select_for_update().filter(pk=session.pk).values(*HELD).get()
    moved = row["thread_id"] != session.thread_id
    for name, value in row.items():
        setattr(session, name, value)
    if moved:
        session.thread = Thread.objects.get(pk=session.thread_id)


def _session_and_attempt(row: tuple[Any, ...]) -> tuple[Session, Attempt | None]:
    rest = row[len(Session._meta.concrete_fields) :]  # noqa: SLF001 - as in governance.rows
    return made(Session, row), made(Attempt, rest) if rest[0] else None
