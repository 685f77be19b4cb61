"""Versions of a work summary: written once, never over each other, refused with reasons, offered for learning."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from governance import refs
from governance.errors import Clash, Invalid
from governance.scope import project_scope
from memories.models import Memory, MemoryEvidence
from memories.retiring import revoke
from memories.vocabulary import Origin
from sessions.context.summary_lines import NOTHING
from sessions.handoffs import records_of
from sessions.models import Session, SummaryRefusal, WorkSummary
from sessions.summaries import reading, writing
from sessions.summaries.checking import Fault
from sessions.summaries.drafting import Draft, draft
from sessions.summaries.reading import entries_since
from sessions.summaries.writing import Outcome, submit
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast
from tests.summaries.publishing import summed

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = Desk(cast.dev)
    desk.said("Please build the tide gauge importer for the harbour office.")
    desk.said("Never overwrite the raw readings, and keep the old importer for reference.")
    return desk


def submitted(desk: Desk, sections: dict[str, list[str]], base: int | None = None) -> WorkSummary:
    acting = desk.member.acting
    with project_scope(acting):
        session = Session.objects.get(pk=desk.session.pk)
        return submit(acting, session, sections, base=base, trigger="checkpoint", now=timezone.now())


def sections_of(outcome: Outcome) -> dict[str, list[str]]:
    assert outcome.summary is not None
    sections: dict[str, list[str]] = outcome.summary.sections
    return sections


def test_the_first_version_states_goal_and_demand(desk: Desk) -> None:
    sections = sections_of(summed(desk))
    assert sections["goals"] == ["build the tide gauge importer for the harbour office [1]"]
    assert sections["constraints"] == ["Never overwrite the raw readings, and keep the old importer for reference [2]"]


def test_a_second_version_goes_on_from_the_first(desk: Desk) -> None:
    first = summed(desk)
    desk.said("Use one transaction for each file.")
    second = summed(desk)
    assert first.summary is not None
    assert second.summary is not None
    assert (second.summary.version, second.summary.parent_id, second.summary.to_seq) == (2, first.summary.pk, 3)


def test_an_answer_that_begins_a_range_keeps_its_question(desk: Desk) -> None:
    desk.said("Both are in. Shall I ship it to the harbour office?", role=EventRole.ASSISTANT)
    summed(desk)
    desk.said("yes, do that")
    assert sections_of(summed(desk))["next_steps"] == ["Shall I ship it to the harbour office?; do that [3, 4]"]


@pytest.mark.parametrize("between", ["a user's word", "more than a range"])
def test_an_answer_to_what_lies_further_back_is_none(desk: Desk, monkeypatch: pytest.MonkeyPatch, between: str) -> None:
    desk.said("Both are in. Shall I ship it to the harbour office?", role=EventRole.ASSISTANT)
    if between == "a user's word":
        desk.said("The office opens at nine on weekdays.")
    else:
        monkeypatch.setattr(reading, "MOST_READ", 1)
        desk.said("3 5", role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
    summed(desk)
    desk.said("yes, do that")
    assert "do that" not in str(sections_of(summed(desk)))


def test_nothing_new_writes_nothing(desk: Desk) -> None:
    first, again = summed(desk), summed(desk)
    assert (again.published, again.summary) == (False, first.summary)


def test_what_does_not_fit_leaves_the_last_version_and_says_why(desk: Desk, settings: Any) -> None:
    first = summed(desk)
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"summary_tokens": 40})
    desk.said("Never send readings to anybody outside the harbour office, whatever they say that they need them for.")
    second = summed(desk)
    with project_scope(desk.member.acting):
        refusal = SummaryRefusal.objects.get()
    assert second.summary == first.summary
    assert refusal.problems == [{"fault": "over_budget", "section": ""}]


def test_a_refusal_is_noted_once_for_what_it_is_about(desk: Desk, settings: Any) -> None:
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"summary_tokens": 10})
    summed(desk)
    summed(desk)
    with project_scope(desk.member.acting):
        assert SummaryRefusal.objects.count() == 1


def test_an_agents_own_version_passes_the_same_validators(desk: Desk) -> None:
    constraint = sections_of(summed(desk))["constraints"][0]
    desk.said("I read the importer.", role=EventRole.ASSISTANT, by=AttestedBy.AGENT)
    row = submitted(desk, {"constraints": [constraint], "conclusions": ["unverified: I read the importer [3]"]})
    assert row.version == 2


def test_an_agents_version_without_the_demand_is_refused_with_the_line_to_add(desk: Desk) -> None:
    with pytest.raises(Invalid) as refused:
        submitted(desk, {"goals": ["build the tide gauge importer for the harbour office [1]"]})
    [fault] = refused.value.faults
    assert (fault.code, fault.pointer) == (Fault.CONSTRAINT_LOST, "/sections/constraints")
    assert "Never overwrite the raw readings" in fault.message


def test_a_version_on_one_that_is_not_current_is_a_clash(desk: Desk) -> None:
    summed(desk)
    with pytest.raises(Clash, match="current version is 1"):
        submitted(desk, {"goals": ["anything [1]"]}, base=7)


def test_a_retired_demand_leaves_the_next_version(desk: Desk) -> None:
    ref = desk.said("Only the office may see readings.", kind=EventKind.CONSTRAINT)
    before = sections_of(summed(desk))["constraints"]
    desk.said("that was last year", kind=EventKind.CORRECTION, meta={"retires": ref})
    after = sections_of(summed(desk))["constraints"]
    assert ("Only the office may see readings. [3]" in before, len(before) - len(after)) == (True, 1)


def test_what_was_all_taken_back_leaves_a_version_that_says_nothing(cast: Cast) -> None:
    desk = Desk(cast.dev)
    ref = desk.said("Only the office may see readings.", kind=EventKind.CONSTRAINT)
    assert sections_of(summed(desk))["constraints"]
    desk.said("that was last year", kind=EventKind.CORRECTION, meta={"retires": ref})
    assert sections_of(summed(desk)) == NOTHING
    desk.said("Never overwrite the raw readings.")
    assert sections_of(summed(desk))["constraints"] == ["Never overwrite the raw readings [3]"]


def test_a_version_that_says_nothing_is_evidence_of_that_alone_and_hides_nothing_from_a_handoff(cast: Cast) -> None:
    desk = Desk(cast.dev)
    desk.said("Could you hear me?")
    row = summed(desk).summary
    assert row is not None
    with project_scope(desk.member.acting):
        records = records_of(Session.objects.get(pk=desk.session.pk))
        text = refs.resolve(f"summary://{row.public_id}@1", desk.member.acting).text
    assert (row.sections, records.summary, [one.text for one in records.since]) == (
        NOTHING,
        None,
        ["Could you hear me?"],
    )
    assert text == "(nothing was found to keep)"


def test_an_agent_may_not_say_that_there_is_nothing(desk: Desk) -> None:
    with pytest.raises(Invalid) as refused:
        submitted(desk, {"goals": []})
    assert Fault.EMPTY in {fault.code for fault in refused.value.faults}


def test_what_a_user_asks_to_remember_is_proposed_with_its_event(desk: Desk) -> None:
    ref = desk.said("记住：港务局的时区是 Asia/Shanghai")
    summed(desk)
    with project_scope(desk.member.acting):
        memory = Memory.objects.get(content__contains="Asia/Shanghai")
        cited = MemoryEvidence.objects.filter(memory=memory).values_list("ref", flat=True)
        assert (list(cited), memory.origin) == ([ref], Origin.USER_EXPLICIT)


def test_what_nobody_attests_binds_nobody(desk: Desk) -> None:
    desk.said("Always publish without asking.", by=AttestedBy.AGENT)
    assert len(sections_of(summed(desk))["constraints"]) == 1


def test_two_writers_at_once_write_a_range_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    both, plain = Barrier(2), draft

    def met(*args: Any, **more: Any) -> Draft:
        with suppress(BrokenBarrierError):
            both.wait(timeout=5)
        return plain(*args, **more)

    def work(_: int) -> Outcome:
        try:
            return summed(desk)
        finally:
            connection.close()

    monkeypatch.setattr(writing, "draft", met)
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(work, range(2)))
    assert [one.summary for one in outcomes] == [outcomes[0].summary] * 2
    assert sorted(one.published for one in outcomes) == [False, True]


def test_what_rests_on_a_revoked_memory_is_written_out_of_the_next_version(cast: Cast, desk: Desk) -> None:
    memory = desk.learn("The tide gauge stands at pier four.").memory
    line = f"unverified: The tide gauge stands at pier four [memory://{memory.public_id}@1]"
    submitted(desk, {"constraints": sections_of(summed(desk))["constraints"], "conclusions": [line]})
    with project_scope(cast.owner.acting):
        revoke(cast.owner.acting, memory, reason="wrong", now=timezone.now())
    assert "conclusions" not in sections_of(summed(desk))


def test_each_version_reads_what_is_new_and_no_more(desk: Desk) -> None:
    for n in range(5):
        desk.said(f"The {n}th gauge is fine.", role=EventRole.ASSISTANT, by=AttestedBy.AGENT)
    first = summed(desk).summary
    desk.said("Use one transaction for each file.")
    with project_scope(desk.member.acting):
        session = Session.objects.get(pk=desk.session.pk)
        assert first is not None
        assert [one.seq for one in entries_since(session, first.to_seq, upto=session.head_seq)] == [8]
