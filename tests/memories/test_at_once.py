"""Many at once: one row, one winner."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from psycopg_pool import PoolTimeout

from governance.errors import Clash, PreconditionFailed, Refusal
from governance.scope import project_scope
from memories.conflicts import SettleWish, settle, sight
from memories.models import Conflict, Memory, Settlement
from memories.vocabulary import Origin, SettlementVerb, WriteAction, WriteMode
from tests.cast import Cast
from tests.memories.learning import Contradiction, Desk, auto_cast, claim, read

FACT = "The tide gauge stands at pier four."
WRITERS = int(os.environ.get("GREYWIND_WRITERS", "16"))
CHANGERS = int(os.environ.get("GREYWIND_WRITERS", "6"))


@pytest.fixture
def cast(transactional_db: None) -> Iterator[Cast]:
    return auto_cast()


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Make the calls at one moment, each on a connection of its own; a refusal is its answer.

    Who gets no connection in time hears that the service is busy, and asks again.
    """

    def one(call: Callable[[], Any]) -> Any:
        while True:
            try:
                return call()
            except Refusal as refusal:
                return refusal
            except OperationalError as fault:
                if not isinstance(fault.__cause__, PoolTimeout):
                    raise
            finally:
                connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def test_many_writers_of_one_fact_make_one_row(cast: Cast) -> None:
    desk = Desk(cast.dev)
    ref = desk.said("agreed")
    written = at_once([lambda: desk.learn(FACT, ref)] * WRITERS)
    with project_scope(cast.dev.acting):
        assert Memory.objects.count() == 1
    assert sorted(one.outcome for one in written) == ["active", *["duplicate_of"] * (WRITERS - 1)]


def test_many_who_say_otherwise_at_once_are_one_conflict(cast: Cast) -> None:
    desk = Desk(cast.dev)
    ref = desk.said("agreed")
    inferred = {"origin": Origin.AGENT_INFERRED}
    calls = [lambda n=n: desk.learn(f"Port: {n}", ref, claims=claim(str(n)), **inferred) for n in range(4)]
    assert sorted(one.outcome for one in at_once(calls)) == ["active", *["conflict"] * 3]


def test_of_many_changes_of_one_version_one_is_made(cast: Cast) -> None:
    desk = Desk(cast.dev)
    memory, ref = desk.learn(FACT, write_mode=WriteMode.MERGE).memory, desk.said("agreed")
    change = {"action": WriteAction.UPDATE, "target_id": memory.pk, "expected_version": 1}
    heard = at_once(
        [lambda n=n: desk.learn(f"The tide gauge reads level {n}.", ref, **change) for n in range(CHANGERS)]
    )
    lost = [one for one in heard if isinstance(one, Clash | PreconditionFailed)]
    assert (len(lost), read(cast.dev, memory).version) == (CHANGERS - 1, 2)


def settled(cast: Cast, seen: tuple[int, str], verb: SettlementVerb) -> Settlement:
    acting, (version, seen_hash) = cast.owner.acting, seen
    wish = SettleWish(verb=verb, expected_version=version, seen_hash=seen_hash, text="Port of the gauge: 80 and 90")
    with project_scope(acting):
        return settle(acting, Conflict.objects.get(), wish, now=timezone.now())


def seen_by(cast: Cast) -> tuple[int, str]:
    with project_scope(cast.owner.acting):
        conflict = Conflict.objects.get()
        return conflict.version, sight(conflict, now=timezone.now()).seen_hash


def test_of_two_who_settle_at_once_one_wins(cast: Cast) -> None:
    Contradiction(cast)
    seen = seen_by(cast)
    verbs = (SettlementVerb.TAKE_NEW, SettlementVerb.KEEP_OLD)
    heard = at_once([lambda verb=verb: settled(cast, seen, verb) for verb in verbs])
    assert sorted(type(one).__name__ for one in heard) == ["Clash", "Settlement"]
