"""Summaries and handoffs that cite a memory which no longer holds do not say it on."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from governance.ids import parse_id, public_id
from governance.scope import project_scope
from memories.models import Memory
from memories.retiring import archive, revoke
from sessions.asking import ContextAsk
from sessions.citing import describe
from sessions.context.material import HitFact, InputFact
from sessions.fallen import Fall, Fallen, hits_without
from sessions.models import Handoff, WorkSummary
from sessions.runtime import prepare_context
from sessions.vocabulary import AttestedBy, EventRole
from tests.api.asking import ok
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast, read

FACT = "The tide gauge stands at pier four."
SAYS = "the gauge is at pier four"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = Desk(cast.dev)
    desk.said("please read the tide gauge")
    return desk


def summed_up(cast: Cast, desk: Desk, **sections: Sequence[str]) -> None:
    made = {"project_id": cast.project.pk, "session": desk.session, "author_id": cast.dev.actor.pk}
    cover = {"version": 1, "from_seq": 1, "to_seq": 1, "trigger": "asked", "tokens_o200k": 9}
    with project_scope(cast.dev.acting):
        WorkSummary.objects.create(sections=sections, **made, **cover)


def handed_over(cast: Cast, desk: Desk, summary: str) -> None:
    about = {"thread_id": desk.session.thread_id, "from_session": desk.session, "author_id": cast.dev.actor.pk}
    with project_scope(cast.dev.acting):
        Handoff.objects.create(
            project_id=cast.project.pk, summary=summary, resume_suggestion="go on", to_session=desk.session, **about
        )


def packet(cast: Cast, desk: Desk) -> dict[str, Any]:
    asked = InputFact(raw_text="继续", input_type="text", timestamp=None, attached_context=None)
    ask = ContextAsk(user_input=asked, session_id=desk.session.pk)
    return prepare_context(ask, acting=cast.dev.acting, now=timezone.now())


def took_back(cast: Cast, memory: Memory) -> None:
    with project_scope(cast.owner.acting):
        revoke(cast.owner.acting, memory, reason="wrong", now=timezone.now())


def shown_again(cast: Cast, answer: dict[str, Any]) -> Any:
    return cast.dev.client().get(f"/context/{answer['packet_id']}")


def test_a_summary_says_what_it_cites_while_that_holds(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    assert SAYS in str(packet(cast, desk)["prompt"])


def test_the_packet_after_a_revocation_withholds_what_rested_on_it(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})", "the weather was fine"])
    took_back(cast, memory)
    prompt = str(packet(cast, desk)["prompt"])
    assert (SAYS in prompt, "withheld: it rested on" in prompt, "the weather was fine" in prompt) == (False, True, True)


def test_what_is_only_out_of_date_is_said_to_be(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    desk.learn("The tide gauge is at pier six now.", target_id=memory.pk, action="UPDATE", expected_version=1)
    prompt = str(packet(cast, desk)["prompt"])
    assert (SAYS in prompt, "outdated" in prompt) == (True, True)


def test_what_was_only_put_away_is_still_said_plainly(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="rarely used", now=timezone.now())
    prompt = str(packet(cast, desk)["prompt"])
    assert (SAYS in prompt, "outdated" in prompt) == (True, False)


def test_a_demand_is_never_lost_with_what_it_cites(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, constraints=[f"never move the gauge ({memory.ref})"])
    took_back(cast, memory)
    assert "never move the gauge" in str(packet(cast, desk)["prompt"])


def test_a_handoff_withholds_it_as_well(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    handed_over(cast, desk, f"{SAYS} ({memory.ref})\nthe rest is open")
    took_back(cast, memory)
    prompt = str(packet(cast, desk)["prompt"])
    assert (SAYS in prompt, "the rest is open" in prompt) == (False, True)


def test_outside_of_packets_nobody_is_told_it_either(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})", "the weather was fine"])
    handed_over(cast, desk, f"{SAYS} ({memory.ref})\nthe weather was fine")
    with project_scope(cast.dev.acting):
        refs = [f"summary://{WorkSummary.objects.get().public_id}", f"handoff://{Handoff.objects.get().public_id}"]
    took_back(cast, memory)
    api, session = cast.dev.client(), f"/sessions/{desk.session.public_id}"
    asked = [api.get(f"{session}/summary"), api.post(f"{session}/resume")]
    asked += [api.get(f"/evidence?ref={quote(ref, safe='')}") for ref in refs]
    with project_scope(cast.dev.acting):
        told = [*(answer.content.decode() for answer in asked), str(describe(refs, cast.dev.acting))]
        assert [card.opens for card in describe([memory.ref], cast.dev.acting)] == [False]
    assert [(SAYS in one, "the weather was fine" in one) for one in told] == [(False, True)] * 5


def test_a_packet_that_said_it_is_not_shown_again(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    answer = packet(cast, desk)
    took_back(cast, memory)
    assert shown_again(cast, answer).status_code == 410


def test_a_packet_that_withheld_it_is_shown_again_as_it_was(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    took_back(cast, memory)
    answer = packet(cast, desk)
    assert shown_again(cast, answer).json()["prompt"]["text"] == answer["prompt"]["text"]


def test_a_summary_that_rests_on_it_is_stale_from_then_on(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    before = packet(cast, desk)["summary"]["stale_since"]
    took_back(cast, memory)
    answer = packet(cast, desk)
    assert (before, answer["summary"]["stale_since"]) == (None, read(cast.dev, memory).updated_at.isoformat())
    assert shown_again(cast, answer).json()["summary"] == answer["summary"]


def test_a_summary_beside_a_handoff_that_rests_on_it_is_not_stale(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=["the weather was fine"])
    handed_over(cast, desk, f"{SAYS} ({memory.ref})")
    took_back(cast, memory)
    assert packet(cast, desk)["summary"]["stale_since"] is None


def test_a_memory_of_a_task_enters_the_packets_of_that_task_alone(cast: Cast, desk: Desk) -> None:
    thread = desk.session.thread_id
    api = cast.dev.client()
    gauge, other = (
        ok(api.post("/tasks", {"thread_id": public_id("thr", thread), "title": name}))["id"]
        for name in ("read the gauge", "paint the mole")
    )
    place: dict[str, Any] = {"scope_type": "task", "scope_id": parse_id("tsk", gauge, pointer="")}
    desk.learn("The tide gauge counts from pier four.", **place)
    body = {"user_input": {"raw_text": "Does the tide gauge count from pier four?"}}
    answers = [ok(api.post("/context", body | {"task_id": task})) for task in (gauge, other)]
    assert [answer["retrieval"]["considered"] for answer in answers] == [1, 0]


def answered(desk: Desk, text: str) -> None:
    """Let the agent say something in the dialogue."""
    desk.said(text, role=EventRole.ASSISTANT, by=AttestedBy.AGENT)


def test_what_rests_on_it_is_stated_in_no_slot_of_the_next_packet(cast: Cast, desk: Desk) -> None:
    """In the summary, in the handoff, in a turn of the dialogue and among what is found; the packet before is gone."""
    memory = desk.learn(FACT).memory
    summed_up(cast, desk, conclusions=[f"{SAYS} ({memory.ref})"])
    handed_over(cast, desk, f"{SAYS} ({memory.ref})")
    answered(desk, f"Right: {SAYS} ({memory.ref}).\nThe rest can wait.")
    before = packet(cast, desk)
    took_back(cast, memory)
    after = packet(cast, desk)
    slots = [before["packet"]["session"][name] for name in ("work_summary", "recent_dialogue")]
    assert [SAYS in str(slot) for slot in (*slots, before["packet"]["handoff"])] == [True] * 3
    assert (SAYS in str(after), FACT in str(after), "The rest can wait." in str(after["prompt"])) == (
        False,
        False,
        True,
    )
    assert shown_again(cast, before).status_code == 410
    assert shown_again(cast, after).json()["prompt"] == after["prompt"]


def test_a_turn_that_is_only_out_of_date_stays_as_it_was_said(cast: Cast, desk: Desk) -> None:
    memory = desk.learn(FACT).memory
    answered(desk, f"Right: {SAYS} ({memory.ref}).")
    desk.learn("The tide gauge is at pier six now.", target_id=memory.pk, action="UPDATE", expected_version=1)
    assert f"Right: {SAYS} ({memory.ref})." in str(packet(cast, desk)["prompt"])


def test_a_found_passage_says_it_no_more() -> None:
    ref = f"memory://mem_{'0' * 32}@1"
    hit = HitFact(
        ref="event://ses_1/2",
        source_type="decision",
        source_id="ses_1/2",
        relevance_reason="words",
        content=f"{SAYS} ({ref})\nthe rest is open",
        score=1.0,
        confidence=None,
        knowledge_status="open",
        origin="user_explicit",
        tokens=9,
    )
    [told] = hits_without([hit], Fallen(fates={ref: Fall.REVOKED}))
    assert (SAYS in told.content, "the rest is open" in told.content, told.tokens) == (False, True, None)
