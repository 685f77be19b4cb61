"""HTTP: the main job. POST /context, and looking at a packet again."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import parse_id
from governance.replays import HEADER, REPLAYED, checked_key, claim, fingerprint, known, once
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer
from sessions.asking import ContextAsk
from sessions.context_input import ContextIn, OutcomeIn, ask_from
from sessions.explaining import explain
from sessions.outcomes import OutcomeWish, store_outcome
from sessions.replay import replay, show_again
from sessions.runtime import prepare_context

router = Router(tags=["context"])


@router.post("/context", operation_id="compile_context")
def post_context(request: HttpRequest, body: ContextIn) -> HttpResponse:
    """Compile the context for one turn: resolve, open, gather, budget, compile, assemble, record.

    The turn's words are not kept by this call. A whole turn is three: this one; then POST /sessions/{id}/events with
    the session's id of the answer, the user's words (`attested: true` vouches for them, and the first such request
    becomes the thread's vision) and what the agent said and did; then POST /context/{packet_id}/outcome.
    """
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    ask = ask_from(body)
    if HEADER in request.headers and not ask.dry_run:
        return _once(request, acting, ask, now=timezone.now())
    return answer(prepare_context(ask, acting=acting, now=timezone.now()))


@router.get("/context/{packet_id}", operation_id="get_context")
def get_context(request: HttpRequest, packet_id: str) -> HttpResponse:
    """Show a packet again, rebuilt from its refs."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(show_again(acting, packet_uuid(packet_id)))


@router.get("/context/{packet_id}/explain", operation_id="explain_context")
def get_explain(request: HttpRequest, packet_id: str, ref: str) -> HttpResponse:
    """Say why something was in a packet, was cut, was not eligible, or was never considered."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(explain(acting, packet_uuid(packet_id), ref).as_json())


@router.get("/context/{packet_id}/replay", operation_id="replay_context")
def get_replay(request: HttpRequest, packet_id: str) -> HttpResponse:
    """Compile a recorded packet once more: the same bytes, or the parts that are gone; no content is shown."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    return answer(replay(acting, packet_uuid(packet_id)))


@router.post("/context/{packet_id}/outcome", operation_id="report_outcome")
def post_outcome(request: HttpRequest, packet_id: str, body: OutcomeIn) -> HttpResponse:
    """Report what became of a packet: usage, cited refs, result, verification."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    wish = OutcomeWish(**body.model_dump())

    def act() -> HttpResponse:
        return answer(store_outcome(acting, packet_uuid(packet_id), wish, now=timezone.now()), status=201)

    return once(request, acting, act)


def packet_uuid(packet_id: str) -> Any:
    """Return the UUID of a packet's public id, or None for a text that is none: it then reads as not there."""
    try:
        return parse_id("pkt", packet_id, pointer="{packet_id}")
    except Invalid:
        return None


def _once(request: HttpRequest, acting: Acting, ask: ContextAsk, *, now: datetime) -> HttpResponse:
    key, print_ = checked_key(request.headers[HEADER]), fingerprint(request)
    with project_scope(acting, read_only=True):
        stored = known(acting, key, print_)
    if stored is None:
        try:
            return answer(prepare_context(ask, acting=acting, now=now, remember=_remember(acting, key, print_)))
        except AlreadyAnswered as other:
            stored_ref = other.packet_ref
    else:
        stored_ref = stored.packet_ref
    response = answer(show_again(acting, packet_uuid(stored_ref)))
    response[REPLAYED] = "true"
    return response


class AlreadyAnswered(Exception):
    """A request with the same key was answered while this one compiled; nothing of this one was stored."""

    def __init__(self, packet_ref: str) -> None:
        super().__init__(packet_ref)
        self.packet_ref = packet_ref


def _remember(acting: Acting, key: str, print_: str) -> Any:
    def remember(packet_ref: str) -> None:
        stored = claim(acting, key, print_, packet_ref=packet_ref)
        if stored is not None:
            raise AlreadyAnswered(stored.packet_ref)

    return remember
