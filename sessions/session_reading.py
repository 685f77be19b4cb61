"""What a session's page shows beside the transcript, read in the open scope."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Revision
from governance.vocabulary import Audience, ContractKind
from sessions.context.vocabulary import SummarySection
from sessions.models import Attempt, Handoff, ProviderSession, Session, WorkSummary
from sessions.models.session import LIVE
from sessions.outlook import Outlook, outlook_of
from sessions.vocabulary import AttemptState, SessionState
from threads.vocabulary import ThreadState

MOST_ATTEMPTS, MOST_PROVIDERS, MOST_HANDOFFS = 50, 50, 10
PINNED = ("persona", "role", "policy", "self_profile")


@dataclass(frozen=True, slots=True)
class Named:
    """Words of somebody, and in which language they are."""

    text: str

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLine:
    """A harness's own session."""

    row_id: uuid.UUID
    harness: str
    external_id: str
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRevision:
    """A contract's revision that an attempt started with; `ref` opens it."""

    kind: ContractKind
    slug: str
    number: int
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLine:
    """One process run. `external_id` is that of the provider session it ran in, or ''."""

    public_id: str
    number: int
    state: AttemptState
    actor: str
    harness: str
    external_id: str
    started_at: datetime
    ended_at: datetime | None
    pinned: Sequence[PinnedRevision]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCard:
    """The newest version of the work summary. `behind` counts the entries after the last one that it covers."""

    public_id: str
    version: int
    from_seq: int
    to_seq: int
    behind: int
    at: datetime
    sections: Sequence[tuple[SummarySection, Sequence[Named]]]

    @property
    def stale_since(self) -> int:
        return self.to_seq + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffCard:
    """A handoff that this session wrote or takes; `other` is the session at its other end, or ''."""

    ref: str
    incoming: bool
    other: str
    at: datetime
    summary: Named
    unfinished: Sequence[Named]
    risks: Sequence[Named]
    suggestion: Named
    next_actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """A time when the work stopped without an end."""

    kind: str
    reason: Named
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCard:
    """A session's page without its transcript."""

    session: Session
    state: SessionState
    thread_title: Named
    private: bool
    task_title: Named | None
    resume_point: Named | None
    interruptions: Sequence[Interruption]
    outlook: Outlook
    providers: Sequence[ProviderLine]
    attempts: Sequence[AttemptLine]
    summary: SummaryCard | None
    handoffs: Sequence[HandoffCard]

    @property
    def live(self) -> bool:
        """Whether it takes more entries."""
        return self.state in LIVE

    @property
    def thread_open(self) -> bool:
        """Whether the thread takes words of a human."""
        return bool(self.session.thread.state == ThreadState.OPEN)

    @property
    def thread_id(self) -> str:
        return public_id("thr", self.session.thread_id)

    @property
    def task_id(self) -> str:
        return public_id("tsk", self.session.task_id) if self.session.task_id else ""


def card_of(session_id: uuid.UUID, *, now: datetime) -> SessionCard:
    """Return a session's card. Four statements, whatever there is to tell; raises NotThere."""
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
        has_summary=row is not None,
        has_handoff=session.has_handoff,  # type: ignore[attr-defined]  # annotated by _with_heads
        now=now,
    )
    return SessionCard(
        session=session,
        state=SessionState(session.state),
        thread_title=_named(session.thread.title),
        private=session.audience == Audience.PRIVATE,
        task_title=_named(session.task.title) if session.task_id else None,
        resume_point=_named(session.resume_point) if session.resume_point.strip() else None,
        interruptions=[_interruption(note) for note in reversed(session.interruptions)],
        outlook=outlook,
        providers=[_provider(provider) for provider in providers],
        attempts=[_attempt(attempt) for attempt in attempts],
        summary=_summary(session, row) if row else None,
        handoffs=[_handoff(session, handoff) for handoff in _handoffs(session)],
    )


def _with_heads(rows: QuerySet[Session]) -> QuerySet[Session]:
    newest = WorkSummary.objects.filter(session=OuterRef("pk")).order_by("-version")
    shown = JSONObject(id=F("id"), version="version", first="from_seq", last="to_seq", at="created_at", says="sections")
    return rows.select_related("thread", "task", "opened_by").annotate(
        newest_summary=Subquery(newest.values(shown=shown)[:1]),
        has_handoff=Exists(Handoff.objects.filter(thread_id=OuterRef("thread_id"))),
    )


def _attempts(session: Session) -> QuerySet[Attempt]:
    contracts = [f"{kind}_revision__contract" for kind in PINNED]
    rows = Attempt.objects.filter(session=session).select_related("actor", "provider_session", *contracts)
    heavy = [f"{kind}_revision__body" for kind in PINNED]
    return rows.defer(*heavy).order_by("-number")[:MOST_ATTEMPTS]


def _handoffs(session: Session) -> QuerySet[Handoff]:
    own = Q(from_session=session) | Q(to_session=session)
    return Handoff.objects.filter(own, thread_id=session.thread_id).order_by("-created_at", "-id")[:MOST_HANDOFFS]


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
        row_id=row.pk,
        harness=made_visible(row.harness),
        external_id=made_visible(row.external_id),
        alive=row.alive,
    )


def _summary(session: Session, row: Mapping[str, Any]) -> SummaryCard:
    said = row["says"]
    return SummaryCard(
        public_id=public_id("sum", uuid.UUID(row["id"])),
        version=row["version"],
        from_seq=row["first"],
        to_seq=row["last"],
        behind=max(session.head_seq - row["last"], 0),
        at=datetime.fromisoformat(row["at"]),
        sections=[(section, _all_named(said[section])) for section in SummarySection if said.get(section)],
    )


def _handoff(session: Session, row: Handoff) -> HandoffCard:
    incoming = row.from_session_id != session.pk
    other = row.from_session_id if incoming else row.to_session_id
    return HandoffCard(
        ref=f"handoff://{row.public_id}",
        incoming=incoming,
        other=public_id("ses", other) if other else "",
        at=row.created_at,
        summary=_named(row.summary),
        unfinished=_all_named(row.unfinished_items),
        risks=_all_named(row.risks),
        suggestion=_named(row.resume_suggestion),
        next_actor=made_visible(row.next_actor),
    )


def _interruption(note: Mapping[str, str]) -> Interruption:
    at = datetime.fromisoformat(note["at"])
    return Interruption(kind=made_visible(note["kind"]), reason=_named(note["reason"]), at=at)


def _named(text: str) -> Named:
    return Named(made_visible(text))


def _all_named(texts: Sequence[str]) -> Sequence[Named]:
    return [_named(text) for text in texts]
