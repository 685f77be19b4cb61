"""Counting failed sign-ins."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from greywind_site.console.throttle import Throttled, one_attempt, wait_after

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def name() -> str:
    return f"person-{uuid.uuid4()}"


def fail(name: str, times: int = 1, *, address: str = "192.0.2.1", at: datetime = NOON) -> None:
    for _ in range(times):
        with one_attempt(name, address, now=at):
            pass


def test_the_wait_doubles_and_has_an_end() -> None:
    assert [wait_after(n) for n in (0, 4, 5, 6, 7, 11, 10_000)] == [0, 0, 15, 30, 60, 900, 900]


def test_five_failures_make_the_next_one_wait(name: str) -> None:
    fail(name, 5)
    with pytest.raises(Throttled) as caught, one_attempt(name, "192.0.2.1", now=NOON + timedelta(seconds=5)):
        pass
    assert caught.value.seconds == 10


def test_after_the_wait_one_more_try_is_heard(name: str) -> None:
    fail(name, 5)
    fail(name, at=NOON + timedelta(seconds=15))
    with pytest.raises(Throttled), one_attempt(name, "192.0.2.1", now=NOON + timedelta(seconds=44)):
        pass


def test_a_success_clears_the_count(name: str) -> None:
    fail(name, 4)
    with one_attempt(name, "192.0.2.1", now=NOON) as attempt:
        attempt.succeeded = True
    fail(name, 5)


def test_another_address_does_not_wait(name: str) -> None:
    fail(name, 5)
    fail(name, address="192.0.2.2")


def test_a_name_is_the_same_in_capitals(name: str) -> None:
    fail(name.upper(), 5)
    with pytest.raises(Throttled):
        fail(name)


def test_two_tries_at_once_are_not_both_heard(name: str) -> None:
    with one_attempt(name, "192.0.2.1", now=NOON), pytest.raises(Throttled):
        fail(name)


def test_a_try_that_broke_counts_nothing_and_blocks_nobody(name: str) -> None:
    fail(name, 4)
    with pytest.raises(ZeroDivisionError), one_attempt(name, "192.0.2.1", now=NOON):
        raise ZeroDivisionError
    fail(name)
