"""Picking a session up in a new process: what came back, what did not, and what has moved since it was left."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Clash, NotThere
from governance.inbox import open_item
from governance.models.base import reach_of
from governance.scope import project_scope, record
from governance.vocabulary import InboxKind, Risk
from sessions.handoffs import latest_handoff
from sessions.lifecycle import Opening, OpenWish, ProviderWish, latest_attempt, take_up
from sessions.live import hold
from sessions.models import Attempt, Handoff, ProviderSession, Session
from sessions.models.session import LIVE
from sessions.pins import Moved, moved_since
from sessions.vocabulary import Recovery, ResumeFault
from threads.vocabulary import ThreadState

ADVICE: Mapping[ResumeFault, str] = {
    ResumeFault.THREAD_ARCHIVED: "a maintainer opens the thread again in the console, or the work goes on in another",
    ResumeFault.THREAD_MERGED: "go on in the thread that it was merged into: POST /sessions there",
    ResumeFault.THREAD_SPLIT: "go on in the thread that its work was split off to: POST /sessions there",
    ResumeFault.SESSION_OVER: "POST /sessions opens the next one; its first packet carries the handoff of this one",
    ResumeFault.TAKEN: "another process goes on in it; stop this one, or resume again to take it over",
    ResumeFault.NOTHING_LEFT: "nothing was ever stored here, so say what the work is; the attempt has begun empty",
}
CODES: Mapping[ResumeFault, str] = {
    ResumeFault.SESSION_OVER: "session_closed",
    ResumeFault.TAKEN: "session_taken",
    ResumeFault.THREAD_ARCHIVED: "thread_not_open",
    ResumeFault.THREAD_MERGED: "thread_not_open",
    ResumeFault.THREAD_SPLIT: "thread_not_open",
}
CLOSED_THREADS: Mapping[str, ResumeFault] = {
    ThreadState.ARCHIVED: ResumeFault.THREAD_ARCHIVED,
    ThreadState.MERGED: ResumeFault.THREAD_MERGED,
    ThreadState.SPLIT: ResumeFault.THREAD_SPLIT,
}


class ResumeFailed(Clash):
    """The session was not picked up; `extra` says why, and what to do."""

    def __init__(self, session: Session, fault: ResumeFault, message: str, **more: Any) -> None:
        told = {"outcome": Recovery.FAILED, "why": fault, "what_to_do": ADVICE[fault], **more}
        super().__init__(f"{{session_id}}: {message}; {ADVICE[fault]}", code=CODES[fault], extra=told)
        self.session_id, self.fault = session.pk, fault


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeWish:
    """What the new process knows: the harness's session it runs in and whether that still holds the work, the client
    id of the last entry that it believes to have delivered, and the attempt that it saw as the last one.
    """

    provider: ProviderWish | None = None
    provider_gone: bool = False
    told: str | None = None
    seen: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """How a session was picked up, the handoff that it begins with, and what moved since that was written."""

    opening: Opening
    handoff: Handoff | None
    moved: Sequence[Moved]

    @property
    def why(self) -> ResumeFault | None:
        return ResumeFault.NOTHING_LEFT if self.opening.recovery is Recovery.FAILED else None


def resume(acting: Acting, session: Session, wish: ResumeWish, *, now: datetime) -> Resumed:
    """Start the next attempt of a session in the open scope; exactly one of several at once succeeds.

    Raises NotThere for an attempt that is not the session's, and ResumeFailed, which the caller hands to `note_failure`
    once the scope is left.
    """
    before = latest_attempt(session)
    _check_thread(session)
    hold(session)
    if session.state not in LIVE:
        raise ResumeFailed(session, ResumeFault.SESSION_OVER, f"it is {session.state}")
    latest = latest_attempt(session)
    _check_seen(session, wish)
    _check_not_taken(session, latest, seen=wish.seen or (before.pk if before else None))
    if wish.provider and wish.provider_gone:
        gone = ProviderSession.objects.filter(session=session, harness=wish.provider.harness)
        gone.filter(external_id=wish.provider.external_id).update(alive=False)
    asked = OpenWish(role=session.role, session=session, provider=wish.provider, told=wish.told)
    opening = take_up(acting, session, latest, asked, now=now)
    handoff = latest_handoff(session)
    moved = moved_since(opening.attempt, handoff.pins) if handoff else []
    if opening.recovery is Recovery.FAILED:
        _note(acting, session, ResumeFault.NOTHING_LEFT, now=now)
    return Resumed(opening=opening, handoff=handoff, moved=moved)


def note_failure(acting: Acting, failed: ResumeFailed, *, now: datetime) -> None:
    """Keep that a session was not picked up, where people see it: on its page, in the inbox and in the ledger."""
    with project_scope(acting):
        session = Session.objects.filter(pk=failed.session_id).first()
        if session is None:
            raise NotThere
        _note(acting, session, failed.fault, now=now)


def _note(acting: Acting, session: Session, fault: ResumeFault, *, now: datetime) -> None:
    session.resume_failure = {"why": fault, "at": now.isoformat(), "actor": acting.public_id}
    session.save(update_fields=["resume_failure"])
    ref = f"session://{session.public_id}"
    title = f"{session.role}: {fault.replace('_', ' ')}"
    open_item(acting, InboxKind.RESUME_FAILURE, ref, title=title, now=now, risk=Risk.MEDIUM, reach=reach_of(session))
    record("session.resume_failed", session.public_id, detail={"why": fault})


def _check_thread(session: Session) -> None:
    fault = CLOSED_THREADS.get(session.thread.state)
    if fault is not None:
        raise ResumeFailed(session, fault, f"its thread is {session.thread.state}")


def _check_seen(session: Session, wish: ResumeWish) -> None:
    if wish.seen is not None and not Attempt.objects.filter(session=session, pk=wish.seen).exists():
        raise NotThere.there("/last_attempt_id")


def _check_not_taken(session: Session, latest: Attempt | None, *, seen: uuid.UUID | None) -> None:
    if latest is not None and latest.pk != seen:
        message = f"attempt {latest.number} began meanwhile"
        raise ResumeFailed(session, ResumeFault.TAKEN, message, successor=latest.public_id)
