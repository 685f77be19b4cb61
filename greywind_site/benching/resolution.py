"""The resolver on real talk: threads filled by the verbs that fill any, and what becomes of a session that is new."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from greywind_site.benching.resolution_sets import Line, Turn
from greywind_site.benching.rows import Tell
from greywind_site.benching.world import undone
from greywind_site.hunting.scratch import Contracts, scratch_project
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.transcripts import MOST_EVENTS, NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from sessions.windows import close
from threads.lifecycle import ThreadWish, create_thread, move_thread
from threads.matching import ThreadMatch
from threads.models import Thread
from threads.resolution import UNTITLED, ThreadQuery, resolve
from threads.speech import title_from
from threads.vocabulary import ThreadState, ThreadType

ROLE = "companion"
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", {"name": "bench"}),
    (ContractKind.ROLE, ROLE, {"slug": ROLE, "duties": ["listen"]}),
    (ContractKind.POLICY, "default", {"rules": ["Listen."]}),
)
STEP = timedelta(minutes=1)  # from one filled thread to the next: recency alone is no guide to any of them
PAUSE = timedelta(hours=1)  # from the last filled thread to what is asked
EVERY = 10  # threads from one word of progress to the next


class Outcome(StrEnum):
    """Where an input went; for one whose thread is not there, `wrong` is any thread at all."""

    RIGHT = "right"
    WRONG = "wrong"
    AMBIGUOUS = "ambiguous"
    NEW = "new"


class Reading(StrEnum):
    """How the turns of a session are asked.

    Together as one input; each alone; one after the other until one finds a thread; together, while their own thread
    is put away.
    """

    TOGETHER = "together"
    EACH = "each"
    IN_TURN = "in_turn"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One input, and where the resolver sent it."""

    line: Line
    reading: Reading
    text: str
    match: ThreadMatch
    outcome: Outcome


def bench_resolution(lines: Sequence[Line], tell: Tell) -> list[Answer]:
    """Fill a thread for each line in a new project of the database that every connection points at, and ask."""
    began = timezone.now()
    acting = agent_of_bench(began)
    threads = []
    for number, line in enumerate(lines, 1):
        threads.append(_filled(acting, line, now=began + number * STEP))
        if number % EVERY == 0:
            tell(f"{number} of {len(lines)} threads filled")
    now = began + len(lines) * STEP + PAUSE
    return [answer for line, thread in zip(lines, threads, strict=True) for answer in _asked(acting, line, thread, now)]


def agent_of_bench(now: datetime) -> Acting:
    """Make the project that is measured in, and return its agent."""
    owner = scratch_project("resolution bench", CONTRACTS, owner="bench-resolution", now=now)
    with project_scope(owner):
        return acting_as(add_agent(owner, "bench", roles=(ROLE,), now=now))


def _filled(acting: Acting, line: Line, *, now: datetime) -> Thread:
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title=_title(line)), now=now)
    for turns in line.stored:
        _store(acting, thread, turns, now=now)
    return thread


def _title(line: Line) -> str:
    """Return what a thread is called that begins with the first words of this one."""
    said = [turn.text for turn in line.stored[0] if turn.by_user]
    return next((title for text in said if (title := title_from(text))), UNTITLED[ThreadType.WORK])


def _store(acting: Acting, thread: Thread, turns: Sequence[Turn], *, now: datetime) -> None:
    with project_scope(acting):
        session = open_or_resume(acting, thread, OpenWish(role=ROLE), now=now).session
        events = [_event(number, turn) for number, turn in enumerate(turns)]
        for start in range(0, len(events), MOST_EVENTS):
            append(acting, session.pk, events[start : start + MOST_EVENTS], now=now)
    with project_scope(acting):
        session.refresh_from_db()
        close(acting, session, reason="measured", now=now)


def _event(number: int, turn: Turn) -> NewEvent:
    return NewEvent(
        client_id=f"t{number}",
        role=EventRole.USER if turn.by_user else EventRole.ASSISTANT,
        kind=EventKind.MESSAGE,
        text=turn.text,
        attested_by=AttestedBy.HARNESS,
        occurred_at=turn.at.replace(tzinfo=turn.at.tzinfo or UTC),
    )


def _asked(acting: Acting, line: Line, thread: Thread, now: datetime) -> Iterator[Answer]:
    def answer(reading: Reading, text: str) -> Answer:
        with project_scope(acting):
            match = resolve(acting, ThreadQuery(text=text, role=ROLE), now=now).match
        return Answer(line=line, reading=reading, text=text, match=match, outcome=outcome_of(match, thread.public_id))

    together = "\n".join(line.asked)
    yield answer(Reading.TOGETHER, together)
    alone = [answer(Reading.EACH, text) for text in line.asked]
    yield from alone
    yield replace(next((one for one in alone if one.match.thread_id), alone[-1]), reading=Reading.IN_TURN)
    with _put_away(acting, thread):
        yield answer(Reading.ABSENT, together)


def outcome_of(match: ThreadMatch, own: str) -> Outcome:
    """Return what a match is worth to an input that belongs to the thread `own`."""
    if match.thread_id is None:
        return Outcome.AMBIGUOUS if match.ambiguous else Outcome.NEW
    return Outcome.RIGHT if match.thread_id == own else Outcome.WRONG


@contextmanager
def _put_away(acting: Acting, thread: Thread) -> Iterator[None]:
    with undone():
        with project_scope(acting):
            move_thread(Thread.objects.get(pk=thread.pk), ThreadState.ARCHIVED, reason="measured")
        yield
