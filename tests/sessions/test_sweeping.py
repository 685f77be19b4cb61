"""What nobody comes back to is noted once, by the records alone, and nothing that is still wanted is closed."""

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from governance.models import Job
from governance.scope import project_scope
from governance.working import Shift
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Attempt, Handoff, Session, WorkSummary
from sessions.sweeping import sweep_crashed, sweep_quiet, sweep_stuck
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttemptState, AttestedBy, EventKind, EventRole, SessionState
from tests.cast import Cast, make_cast
from tests.governance.rawsql import owner
from tests.stopping import StopAfter, Stopped
from threads.dag import TaskWish, create_task
from threads.lifecycle import ThreadWish, create_thread
from threads.vocabulary import TaskState

USER, ASSISTANT = EventRole.USER, EventRole.ASSISTANT
VOUCHED = AttestedBy.HARNESS


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def worked_on(cast: Cast, *roles: EventRole, task: bool = False) -> Session:
    """Return a session with one message of each role, and an attempt that runs."""
    acting, now = cast.dev.acting, timezone.now()
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="t"), now=now)
        work = create_task(acting, thread, TaskWish(title="lexer"), now=now) if task else None
        session = open_or_resume(acting, thread, OpenWish(role="dev", task=work), now=now).session
        said = [
            NewEvent(
                client_id=str(n), role=role, kind=EventKind.MESSAGE, text=f"Never round table {n}.", attested_by=VOUCHED
            )
            for n, role in enumerate(roles)
        ]
        if said:
            append(acting, session.pk, said, now=now)
    return session


def long_ago(interval: str = "2 hours") -> None:
    """Let everything that was said and every lease lie so far back."""
    with owner() as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        link.execute(f"UPDATE agent_sessions_attempt SET lease_until = lease_until - interval '{interval}'")
        moved = (
            f"last_event_at = last_event_at - interval '{interval}', created_at = created_at - interval '{interval}'"
        )
        link.execute(f"UPDATE agent_sessions_session SET {moved}")


def now_of(cast: Cast, session: Session) -> Session:
    with project_scope(cast.dev.acting):
        return Session.objects.get(pk=session.pk)


def swept(sweep: Any) -> int:
    return int(sweep(now=timezone.now()))


def moved_task(state: str) -> None:
    with owner() as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        link.execute(f"UPDATE threads_task SET state = '{state}'")


def test_a_process_that_died_in_the_middle_of_a_turn_is_crashed_and_handed_over(cast: Cast) -> None:
    session = worked_on(cast, USER)
    long_ago()
    assert (swept(sweep_crashed), swept(sweep_crashed)) == (1, 0)
    with project_scope(cast.dev.acting):
        assert Attempt.objects.get().state == AttemptState.CRASHED
        handoff = Handoff.objects.get()
    assert (handoff.occasion, handoff.next_actor, "stopped without an end" in handoff.risks[0]) == (
        "crashed",
        "dev",
        True,
    )
    assert now_of(cast, session).interruptions[0]["kind"] == "process_exit"


def test_whoever_answered_and_waits_is_not_crashed(cast: Cast) -> None:
    worked_on(cast, USER, ASSISTANT)
    long_ago()
    assert swept(sweep_crashed) == 0


def test_a_process_that_lives_is_left_alone(cast: Cast) -> None:
    worked_on(cast, USER)
    assert (swept(sweep_crashed), swept(sweep_quiet)) == (0, 0)


def test_a_quiet_session_becomes_idle_and_asks_for_its_summary(cast: Cast) -> None:
    session = worked_on(cast, USER, ASSISTANT)
    long_ago()
    assert (swept(sweep_quiet), swept(sweep_quiet)) == (1, 0)
    with project_scope(cast.dev.acting):
        assert Job.objects.get().subject == session.public_id
    assert now_of(cast, session).state == SessionState.IDLE


def test_what_was_asked_for_is_summarised_once(cast: Cast) -> None:
    worked_on(cast, USER, ASSISTANT)
    long_ago()
    swept(sweep_quiet)
    assert Shift().work()["done"] == 1
    with project_scope(cast.dev.acting):
        assert (WorkSummary.objects.count(), Job.objects.get().state) == (1, "done")


@pytest.mark.parametrize("state", [state for state in TaskState if state not in (TaskState.DONE, TaskState.CANCELLED)])
def test_a_session_whose_task_is_not_over_is_never_closed(cast: Cast, state: TaskState) -> None:
    worked_on(cast, USER, ASSISTANT, task=True)
    long_ago("3 years")
    swept(sweep_quiet)
    moved_task(state)
    assert swept(sweep_stuck) == 0


@pytest.mark.parametrize("state", [TaskState.DONE, TaskState.CANCELLED])
def test_a_session_whose_task_is_over_is_closed_with_a_handoff(cast: Cast, state: TaskState) -> None:
    session = worked_on(cast, USER, ASSISTANT, task=True)
    long_ago("3 days")
    swept(sweep_quiet)
    moved_task(state)
    assert (swept(sweep_stuck), swept(sweep_stuck)) == (1, 0)
    assert now_of(cast, session).state == SessionState.HANDOFF_WRITTEN


@pytest.mark.parametrize(("interval", "closed"), [("29 days", 0), ("31 days", 1)])
def test_a_session_without_a_task_is_closed_after_a_month(cast: Cast, interval: str, closed: int) -> None:
    worked_on(cast, USER, ASSISTANT)
    long_ago(interval)
    swept(sweep_quiet)
    assert swept(sweep_stuck) == closed


def test_a_sweep_that_is_stopped_anywhere_ends_as_if_it_had_not_been(cast: Cast) -> None:
    session = worked_on(cast, USER)
    long_ago()
    for left in range(60):
        try:
            with connection.execute_wrapper(StopAfter(left)):
                swept(sweep_crashed)
        except Stopped:
            assert now_of(cast, session).interruptions == []
        else:
            break
    with project_scope(cast.dev.acting):
        told = (Handoff.objects.count(), Attempt.objects.get().state, Session.objects.get().state)
    assert left > 10
    assert told == (1, AttemptState.CRASHED, SessionState.INTERRUPTED)


def test_a_private_session_is_swept_in_its_owners_name(cast: Cast) -> None:
    acting, now = cast.personal.acting, timezone.now()
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="mine", private=True), now=now)
        session = open_or_resume(acting, thread, OpenWish(role=acting.roles[0]), now=now).session
        append(acting, session.pk, [NewEvent(client_id="1", role=USER, kind=EventKind.MESSAGE, text="x")], now=now)
    long_ago()
    assert swept(sweep_crashed) == 1
    with project_scope(cast.dev.acting):
        assert (Handoff.objects.count(), Job.objects.count()) == (0, 0)
