"""Memories out of use: archived and back, revoked with what was made of them, lapsed, erased; and feedback."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden
from governance.models import AuditEvent, InboxItem, StoredAnswer
from governance.refs import resolves
from governance.scope import project_scope
from memories.erasing import erase
from memories.feedback import FeedbackWish, give_feedback, note_read
from memories.models import (
    Claim,
    Conflict,
    Feedback,
    GateVerdict,
    Injection,
    Memory,
    MemoryEvidence,
    MemoryMove,
    MemoryParent,
    MemoryRead,
    MemoryVersion,
    Passage,
    Settlement,
)
from memories.retiring import archive, expire_due, reach, restore, revoke
from memories.vocabulary import FeedbackKind, Origin, ReadThrough
from memories.writes import EvidenceWish
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast, claim, read, stated

CANARY = "xqcanaryx"
FACT = f"The gauge of {CANARY} stands at pier four."
ROWS = [
    Claim,
    Conflict,
    Feedback,
    GateVerdict,
    InboxItem,
    Memory,
    MemoryEvidence,
    MemoryParent,
    MemoryVersion,
    Passage,
    Settlement,
    StoredAnswer,
    AuditEvent,
]


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return Desk(cast.dev)


def test_an_archived_memory_comes_back(cast: Cast, desk: Desk) -> None:
    memory, acting, now = desk.learn(FACT).memory, cast.owner.acting, timezone.now()
    with project_scope(acting):
        archive(acting, memory, reason="old", now=now)
        restore(acting, memory, reason="after all", now=now)
        assert Passage.objects.get(memory=memory).live


def test_what_is_contradicted_by_now_does_not_come_back(cast: Cast, desk: Desk) -> None:
    memory = desk.learn("Port of the gauge: 80", claims=claim("80")).memory
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="old", now=timezone.now())
    desk.learn("Port of the gauge: 90", claims=claim("90"))
    with project_scope(cast.owner.acting), pytest.raises(Clash, match="says otherwise"):
        restore(cast.owner.acting, memory, reason="after all", now=timezone.now())


def made_of(desk: Desk, memory: Memory) -> Memory:
    return desk.learn(f"Summary: {FACT}", parents=[memory.pk]).memory


def test_revoking_takes_what_was_made_of_it_along(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    child = made_of(desk, memory)
    with project_scope(cast.owner.acting):
        came = revoke(cast.owner.acting, memory, reason="poisoned", now=timezone.now())
    assert ([one.pk for one in came.descendants], read(cast.dev, child).archived_for) == ([child.pk], "parent_revoked")


def test_what_cites_a_memory_is_made_of_it(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    child = stated(cast.owner, "It is old.", evidence=[EvidenceWish(ref=memory.ref)]).memory
    with project_scope(cast.owner.acting):
        assert [one.pk for one in reach(memory).descendants] == [child.pk]


def test_what_corrected_a_memory_is_not_made_of_it(cast: Cast, desk: Desk) -> None:
    old = desk.learn(FACT).memory
    desk.learn("It stands at pier five.", action="UPDATE", target_id=old.pk)
    with project_scope(cast.owner.acting):
        assert reach(old).descendants == []


def test_the_packets_that_carried_it_are_named(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.owner.acting):
        packet = {"packet_id": memory.pk, "at": timezone.now(), "project_id": cast.project.pk}
        Injection.objects.create(memory=memory, **packet)
        assert revoke(cast.owner.acting, memory, reason="x", now=timezone.now()).packets == [memory.pk]


def test_what_has_lapsed_is_archived(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT, retention_days=3).memory
    with project_scope(cast.dev.acting):
        gone = [expire_due(now=timezone.now() + timedelta(days=days)) for days in (2, 4)]
    assert (gone, read(cast.dev, memory).archived_for) == ([0, 1], "expired")


def erased(cast: Cast, memory: Memory) -> None:
    with project_scope(cast.owner.acting):
        erase(cast.owner.acting, memory, reason="asked to", now=timezone.now())


def canaries(cast: Cast) -> list[str]:
    with project_scope(cast.owner.acting):
        rows = [str(list(model.objects.values())) for model in ROWS]
    return [model.__name__ for model, text in zip(ROWS, rows, strict=True) if CANARY in text]


def test_an_erased_memory_leaves_no_word_in_any_row(cast: Cast, desk: Desk) -> None:
    ref = desk.said("agreed on the gauge")
    memory = desk.learn(FACT, ref, claims=claim(CANARY), change_reason=f"because of {CANARY}").memory
    made_of(desk, memory)
    desk.learn(f"No, {FACT}", claims=claim("other"), origin=Origin.AGENT_INFERRED)
    with project_scope(cast.dev.acting):
        give_feedback(cast.dev.acting, memory, FeedbackWish(kind=FeedbackKind.USEFUL, note=CANARY))
        others = list(Memory.objects.exclude(pk=memory.pk))
    for one in (memory, *others):
        erased(cast, one)
    assert canaries(cast) == []


def test_a_tombstone_and_its_ledger_entry_stay(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    erased(cast, memory)
    with project_scope(cast.owner.acting):
        entries = AuditEvent.objects.filter(target=memory.public_id, verb="memory.erase").count()
    assert (entries, read(cast.dev, memory).status, read(cast.dev, memory).erased_at is not None) == (
        1,
        "revoked",
        True,
    )


def test_a_stored_answer_about_it_is_gone(cast: Cast, desk: Desk) -> None:
    [ref] = [desk.said("agreed")]
    api, body = cast.dev.client(), {"content": FACT, "type": "semantic", "evidence": [{"ref": ref}]}
    made = api.post("/memories", body, Idempotency_Key="k1").json()
    with project_scope(cast.owner.acting):
        erase(cast.owner.acting, Memory.objects.get(pk=made["id"].removeprefix("mem_")), reason="", now=timezone.now())
    again = api.post("/memories", body, Idempotency_Key="k1")
    assert (again.status_code, CANARY in again.content.decode()) == (410, False)


def test_the_ref_of_an_erased_memory_opens_nothing(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    erased(cast, memory)
    with project_scope(cast.dev.acting):
        assert not resolves(memory.ref, cast.dev.acting)


def test_only_an_owner_erases(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.dev.acting), pytest.raises(Forbidden):
        erase(cast.dev.acting, memory, reason="", now=timezone.now())


def test_the_same_feedback_counts_once(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.dev.acting):
        for _ in range(2):
            give_feedback(cast.dev.acting, memory, FeedbackWish(kind=FeedbackKind.WRONG))
        assert Feedback.objects.count() == 1


def test_who_read_it_is_noted_and_confirms_nothing(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.dev.acting):
        note_read(cast.dev.acting, memory, ReadThrough.CONSOLE)
        assert (MemoryRead.objects.count(), Memory.objects.get().last_confirmed_at) == (1, None)


def test_every_move_is_kept_in_order(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="old", now=timezone.now())
        moves = MemoryMove.objects.filter(memory=memory).order_by("at", "id").values_list("here", "there")
        assert list(moves) == [("candidate", "active"), ("active", "archived")]
