"""Taking merges back, and asking the gates again about what waits."""

from typing import Any

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from memories.consolidation import consolidate_due
from memories.merging import may_merge, merge
from memories.models import GateVerdict, Memory, Passage
from memories.rechecking import recheck
from memories.unmerging import unmerge
from memories.vocabulary import MemoryStatus, MemoryType, Origin, SettlementVerb, WriteAction, WriteMode
from memories.writes import Written
from tests.cast import POLICY, Cast, make_cast
from tests.governing import changed as put_in_force
from tests.memories.learning import Contradiction, Desk, auto_cast, claim, read
from tests.memories.test_undoing import settled

TEXT, OTHER = "The tide gauge at the mole listens as agreed", "The tide gauge at the mole listens on request"


def back(cast: Cast, memory: Memory) -> Memory:
    with project_scope(cast.owner.acting):
        return unmerge(cast.owner.acting, Memory.objects.get(pk=memory.pk), reason="it was wrong", now=timezone.now())


def in_use(cast: Cast) -> list[str]:
    with project_scope(cast.dev.acting):
        return sorted(Passage.objects.filter(memory__isnull=False, live=True).values_list("text", flat=True))


def changed(desk: Desk) -> tuple[Memory, Memory]:
    """A memory that is kept as one row, and the change of it that went into the row."""
    kept = desk.learn(TEXT, claims=claim("80"), write_mode=WriteMode.MERGE).memory
    asked = desk.learn(OTHER, claims=claim("90"), action=WriteAction.UPDATE, target_id=kept.pk)
    return kept, asked.memory


def test_a_change_in_place_is_taken_back(db: None) -> None:
    cast = auto_cast()
    kept, change = changed(Desk(cast.dev))
    assert in_use(cast) == [OTHER]
    assert back(cast, change).pk == kept.pk
    assert (in_use(cast), read(cast.dev, kept).version) == ([TEXT], 3)


def test_an_earlier_change_is_not_taken_back_from_under_a_later_one(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    kept, change = changed(desk)
    desk.learn(f"{OTHER} only", action=WriteAction.UPDATE, target_id=kept.pk)
    with pytest.raises(Clash, match="take the later change back first"):
        back(cast, change)


def test_what_another_says_by_now_is_not_said_twice(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    _, change = changed(desk)
    desk.learn(TEXT)
    with pytest.raises(Clash, match="another memory says the same"):
        back(cast, change)


def test_doubles_that_were_merged_stand_apart_again_and_stay_so(db: None) -> None:
    cast = auto_cast()
    desk = Desk(cast.dev)
    one = desk.learn("The nightly build of the gauge runs at 2 am.").memory
    other = desk.learn("At two each night the gauge is built anew.", type=MemoryType.PROCEDURAL).memory
    with project_scope(cast.owner.acting):  # as the sweep does with what it finds to be the same
        gone = merge(Memory.objects.get(pk=one.pk), Memory.objects.get(pk=other.pk), now=timezone.now())
    assert gone is not None
    assert len(in_use(cast)) == 1
    back(cast, gone)
    consolidate_due(count=len, now=timezone.now())
    with project_scope(cast.owner.acting):
        assert not may_merge(read(cast.owner, one), read(cast.owner, other))
    assert len(in_use(cast)) == 2


def test_what_a_settlement_merged_is_taken_back_there(db: None) -> None:
    cast = auto_cast()
    dispute = Contradiction(cast)
    settled(cast, dispute.conflict, SettlementVerb.MERGE, text="Port of the gauge: 80, at night 90")
    with pytest.raises(Clash, match="settled conflict"):
        back(cast, dispute.old)


def test_what_was_not_merged_cannot_be_taken_apart(db: None) -> None:
    cast = auto_cast()
    with pytest.raises(Clash, match="did not go into"):
        back(cast, Desk(cast.dev).learn(TEXT).memory)


def waiting(cast: Cast, **more: Any) -> Memory:
    memory = Desk(cast.dev).learn(TEXT, origin=Origin.AGENT_INFERRED, **more).memory
    assert memory.status == MemoryStatus.POLICY_CHECKED
    return memory


def let_low_risk_through(cast: Cast) -> None:
    put_in_force(cast, ContractKind.POLICY, "default", POLICY | {"review_mode": "low_risk_auto"})


def again(cast: Cast, memory: Memory, by: str = "owner") -> Written:
    acting = getattr(cast, by).acting
    with project_scope(acting):
        return recheck(acting, Memory.objects.get(pk=memory.pk), now=timezone.now())


def test_what_the_policy_lets_in_by_now_comes_into_use_when_it_is_checked_again(db: None) -> None:
    cast = make_cast("alpha")
    memory = waiting(cast)
    let_low_risk_through(cast)
    assert (again(cast, memory).outcome, in_use(cast)) == ("active", [TEXT])


def test_what_still_waits_waits_on_with_its_reason(db: None) -> None:
    cast = make_cast("alpha")
    memory = waiting(cast)
    written = again(cast, memory)
    assert (written.outcome, written.code, read(cast.dev, memory).status) == (
        "held",
        "review_mode_needs_human",
        MemoryStatus.POLICY_CHECKED,
    )


def test_what_is_said_by_now_makes_way_when_it_is_checked_again(db: None) -> None:
    cast = make_cast("alpha")
    memory = waiting(cast, private=False)
    let_low_risk_through(cast)
    said = Desk(cast.dev).learn("The tide gauge at the mole: it listens, as agreed", origin=Origin.AGENT_INFERRED)
    outcome = again(cast, memory).outcome if read(cast.dev, memory).status != "rejected" else "duplicate_of"
    assert (said.outcome, outcome, len(in_use(cast))) == ("active", "duplicate_of", 1)


def test_an_agent_has_nothing_checked_again(db: None) -> None:
    cast = make_cast("alpha")
    with pytest.raises(Forbidden):
        again(cast, waiting(cast), by="dev")


def test_a_gate_that_passes_now_names_who_had_it_asked(db: None) -> None:
    cast = make_cast("alpha")
    memory = waiting(cast)
    let_low_risk_through(cast)
    again(cast, memory)
    with project_scope(cast.owner.acting):
        passed = GateVerdict.objects.get(memory=memory, gate="alignment", passed=True)
    assert passed.decided_by_id == cast.owner.actor.pk
