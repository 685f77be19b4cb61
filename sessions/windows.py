"""Verbs on a session that a caller names: interrupt, hand over, close."""

from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from governance.actors import Acting
from governance.errors import Clash, Forbidden, NotThere
from governance.vocabulary import ActorKind
from sessions.consolidation_due import ask_for_summary
from sessions.handoffs import HandoffWish, write_handoff
from sessions.lifecycle import advance_session, end_attempt
from sessions.live import hold
from sessions.models import Attempt, Handoff, Session
from sessions.vocabulary import AttemptState, HandoffOccasion, InterruptionKind, SessionState

MOST_INTERRUPTIONS = 20  # the latest ones, which a packet shows; the ledger has all of them
# Over what each entry was when it came. One whose words were erased keeps a keyed hash in the place of its own, over
# which the seal is made anew.
SEAL = """
SELECT 'sha256:' || encode(sha256(convert_to(coalesce(string_agg(seq || ' ' || client_id || ' ' || content_hash, E'\\n'
  ORDER BY seq), ''), 'UTF8')), 'hex') FROM agent_sessions_event WHERE session_id = %s
"""


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


def interrupt(acting: Acting, session: Session, *, kind: InterruptionKind, reason: str, now: datetime) -> None:
    """Note that the work stopped without an end, where, and by what, and end the running attempt.

    Raises Clash where it cannot be.
    """
    hold(session)
    stopped = _end_running(session, now=now, reason=reason)
    note = {
        "kind": kind,
        "reason": reason,
        "at": now.isoformat(),
        "after": session.head_seq,
        "attempt": stopped.public_id if stopped else None,
    }
    notes = [*session.interruptions, note][-MOST_INTERRUPTIONS:]
    advance_session(session, SessionState.INTERRUPTED, reason=reason, interruptions=notes)
    ask_for_summary(acting, session)


def hand_over(acting: Acting, session: Session, wish: HandoffWish, *, now: datetime) -> Handoff:
    """Hand the work of a session to another role: its attempt ends, and it waits, idle, for what may come back.

    Raises Clash (session_closed) for one that is over, and what `write_handoff` raises.
    """
    hold(session)
    if session.state in (SessionState.CLOSED, SessionState.HANDOFF_WRITTEN):
        raise Clash.at("{session_id}", f"it is {session.state} and hands over nothing more", code="session_closed")
    handoff = write_handoff(acting, session, wish, now=now)
    _end_running(session, now=now, reason="handed over")
    if session.state == SessionState.ACTIVE:
        advance_session(session, SessionState.IDLE, reason="handed over")
    ask_for_summary(acting, session)
    return handoff


def close(acting: Acting, session: Session, *, reason: str, now: datetime, seen: int | None = None) -> Handoff | None:
    """Close a session for good: its transcript is sealed, and a handoff says where it stood; returns that handoff.

    `seen` is the last entry that the caller knows of. Raises Clash (head_moved) where it is another one now, and Clash
    where the session is over. None where nothing was ever said, or a handoff of the very end had been written before.
    """
    hold(session)
    if seen is not None and seen != session.head_seq:
        message = f"its last entry is {session.head_seq} by now; read what came since, then close it"
        raise Clash.at("/head_seq", message, code="head_moved", extra={"head_seq": session.head_seq})
    _end_running(session, now=now, reason=reason)
    advance_session(session, SessionState.CLOSED, reason=reason, closed_at=now, seal=seal_of(session))
    if session.head_seq == 0:
        return None
    told = Handoff.objects.filter(from_session=session, covers_to_seq=session.head_seq).exists()
    wish = HandoffWish(next_actor=session.role, occasion=HandoffOccasion.CLOSED)
    handoff = None if told else write_handoff(acting, session, wish, now=now)
    advance_session(session, SessionState.HANDOFF_WRITTEN, reason="the handoff is written")
    ask_for_summary(acting, session)
    return handoff


def seal_of(session: Session, *, using: str = DEFAULT_DB_ALIAS) -> str:
    """Return the hash over all entries of a session, by what each was when it came."""
    with connections[using].cursor() as cursor:
        cursor.execute(SEAL, [session.pk])
        return str(cursor.fetchone()[0])


def _end_running(session: Session, *, now: datetime, reason: str) -> Attempt | None:
    running = Attempt.objects.filter(session=session, state=AttemptState.RUNNING).first()
    if running is not None:
        end_attempt(running, now=now, reason=reason)
    return running
