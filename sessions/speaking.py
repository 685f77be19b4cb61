"""How a human speaks into a thread, and how a standing demand is taken back."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Coalesce

from governance.actors import Acting
from governance.agents import known_roles
from governance.errors import Invalid, NotThere
from governance.people import check_may
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.lifecycle import new_session
from sessions.models import Event, Session
from sessions.models.session import LIVE
from sessions.reading import constraints_of
from sessions.transcripts import NewEvent, Transcript, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.lifecycle import check_open, hold_open
from threads.models import Thread

SPOKEN = (EventKind.MESSAGE, EventKind.CORRECTION, EventKind.CONSTRAINT)
# A demand stands in every packet of its thread, before anything that may be left out: a long one starves the rest.
CONSTRAINT_TOKENS = 500
MOST_HEARERS = 50  # live sessions of a thread that a form offers


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What a human says. `session_id` names a live session of the thread; without it, `role` says whose it is.

    `client_id` is the writer's own id for it: sending it again stores nothing twice. `retires` is the ref of the
    standing demand that a correction takes back.
    """

    kind: EventKind
    text: str
    client_id: str
    session_id: uuid.UUID | None = None
    role: str | None = None
    retires: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """The demand to take back, and why. `client_id` as in Speech."""

    ref: str
    reason: str
    client_id: str
    attested_by: AttestedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was stored, where, and whether that session was opened for it or the words had been there before."""

    session: Session
    event: Event
    opened: bool
    replayed: bool


def speak(acting: Acting, thread: Thread, speech: Speech, *, now: datetime) -> Said:
    """Store what a human says in a session of the thread, vouched for by the console.

    Where no session of the role is live, one is opened without an attempt; a running attempt goes on untouched.
    Needs a maintainer. Raises Forbidden (level_too_low), Clash (thread_not_open, session_closed, client_id_reused),
    Invalid for a kind that nobody speaks, an unknown role or demand, and a demand that is too long, and NotThere for
    a session of another thread.
    """
    with project_scope(acting):
        check_may(acting, Deed.SPEAK if speech.retires is None else Deed.RETIRE_CONSTRAINT)
        _check_speech(thread, speech)
        session, opened = _hearer(acting, thread, speech, now=now)
        if speech.retires is not None:
            _check_standing(session, speech.retires, speech.client_id, pointer="/retires")
        done = append(acting, session.pk, [_spoken(speech)], now=now)
        first = done.appended[0]
        return Said(session=session, event=first.event, opened=opened, replayed=first.replayed)


def take_back(acting: Acting, thread: Thread, wish: Retirement, *, now: datetime) -> Said:
    """Retire a standing demand of the thread on a human's word, in the session that made it where it still lives.

    Needs a maintainer. Raises what `speak` and `retire` raise.
    """
    with project_scope(acting):
        check_may(acting, Deed.RETIRE_CONSTRAINT)
        check_open(thread)
        session, opened = _keeper(acting, thread, wish, now=now)
        first = retire(acting, session, wish, now=now).appended[0]
        return Said(session=session, event=first.event, opened=opened, replayed=first.replayed)


def retire(acting: Acting, session: Session, wish: Retirement, *, now: datetime) -> Transcript:
    """Take a demand back in the user's name: stored in the session as an attested correction that names it.

    Raises Invalid (unknown_constraint) unless `ref` is a standing demand of the session's thread.
    """
    with project_scope(acting):
        _check_standing(session, wish.ref, wish.client_id, pointer="/ref")
        correction = NewEvent(
            client_id=wish.client_id,
            role=EventRole.USER,
            kind=EventKind.CORRECTION,
            text=wish.reason,
            attested_by=wish.attested_by,
            meta={"retires": wish.ref},
        )
        return append(acting, session.pk, [correction], now=now)


def hearers(thread: Thread) -> Sequence[Session]:
    """Return at most MOST_HEARERS live sessions of the thread in the open scope, the latest to have an entry first."""
    live = Session.objects.filter(thread=thread, state__in=LIVE).select_related("task")
    return list(live.order_by(Coalesce("last_event_at", "created_at").desc(), "-id")[:MOST_HEARERS])


def roles_without_window(live: Sequence[Session]) -> Sequence[str]:
    """Return the project's roles that none of these live sessions belongs to."""
    taken = {session.role for session in live if session.task_id is None}
    return [role for role in known_roles() if role not in taken]


def _check_speech(thread: Thread, speech: Speech) -> None:
    check_open(thread)
    if speech.kind not in SPOKEN:
        raise Invalid.at("/kind", f"expected one of {', '.join(SPOKEN)}")
    if speech.retires is not None and speech.kind is not EventKind.CORRECTION:
        raise Invalid.at("/retires", "only a correction takes a demand back")
    if not speech.text.strip():
        raise Invalid.at("/text", "say something", code="empty")
    if speech.kind is EventKind.CONSTRAINT:
        needed = body_tokens(speech.text, exact_counter("o200k_base"))
        if needed > CONSTRAINT_TOKENS:
            message = f"a demand takes at most {CONSTRAINT_TOKENS} tokens and this one takes {needed}; shorten it"
            raise Invalid.at("/text", message, code="constraint_too_long")


def _hearer(acting: Acting, thread: Thread, speech: Speech, *, now: datetime) -> tuple[Session, bool]:
    if speech.session_id is None:
        return _window_of(acting, thread, speech.role or "", now=now)
    session = Session.objects.filter(pk=speech.session_id, thread=thread).select_related("thread").first()
    if session is None:
        raise NotThere.there("/session_id")
    return session, False


def _window_of(acting: Acting, thread: Thread, role: str, *, now: datetime) -> tuple[Session, bool]:
    """Return the live session of a role on the thread, opened without an attempt where there is none."""
    if role not in known_roles():
        raise Invalid.at("/role", "there is no active contract of this role; choose another", code="unknown_role")
    live = Session.objects.filter(thread=thread, role=role, task=None, owner_id=thread.owner_id, state__in=LIVE)
    found = live.select_related("thread").first()
    if found is None:
        # Two openings at once must not make two sessions: the second waits here and finds the first's. Where there is
        # one, its lock comes before the thread's, as everywhere.
        hold_open(thread)
        found = live.all().select_related("thread").first()
    return (found, False) if found else (new_session(acting, thread, role=role, now=now), True)


def _keeper(acting: Acting, thread: Thread, wish: Retirement, *, now: datetime) -> tuple[Session, bool]:
    """Return the session that takes the retirement: the one that made the demand, else the latest live one."""
    live = hearers(thread)
    made_in = next((session for session in live if wish.ref.startswith(f"event://{session.public_id}/")), None)
    keeper = made_in or next(iter(live), None)
    if keeper is not None:
        return keeper, False
    _check_standing_on(thread, wish.ref)
    last = Session.objects.filter(thread=thread).order_by("-created_at").first()
    return _window_of(acting, thread, last.role if last else "", now=now)


def _check_standing(session: Session, ref: str, client_id: str, *, pointer: str) -> None:
    # A retry finds the demand gone already: whether it says the same as the first time, `append` finds out.
    if not Event.objects.filter(session=session, client_id=client_id).exists():
        _check_standing_on(session.thread, ref, pointer=pointer)


def _check_standing_on(thread: Thread, ref: str, *, pointer: str = "/ref") -> None:
    if ref not in {row.ref for row in constraints_of(thread)}:
        raise Invalid.at(pointer, "is no standing constraint of this thread", code="unknown_constraint")


def _spoken(speech: Speech) -> NewEvent:
    return NewEvent(
        client_id=speech.client_id,
        role=EventRole.USER,
        kind=speech.kind,
        text=speech.text,
        attested_by=AttestedBy.CONSOLE,
        meta={"retires": speech.retires} if speech.retires else {},
    )
