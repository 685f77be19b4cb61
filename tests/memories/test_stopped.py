"""Each verb is stopped before each of its statements: the database shows before or after, and nothing between."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from governance.scope import project_scope
from memories.conflicts import SettleWish, settle, sight
from memories.erasing import erase
from memories.models import Conflict, Memory
from memories.retiring import archive, restore, revoke
from memories.vocabulary import Origin, SettlementVerb, WriteAction, WriteMode
from memories.writes import EvidenceWish, MemoryWish, admit, submit
from tests.cast import Cast
from tests.governance.rawsql import owner
from tests.memories.learning import Desk, auto_cast, claim
from tests.stopping import StopAfter, Stopped, Watch

FACT = "The tide gauge stands at pier four."
# Those that decide, take back or erase are stopped before each statement, the others before every few of them.
EACH = {} if os.environ.get("GREYWIND_STOP_EACH") == "1" else {"change": 5, "admit": 3, "dispute": 5, "restore": 3}
MOST = 400  # statements; no verb has as many

type Verb = Callable[[], Any]


def as_owner(cast: Cast, do: Callable[..., Any], row: Memory | Conflict, *args: Any, **more: Any) -> Any:
    with project_scope(cast.owner.acting):
        fresh = type(row).objects.get(pk=row.pk)
        return do(cast.owner.acting, fresh, *args, now=timezone.now(), **more)


def proposing(cast: Cast) -> Verb:
    ref = Desk(cast.dev).said("agreed")
    return lambda: learnt(cast, MemoryWish(content=FACT, type="semantic", evidence=[EvidenceWish(ref=ref)]))


def learnt(cast: Cast, wish: MemoryWish) -> Any:
    with project_scope(cast.dev.acting):
        return submit(cast.dev.acting, wish, now=timezone.now())


def changing(cast: Cast) -> Verb:
    desk = Desk(cast.dev)
    memory, ref = desk.learn(FACT, write_mode=WriteMode.MERGE).memory, desk.said("agreed")
    cited = {"evidence": [EvidenceWish(ref=ref)], "origin": Origin.USER_EXPLICIT, "type": "semantic"}
    change = {"action": WriteAction.UPDATE, "target_id": memory.pk, "expected_version": 1}
    return lambda: learnt(cast, MemoryWish(content="The tide gauge reads level two.", **cited, **change))


def admitting(cast: Cast) -> Verb:
    memory = Desk(cast.dev).learn("他的电话是 13800138000", origin=Origin.AGENT_INFERRED).memory
    return lambda: as_owner(cast, admit, memory, reason="seen")


def disputing(cast: Cast) -> Verb:
    desk, inferred = Desk(cast.dev), {"origin": Origin.AGENT_INFERRED}
    desk.learn("Port of the gauge: 80", claims=claim("80"), **inferred)
    cited = [EvidenceWish(ref=desk.said("agreed"))]
    wish = MemoryWish(content="Port of the gauge: 90", type="semantic", claims=claim("90"), evidence=cited)
    return lambda: learnt(cast, wish)


def settling(verb: SettlementVerb) -> Callable[[Cast], Verb]:
    def ready(cast: Cast) -> Verb:
        disputing(cast)()
        with project_scope(cast.owner.acting):
            conflict = Conflict.objects.get()
            seen = {"expected_version": conflict.version, "seen_hash": sight(conflict, now=timezone.now()).seen_hash}
        wish = SettleWish(verb=verb, text="Port of the gauge: 80 and 90", **seen)
        return lambda: as_owner(cast, settle, conflict, wish)

    return ready


def with_child(cast: Cast) -> Memory:
    desk = Desk(cast.dev)
    memory = desk.learn(FACT).memory
    desk.learn("Pier four has a gauge.", memory.ref, origin=Origin.AGENT_INFERRED)
    return memory


def taking_back(do: Callable[..., Any]) -> Callable[[Cast], Verb]:
    def ready(cast: Cast) -> Verb:
        memory = with_child(cast)
        return lambda: as_owner(cast, do, memory, reason="wrong")

    return ready


def restoring(cast: Cast) -> Verb:
    memory = with_child(cast)
    as_owner(cast, archive, memory, reason="old")
    return lambda: as_owner(cast, restore, memory, reason="needed")


VERBS: dict[str, Callable[[Cast], Verb]] = {
    "propose": proposing,
    "change": changing,
    "admit": admitting,
    "dispute": disputing,
    "settle by taking the new": settling(SettlementVerb.TAKE_NEW),
    "settle by merging": settling(SettlementVerb.MERGE),
    "revoke": taking_back(revoke),
    "erase": taking_back(erase),
    "restore": restoring,
}


@pytest.fixture
def watch(transactional_db: None) -> Iterator[Watch]:
    with owner() as link:
        yield Watch(link)


@pytest.mark.parametrize("verb", VERBS)
def test_a_stop_before_any_statement_leaves_nothing_half_done(watch: Watch, verb: str) -> None:
    do = VERBS[verb](auto_cast())
    before = watch.content()
    for left in range(0, MOST, EACH.get(verb, 1)):
        try:
            with connection.execute_wrapper(StopAfter(left)):
                do()
        except Stopped:
            assert watch.content() == before, f"stopped before statement {left + 1}"
        else:
            break
    assert left > 8
    assert watch.content() != before
