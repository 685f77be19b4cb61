"""Settling a conflict: each way, bound to what was seen, carried out whole, and taken back."""

from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from governance.errors import Clash, Forbidden, Invalid
from governance.models import InboxItem
from governance.scope import project_scope
from memories.conflicts import SettleWish, settle, sight, snooze, undo, wake_due
from memories.models import Conflict, Injection, Memory, MemoryParent, Passage, Settlement
from memories.rehoming import rehome
from memories.retiring import archive
from memories.settling import Period
from memories.vocabulary import Origin, ScopeType, SettlementVerb
from memories.writes import Written, admit
from tests.cast import Cast
from tests.memories.learning import Contradiction, Desk, auto_cast, claim, read, stated

OLD, NEW, THIRD = Contradiction.OLD, Contradiction.NEW, "Port of the gauge: 70"


class Dispute(Contradiction):
    """A conflict, and the owner who settles it."""

    def settle(self, verb: SettlementVerb, **more: Any) -> Settlement:
        acting = self.cast.owner.acting
        with project_scope(acting):
            conflict = Conflict.objects.get(pk=self.conflict.pk)
            seen = sight(conflict, now=timezone.now())
            wish = SettleWish(verb=verb, expected_version=conflict.version, seen_hash=seen.seen_hash, **more)
            return settle(acting, conflict, wish, now=timezone.now())

    def undo(self, settlement: Settlement) -> Conflict:
        with project_scope(self.cast.owner.acting):
            return undo(self.cast.owner.acting, settlement, now=timezone.now())

    def carried(self) -> list[str]:
        with project_scope(self.cast.dev.acting):
            return list(Passage.objects.filter(memory__isnull=False, live=True).values_list("text", flat=True))


class OnThread(Dispute):
    """The same about memories that hold on the thread of a desk."""

    def say(self, text: str, value: str, *refs: str) -> Written:
        place = {"scope_type": ScopeType.THREAD, "scope_id": self.desk.session.thread_id}
        return self.desk.learn(text, *refs, claims=claim(value), origin=Origin.AGENT_INFERRED, **place)

    def move_to(self, desk: Desk) -> None:
        """Let both hold on another desk's thread, as a merge of threads does, and go on there without the new one."""
        with project_scope(self.cast.owner.acting):
            rehome([self.old.pk, self.new.pk], here=self.desk.session.thread, there=desk.session.thread)
            archive(self.cast.owner.acting, self.new, reason="tidied", now=timezone.now())
        self.desk = desk


@pytest.fixture
def dispute(db: None) -> Iterator[Dispute]:
    return Dispute(auto_cast())


def test_while_it_is_open_the_copy_carries_both_values_as_disputed(dispute: Dispute) -> None:
    with project_scope(dispute.cast.dev.acting):
        copy = Passage.objects.get(memory=dispute.old, live=True)
    assert (copy.knowledge_status, OLD in copy.text, NEW in copy.text) == ("disputed", True, True)


def test_what_nobody_vouches_for_disputes_and_is_not_carried(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    desk.learn(OLD, claims=claim("80"))
    desk.learn(NEW, desk.said(NEW, role="tool"), claims=claim("90"), origin=Origin.TOOL_OUTPUT)
    with project_scope(cast.dev.acting):
        assert [one.text for one in Passage.objects.filter(memory__isnull=False, live=True)] == [OLD]


def test_taking_the_new_one_archives_the_old(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.TAKE_NEW)
    assert (dispute.standing(), dispute.carried()) == (("archived", "active"), [NEW])


def test_keeping_the_old_one_refuses_the_new(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.KEEP_OLD)
    assert (dispute.standing(), dispute.carried()) == (("active", "rejected"), [OLD])


def test_merging_puts_one_text_in_the_place_of_both(dispute: Dispute) -> None:
    merged = dispute.settle(SettlementVerb.MERGE, text="Port of the gauge: 80, at night 90").merged
    assert (dispute.standing(), dispute.carried()) == (("archived", "rejected"), [merged.content])


def test_a_merged_memory_keeps_its_lineage(dispute: Dispute) -> None:
    merged = dispute.settle(SettlementVerb.MERGE, text="Port of the gauge: 80, at night 90").merged
    with project_scope(dispute.cast.dev.acting):
        parents = set(MemoryParent.objects.filter(memory=merged).values_list("parent_id", flat=True))
    assert parents == {dispute.old.pk, dispute.new.pk}


def test_a_merge_without_a_text_changes_nothing(dispute: Dispute) -> None:
    with pytest.raises(Invalid, match="write the text"):
        dispute.settle(SettlementVerb.MERGE, text="  ")
    assert dispute.standing() == ("active", "evidence_checked")


def test_both_may_hold_each_in_its_time(dispute: Dispute) -> None:
    ends = timezone.now()
    dispute.settle(SettlementVerb.BOTH_VALID, periods=[Period(memory_id=dispute.old.pk, valid_to=ends)])
    assert (dispute.standing(), read(dispute.cast.dev, dispute.old).valid_to) == (("active", "active"), ends)


def test_what_may_stand_beside_each_other_opens_no_conflict_again(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.BOTH_VALID)
    again = dispute.desk.learn("The port is 90 for the gauge", claims=claim("90"), origin=Origin.AGENT_INFERRED)
    assert again.outcome in ("active", "duplicate_of")


def test_nor_where_both_have_come_to_hold_on_another_thread(db: None) -> None:
    dispute = OnThread(auto_cast())
    dispute.settle(SettlementVerb.BOTH_VALID)
    dispute.move_to(Desk(dispute.cast.dev))
    assert dispute.say(dispute.NEW, "90").outcome == "active"


def test_another_value_does_where_both_have_come_to_hold(db: None) -> None:
    dispute = OnThread(auto_cast())
    dispute.settle(SettlementVerb.BOTH_VALID)
    dispute.move_to(Desk(dispute.cast.dev))
    assert dispute.say("Port of the gauge: 70", "70").outcome == "conflict"


def test_neither_takes_both_away(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.NEITHER)
    assert (dispute.standing(), dispute.carried()) == (("archived", "rejected"), [])


def test_more_evidence_is_waited_for_and_wakes_it(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.NEEDS_EVIDENCE)
    third = dispute.desk.learn("Port of the gauge: 70", claims=claim("70"), origin=Origin.AGENT_INFERRED)
    assert (third.conflict.pk, third.conflict.state) == (dispute.conflict.pk, "open")


def test_a_snoozed_one_opens_when_its_time_is_over(dispute: Dispute) -> None:
    acting, now = dispute.cast.owner.acting, timezone.now()
    with project_scope(acting):
        conflict = Conflict.objects.get()
        snooze(acting, conflict, expected_version=conflict.version, until=now + timedelta(days=1), now=now)
        woken = [wake_due(acting, now=now + timedelta(days=days)) for days in (0, 2)]
    assert woken == [0, 1]


@pytest.mark.parametrize("verb", [SettlementVerb.TAKE_NEW, SettlementVerb.KEEP_OLD, SettlementVerb.BOTH_VALID])
def test_an_undone_settlement_leaves_the_conflict_open_with_what_was_in_use(
    dispute: Dispute, verb: SettlementVerb
) -> None:
    conflict = dispute.undo(dispute.settle(verb))
    old = read(dispute.cast.dev, dispute.old)
    assert (conflict.state, old.status, old.knowledge_status) == ("open", "active", "disputed")


def test_an_undone_settlement_can_be_settled_otherwise(dispute: Dispute) -> None:
    dispute.undo(dispute.settle(SettlementVerb.KEEP_OLD))
    dispute.settle(SettlementVerb.TAKE_NEW)
    assert dispute.carried() == [NEW]


def test_a_settlement_is_undone_once(dispute: Dispute) -> None:
    settlement = dispute.settle(SettlementVerb.TAKE_NEW)
    dispute.undo(settlement)
    with pytest.raises(Clash, match="undone already"):
        dispute.undo(settlement)


def test_what_changed_since_it_was_shown_is_not_decided(dispute: Dispute) -> None:
    acting = dispute.cast.owner.acting
    with project_scope(acting):
        conflict = Conflict.objects.get()
        seen = sight(conflict, now=timezone.now()).seen_hash
    dispute.desk.learn("Port of the gauge: 70", claims=claim("70"), origin=Origin.AGENT_INFERRED)
    wish = SettleWish(verb=SettlementVerb.TAKE_NEW, expected_version=conflict.version, seen_hash=seen)
    with project_scope(acting), pytest.raises(Clash, match="changed since"):
        settle(acting, conflict, wish, now=timezone.now())


def test_a_settled_one_is_not_settled_again(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.TAKE_NEW)
    with pytest.raises(Clash, match="it is settled"):
        dispute.settle(SettlementVerb.KEEP_OLD)


def test_an_agent_settles_nothing(dispute: Dispute) -> None:
    acting = dispute.cast.dev.acting
    with project_scope(acting):
        conflict = Conflict.objects.get()
        wish = SettleWish(verb=SettlementVerb.TAKE_NEW, expected_version=conflict.version, seen_hash="x")
        with pytest.raises(Forbidden):
            settle(acting, conflict, wish, now=timezone.now())


def test_a_settled_conflict_leaves_the_inbox(dispute: Dispute) -> None:
    dispute.settle(SettlementVerb.TAKE_NEW)
    with project_scope(dispute.cast.owner.acting):
        assert InboxItem.objects.get(kind="conflict").state == "done"


class ThreeDates(Dispute):
    """A value, another that a human let in against it, and a third: held by the gates first, each with its matter."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.desk = cast, Desk(cast.dev)
        self.new, self.third = (self.held(text, value) for text, value in ((self.NEW, "90"), (THIRD, "70")))
        self.old = stated(cast.owner, self.OLD, claims=claim("80")).memory
        with project_scope(cast.owner.acting):
            joined = [admit(cast.owner.acting, one, reason="", now=timezone.now()) for one in (self.new, self.third)]
        assert joined[-1].conflict is not None
        self.conflict = joined[-1].conflict

    def held(self, text: str, value: str) -> Memory:
        written = self.desk.learn(text, claims=claim(value), origin=Origin.TOOL_OUTPUT)
        assert written.outcome == "held"
        return written.memory

    def waits(self, memory: Memory) -> str:
        """Return the state of the matter under which a candidate waits."""
        with project_scope(self.cast.owner.acting):
            return InboxItem.objects.get(kind="candidate", ref=memory.first_ref).state

    def again(self, lost: Memory) -> Memory:
        """Return the candidate that stands in the place of one that was refused."""
        with project_scope(self.cast.owner.acting):
            return Memory.objects.exclude(pk=lost.pk).get(content=lost.content)


LOSING = [
    (SettlementVerb.KEEP_OLD, "lost_conflict"),
    (SettlementVerb.NEITHER, "lost_conflict"),
    (SettlementVerb.MERGE, "merged_into_another"),
]


@pytest.mark.parametrize(("verb", "code"), LOSING)
def test_a_candidate_that_loses_ends_as_a_matter_too(db: None, verb: SettlementVerb, code: str) -> None:
    dates = ThreeDates(auto_cast())
    assert read(dates.cast.dev, dates.third).evidence_gap
    dates.settle(verb, **({"text": "The gauge has three ports"} if verb == "merge" else {}))
    lost = read(dates.cast.dev, dates.third)
    assert (lost.status, lost.reason_code, lost.evidence_gap) == ("rejected", code, "")
    assert [dates.waits(one) for one in (dates.new, dates.third)] == ["done", "done"]


def test_what_takes_the_place_of_a_lost_candidate_waits_as_it_did(db: None) -> None:
    dates = ThreeDates(auto_cast())
    dates.undo(dates.settle(SettlementVerb.TAKE_NEW, chosen=dates.new.pk))
    again = dates.again(dates.third)
    assert (dates.waits(dates.third), dates.waits(again)) == ("done", "open")
    dates.settle(SettlementVerb.TAKE_NEW, chosen=dates.new.pk)
    assert dates.waits(again) == "done"


def test_what_had_no_matter_of_its_own_gets_none_by_an_undone_settlement(dispute: Dispute) -> None:
    dispute.undo(dispute.settle(SettlementVerb.KEEP_OLD))
    with project_scope(dispute.cast.owner.acting):
        assert not InboxItem.objects.filter(kind="candidate").exists()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_had_ended_before_leaves_the_inbox_by_a_migration() -> None:
    dates = ThreeDates(auto_cast())
    waiting = dates.desk.learn("The mole is closed in winter", origin=Origin.TOOL_OUTPUT).memory
    dates.settle(SettlementVerb.KEEP_OLD)
    repair = import_module("memories.migrations.0012_ended_candidates_leave_inbox")
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE governance_inboxitem SET state = 'open', settled_at = NULL WHERE kind = 'candidate'")
        cursor.execute("UPDATE memories_memory SET evidence_gap = 'a human decides' WHERE id = %s", [dates.third.pk])
        for statement in (repair.SETTLE, repair.CLEAR):
            cursor.execute(statement)
    assert [dates.waits(one) for one in (dates.new, dates.third, waiting)] == ["done", "done", "open"]
    assert [bool(read(dates.cast.dev, one).evidence_gap) for one in (dates.third, waiting)] == [False, True]


def test_the_sight_counts_how_often_each_side_was_injected(dispute: Dispute) -> None:
    home = {"project_id": dispute.cast.project.pk, "packet_id": dispute.old.pk}
    with project_scope(dispute.cast.owner.acting):
        Injection.objects.create(memory=dispute.old, at=timezone.now(), **home)
        impact = sight(Conflict.objects.get(), now=timezone.now()).impact
    assert impact == {dispute.old.pk: 1}
