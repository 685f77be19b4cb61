"""Verbs on a session that a caller names: open, interrupt, close."""

from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Forbidden, NotThere
from governance.vocabulary import ActorKind
from sessions.lifecycle import advance_session, end_attempt
from sessions.models import Attempt, Session
from sessions.vocabulary import AttemptState, SessionState


def session_at(acting: Acting, session_id: Any, *, pointer: str = "{session_id}") -> Session:
    """Return a session of the open scope that the actor may work in.

    Raises NotThere for one that is not here, Forbidden (role_not_held) when an agent does not hold its role.
    """
    session = Session.objects.filter(pk=session_id).select_related("thread").first()
    if session is None:
        raise NotThere.there(pointer)
    check_works_in(acting, session, pointer=pointer)
    return session


def check_works_in(acting: Acting, session: Session, *, pointer: str = "{session_id}") -> None:
    """Raise Forbidden (role_not_held) when an agent does not hold the role of the session."""
    if acting.kind is ActorKind.AGENT and session.role not in acting.roles:
        held = ", ".join(acting.roles) or "none"
        raise Forbidden.at(pointer, f"this session is {session.role}'s; you hold: {held}", code="role_not_held")


def interrupt(session: Session, *, kind: str, reason: str, now: datetime) -> None:
    """Note that the work stopped without an end, and end the running attempt. Raises Clash where it cannot be."""
    note = {"kind": kind, "reason": reason, "at": now.isoformat()}
    _end_running(session, now=now, reason=reason)
    advance_session(
        session, SessionState.INTERRUPTED, reason=reason, interruptions=[*session.interruptions, note][-20:]
    )


def close(session: Session, *, reason: str, now: datetime) -> None:
    """Close a session for good: its transcript takes no more events. Raises Clash where it cannot be."""
    _end_running(session, now=now, reason=reason)
    advance_session(session, SessionState.CLOSED, reason=reason, closed_at=now)


def _end_running(session: Session, *, now: datetime, reason: str) -> None:
    running = Attempt.objects.filter(session=session, state=AttemptState.RUNNING).first()
    if running is not None:
        end_attempt(running, now=now, reason=reason)
