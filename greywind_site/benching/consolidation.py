"""What it costs to work a hundred new entries into a work summary, after a short past and after a long one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.actors import Acting
from governance.models.base import reach_of
from governance.scope import project_scope
from greywind_site.benching.resolution import ROLE, agent_of_bench
from greywind_site.benching.rows import Tell
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Event, Session
from sessions.summaries.reading import entries_since
from sessions.summaries.writing import summarise
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.lifecycle import ThreadWish, create_thread

BATCH = 5_000
ROUNDS = 7  # versions on top of each past, of which the median counts
TALK = (
    "Please move the parser of station {n} to stations.py and use it in both places.",
    "Done. The parser of station {n} moved.",
    "第 {n} 站的重试间隔改成 {n} 秒，日志里不要打印 token。",
    "好的，已经改好第 {n} 站。",
    "$ pytest -q tests/station_{n}.py",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one more version cost on top of `old` entries: rows of the transcript, statements, milliseconds."""

    old: int
    rows: int
    statements: int
    milliseconds: float


def bench_consolidation(pasts: Sequence[int], *, new: int, tell: Tell) -> list[Cost]:
    """Measure each past in a session of its own, round by round in turn, in the database of the open connection."""
    acting = agent_of_bench(timezone.now())
    sessions = [_session(acting, f"past of {old}", now=timezone.now()) for old in pasts]
    for session, old in zip(sessions, pasts, strict=True):
        fill(acting, session, old)
        _summarised(acting, session)
        tell(f"a past of {old} entries is summarised")
    rounds: list[list[tuple[int, int, float]]] = [[] for _ in pasts]
    for _ in range(ROUNDS):
        for place, session in enumerate(sessions):
            fill(acting, session, new)
            rounds[place].append(_measured(acting, session))
    return [_cost(old, found) for old, found in zip(pasts, rounds, strict=True)]


def _cost(old: int, rounds: Sequence[tuple[int, int, float]]) -> Cost:
    rows, statements, spent = (median(one[n] for one in rounds) for n in range(3))
    return Cost(old=old, rows=int(rows), statements=int(statements), milliseconds=round(spent, 2))


def _session(acting: Acting, title: str, *, now: datetime) -> Session:
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title=title), now=now)
        return open_or_resume(acting, thread, OpenWish(role=ROLE), now=now).session


def fill(acting: Acting, session: Session, count: int) -> None:
    """Append entries as their verb stores them, without what is learnt of each, which would take hours."""
    for start in range(0, count, BATCH):
        with project_scope(acting):
            head = Session.objects.values_list("head_seq", flat=True).get(pk=session.pk)
            size = min(BATCH, count - start)
            Event.objects.bulk_create([_event(acting, session, head + n) for n in range(1, size + 1)])


def _event(acting: Acting, session: Session, seq: int) -> Event:
    said = seq % len(TALK)
    by_user = said in (0, 2)
    return Event(
        project_id=session.project_id,
        session_id=session.pk,
        seq=seq,
        client_id=f"e{seq}",
        actor_id=acting.actor_id,
        role=EventRole.USER if by_user else EventRole.ASSISTANT,
        kind=EventKind.MESSAGE if said != len(TALK) - 1 else EventKind.TOOL_CALL,
        text=TALK[said].format(n=seq % 97),
        attested_by=AttestedBy.HARNESS if by_user else AttestedBy.AGENT,
        tokens_o200k=20,
        tokens_cl100k=20,
        content_hash="sha256:bench",
        **reach_of(session),
    )


def _summarised(acting: Acting, session: Session) -> None:
    """Cover everything that is there, version by version, as a worker does."""
    goes_on = True
    while goes_on:
        with project_scope(acting):
            row = Session.objects.get(pk=session.pk)
            goes_on = summarise(acting, row, trigger="measured", now=timezone.now()).goes_on


def _measured(acting: Acting, session: Session) -> tuple[int, int, float]:
    """Write the next version; return the rows that it read of the transcript, its statements and its milliseconds."""
    with project_scope(acting):
        row = Session.objects.get(pk=session.pk)
        last = row.head_seq
        with CaptureQueriesContext(connection) as caught:
            began = time.perf_counter()
            outcome = summarise(acting, row, trigger="measured", now=timezone.now())
            spent = (time.perf_counter() - began) * 1_000
        parent = outcome.summary.parent if outcome.summary else None
        read = len(entries_since(row, parent.to_seq if parent else 0, upto=last))
    return read, len(caught), spent
