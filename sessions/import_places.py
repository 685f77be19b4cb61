"""Where imported sessions live: found again by their provider session, or opened with an attempt that is over."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import connection
from django.db.models import F

from governance.actors import Acting
from governance.errors import Clash, Invalid
from governance.models.base import reach_of
from governance.scope import record
from sessions.models import Attempt, Event, ProviderSession, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, SessionState
from threads.lifecycle import ThreadWish, create_thread, hold_open
from threads.models import Thread
from threads.vocabulary import ThreadState

ROLE_CHARS = 64  # what the column holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """In which role sessions are imported, and into which thread; None makes a thread for each."""

    role: str
    thread_id: uuid.UUID | None = None

    def alone(self) -> "Target":
        """Return the same without a thread."""
        return replace(self, thread_id=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the rows of one imported session go."""

    session: Session
    attempt_id: uuid.UUID
    thread_made: bool = False


def check_target(target: Target) -> None:
    """Raise Invalid unless the role can be stored and the thread is here and open, in the open scope."""
    if not 1 <= len(target.role) <= ROLE_CHARS:
        raise Invalid.at("--role", f"expected 1 to {ROLE_CHARS} characters")
    if target.thread_id is None:
        return
    state = Thread.objects.filter(pk=target.thread_id).values_list("state", flat=True).first()
    if state is None:
        raise Invalid.at("--thread", "no such thread in this project")
    if state != ThreadState.OPEN:
        raise Invalid.at("--thread", f"this thread is {state}; reopen it or name another")


def place_of(key: tuple[str, str]) -> Place | None:
    """Return where a session was imported to, in the open scope. Sessions that were worked in live do not count:
    only an import leaves an attempt that ended the moment it began."""
    harness, external_id = key
    found = Attempt.objects.filter(
        state=AttemptState.ENDED,
        ended_at=F("started_at"),
        provider_session__harness=harness,
        provider_session__external_id=external_id,
    )
    attempt = found.select_related("session__thread").order_by("created_at", "id").first()
    return Place(session=attempt.session, attempt_id=attempt.pk) if attempt else None


def place_for(acting: Acting, key: tuple[str, str], target: Target, *, title: str, now: datetime) -> Place:
    """Return where a session was imported to, or open it now, in the open scope.

    Raises Clash (session_live) when the named thread has a session of that role that somebody works in.
    """
    _take_turn(acting, key)
    known = place_of(key)
    if known is not None:
        return known
    thread = _thread(target) or create_thread(acting, ThreadWish(title=title), now=now)
    session = _imported_session(thread, target) or _opened(acting, thread, role=target.role, title=title, now=now)
    attempt = _ended_attempt(acting, session, key, now=now)
    return Place(session=session, attempt_id=attempt.pk, thread_made=target.thread_id is None)


def known_ids(place: Place, client_ids: Iterable[str]) -> set[str]:
    """Return which of the client ids the session holds already."""
    found = Event.objects.filter(session_id=place.session.pk, client_id__in=list(client_ids))
    return set(found.values_list("client_id", flat=True))


def _take_turn(acting: Acting, key: tuple[str, str]) -> None:
    """Let two imports of one session open it one after the other: until commit, the second waits here."""
    with connection.cursor() as cursor:
        name = "/".join(["import", str(acting.project_id), *key])
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def _thread(target: Target) -> Thread | None:
    if target.thread_id is None:
        return None
    check_target(target)
    thread = Thread.objects.get(pk=target.thread_id)
    hold_open(thread, pointer="--thread")
    return thread


def _imported_session(thread: Thread, target: Target) -> Session | None:
    """Return the thread's session that earlier imports filled: one role has one live session on a thread."""
    live = Session.objects.filter(thread=thread, role=target.role, task=None, state__in=LIVE, owner_id=thread.owner_id)
    session = live.select_related("thread").first()
    if session is None:
        return None
    attempts = Attempt.objects.filter(session=session)
    if session.state != SessionState.INTERRUPTED or attempts.exclude(ended_at=F("started_at")).exists():
        detail = f"--thread: a {target.role} session is open there; close it, or name another --role."
        raise Clash(detail, code="session_live")
    return session


def _opened(acting: Acting, thread: Thread, *, role: str, title: str, now: datetime) -> Session:
    session = Session.objects.create(
        project_id=thread.project_id,
        thread=thread,
        role=role,
        title=title,
        state=SessionState.INTERRUPTED,
        opened_by_id=acting.actor_id,
        created_at=now,
        **reach_of(thread),
    )
    record("session.import", session.public_id, detail={"thread": thread.public_id, "role": role})
    return session


def _ended_attempt(acting: Acting, session: Session, key: tuple[str, str], *, now: datetime) -> Attempt:
    harness, external_id = key
    provider = ProviderSession.objects.create(
        project_id=session.project_id, session=session, harness=harness, external_id=external_id, alive=False
    )
    number = Attempt.objects.filter(session=session).count() + 1
    attempt = Attempt.objects.create(
        project_id=session.project_id,
        session=session,
        number=number,
        state=AttemptState.ENDED,
        actor_id=acting.actor_id,
        provider_session=provider,
        lease_until=now,
        started_at=now,
        ended_at=now,
        created_at=now,
    )
    record("attempt.import", attempt.public_id, detail={"session": session.public_id, "number": number})
    return attempt
