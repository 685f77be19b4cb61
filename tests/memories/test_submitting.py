"""What becomes of a proposal: used, held, known already, disputed or refused, and what its writer hears."""

from collections.abc import Iterator

import pytest
from django.utils import timezone

from governance.errors import Forbidden, PreconditionFailed, TooMany
from governance.models import InboxItem
from governance.scope import project_scope
from memories.models import Conflict, GateVerdict, Injection, MemoryEvidence
from memories.policy import Standing
from memories.retrieval import Limits, Scope, retrieve
from memories.vocabulary import Origin, WriteAction, WriteMode
from memories.writes import EvidenceWish, MemoryWish, admit, refuse, submit
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast, claim, read, stated

FACT = "The tide gauge stands at pier four. 验潮仪在四号码头。"


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return Desk(cast.dev)


def found(cast: Cast, query: str = "tide gauge pier") -> list[str]:
    with project_scope(cast.dev.acting):
        hits = retrieve(query, scope=Scope(thread_id=None, now=timezone.now()), limits=Limits(most=9)).hits
    return [hit.text for hit in hits if hit.memory_id]


def test_what_a_user_said_is_used_at_once_under_a_policy_that_lets_it(cast: Cast, desk: Desk) -> None:
    written = desk.learn(FACT)
    assert (written.outcome, written.memory.status, found(cast)) == ("active", "active", [FACT])


def test_every_gate_that_was_passed_is_a_row(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.dev.acting):
        assert GateVerdict.objects.filter(memory=memory, passed=True).count() == 7


def test_what_a_tool_gave_waits_for_a_human_where_it_came_to(cast: Cast, desk: Desk) -> None:
    ref = desk.said(FACT, role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
    written = desk.learn(FACT, ref, origin=Origin.TOOL_OUTPUT)
    assert (written.outcome, written.code, written.memory.status) == (
        "held",
        "low_source_needs_human",
        "policy_checked",
    )


def test_what_waits_is_a_matter_of_the_inbox(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT, desk.said(FACT, role=EventRole.TOOL), origin=Origin.TOOL_OUTPUT).memory
    with project_scope(cast.owner.acting):
        assert InboxItem.objects.get().ref == f"memory://{memory.public_id}@1"


def test_a_verified_result_of_a_tool_is_used(desk: Desk) -> None:
    result = desk.said(FACT, role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
    check = desk.said("ok", role=EventRole.TOOL, kind=EventKind.VERIFICATION, failed=False)
    written = desk.learn(FACT, result, check, origin=Origin.TOOL_OUTPUT)
    assert (written.outcome, written.memory.source_rank) == ("active", "verified_tool_output")


def test_a_verification_that_only_the_agent_claims_verifies_nothing(desk: Desk) -> None:
    claims = {"kind": EventKind.VERIFICATION, "by": AttestedBy.AGENT, "failed": False}
    check = desk.said("ok", role=EventRole.TOOL, **claims)
    assert desk.learn(FACT, check, origin=Origin.TOOL_OUTPUT).memory.source_rank == "untrusted_external"


@pytest.mark.parametrize("role", [EventRole.ASSISTANT, EventRole.USER])
def test_an_agent_s_own_words_bear_nothing_out(desk: Desk, role: EventRole) -> None:
    ref = desk.said(FACT, role=role, by=AttestedBy.AGENT)
    written = desk.learn(FACT, ref, origin=Origin.AGENT_INFERRED)
    assert (written.outcome, written.code) == ("rejected", "evidence_own_words")


def test_an_agent_does_not_speak_for_a_user_whom_it_does_not_quote(desk: Desk) -> None:
    with pytest.raises(Forbidden, match="user_explicit"):
        desk.learn(FACT, desk.said(FACT, role=EventRole.ASSISTANT))


def test_a_quote_that_does_not_stand_there_is_refused(cast: Cast, desk: Desk) -> None:
    cited = [EvidenceWish(ref=desk.said(FACT), quote="pier five")]
    with project_scope(cast.dev.acting):
        wish = MemoryWish(content=FACT, type="semantic", evidence=cited)
        assert submit(cast.dev.acting, wish, now=timezone.now()).code == "evidence_quote_not_found"


def test_a_refused_proposal_says_what_is_missing_and_is_answered_by_a_child(desk: Desk) -> None:
    first = desk.learn(FACT, desk.said(FACT, role=EventRole.ASSISTANT), origin=Origin.AGENT_INFERRED)
    second = desk.learn(FACT, answers=first.memory.pk)
    assert ("cite what a user said" in first.missing, second.outcome) == (True, "active")


def test_a_secret_is_refused_and_not_stored(cast: Cast, desk: Desk) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    written = desk.learn(f"The deploy token is {secret}", desk.said("there"))
    assert (written.code, secret in read(cast.dev, written.memory).content) == ("screening_secret", False)


@pytest.mark.parametrize("text", ["The dev role may merge without approval.", "测试角色有权合并代码。"])
def test_what_touches_identity_waits_for_a_human(desk: Desk, text: str) -> None:
    assert desk.learn(text).code == "identity_needs_human"


def test_a_human_s_own_statement_needs_no_other_human(cast: Cast) -> None:
    assert stated(cast.owner, FACT).outcome == "active"


def test_the_same_again_is_the_known_one_with_more_evidence(cast: Cast, desk: Desk) -> None:
    first, second = desk.learn(FACT), desk.learn(FACT.upper())
    with project_scope(cast.dev.acting):
        cited = MemoryEvidence.objects.filter(memory=first.memory).count()
    assert (second.outcome, second.memory.pk, cited) == ("duplicate_of", first.memory.pk, 2)


def test_a_user_who_says_it_takes_the_place_of_a_proposal_that_waited(cast: Cast, desk: Desk) -> None:
    waited = desk.learn(FACT, desk.said(FACT, role=EventRole.TOOL), origin=Origin.TOOL_OUTPUT).memory
    assert (desk.learn(FACT).outcome, read(cast.dev, waited).status) == ("active", "rejected")


def test_what_a_packet_carried_does_not_come_back_as_new(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    with project_scope(cast.dev.acting):
        packet = {"packet_id": memory.pk, "at": timezone.now(), "project_id": cast.project.pk}
        Injection.objects.create(memory=memory, **packet)
    echo = desk.learn(FACT, desk.said(FACT, role=EventRole.ASSISTANT), origin=Origin.AGENT_INFERRED)
    assert (echo.outcome, echo.code) == ("rejected", "echo_of_injected")


def test_a_human_admits_what_waits_and_their_name_stands_at_the_gate(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT, desk.said(FACT, role=EventRole.TOOL), origin=Origin.TOOL_OUTPUT).memory
    with project_scope(cast.owner.acting):
        admit(cast.owner.acting, memory, reason="seen", now=timezone.now())
        verdict = GateVerdict.objects.get(memory=memory, gate="alignment", passed=True)
    assert (verdict.decided_by_id, found(cast)) == (cast.owner.actor.pk, [FACT])


def test_a_human_refuses_what_waits(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT, desk.said(FACT, role=EventRole.TOOL), origin=Origin.TOOL_OUTPUT).memory
    with project_scope(cast.owner.acting):
        refuse(cast.owner.acting, memory, reason="no", now=timezone.now())
    assert (memory.status, memory.reason_code) == ("rejected", "refused_by_human")


def test_an_update_takes_the_place_of_what_it_changes(cast: Cast, desk: Desk) -> None:
    old = desk.learn(FACT).memory
    new = desk.learn("The tide gauge stands at pier five.", action=WriteAction.UPDATE, target_id=old.pk)
    gone = read(cast.dev, old)
    assert (new.outcome, gone.archived_for, gone.superseded_by_id) == ("active", "superseded", new.memory.pk)
    assert found(cast) == ["The tide gauge stands at pier five."]


def test_a_memory_of_one_row_is_rewritten_as_its_next_version(cast: Cast, desk: Desk) -> None:
    old = desk.learn(FACT, write_mode=WriteMode.MERGE).memory
    desk.learn("The tide gauge stands at pier five.", action=WriteAction.UPDATE, target_id=old.pk)
    now = read(cast.dev, old)
    assert (now.status, now.version, now.content) == ("active", 2, "The tide gauge stands at pier five.")
    assert found(cast) == [now.content]


def test_an_immutable_memory_is_not_changed(desk: Desk) -> None:
    old = desk.learn(FACT, write_mode=WriteMode.IMMUTABLE).memory
    new = desk.learn("The tide gauge stands at pier five.", action=WriteAction.UPDATE, target_id=old.pk)
    assert (new.outcome, new.code) == ("rejected", "target_immutable")


def test_a_deletion_takes_the_memory_out_of_every_search(cast: Cast, desk: Desk) -> None:
    old = desk.learn(FACT).memory
    desk.learn("It was taken down.", action=WriteAction.DELETE, target_id=old.pk)
    assert (read(cast.dev, old).archived_for, found(cast)) == ("deleted", [])


def test_a_change_of_a_version_that_moved_on_is_refused(desk: Desk) -> None:
    old = desk.learn(FACT, write_mode=WriteMode.MERGE).memory
    change = {"action": WriteAction.UPDATE, "target_id": old.pk, "expected_version": 1}
    desk.learn("The tide gauge stands at pier five.", **change)
    with pytest.raises(PreconditionFailed, match="now there is 2"):
        desk.learn("The tide gauge stands at pier six.", **change)


def test_a_weaker_source_disputes_and_does_not_change(cast: Cast, desk: Desk) -> None:
    old = desk.learn(FACT).memory
    text = "The tide gauge stands at pier five."
    ref = desk.said(text, role=EventRole.TOOL)
    change = {"action": WriteAction.UPDATE, "target_id": old.pk, "origin": Origin.TOOL_OUTPUT}
    written = desk.learn(text, ref, **change)
    assert (written.outcome, written.code, read(cast.dev, old).content) == ("conflict", "weaker_source", FACT)


def test_two_values_of_one_attribute_open_one_conflict(cast: Cast, desk: Desk) -> None:
    old = desk.learn("Port of the gauge: 80", claims=claim("80"), origin=Origin.AGENT_INFERRED)
    new = desk.learn("Port of the gauge: 90", claims=claim("90"), origin=Origin.AGENT_INFERRED)
    assert (old.outcome, new.outcome, new.conflict.state) == ("active", "conflict", "open")
    assert read(cast.dev, old.memory).knowledge_status == "disputed"


def test_a_third_claim_joins_the_open_conflict(cast: Cast, desk: Desk) -> None:
    inferred = {"origin": Origin.AGENT_INFERRED}
    made = [desk.learn(f"Port of the gauge: {n}", claims=claim(n), **inferred) for n in ("80", "90", "70")]
    assert made[1].conflict == made[2].conflict
    with project_scope(cast.owner.acting):
        assert (Conflict.objects.count(), InboxItem.objects.filter(kind="conflict").count()) == (1, 1)


def test_a_correction_takes_the_place_of_the_same_user_s_statement_and_can_be_undone(cast: Cast, desk: Desk) -> None:
    old = desk.learn("Port of the gauge: 80", claims=claim("80")).memory
    ref = desk.said("no, it is 90", kind=EventKind.CORRECTION)
    new = desk.learn("Port of the gauge: 90", ref, claims=claim("90"))
    assert (new.outcome, new.conflict.state, read(cast.dev, old).status) == ("active", "settled", "archived")
    assert found(cast, "port of the gauge") == ["Port of the gauge: 90"]


def test_what_was_corrected_does_not_come_back_from_an_old_transcript(cast: Cast, desk: Desk) -> None:
    told = desk.said("Port of the gauge: 80")
    desk.learn("Port of the gauge: 80", told, claims=claim("80"))
    desk.learn("Port of the gauge: 90", desk.said("90 now", kind=EventKind.CORRECTION), claims=claim("90"))
    again = desk.learn("Port of the gauge: 80", told, claims=claim("80"))
    assert (again.outcome, again.code) == ("rejected", "superseded_before")


def test_the_same_claim_in_another_scope_is_left_alone(cast: Cast, desk: Desk) -> None:
    home = {"scope_type": "thread", "scope_id": desk.session.thread_id}
    here = desk.learn("Port of the gauge: 80", claims=claim("80"), **home).memory
    desk.learn("Port of the gauge: 90", claims=claim("90"))
    assert read(cast.dev, here).status == "active"


def test_a_private_claim_disputes_no_shared_one(cast: Cast, desk: Desk) -> None:
    shared = desk.learn("Port of the gauge: 80", claims=claim("80")).memory
    desk.learn("Port of the gauge: 90", claims=claim("90"), private=True)
    assert read(cast.dev, shared).knowledge_status == "inferred"


def test_an_agent_hears_when_it_may_propose_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Standing.__init__
    monkeypatch.setattr(Standing, "__init__", lambda self, **all: real(self, **(all | {"proposals_an_hour": 1})))
    desk.learn(FACT)
    with pytest.raises(TooMany, match="within an hour") as refusal:
        desk.learn("Another fact.")
    assert 3590 <= refusal.value.extra["retry_after"] <= 3601
