"""Taking things back leaves what was: texts with what they claim, sides, and what the searchable copies carry."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from governance.errors import StepUpNeeded
from governance.scope import project_scope
from memories.conflicts import SettleWish, settle, sight, undo
from memories.models import Claim, Conflict, Memory, Passage, Settlement
from memories.retiring import archive, revoke
from memories.settling import Period
from memories.vocabulary import MemoryStatus, Origin, SettlementVerb, WriteAction, WriteMode
from memories.writes import Written
from tests.memories.learning import Contradiction, Desk, auto_cast, claim, read

GIVEN = "The tide gauge at the mole listens as agreed"
PROOF = "password"


class Undoing(Contradiction):
    """A conflict that an owner settles and takes back."""

    def settle(self, verb: SettlementVerb, **more: Any) -> Settlement:
        return settled(self.cast, self.conflict, verb, **more)

    def undo(self, settlement: Settlement) -> Conflict:
        with project_scope(self.cast.owner.acting):
            return undo(self.cast.owner.acting, settlement, now=timezone.now(), proof=PROOF)

    def copy(self) -> str:
        with project_scope(self.cast.dev.acting):
            return Passage.objects.get(memory=self.old, live=True).text


def settled(cast: Any, conflict: Conflict | None, verb: SettlementVerb, **more: Any) -> Settlement:
    acting, said = cast.owner.acting, {"proof": PROOF} | more
    assert conflict is not None
    with project_scope(acting):
        row = Conflict.objects.get(pk=conflict.pk)
        seen = sight(row, now=timezone.now())
        wish = SettleWish(verb=verb, expected_version=row.version, seen_hash=seen.seen_hash, **said)
        return settle(acting, row, wish, now=timezone.now())


def values_of(by: Any, memory: Memory) -> list[tuple[str, str]]:
    with project_scope(by.acting):
        rows = Claim.objects.filter(memory=memory).order_by("ordinal")
        return list(rows.values_list("attribute", "value"))


class InPlace:
    """A memory that is kept as one row, and a weaker source's change of it, which waits for somebody to settle it."""

    def __init__(self) -> None:
        self.cast = auto_cast()
        self.desk = Desk(self.cast.dev)
        self.kept = self.desk.learn(GIVEN, claims=claim("80"), write_mode=WriteMode.MERGE).memory
        self.change = self.ask(WriteAction.UPDATE, content=f"{GIVEN} since", claims=claim("90"))
        assert self.change.conflict is not None

    def ask(self, action: WriteAction, **more: Any) -> Written:
        wish: dict[str, Any] = {"action": action, "target_id": self.kept.pk, "origin": Origin.AGENT_INFERRED} | more
        return self.desk.learn(wish.pop("content"), **wish)

    def settle(self, verb: SettlementVerb = SettlementVerb.TAKE_NEW) -> Settlement:
        return settled(self.cast, self.change.conflict, verb)

    def undo(self, settlement: Settlement) -> Conflict:
        with project_scope(self.cast.owner.acting):
            return undo(self.cast.owner.acting, settlement, now=timezone.now(), proof=PROOF)

    def claims(self) -> list[tuple[str, str]]:
        return values_of(self.cast.dev, self.kept)


@pytest.fixture
def dispute(db: None) -> Undoing:
    return Undoing(auto_cast())


@pytest.fixture
def in_place(db: None) -> InPlace:
    return InPlace()


def test_a_change_in_place_says_what_its_writer_claimed(in_place: InPlace) -> None:
    in_place.settle()
    assert (read(in_place.cast.dev, in_place.kept).version, in_place.claims()) == (2, [("port", "90")])


def test_an_undone_change_in_place_claims_again_what_was_claimed_first(in_place: InPlace) -> None:
    in_place.undo(in_place.settle())
    assert (read(in_place.cast.dev, in_place.kept).content, in_place.claims()) == (GIVEN, [("port", "80")])


def test_a_change_in_place_can_be_taken_again_after_it_was_undone(in_place: InPlace) -> None:
    in_place.undo(in_place.settle())
    in_place.undo(in_place.settle())
    in_place.settle()
    kept = read(in_place.cast.dev, in_place.kept)
    assert (kept.status, kept.content, in_place.claims()) == ("active", f"{GIVEN} since", [("port", "90")])


def test_what_a_change_in_place_replaced_is_not_learnt_again_from_what_was_said_before(in_place: InPlace) -> None:
    before = in_place.desk.said("The gauge's port is 80")
    in_place.settle()
    again = in_place.desk.learn("Its port number is 80", before, claims=claim("80"), origin=Origin.AGENT_INFERRED)
    assert (again.outcome, again.code) == ("rejected", "superseded_before")


def test_an_undone_deletion_can_be_settled_again(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    kept = desk.learn(GIVEN, claims=claim("80")).memory
    asked = desk.learn("no longer so", origin=Origin.AGENT_INFERRED, action=WriteAction.DELETE, target_id=kept.pk)
    settlement = settled(cast, asked.conflict, SettlementVerb.TAKE_NEW)
    with project_scope(cast.owner.acting):
        undo(cast.owner.acting, settlement, now=timezone.now(), proof=PROOF)
    settled(cast, asked.conflict, SettlementVerb.TAKE_NEW)
    assert [read(cast.dev, one).status for one in (kept, asked.memory)] == ["archived", "archived"]


def test_an_undone_period_leaves_the_claims_their_own_time(dispute: Undoing) -> None:
    since = timezone.now() - timedelta(days=9)
    with project_scope(dispute.cast.dev.acting):
        Claim.objects.filter(memory=dispute.old).update(valid_from=since)
    ends = timezone.now()
    dispute.undo(dispute.settle(SettlementVerb.BOTH_VALID, periods=[Period(memory_id=dispute.old.pk, valid_to=ends)]))
    with project_scope(dispute.cast.dev.acting):
        assert Claim.objects.values_list("valid_from", "valid_to").get(memory=dispute.old) == (since, None)


def test_an_undone_refusal_disputes_once_and_is_advised_on_as_before(dispute: Undoing) -> None:
    with project_scope(dispute.cast.owner.acting):
        before = Conflict.objects.get(pk=dispute.conflict.pk)
    after = dispute.undo(dispute.settle(SettlementVerb.KEEP_OLD))
    assert dispute.copy().count(dispute.NEW) == 1
    assert (after.suggestion, after.suggestion_reason) == (before.suggestion, before.suggestion_reason)


@pytest.mark.parametrize("leave", [revoke, archive])
def test_a_side_that_leaves_is_no_longer_carried_by_the_other(dispute: Undoing, leave: Any) -> None:
    dispute.settle(SettlementVerb.BOTH_VALID)
    dispute.say("Port of the gauge: 70", "70")
    carried = dispute.copy()
    acting, new = dispute.cast.owner.acting, read(dispute.cast.owner, dispute.new)
    with project_scope(acting):
        leave(acting, new, reason="wrong", now=timezone.now())
    assert (dispute.NEW in carried, dispute.NEW in dispute.copy()) == (True, False)


def test_a_grave_conflict_needs_a_fresh_proof_by_every_way_in(dispute: Undoing) -> None:
    with project_scope(dispute.cast.owner.acting):
        Conflict.objects.update(risk="high")
    with pytest.raises(StepUpNeeded):
        dispute.settle(SettlementVerb.TAKE_NEW, proof="")
    assert dispute.standing() == (MemoryStatus.ACTIVE, MemoryStatus.EVIDENCE_CHECKED)


def test_a_grave_settlement_is_taken_back_with_a_fresh_proof_only(dispute: Undoing) -> None:
    with project_scope(dispute.cast.owner.acting):
        Conflict.objects.update(risk="high")
    settlement = dispute.settle(SettlementVerb.TAKE_NEW)
    with project_scope(dispute.cast.owner.acting), pytest.raises(StepUpNeeded):
        undo(dispute.cast.owner.acting, settlement, now=timezone.now())
