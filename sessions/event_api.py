"""HTTP: what is appended to a session, and the standing demands of its thread."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import Acting, check_scope
from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.input import ClientId, Flag, Id, Input, Json, Moment, OptionalText, Ref, Text
from governance.replays import once
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer, page_size
from sessions.artifacts import READ_MOST
from sessions.context.cuts import excerpt
from sessions.models import Event, Session
from sessions.reading import constraints_of
from sessions.session_api import session_here
from sessions.speaking import Retirement, retire
from sessions.transcripts import MOST_EVENTS, Appended, NewEvent, Transcript, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.api import thread_here

router = Router(tags=["sessions"])
# A demand binds every later packet, and a correction takes one back: both need somebody who vouches for them.
VOUCHED = (EventKind.CONSTRAINT, EventKind.CORRECTION)


class EventIn(Input):
    client_id: ClientId
    """The caller's own id of the entry; sent again with the same content it makes nothing new."""
    role: EventRole
    """Whose words or work it is."""
    kind: EventKind = EventKind.MESSAGE
    """A message, a tool call or its result, or what else happened."""
    text: OptionalText
    """The words, whole; long ones are kept as an artifact."""
    tool: Annotated[OptionalText, Field(max_length=200)] = ""
    """The tool's name, for calls and results."""
    failed: Flag | None = None
    """Whether the tool failed."""
    attested: Flag = False
    """Vouches that the user said this; needs a key with event:attest."""
    occurred_at: Moment | None = None
    """When it happened, where that is not now."""
    meta: Json = {}
    """What else the caller wants to keep beside it."""


class EventsIn(Input):
    events: Annotated[list[EventIn], Field(min_length=1, max_length=MOST_EVENTS)]
    """What happened, in order."""
    attempt_id: Id | None = None
    """The attempt that it happened in (att_…)."""


class RetireIn(Input):
    ref: Ref
    """The demand that no longer holds (event://ses_…/12)."""
    reason: Text
    """The user's words that take it back."""
    client_id: ClientId
    """The caller's own id of this entry."""


@router.get("/sessions/{session_id}/events", operation_id="list_events")
def get_events(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int | None = None
) -> HttpResponse:
    """List a session's transcript in order.

    The text of an entry of more than 4,000 tokens is its head and tail, and `whole` is false: the whole is at its ref,
    which `/evidence` reads in pieces.
    """
    acting = acting_of(request, KeyScope.SESSION_WRITE)
    with project_scope(acting, read_only=True):
        session = session_here(acting, session_id)
        size, after = page_size(limit), _after(cursor)
        rows = list(Event.objects.filter(session=session, seq__gt=after).order_by("seq")[: size + 1])
        more, rows = len(rows) > size, rows[:size]
        following = str(rows[-1].seq) if more else None
        before = str(max(after - size, 0)) if after > 0 else None
        return answer({"results": [event_out(session, row) for row in rows], "next": following, "previous": before})


@router.post("/sessions/{session_id}/events", operation_id="append_events")
def post_events(request: HttpRequest, session_id: str, body: EventsIn) -> HttpResponse:
    """Append entries, all or none. Sending a client_id again stores nothing twice."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)
    events = [_new_event(acting, entry, n) for n, entry in enumerate(body.events)]
    attempt = parse_id("att", body.attempt_id, pointer="/attempt_id") if body.attempt_id else None

    def act() -> HttpResponse:
        with project_scope(acting):
            session = session_here(acting, session_id)
            done = append(acting, session.pk, events, now=timezone.now(), attempt_id=attempt)
            return answer(_transcript_out(session, done), status=201)

    return once(request, acting, act)


@router.get("/threads/{thread_id}/constraints", operation_id="list_constraints")
def get_constraints(request: HttpRequest, thread_id: str) -> HttpResponse:
    """List the demands that hold on a thread, each with the event that made it."""
    with project_scope(acting_of(request, KeyScope.SESSION_WRITE), read_only=True):
        rows = constraints_of(thread_here(thread_id))
        return answer({"results": [{"ref": row.ref, "text": row.text} for row in rows]})


@router.post("/sessions/{session_id}/constraints/retire", operation_id="retire_constraint")
def post_retire(request: HttpRequest, session_id: str, body: RetireIn) -> HttpResponse:
    """Take a demand back in the user's name: stored as an attested correction that names it."""
    acting = acting_of(request, KeyScope.SESSION_WRITE, KeyScope.EVENT_ATTEST)

    def act() -> HttpResponse:
        with project_scope(acting):
            session = session_here(acting, session_id)
            wish = Retirement(**body.model_dump(), attested_by=AttestedBy.HARNESS)
            done = retire(acting, session, wish, now=timezone.now())
            return answer(_transcript_out(session, done), status=201)

    return once(request, acting, act)


def event_out(session: Session, row: Event) -> dict[str, Any]:
    """Return a transcript entry as the API shows it: of a text that is longer than one read, head, ref and tail."""
    ref = f"event://{session.public_id}/{row.seq}"
    text = excerpt(row.text, READ_MOST, ref=ref, total=row.tokens_o200k)
    fields = [
        "seq",
        "client_id",
        "role",
        "kind",
        "tool",
        "failed",
        "attested_by",
        "meta",
        "occurred_at",
        "created_at",
    ]
    return {
        "id": row.public_id,
        "ref": ref,
        "text": text,
        "whole": text == row.text,
        "artifact_ref": f"artifact://{public_id('art', row.artifact_id)}" if row.artifact_id else None,
        "attempt_id": public_id("att", row.attempt_id) if row.attempt_id else None,
        "tokens": row.tokens_o200k,
        **{name: getattr(row, name) for name in fields},
    }


def _new_event(acting: Acting, entry: EventIn, n: int) -> NewEvent:
    if entry.attested:
        check_scope(acting, KeyScope.EVENT_ATTEST)
    elif entry.kind in VOUCHED:
        message = f"a {entry.kind} needs attested: true, and a key with the scope event:attest"
        raise Invalid.at(f"/events/{n}/attested", message, code="attestation_needed")
    fields = entry.model_dump(exclude={"attested"})
    return NewEvent(**fields, attested_by=AttestedBy.HARNESS if entry.attested else AttestedBy.AGENT)


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 9:
        raise Invalid.at("?cursor", "take it unchanged from `next` or `previous`")
    return int(cursor)


def _transcript_out(session: Session, done: Transcript) -> dict[str, Any]:
    return {"results": [_appended_out(session, entry) for entry in done.appended], "head_seq": done.head_seq}


def _appended_out(session: Session, entry: Appended) -> dict[str, Any]:
    row = entry.event
    return {
        "id": row.public_id,
        "ref": f"event://{session.public_id}/{row.seq}",
        "seq": row.seq,
        "client_id": row.client_id,
        "tokens": row.tokens_o200k,
        "artifact_ref": f"artifact://{public_id('art', row.artifact_id)}" if row.artifact_id else None,
        "replayed": entry.replayed,
    }
