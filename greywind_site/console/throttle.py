"""Slows down guessing of passwords: each account name from each address has a count of failures in the cache.

The name is counted as it was typed, whether or not there is such an account, so a wait says nothing about that.
Behind a proxy all callers share the proxy's address, and the count is then of the name alone.
"""

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from django.core.cache import cache
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

FREE_FAILURES = 5
FIRST_WAIT, LONGEST_WAIT = 15, 900
# Longer than the longest wait, so that nobody gets free tries by waiting it out.
REMEMBERED_SECONDS = 6 * 3600
# A check that died may block its name no longer than this.
TURN_SECONDS = 10


class Throttled(Exception):
    """Too many failures: the next try is heard in `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"wait {seconds} s")
        self.seconds = seconds


class CountingAway(Exception):
    """The cache does not answer. Without a count no password is checked."""


@dataclass(slots=True)
class Attempt:
    """One try to sign in. It counts as a failure unless it is marked as a success."""

    succeeded: bool = False


def wait_after(failures: int) -> int:
    """Return the wait in seconds after this many failures in a row: none up to four, then doubling."""
    if failures < FREE_FAILURES:
        return 0
    return int(min(FIRST_WAIT * 2 ** min(failures - FREE_FAILURES, 16), LONGEST_WAIT))


@contextmanager
def one_attempt(account: str, address: str, *, now: datetime) -> Iterator[Attempt]:
    """Hear one try, or raise Throttled; raises CountingAway when the cache does not answer.

    Tries for one name from one address are heard one after the other: a burst gets no more of them than a queue.
    """
    key = _key(account, address)
    attempt = Attempt()
    try:
        if not cache.add(f"{key}:turn", 1, timeout=TURN_SECONDS):
            raise Throttled(1)
        try:
            yield from _heard(key, attempt, now.timestamp())
        finally:
            cache.delete(f"{key}:turn")
    except RedisError as error:
        raise CountingAway from error


def _heard(key: str, attempt: Attempt, now: float) -> Iterator[Attempt]:
    failures, until = cache.get(key, (0, 0.0))
    if until > now:
        raise Throttled(ceil(until - now))
    yield attempt
    if attempt.succeeded:
        cache.delete(key)
        return
    failures += 1
    cache.set(key, (failures, now + wait_after(failures)), timeout=REMEMBERED_SECONDS)


def _key(account: str, address: str) -> str:
    # Keyed: names and addresses are not readable in the cache.
    name = unicodedata.normalize("NFKC", account).casefold()
    return "sign-in:" + salted_hmac("greywind.console.throttle", f"{name}\0{address}", algorithm="sha256").hexdigest()
