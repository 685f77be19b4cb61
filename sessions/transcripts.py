"""The transcript: appended under the session's lock, numbered without gaps, and never stored twice."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from governance.actors import Acting
from governance.errors import Clash, Invalid, NotThere
from governance.models.base import reach_of
from governance.scope import project_scope, record
from governance.vocabulary import ActorKind
from sessions.artifacts import artifact_ref, keep_all
from sessions.context.cuts import excerpt
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.learning import learn_from
from sessions.lifecycle import LEASE, advance_session
from sessions.live import hold
from sessions.models import Artifact, Attempt, Event, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, AttestedBy, EventKind, EventRole, SessionState
from threads.lifecycle import check_open, touch

MOST_EVENTS = 500  # of one append; more come in several, each whole or not at all


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """One entry to append. `client_id` is the writer's own id for it: sending it again stores nothing twice."""

    client_id: str
    role: EventRole
    kind: EventKind
    text: str
    tool: str = ""
    failed: bool | None = None
    attested_by: AttestedBy = AttestedBy.AGENT
    occurred_at: datetime | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of one entry: where it stands, and whether it had been there before."""

    event: Event
    replayed: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """The answer to an append: each entry in the order sent, and the session's last seq."""

    appended: list[Appended]
    head_seq: int


def append(
    acting: Acting,
    session_id: uuid.UUID,
    events: Sequence[NewEvent],
    *,
    now: datetime,
    attempt_id: uuid.UUID | None = None,
    also_archived: bool = False,
) -> Transcript:
    """Append entries to a session: all of them, or none.

    An entry whose client id is known with the same content is answered where it stands. Raises NotThere for a
    session that is not here, Clash (thread_not_open) for new entries where the thread was put away, unless
    `also_archived`, which completes a record of what happened before; Clash (session_closed) for one that takes no
    more, Clash (client_id_reused) when a known client id comes with other content, Clash (erased_since) when what it
    stood for was erased, and Invalid for two entries with one client id.
    """
    _check_batch(events)
    with project_scope(acting):
        session = Session.objects.filter(pk=session_id).select_related("thread").first()
        if session is None:
            raise NotThere
        hashes = [content_hash(event) for event in events]
        drafts = _drafts(session, events, hashes)
        hold(session)
        _check_open(session)
        known = _known(session, events, hashes)
        fresh = [draft for draft in drafts if draft.client_id not in known]
        if fresh and not also_archived:
            check_open(session.thread, pointer="{session_id}")
        _number(session, fresh, acting, attempt=_attempt(acting, session, attempt_id), now=now)
        if fresh:
            _follow_up(acting, session, fresh, now=now)
        stored = known | {draft.client_id: draft for draft in fresh}
        return Transcript([Appended(stored[e.client_id], e.client_id in known) for e in events], session.head_seq)


def content_hash(event: NewEvent) -> str:
    """Return the hash that tells whether a repeated client id means the same entry."""
    parts = [event.role, event.kind, event.text, event.tool, event.failed, event.occurred_at, dict(event.meta)]
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def event_ref(session: Session, seq: int) -> str:
    """Return the ref that opens one event."""
    return f"event://{session.public_id}/{seq}"


def _check_batch(events: Sequence[NewEvent]) -> None:
    if not 1 <= len(events) <= MOST_EVENTS:
        raise Invalid.at("/events", f"expected 1 to {MOST_EVENTS} entries; send the rest in further requests")
    seen: set[str] = set()
    for n, event in enumerate(events):
        if event.client_id in seen:
            raise Invalid.at(f"/events/{n}/client_id", "stands twice in this request", code="client_id_twice")
        seen.add(event.client_id)


def _check_open(session: Session) -> None:
    if session.state not in LIVE:
        raise Clash.at("{session_id}", f"it is {session.state} and takes no more events", code="session_closed")


def _drafts(session: Session, events: Sequence[NewEvent], hashes: Sequence[str]) -> list[Event]:
    cap = settings.GREYWIND.tool_result_cap
    counter = exact_counter("o200k_base")
    large = [e.text for e in events if e.kind is EventKind.TOOL_RESULT and counter.count(e.text) > cap]
    kept = keep_all(large, beside=session)
    return [_draft(session, event, hashed, kept.get(event.text)) for event, hashed in zip(events, hashes, strict=True)]


def _draft(session: Session, event: NewEvent, hashed: str, whole: Artifact | None) -> Event:
    if event.kind is not EventKind.TOOL_RESULT:
        whole = None
    text = excerpt(event.text, settings.GREYWIND.tool_result_cap, ref=artifact_ref(whole)) if whole else event.text
    return Event(
        project_id=session.project_id,
        session_id=session.pk,
        client_id=event.client_id,
        role=event.role,
        kind=event.kind,
        text=text,
        tool=event.tool,
        failed=event.failed,
        attested_by=event.attested_by,
        artifact=whole,
        tokens_o200k=body_tokens(text, exact_counter("o200k_base")),
        tokens_cl100k=body_tokens(text, exact_counter("cl100k_base")),
        content_hash=hashed,
        meta=dict(event.meta),
        occurred_at=event.occurred_at,
        **reach_of(session),
    )


def _known(session: Session, events: Sequence[NewEvent], hashes: Sequence[str]) -> dict[str, Event]:
    ids = [event.client_id for event in events]
    known = {row.client_id: row for row in Event.objects.filter(session_id=session.pk, client_id__in=ids).defer("text")}
    for n, (event, hashed) in enumerate(zip(events, hashes, strict=True)):
        row = known.get(event.client_id)
        if row is not None and row.erased:
            message = (
                f"it was stored as seq {row.seq}, and its words were erased since, which is for good; leave this entry "
                "out of what you send"
            )
            raise Clash.at(f"/events/{n}/client_id", message, code="erased_since")
        if row is not None and row.content_hash != hashed:
            message = f"it was stored with other content as seq {row.seq}; use a fresh id"
            raise Clash.at(f"/events/{n}/client_id", message, code="client_id_reused")
    return known


def _number(
    session: Session, fresh: Sequence[Event], acting: Acting, *, attempt: Attempt | None, now: datetime
) -> None:
    for seq, event in enumerate(fresh, start=session.head_seq + 1):
        event.seq, event.actor_id, event.attempt, event.created_at = seq, acting.actor_id, attempt, now
    Event.objects.bulk_create(fresh)
    session.head_seq += len(fresh)


def _attempt(acting: Acting, session: Session, attempt_id: uuid.UUID | None) -> Attempt | None:
    attempts = Attempt.objects.filter(session_id=session.pk)
    if attempt_id is None and acting.kind is ActorKind.HUMAN:
        return None  # a person speaks into the session, and is no part of the process that runs in it
    if attempt_id is None:
        return attempts.filter(state=AttemptState.RUNNING).first()
    named = attempts.filter(pk=attempt_id).first()
    if named is None:
        raise NotThere.there("/attempt_id")
    return named


def _follow_up(acting: Acting, session: Session, fresh: Sequence[Event], *, now: datetime) -> None:
    thread = session.thread
    if session.state == SessionState.IDLE:
        advance_session(session, SessionState.ACTIVE, reason="new events")
    renewed = now + timedelta(seconds=LEASE)
    if acting.kind is not ActorKind.HUMAN:  # a person's words are no sign that the agent's process lives
        Attempt.objects.filter(session_id=session.pk, state=AttemptState.RUNNING).update(lease_until=renewed)
    touch(thread, acting, role=session.role, now=now)
    learn_from(acting, session, fresh, now=now)
    first, last = fresh[0].seq, fresh[-1].seq
    record("event.append", f"event://{session.public_id}/{first}-{last}", detail={"count": len(fresh)})
