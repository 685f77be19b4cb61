"""HTTP: sessions, their events and attempts, and the standing demands of a thread."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field, Strict

from governance.actors import Acting, held_role
from governance.errors import Invalid, NotThere
from governance.ids import parse_id, public_id
from governance.input import LARGEST_COUNT, ClientId, Id, Input, OptionalText, Word
from governance.replays import written
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer
from sessions.lifecycle import Opening, OpenWish, ProviderWish, open_or_resume, start_attempt
from sessions.models import Session
from sessions.vocabulary import InterruptionKind, Recovery
from sessions.windows import close, interrupt, session_at
from threads.api import thread_here
from threads.task_api import task_here

router = Router(tags=["sessions"])


class ProviderIn(Input):
    harness: Word
    """Which harness runs the session."""
    id: ClientId
    """The harness's own name for its session."""


class SessionIn(Input):
    thread_id: Id
    """The thread that is worked on (thr_…)."""
    role: Word | None = None
    """The role that works in it; left out, the agent's first."""
    task_id: Id | None = None
    """The task that it works on (tsk_…)."""
    provider_session: ProviderIn | None = None
    """The harness's own session."""


class AttemptIn(Input):
    provider_session: ProviderIn | None = None


class InterruptIn(Input):
    kind: InterruptionKind = InterruptionKind.USER
    """Who or what interrupted it."""
    reason: OptionalText = ""
    """Why, in words."""


class CloseIn(Input):
    reason: OptionalText = ""
    """Why, in words."""
    head_seq: Annotated[int, Strict(), Field(ge=0, le=LARGEST_COUNT)] | None = None
    """The last entry that the caller knows: it is not closed where there are later ones."""


@router.post("/sessions", operation_id="open_session")
def post_session(request: HttpRequest, body: SessionIn) -> HttpResponse:
    """Open the session of a role (and task) on a thread, or pick it up where it stopped."""

    def write(acting: Acting) -> HttpResponse:
        thread = thread_here(body.thread_id, pointer="/thread_id")
        task = task_here(body.task_id, pointer="/task_id") if body.task_id else None
        if task is not None and task.thread_id != thread.pk:
            raise Invalid.at("/task_id", "belongs to another thread", code="threads_differ")
        role = held_role(acting, body.role)
        wish = OpenWish(role=role, task=task, provider=provider_wish(body.provider_session))
        opening = open_or_resume(acting, thread, wish, now=timezone.now())
        status = 201 if opening.recovery is Recovery.OPENED else 200
        return answer(opening_out(opening), status=status, version=opening.session.version)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.get("/sessions/{session_id}", operation_id="get_session")
def get_session(request: HttpRequest, session_id: str) -> HttpResponse:
    """Show a session."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)
    with project_scope(acting, read_only=True):
        session = session_here(acting, session_id)
        return answer(session_out(session), version=session.version)


@router.post("/sessions/{session_id}/attempts", operation_id="start_attempt")
def post_attempt(request: HttpRequest, session_id: str, body: AttemptIn) -> HttpResponse:
    """Start a new attempt and end the running one."""

    def write(acting: Acting) -> HttpResponse:
        session = session_here(acting, session_id)
        opening = start_attempt(acting, session, provider_wish(body.provider_session), now=timezone.now())
        return answer(opening_out(opening), status=201, version=opening.session.version)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.post("/sessions/{session_id}/interrupt", operation_id="interrupt_session")
def post_interrupt(request: HttpRequest, session_id: str, body: InterruptIn) -> HttpResponse:
    """Note that the work stopped without an end."""

    def write(acting: Acting) -> HttpResponse:
        session = session_here(acting, session_id)
        interrupt(acting, session, kind=body.kind, reason=body.reason, now=timezone.now())
        return answer(session_out(session), version=session.version)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.post("/sessions/{session_id}/close", operation_id="close_session")
def post_close(request: HttpRequest, session_id: str, body: CloseIn) -> HttpResponse:
    """Close a session for good: its transcript is sealed, and a handoff is written."""

    def write(acting: Acting) -> HttpResponse:
        session = session_here(acting, session_id)
        close(acting, session, reason=body.reason, now=timezone.now(), seen=body.head_seq)
        return answer(session_out(session), version=session.version)

    return written(request, KeyScope.SESSION_WRITE, write)


def session_here(acting: Acting, session_id: str, *, pointer: str = "{session_id}") -> Session:
    """Return a session by public id that the actor may work in; raises NotThere and Forbidden."""
    try:
        pk = parse_id("ses", session_id, pointer=pointer)
    except Invalid:
        raise NotThere.there(pointer) from None
    return session_at(acting, pk, pointer=pointer)


def session_out(session: Session) -> dict[str, Any]:
    """Return a session as the API shows it."""
    fields = [
        "role",
        "state",
        "title",
        "head_seq",
        "resume_point",
        "interruptions",
        "version",
        "created_at",
        "last_event_at",
        "closed_at",
        "seal",
    ]
    return {
        "id": session.public_id,
        "thread_id": public_id("thr", session.thread_id),
        "task_id": public_id("tsk", session.task_id) if session.task_id else None,
        **{name: getattr(session, name) for name in fields},
    }


def opening_out(opening: Opening) -> dict[str, Any]:
    """Return how a session was picked up."""
    picked = {"attempt_id": opening.attempt.public_id, "recovery": opening.recovery, "missing": list(opening.missing)}
    return session_out(opening.session) | picked


def provider_wish(named: ProviderIn | None) -> ProviderWish | None:
    """Return the harness's own session in the words of the verbs."""
    return ProviderWish(harness=named.harness, external_id=named.id) if named else None
