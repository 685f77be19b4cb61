"""What nobody comes back to: processes that died, windows that fell silent, sessions whose task is over.

Each row is its own transaction under its session's lock, and looked at again there: a sweep that is killed half-way has
done whole rows, two at once do each once, and a second run finds nothing to do.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, connection

from governance.actors import Acting, system_of
from governance.errors import Refusal
from governance.scope import project_scope
from sessions.consolidation_due import ask_for_summary
from sessions.handoffs import HandoffWish, write_handoff
from sessions.lifecycle import advance_session
from sessions.live import hold
from sessions.models import Attempt, Session
from sessions.vocabulary import AttemptState, HandoffOccasion, InterruptionKind, SessionState
from sessions.windows import close, interrupt
from threads.vocabulary import TaskState

BATCH = 200  # rows of one sweep; the next one takes the rest
DUE = "SELECT project_id, id, system_actor, held_role FROM due_work(%s, %s)"
OVER = (TaskState.DONE, TaskState.CANCELLED)
LEFT = timedelta(days=30)  # how long a session without a task may lie before it is closed
type Sweep = Callable[[Acting, uuid.UUID, datetime], bool]
log = structlog.get_logger("greywind.sweeps")


def sweep_crashed(*, now: datetime, trace_id: str = "") -> int:
    """End the attempts that died in the middle of a turn, interrupt their sessions, and write what is known down.

    Returns how many. The handoff is from the records alone: nothing of it was left to the dying process.
    """
    return _swept("lapsed_attempt", _end_crashed, now=now, trace_id=trace_id)


def sweep_quiet(*, now: datetime, trace_id: str = "") -> int:
    """Let sessions in which nothing was said for half an hour be idle; returns how many."""
    return _swept("quiet_session", _let_rest, now=now, trace_id=trace_id)


def sweep_stuck(*, now: datetime, trace_id: str = "") -> int:
    """Close sessions that nobody comes back to; returns how many.

    Those whose task is done or cancelled, a day after, and those without a task after a month. One whose task is
    neither done nor cancelled is never closed.
    """
    return _swept("stuck_session", _close_left, now=now, trace_id=trace_id)


def _swept(kind: str, sweep: Sweep, *, now: datetime, trace_id: str) -> int:
    return sweep_rows(kind, (DUE, [kind, BATCH]), lambda acting, pk: sweep(acting, pk, now), trace_id=trace_id)


def sweep_rows(
    kind: str, due: tuple[str, list[Any]], deed: Callable[[Acting, uuid.UUID], bool], *, trace_id: str
) -> int:
    """Do `deed` to each row that is `due`, by a statement and its values, in a scope of its own; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(*due)
        rows = cursor.fetchall()
    done = 0
    for project, pk, actor, role in rows:
        acting = system_of(project, actor, role=role, trace_id=trace_id)
        try:
            with project_scope(acting):
                done += deed(acting, pk)
        except (Refusal, DatabaseError) as fault:  # somebody was faster, or the next sweep is
            log.warning("not_swept", kind=kind, row=str(pk), cause=type(fault).__name__)
    return done


def _end_crashed(acting: Acting, attempt_id: uuid.UUID, now: datetime) -> bool:
    attempt = Attempt.objects.filter(pk=attempt_id).first()
    session = _held(attempt.session_id) if attempt else None
    if attempt is None or session is None:
        return False
    attempt.refresh_from_db()
    if attempt.state != AttemptState.RUNNING or attempt.lease_until >= now:
        return False
    # The attempt ends as crashed, since its lease is over.
    interrupt(acting, session, kind=InterruptionKind.PROCESS_EXIT, reason="no sign of life", now=now)
    if session.head_seq:
        wish = HandoffWish(next_actor=session.role, occasion=HandoffOccasion.CRASHED, crashed=True)
        write_handoff(acting, session, wish, now=now)
    return True


def _let_rest(acting: Acting, session_id: uuid.UUID, _now: datetime) -> bool:
    session = _held(session_id)
    if session is None or session.state != SessionState.ACTIVE:
        return False
    advance_session(session, SessionState.IDLE, reason="nothing was said for a while")
    ask_for_summary(acting, session)
    return True


def _close_left(acting: Acting, session_id: uuid.UUID, now: datetime) -> bool:
    session = _held(session_id)
    if session is None or session.state not in (SessionState.IDLE, SessionState.INTERRUPTED):
        return False
    quiet_since = session.last_event_at or session.created_at
    if session.task is not None and session.task.state not in OVER:
        return False
    if session.task is None and quiet_since > now - LEFT:
        return False
    close(acting, session, reason="nobody came back", now=now)
    return True


def _held(session_id: uuid.UUID) -> Session | None:
    session = Session.objects.filter(pk=session_id).select_related("thread", "task").first()
    if session is not None:
        hold(session)
    return session
