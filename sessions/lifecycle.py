"""State machines of sessions and attempts, and how work is picked up: open, continue, resume or rebuild."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from governance.actors import Acting
from governance.errors import Clash, NotThere
from governance.inbox import settle_item
from governance.rows import first
from governance.scope import record
from governance.transitions import Table, advance
from governance.vocabulary import InboxKind
from sessions.attempts import pinned_revisions
from sessions.live import hold, live_session
from sessions.losses import kept_of, recovered
from sessions.models import Attempt, ProviderSession, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, Loss, Recovery, SessionState
from threads.lifecycle import check_open, hold_open
from threads.models import Task, Thread

SESSION_TRANSITIONS: Table[SessionState] = {
    SessionState.ACTIVE: frozenset({SessionState.IDLE, SessionState.INTERRUPTED, SessionState.CLOSED}),
    SessionState.IDLE: frozenset({SessionState.ACTIVE, SessionState.INTERRUPTED, SessionState.CLOSED}),
    SessionState.INTERRUPTED: frozenset({SessionState.ACTIVE, SessionState.CLOSED}),
    SessionState.CLOSED: frozenset({SessionState.HANDOFF_WRITTEN}),
    SessionState.HANDOFF_WRITTEN: frozenset(),
}

ATTEMPT_TRANSITIONS: Table[AttemptState] = {
    AttemptState.RUNNING: frozenset({AttemptState.ENDED, AttemptState.CRASHED}),
    AttemptState.ENDED: frozenset(),
    AttemptState.CRASHED: frozenset(),
}
LEASE = 600  # seconds an attempt is believed to live without a sign: longer than a slow tool call, shorter than a lunch
LEASE_SLACK = 30  # seconds by which a lease may be short: renewing it on every turn would cost each turn a commit


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderWish:
    """The harness's own session that the caller runs in."""

    harness: str
    external_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWish:
    """What the caller says about the window it works in; everything left out is found.

    `any_task`: where no task is named, the work may go on in the session of whichever task it stands at. `told` is the
    client id of the last entry that the harness believes to have delivered.
    """

    role: str
    session: Session | None = None
    attempt_id: uuid.UUID | None = None
    task: Task | None = None
    any_task: bool = False
    provider: ProviderWish | None = None
    told: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How the work was picked up. `missing` names what could not be brought back."""

    session: Session
    attempt: Attempt
    recovery: Recovery
    missing: tuple[Loss, ...] = ()


def open_or_resume(acting: Acting, thread: Thread, wish: OpenWish, *, now: datetime) -> Opening:
    """Return the live session of this thread, role and task with a running attempt, in the open scope.

    Raises Clash (thread_not_open) on a thread that takes no work, and Clash (session_closed, attempt_over,
    attempt_running) where the named session or attempt cannot go on.
    """
    check_open(thread)
    session, running = (
        _live_session(acting, thread, wish) if wish.session is None else (wish.session, _running(wish.session))
    )
    if session is None:
        # Two first requests at once must not open two sessions: the second waits here and finds the first's.
        hold_open(thread)
        session, running = _live_session(acting, thread, wish)
    if session is None:
        return _opened(acting, thread, wish, now=now)
    _check_live(session)
    if running is None or not _may_go_on(session, running, acting, wish, now=now):
        # Another process may have started an attempt meanwhile: only under the lock is it certain.
        _lock(session)
        latest = latest_attempt(session)
        running = latest if latest and latest.state == AttemptState.RUNNING else None
        if running is None or not _may_go_on(session, running, acting, wish, now=now):
            _check_named_attempt(session, wish, running)
            return take_up(acting, session, latest, wish, now=now)
    return _continued(session, running, now=now)


def as_it_is(acting: Acting, thread: Thread, wish: OpenWish, *, now: datetime) -> Opening | None:
    """Return the opening of work that simply goes on; None where something has to be written first.

    Raises what `open_or_resume` raises for a named attempt that cannot go on.
    """
    session, running = (
        _live_session(acting, thread, wish) if wish.session is None else (wish.session, _running(wish.session))
    )
    if session is None or running is None or session.state != SessionState.ACTIVE or _is_short(running, now=now):
        return None
    _check_named_attempt(session, wish, running)
    if not _goes_on(running, acting, wish, now=now):
        return None
    return Opening(session=session, attempt=running, recovery=Recovery.CONTINUED)


def start_attempt(acting: Acting, session: Session, provider: ProviderWish | None, *, now: datetime) -> Opening:
    """End the running attempt of a session and start a new one: what POST …/attempts asks for.

    Raises Clash (thread_not_open, session_closed).
    """
    check_open(session.thread, pointer="/session_id")
    _check_live(session)
    _lock(session)
    wish = OpenWish(role=session.role, session=session, provider=provider)
    return take_up(acting, session, latest_attempt(session), wish, now=now)


def advance_session(session: Session, to: SessionState, *, reason: str, **also: Any) -> None:
    """Move a session along its state machine; raises Clash where its table does not allow it."""
    also |= {"version": session.version + 1}
    advance(session, to, table=SESSION_TRANSITIONS, verb=f"session.{to}", reason=reason, **also)


def end_attempt(attempt: Attempt, *, now: datetime, reason: str) -> None:
    """End an attempt: as ended, or as crashed when its lease had lapsed before."""
    to = AttemptState.CRASHED if attempt.lease_until < now else AttemptState.ENDED
    advance(attempt, to, table=ATTEMPT_TRANSITIONS, verb=f"attempt.{to}", reason=reason, ended_at=now)


def _live_session(acting: Acting, thread: Thread, wish: OpenWish) -> tuple[Session | None, Attempt | None]:
    task_id = wish.task.pk if wish.task else None
    return live_session(acting, thread, role=wish.role, task_id=task_id, any_task=wish.any_task and task_id is None)


def _lock(session: Session) -> None:
    """Keep two processes from both starting the next attempt."""
    hold(session)
    _check_live(session)


def _running(session: Session) -> Attempt | None:
    return first(Attempt, "session_id = %s AND state = 'running'", session.pk)


def latest_attempt(session: Session) -> Attempt | None:
    """Return the last attempt of a session, running or not: each new one ends the one before it."""
    return first(Attempt, "session_id = %s ORDER BY number DESC", session.pk)


def _check_live(session: Session) -> None:
    if session.state not in LIVE:
        message = f"this session is {session.state}; open a new one"
        raise Clash.at("/session_id", message, code="session_closed")


def _check_named_attempt(session: Session, wish: OpenWish, running: Attempt | None) -> None:
    if wish.attempt_id is None or (running is not None and running.pk == wish.attempt_id):
        return
    named = Attempt.objects.filter(session=session, pk=wish.attempt_id).first()
    if named is None:
        raise NotThere.there("/attempt_id")
    message = f"this attempt is {named.state}; leave it out to start a new one"
    raise Clash.at("/attempt_id", message, code="attempt_over")


def _may_go_on(session: Session, running: Attempt, acting: Acting, wish: OpenWish, *, now: datetime) -> bool:
    _check_named_attempt(session, wish, running)
    return _goes_on(running, acting, wish, now=now)


def _goes_on(running: Attempt, acting: Acting, wish: OpenWish, *, now: datetime) -> bool:
    if running.actor_id != acting.actor_id:
        if running.lease_until >= now and wish.provider is None:
            message = "another actor's attempt runs in this session; POST …/attempts takes it over"
            raise Clash.at("/session_id", message, code="attempt_running")
        return False
    if wish.provider is None:
        return True
    own = running.provider_session
    return own is not None and (own.harness, own.external_id) == (wish.provider.harness, wish.provider.external_id)


def _is_short(running: Attempt, *, now: datetime) -> bool:
    return running.lease_until < now + timedelta(seconds=LEASE - LEASE_SLACK)


def _continued(session: Session, running: Attempt, *, now: datetime) -> Opening:
    if _is_short(running, now=now):
        Attempt.objects.filter(pk=running.pk).update(lease_until=now + timedelta(seconds=LEASE))
    if session.state != SessionState.ACTIVE:
        advance_session(session, SessionState.ACTIVE, reason="the same attempt goes on")
    return Opening(session=session, attempt=running, recovery=Recovery.CONTINUED)


def _opened(acting: Acting, thread: Thread, wish: OpenWish, *, now: datetime) -> Opening:
    session = new_session(acting, thread, role=wish.role, task=wish.task, now=now)
    provider = _provider(session, wish.provider) if wish.provider else None
    attempt = _attempt(acting, session, provider, number=1, now=now)
    return Opening(session=session, attempt=attempt, recovery=Recovery.OPENED)


def new_session(acting: Acting, thread: Thread, *, role: str, task: Task | None = None, now: datetime) -> Session:
    """Make a session without an attempt in the open scope: somebody may speak there before any process works in it."""
    session = Session.objects.create(
        project_id=thread.project_id,
        thread=thread,
        role=role,
        task=task,
        opened_by_id=acting.actor_id,
        created_at=now,
        owner_id=thread.owner_id,
        audience=thread.audience,
    )
    record("session.open", session.public_id, detail={"thread": thread.public_id, "role": role})
    return session


def take_up(acting: Acting, session: Session, latest: Attempt | None, wish: OpenWish, *, now: datetime) -> Opening:
    """Start the attempt after `latest`, in a session whose lock is held."""
    if latest is not None and latest.state == AttemptState.RUNNING:
        end_attempt(latest, now=now, reason="a new attempt took over")
    known = _known_provider(session, wish.provider) if wish.provider else None
    provider = known or (_provider(session, wish.provider) if wish.provider else None)
    recovery, missing = recovered(kept_of(session, told=wish.told), alive=known is not None and known.alive)
    number = latest.number + 1 if latest else 1
    attempt = _attempt(acting, session, provider, number=number, now=now, recovery=recovery, missing=missing)
    if session.state != SessionState.ACTIVE:
        advance_session(session, SessionState.ACTIVE, reason="a new attempt began")
    if session.resume_failure is not None:
        _forget_failure(session, now=now)
    return Opening(session=session, attempt=attempt, recovery=recovery, missing=missing)


def _forget_failure(session: Session, *, now: datetime) -> None:
    session.resume_failure = None
    session.save(update_fields=["resume_failure"])
    settle_item(InboxKind.RESUME_FAILURE, f"session://{session.public_id}", now=now, reason="picked up again")


def _known_provider(session: Session, wish: ProviderWish | None) -> ProviderSession | None:
    if wish is None:
        return None
    own = ProviderSession.objects.filter(session=session, harness=wish.harness, external_id=wish.external_id)
    return own.first()


def _provider(session: Session, wish: ProviderWish) -> ProviderSession:
    row = ProviderSession.objects.create(
        project_id=session.project_id, session=session, harness=wish.harness, external_id=wish.external_id
    )
    record("provider_session.note", row.public_id, detail={"session": session.public_id, "harness": wish.harness})
    return row


def _attempt(
    acting: Acting,
    session: Session,
    provider: ProviderSession | None,
    *,
    number: int,
    now: datetime,
    recovery: Recovery = Recovery.OPENED,
    missing: tuple[Loss, ...] = (),
) -> Attempt:
    pinned: Mapping[str, Any] = pinned_revisions(acting, session.role)
    attempt = Attempt.objects.create(
        project_id=session.project_id,
        session=session,
        number=number,
        actor_id=acting.actor_id,
        provider_session=provider,
        lease_until=now + timedelta(seconds=LEASE),
        started_at=now,
        created_at=now,
        recovery=recovery,
        missing=list(missing),
        **pinned,
    )
    detail = {"session": session.public_id, "number": number, "recovery": recovery, "missing": list(missing)}
    record("attempt.start", attempt.public_id, detail=detail)
    return attempt
