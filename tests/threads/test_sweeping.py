"""Provisional threads that stay empty are swept; everything else stays."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.scope import project_scope
from tests.cast import Cast, make_cast
from threads.lifecycle import ThreadWish, create_thread, touch
from threads.models import Thread
from threads.sweeping import sweep_provisional
from threads.vocabulary import ThreadState

OLD, FRESH = timedelta(days=2), timedelta(hours=1)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def made(cast: Cast, *, age: timedelta, used: bool = False, private: bool = False) -> Thread:
    acting, then = cast.dev.acting, timezone.now() - age
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="t", private=private), now=then)
        if used:
            touch(thread, acting, role="dev", now=then)
        return thread


def state(cast: Cast, thread: Thread) -> str:
    with project_scope(cast.dev.acting):
        return str(Thread.objects.get(pk=thread.pk).state)


def test_an_old_empty_thread_is_archived(cast: Cast) -> None:
    thread = made(cast, age=OLD)
    assert (sweep_provisional(), state(cast, thread)) == (1, ThreadState.ARCHIVED)


def test_a_private_one_is_swept_as_well(cast: Cast) -> None:
    thread = made(cast, age=OLD, private=True)
    assert (sweep_provisional(), state(cast, thread)) == (1, ThreadState.ARCHIVED)


def test_a_fresh_one_waits(cast: Cast) -> None:
    thread = made(cast, age=FRESH)
    assert (sweep_provisional(), state(cast, thread)) == (0, ThreadState.OPEN)


def test_a_used_one_stays(cast: Cast) -> None:
    thread = made(cast, age=OLD, used=True)
    assert (sweep_provisional(), state(cast, thread)) == (0, ThreadState.OPEN)


def test_a_second_sweep_finds_nothing(cast: Cast) -> None:
    made(cast, age=OLD)
    assert [sweep_provisional(), sweep_provisional()] == [1, 0]
