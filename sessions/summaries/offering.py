"""What users said that others should know beyond the session: offered to the write gate as a version is published."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from governance.actors import Acting
from governance.errors import Refusal, TooMany
from governance.scope import record
from governance.vocabulary import Audience
from memories.vocabulary import MemoryKind, MemoryType, Origin, ScopeType
from memories.writes import EvidenceWish, MemoryWish, propose
from sessions.models import Session
from sessions.summaries.cues import Kind
from sessions.summaries.entries import Entry
from sessions.summaries.statements import Statement, specific, statements
from sessions.transcripts import event_ref
from sessions.vocabulary import EventKind

MOST_OFFERED = 5  # of one version: what a person says in passing must not flood the desk
KINDS = {
    Kind.REMEMBER: MemoryKind.FACT,
    Kind.CORRECTION: MemoryKind.LESSON,
    Kind.VALUE: MemoryKind.FACT,
    Kind.DECISION: MemoryKind.DECISION,
}


def offer(acting: Acting, session: Session, entries: Sequence[Entry], *, now: datetime) -> int:
    """Propose what attested users corrected, decided or asked to remember, each with its event, in the open scope.

    Every gate judges it as it judges any proposal. Returns how many were proposed: at most MOST_OFFERED, and none
    beyond what its proposer may propose in an hour.
    """
    found = sorted(_worth_knowing(entries), key=lambda one: (-one.worth - specific(one.text), one.seq))
    proposed = 0
    for one in found[:MOST_OFFERED]:
        try:
            with transaction.atomic():
                propose(acting, _wish(session, one), now=now)
            proposed += 1
        except TooMany:
            break
        except Refusal as refusal:
            record("summary.offer_refused", event_ref(session, one.seq), detail={"code": refusal.code})
    return proposed


def _worth_knowing(entries: Sequence[Entry]) -> Iterator[Statement]:
    for entry in entries:
        if not entry.is_users or entry.retires is not None:
            continue
        corrects = entry.kind == EventKind.CORRECTION
        for one in statements(entry):
            says_it_all = "?" not in one.text and "？" not in one.text and specific(one.text) >= 0
            if says_it_all and (one.kind in KINDS or corrects):
                yield one


def _wish(session: Session, one: Statement) -> MemoryWish:
    return MemoryWish(
        content=one.text,
        type=MemoryType.SEMANTIC,
        kind=KINDS.get(one.kind, MemoryKind.LESSON),
        scope_type=ScopeType.THREAD,
        scope_id=session.thread_id,
        origin=Origin.USER_EXPLICIT,
        private=session.audience == Audience.PRIVATE,
        change_reason="said by a user, and found as the work summary was written",
        evidence=(EvidenceWish(ref=event_ref(session, one.seq)),),
    )
