"""Work that waits as rows: asked for with what needs it, done once, and never held up by what fails or hangs."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from governance import jobs, working
from governance.errors import Clash
from governance.jobs import LeaseLost, claim, enqueue, finish, give_back, progress
from governance.models import AuditEvent, Job
from governance.scope import project_scope, record
from governance.vocabulary import JobState
from governance.working import Shift, Trade, do_one, take_on
from tests.cast import Cast, make_cast
from tests.governance.rawsql import owner
from tests.stopping import StopAfter, Stopped

KIND, POISON, STUCK = "test_noting", "test_failing", "test_hanging"


@pytest.fixture
def cast(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr(working, "_trades", {})
    monkeypatch.setattr(jobs.bell, "ring", lambda: None)
    return make_cast()


def note(held: jobs.Held) -> None:
    """The effect that must happen once: a ledger entry, in the transaction that marks the job as done."""
    with project_scope(held.acting):
        record("test.effect", held.subject)
        finish(held)


def ask(cast: Cast, kind: str = KIND, subject: str = "ses_1", **more: Any) -> None:
    with project_scope(cast.dev.acting):
        enqueue(cast.dev.acting, kind, subject, **more)


def asked_and_refused(cast: Cast) -> None:
    enqueue(cast.dev.acting, KIND, "ses_1")
    raise Clash("something else was refused")


def rows(cast: Cast, **where: Any) -> list[Job]:
    with project_scope(cast.dev.acting):
        return list(Job.objects.filter(**where).order_by("created_at"))


def effects(cast: Cast) -> list[str]:
    with project_scope(cast.dev.acting):
        return sorted(AuditEvent.objects.filter(verb="test.effect").values_list("target", flat=True))


def due_again() -> None:
    """Let the time of waiting and of leases be over."""
    with owner() as link:
        link.execute("UPDATE governance_job SET due_at = now() - interval '1 s' WHERE state = 'waiting'")
        link.execute("UPDATE governance_job SET lease_until = now() - interval '1 s' WHERE state = 'running'")


def held_now() -> jobs.Held:
    held = claim({KIND: timedelta(seconds=60)})
    assert held is not None
    return held


def a_shift(_: int) -> None:
    try:
        Shift().work()
    finally:
        connection.close()


def trade(run: Callable[[jobs.Held], None], **more: Any) -> Trade:
    return Trade(run=run, title="a test", **more)


def test_many_wishes_for_one_subject_are_one_job(cast: Cast) -> None:
    for _ in range(3):
        ask(cast)
    assert len(rows(cast)) == 1


def test_a_wish_leaves_with_the_transaction_that_needed_it(cast: Cast) -> None:
    with pytest.raises(Clash), project_scope(cast.dev.acting):
        asked_and_refused(cast)
    assert rows(cast) == []


def test_what_is_asked_for_while_it_runs_runs_once_more(cast: Cast) -> None:
    take_on(KIND, trade(note))
    ask(cast)
    held = held_now()
    ask(cast)
    do_one(held, trade(note))
    assert [job.state for job in rows(cast)] == [JobState.WAITING]
    Shift().work()
    assert ([job.state for job in rows(cast)], len(effects(cast))) == ([JobState.DONE], 2)


def test_whoever_lost_the_lease_changes_nothing(cast: Cast) -> None:
    ask(cast)
    late = held_now()
    due_again()
    do_one(held_now(), trade(note))
    assert do_one(late, trade(note)) == "taken_over"
    assert effects(cast) == ["ses_1"]


def test_two_workers_never_take_the_same_job(cast: Cast) -> None:
    for n in range(12):
        ask(cast, subject=f"ses_{n}")
    take_on(KIND, trade(note))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(a_shift, range(3)))
    assert effects(cast) == sorted(f"ses_{n}" for n in range(12))


def test_a_job_that_always_fails_is_put_into_quarantine_and_says_what_it_was(cast: Cast) -> None:
    def fail(held: jobs.Held) -> None:
        raise ValueError("a secret of the content")

    ask(cast)
    for _ in range(3):
        due_again()
        do_one(held_now(), trade(fail, most=3))
    job = rows(cast)[0]
    assert (job.state, job.attempts, job.error) == (JobState.QUARANTINED, 3, "ValueError")


def test_a_job_that_kills_its_worker_ends_in_quarantine(cast: Cast) -> None:
    ask(cast)
    for _ in range(3):
        held_now()
        due_again()
    assert do_one(held_now(), trade(note, most=3)) == "quarantined"
    assert (rows(cast)[0].error, effects(cast)) == (working.LOST, [])


def test_a_quarantined_job_is_not_woken_by_new_wishes_but_by_a_person(cast: Cast) -> None:
    ask(cast)
    give_back(held_now(), "ValueError", most=1)
    ask(cast)
    assert claim({KIND: timedelta(seconds=60)}) is None
    with project_scope(cast.owner.acting):
        jobs.retry(cast.owner.acting, Job.objects.get())
    assert held_now().attempt == 1


def test_only_what_is_quarantined_is_tried_again_by_hand(cast: Cast) -> None:
    ask(cast)
    with pytest.raises(Clash), project_scope(cast.owner.acting):
        jobs.retry(cast.owner.acting, Job.objects.get())


def test_progress_is_told_by_whoever_holds_it_alone(cast: Cast) -> None:
    ask(cast)
    held = held_now()
    progress(held, 3, 10)
    assert (rows(cast)[0].done_parts, rows(cast)[0].all_parts) == (3, 10)
    due_again()
    held_now()
    with pytest.raises(LeaseLost):
        progress(held, 4, 10)


def test_a_job_of_one_project_is_not_seen_in_another(cast: Cast) -> None:
    ask(cast)
    other = make_cast("beta")
    assert rows(other) == []


def test_hanging_and_failing_jobs_do_not_delay_the_others(cast: Cast) -> None:
    stop, done = threading.Event(), list[str]()

    def fail(held: jobs.Held) -> None:
        raise OSError

    def noted(held: jobs.Held) -> None:
        note(held)
        done.append(rows(cast, kind=STUCK)[0].state)

    def hang(held: jobs.Held) -> None:
        stop.wait(30)

    take_on(STUCK, trade(hang, seconds=1.5, most=1))
    take_on(POISON, trade(fail, most=1))
    take_on(KIND, trade(noted))
    for kind in (STUCK, POISON):
        ask(cast, kind=kind)
    for n in range(20):
        ask(cast, subject=f"ses_{n}")
    tally = Shift(slots=2).work()
    stop.set()
    assert tally == {"done": 20, "quarantined": 2}
    assert done == [JobState.RUNNING] * 20  # each was over while the one that hangs still ran
    assert [job.error for job in rows(cast, state=JobState.QUARANTINED)] == [working.TIMED_OUT, "OSError"]


def test_a_hanging_job_that_comes_back_changes_nothing(cast: Cast) -> None:
    go, back = threading.Event(), threading.Event()

    def hang(held: jobs.Held) -> None:
        go.wait(30)
        try:
            note(held)
        finally:
            back.set()

    take_on(KIND, trade(hang, seconds=0.2, most=1))
    ask(cast)
    Shift().work()
    go.set()
    assert back.wait(10)
    assert (effects(cast), rows(cast)[0].state) == ([], JobState.QUARANTINED)


def test_jobs_whose_broker_lost_every_message_are_found_by_the_sweep(cast: Cast) -> None:
    take_on(KIND, trade(note))
    for n in range(5):
        ask(cast, subject=f"ses_{n}")  # nobody was woken: the bell is mute here
    assert Shift().work()["done"] == 5


def test_stopped_before_any_statement_a_job_is_done_once_in_the_end(cast: Cast) -> None:
    take_on(KIND, trade(note))
    for left in range(60):
        ask(cast, subject=f"ses_{left}")
        try:
            with connection.execute_wrapper(StopAfter(left)):
                do_one(held_now(), trade(note))
        except (Stopped, AssertionError):
            due_again()
            continue
        break
    due_again()
    Shift().work()
    assert left > 6
    assert effects(cast) == sorted(f"ses_{n}" for n in range(left + 1))
