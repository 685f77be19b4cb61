"""HTTP: handing work over, sending a task back, and picking a session up again."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import Acting
from governance.ids import parse_id, public_id
from governance.input import ClientId, Flag, Id, Input, OptionalText, Text, Word
from governance.replays import once, written
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer
from sessions.fallen import said_now
from sessions.handoffs import ACCOUNT, HandoffWish, addressee, parts_from, parts_of
from sessions.models import Handoff, Session
from sessions.resuming import ADVICE, Resumed, ResumeFailed, ResumeWish, note_failure, resume
from sessions.sending_back import BackWish, SentBack, send_back
from sessions.session_api import ProviderIn, opening_out, provider_wish, session_here
from sessions.windows import hand_over
from threads.task_api import task_here, task_out

router = Router(tags=["sessions"])
type Items = Annotated[list[Text], Field(max_length=200)]


class PartsIn(Input):
    """All parts of a handoff, or none of them: it is then written from the records."""

    summary: OptionalText | None = None
    unfinished_items: Items | None = None
    risks: Items | None = None
    resume_suggestion: OptionalText | None = None
    what: OptionalText | None = None
    why: OptionalText | None = None
    trade_offs: Items | None = None
    open: Items | None = None
    next: Items | None = None


class HandoffIn(PartsIn):
    next_actor: Word
    to_session_id: Id | None = None


class SendBackIn(PartsIn):
    reason: Text
    session_id: Id | None = None


class ResumeIn(Input):
    provider_session: ProviderIn | None = None
    """The harness's session that goes on with it."""
    provider_gone: Flag = False
    """Whether the harness's old session is lost."""
    last_client_id: ClientId | None = None
    """The `client_id` of the last entry that the caller believes to have delivered."""
    last_attempt_id: Id | None = None
    """The last attempt that the caller knows of (att_…)."""


@router.post("/sessions/{session_id}/handoff", operation_id="write_handoff")
def post_handoff(request: HttpRequest, session_id: str, body: HandoffIn) -> HttpResponse:
    """Hand the work to another role: the session waits, idle, and its attempt ends."""

    def write(acting: Acting) -> HttpResponse:
        session = session_here(acting, session_id)
        to = _addressed(session, body.to_session_id)
        wish = HandoffWish(next_actor=body.next_actor, parts=parts_from(_parts(body)), to_session=to)
        return answer(handoff_out(hand_over(acting, session, wish, now=timezone.now())), status=201)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.post("/tasks/{task_id}/send-back", operation_id="send_back_task")
def post_send_back(request: HttpRequest, task_id: str, body: SendBackIn) -> HttpResponse:
    """Return a task under review to the session that did it, with a handoff of what was found."""

    def write(acting: Acting) -> HttpResponse:
        task = task_here(task_id)
        found_in = session_here(acting, body.session_id, pointer="/session_id") if body.session_id else None
        wish = BackWish(reason=body.reason, session=found_in, parts=parts_from(_parts(body)))
        done = send_back(acting, task, wish, now=timezone.now())
        return answer(_sent_back_out(done), version=task.version)

    return written(request, KeyScope.SESSION_WRITE, write)


@router.post("/sessions/{session_id}/resume", operation_id="resume_session")
def post_resume(request: HttpRequest, session_id: str, body: ResumeIn) -> HttpResponse:
    """Pick a session up in a new process, and hear what could not be brought back."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting):
            done = resume(acting, session_here(acting, session_id), _wish(body), now=timezone.now())
            return answer(resumed_out(done), status=201, version=done.opening.session.version)

    try:
        return once(request, acting, act)
    except ResumeFailed as failed:
        note_failure(acting, failed, now=timezone.now())
        raise


def handoff_out(handoff: Handoff) -> dict[str, Any]:
    """Return a handoff as the API shows it, its empty lists said, and nothing that rests on what was revoked."""
    plain = ("next_actor", "occasion", "covers_to_seq")
    return {
        "id": handoff.public_id,
        "ref": f"handoff://{handoff.public_id}",
        "from_session_id": public_id("ses", handoff.from_session_id),
        "to_session_id": public_id("ses", handoff.to_session_id) if handoff.to_session_id else None,
        "task_id": public_id("tsk", handoff.task_id) if handoff.task_id else None,
        **{name: getattr(handoff, name) for name in plain},
        **dict.fromkeys(ACCOUNT),  # what an older one does not say is null
        **said_now(parts_of(handoff)),
        "pins": handoff.pins,
        "created_at": handoff.created_at,
    }


def resumed_out(done: Resumed) -> dict[str, Any]:
    """Return how a session was picked up: the outcome, what is missing and why, and what moved since it was left."""
    told = {
        "outcome": done.opening.recovery,
        "why": done.why,
        "what_to_do": ADVICE[done.why] if done.why else None,
        "handoff": handoff_out(done.handoff) if done.handoff else None,
        "moved": [{"ref": one.ref, "pinned": one.pinned, "now": one.now} for one in done.moved],
    }
    return opening_out(done.opening) | told


def _sent_back_out(done: SentBack) -> dict[str, Any]:
    to = {"id": done.to.public_id, "role": done.to.role, "state": done.to.state} if done.to else None
    return task_out(done.task) | {"session": to, "handoff": handoff_out(done.handoff) if done.handoff else None}


def _parts(body: PartsIn) -> dict[str, Any]:
    return {name: getattr(body, name) for name in PartsIn.model_fields}


def _addressed(session: Session, session_id: str | None) -> Session | None:
    if session_id is None:
        return None
    return addressee(session, parse_id("ses", session_id, pointer="/to_session_id"), pointer="/to_session_id")


def _wish(body: ResumeIn) -> ResumeWish:
    seen = parse_id("att", body.last_attempt_id, pointer="/last_attempt_id") if body.last_attempt_id else None
    return ResumeWish(
        provider=provider_wish(body.provider_session),
        provider_gone=body.provider_gone,
        told=body.last_client_id,
        seen=seen,
    )
