"""What a session's page shows beside the transcript, read in the open scope."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject, Length

from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.models import Revision
from governance.vocabulary import Audience, ContractKind
from sessions.context.vocabulary import SummarySection
from sessions.fallen import Fallen, fallen_among, said_now, texts_in
from sessions.handoffs import parts_of
from sessions.losses import kept_of
from sessions.models import Attempt, ColdSegment, Handoff, ProviderSession, Session, WorkSummary
from sessions.outlook import outlook_of
from sessions.session_cards import (
    AttemptLine,
    Failure,
    HandoffCard,
    Interruption,
    PinnedRevision,
    ProviderLine,
    Resting,
    SessionCard,
    SummaryCard,
)
from sessions.thread_lines import Words
from sessions.vocabulary import (
    AttemptState,
    HandoffOccasion,
    InterruptionKind,
    Loss,
    Recovery,
    ResumeFault,
    SessionState,
)

MOST_ATTEMPTS, MOST_PROVIDERS, MOST_HANDOFFS = 50, 50, 10
PINNED = ("persona", "role", "policy", "self_profile")


def card_of(session_id: uuid.UUID, *, now: datetime) -> SessionCard:
    """Return a session's card. Five statements, or six, whatever there is to tell; raises NotThere."""
    session = _with_heads(Session.objects.filter(pk=session_id)).first()
    if session is None:
        raise NotThere
    attempts = list(_attempts(session))
    providers = list(ProviderSession.objects.filter(session=session).order_by("-created_at", "-id")[:MOST_PROVIDERS])
    row = session.newest_summary  # type: ignore[attr-defined]  # annotated by _with_heads
    outlook = outlook_of(
        session,
        attempts,
        providers,
        kept=kept_of(session),
        now=now,
    )
    return SessionCard(
        session=session,
        state=SessionState(session.state),
        thread_title=Words.of(session.thread.title),
        private=session.audience == Audience.PRIVATE,
        task_title=Words.of(session.task.title) if session.task_id else None,
        resume_point=Words.of(session.resume_point) if session.resume_point.strip() else None,
        interruptions=[_interruption(note) for note in reversed(session.interruptions)],
        outlook=outlook,
        failure=_failure(session.resume_failure),
        providers=[_provider(provider) for provider in providers],
        attempts=[_attempt(attempt) for attempt in attempts],
        summary=_summary(session, row) if row else None,
        handoffs=_handoffs(session),
        resting=Resting(**cold) if (cold := session.cold) else None,  # type: ignore[attr-defined]  # annotated as well
    )


def _with_heads(rows: QuerySet[Session]) -> QuerySet[Session]:
    newest = WorkSummary.objects.filter(session=OuterRef("pk")).order_by("-version")
    shown = JSONObject(id=F("id"), version="version", first="from_seq", last="to_seq", at="created_at", says="sections")
    segments = ColdSegment.objects.filter(session=OuterRef("pk")).order_by().values("session")
    sums = segments.annotate(entries_sum=Sum("entries"), kept=Sum(Length("content")), raw=Sum("raw_bytes"))
    return rows.select_related("thread", "task", "opened_by").annotate(
        newest_summary=Subquery(newest.values(shown=shown)[:1]),
        cold=Subquery(sums.values(shown=JSONObject(entries="entries_sum", kept="kept", raw="raw"))),
    )


def _attempts(session: Session) -> QuerySet[Attempt]:
    contracts = [f"{kind}_revision__contract" for kind in PINNED]
    rows = Attempt.objects.filter(session=session).select_related("actor", "provider_session", *contracts)
    heavy = [f"{kind}_revision__body" for kind in PINNED]
    return rows.defer(*heavy).order_by("-number")[:MOST_ATTEMPTS]


def _handoffs(session: Session) -> list[HandoffCard]:
    own = Q(from_session=session) | Q(to_session=session)
    rows = list(Handoff.objects.filter(own).order_by("-created_at", "-id")[:MOST_HANDOFFS])
    fallen = fallen_among(text for row in rows for text in texts_in(parts_of(row)))
    return [_handoff(session, row, fallen) for row in rows]


def _attempt(row: Attempt) -> AttemptLine:
    own = row.provider_session
    return AttemptLine(
        public_id=row.public_id,
        number=row.number,
        state=AttemptState(row.state),
        actor=made_visible(row.actor.name),
        harness=made_visible(own.harness) if own else "",
        external_id=made_visible(own.external_id) if own else "",
        started_at=row.started_at,
        ended_at=row.ended_at,
        recovery=Recovery(row.recovery) if row.recovery else None,
        missing=[Loss(one) for one in row.missing],
        pinned=[_pinned(revision) for kind in PINNED if (revision := getattr(row, f"{kind}_revision"))],
    )


def _pinned(row: Revision) -> PinnedRevision:
    return PinnedRevision(
        kind=ContractKind(row.contract.kind),
        slug=row.contract.slug,
        number=row.number,
        ref=f"revision://{row.public_id}",
    )


def _provider(row: ProviderSession) -> ProviderLine:
    return ProviderLine(
        harness=made_visible(row.harness),
        external_id=made_visible(row.external_id),
        alive=row.alive,
    )


def _summary(session: Session, row: Mapping[str, Any]) -> SummaryCard:
    said = said_now(row["says"])
    return SummaryCard(
        public_id=public_id("sum", uuid.UUID(row["id"])),
        version=row["version"],
        from_seq=row["first"],
        to_seq=row["last"],
        behind=max(session.head_seq - row["last"], 0),
        at=datetime.fromisoformat(row["at"]),
        sections=[(section, _all_words(said[section])) for section in SummarySection if said.get(section)],
        erased=not row["says"],
    )


def _handoff(session: Session, row: Handoff, fallen: Fallen) -> HandoffCard:
    incoming = row.to_session_id == session.pk or row.from_session_id != session.pk
    other = row.from_session_id if incoming else row.to_session_id
    said = said_now(parts_of(row), fallen)
    return HandoffCard(
        ref=f"handoff://{row.public_id}",
        incoming=incoming,
        other=public_id("ses", other) if other and other != session.pk else "",
        at=row.created_at,
        summary=Words.of(said["summary"]),
        unfinished=_all_words(said["unfinished_items"]),
        risks=_all_words(said["risks"]),
        suggestion=Words.of(said["resume_suggestion"]),
        next_actor=made_visible(row.next_actor),
        occasion=HandoffOccasion(row.occasion),
    )


def _interruption(note: Mapping[str, Any]) -> Interruption:
    kind = note["kind"]
    return Interruption(
        kind=made_visible(kind),
        known=InterruptionKind(kind) if kind in set(InterruptionKind) else None,
        reason=Words.of(note["reason"]),
        at=datetime.fromisoformat(note["at"]),
        after=note.get("after"),
        attempt=note.get("attempt") or "",
    )


def _failure(noted: Mapping[str, Any] | None) -> Failure | None:
    return Failure(fault=ResumeFault(noted["why"]), at=datetime.fromisoformat(noted["at"])) if noted else None


def _all_words(texts: Sequence[str]) -> Sequence[Words]:
    return [Words.of(text) for text in texts]
