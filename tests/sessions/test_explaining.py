"""Why something was in a packet, was cut, was not eligible, or was never considered."""

from functools import partial
from typing import Any

import pytest

from governance.models import Revision
from governance.models.base import reach_of
from governance.scope import project_scope
from memories.models import Memory, MemoryMove
from memories.retiring import archive
from memories.retrieval import Found
from memories.vocabulary import MemoryStatus, ScopeType
from sessions import gathering, recalling
from sessions.explaining import explanation
from sessions.models import ContextPacket, Event, Session, WorkSummary
from tests.api.asking import append, compiled, event, layer, make_thread, ok, open_session
from tests.api.test_context_again import QUESTION, learnt, private_of
from tests.cast import Cast, at, make_cast
from threads.models import Thread


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def told(cast: Cast, packet: dict[str, Any], ref: str) -> dict[str, Any]:
    """What the API says of a ref in a packet."""
    return ok(cast.dev.client().get(f"/context/{packet['packet_id']}/explain?ref={ref}"))


def chatty(cast: Cast, turns: int = 60, **more: Any) -> tuple[str, dict[str, Any]]:
    """A session with many turns, and a packet of it."""
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, *[event(f"turn {n} of the parser " * 20, f"e{n}") for n in range(turns)])
    return session, compiled(cast.dev, session_id=session, **more)


def short_tail(tail_of: Any, session: Any, **asked: Any) -> Any:
    """The last entry of a session, and the words of its latest exchanges."""
    return tail_of(session, **(asked | {"most": 1}))


def in_project(memory: Memory) -> dict[str, Any]:
    return {"project_id": memory.project_id, **reach_of(memory)}


def test_a_memory_that_was_in(cast: Cast) -> None:
    memory = learnt(cast)
    packet = compiled(cast.dev, QUESTION)
    for form in (f"memory://{memory.public_id}@1", f"memory://{memory.public_id}", memory.public_id):
        said = told(cast, packet, form)
        assert (said["verdict"], said["layer"], said["tokens"]) == ("in", "memories", said["items"][0]["tokens"])


def test_an_entry_that_was_cut_names_rule_and_tokens(cast: Cast) -> None:
    _, packet = chatty(cast, budget={"max_input_tokens": 2000})
    dropped = layer(packet, "dialogue")["dropped"][0]
    said = told(cast, packet, dropped["ref"])
    assert (said["verdict"], said["rule"], said["tokens"]) == ("cut", dropped["reason"], dropped["tokens"])


def test_an_entry_is_explained_by_its_own_id(cast: Cast) -> None:
    _, packet = chatty(cast, turns=1)
    with project_scope(cast.dev.acting):
        pk = Event.objects.get().public_id
    assert told(cast, packet, pk)["verdict"] == "in"


def test_a_private_memory_was_not_eligible_in_a_shared_packet(cast: Cast) -> None:
    private_of(cast, cast.dev)
    with project_scope(cast.dev.acting):
        memory = Memory.objects.get()
        steps = {"here": MemoryStatus.COMMITTED, "there": MemoryStatus.ACTIVE, "at": at(9)}
        MemoryMove.objects.create(memory=memory, **steps, **in_project(memory))
    packet = compiled(cast.dev, QUESTION)
    said = told(cast, packet, memory.public_id)
    assert (said["verdict"], said["gate"]) == ("not_eligible", "audience")


def test_what_nobody_knows_is_not_there(cast: Cast) -> None:
    said = told(cast, compiled(cast.dev), f"mem_{'1' * 32}")
    assert (said["verdict"], said["why"]) == ("never_considered", "not_there")


def test_what_others_keep_is_not_there_either(cast: Cast) -> None:
    private_of(cast, cast.tester)
    packet = compiled(cast.dev, QUESTION)
    with project_scope(cast.tester.acting):
        pk = Memory.objects.get().public_id
    assert told(cast, packet, pk)["why"] == "not_there"


def test_what_came_later_says_so(cast: Cast) -> None:
    session, packet = chatty(cast, turns=1)
    append(cast.dev, session, event("later", "late"))
    assert told(cast, packet, f"event://{session}/2")["why"] == "later"


def test_an_old_entry_was_before_the_tail(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, *[event("hm", f"e{n}") for n in range(12)])
    monkeypatch.setattr(gathering, "tail_of", partial(short_tail, gathering.tail_of))
    assert told(cast, compiled(cast.dev, session_id=session), f"event://{session}/1")["why"] == "before_tail"


def test_an_entry_that_is_the_input_itself_says_so(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Found(hits=[], considered=0, eligible=0)
    monkeypatch.setattr(recalling, "retrieve", lambda *_, **__: nothing)
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("hm", "now"))
    packet = compiled(cast.dev, "hm", session_id=session, client_event_id="now")
    said = told(cast, packet, f"event://{session}/1")
    assert (said["why"], said["by"]) == ("as_input", "request://raw_text")


def test_a_memory_out_of_use_was_not_considered(cast: Cast) -> None:
    memory = learnt(cast)
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="test", now=at(9))
    assert told(cast, compiled(cast.dev, QUESTION), memory.public_id)["why"] == "not_in_use"


def test_a_memory_of_another_thread_was_not_considered(cast: Cast) -> None:
    make_thread(cast.dev, "garden")
    with project_scope(cast.dev.acting):
        pk = Thread.objects.get(title="garden").pk
    memory = learnt(cast, scope_type=ScopeType.THREAD, scope_id=pk)
    packet = compiled(cast.dev, "grow the roses", thread_id=make_thread(cast.dev, "roses"))
    assert told(cast, packet, memory.public_id)["why"] == "another_thread"


def test_a_memory_that_shares_nothing_was_not_found(cast: Cast) -> None:
    memory = learnt(cast)
    assert told(cast, compiled(cast.dev, "water the roses"), memory.public_id)["why"] == "not_found"


def test_a_turn_that_goes_on_names_the_packet_that_asked(cast: Cast) -> None:
    learnt(cast)
    session = open_session(cast.dev, make_thread(cast.dev))
    first = compiled(cast.dev, QUESTION, session_id=session)
    late = learnt(cast, "The walrus sleeps at noon.")
    packet = compiled(cast.dev, "继续", session_id=session)
    said = told(cast, packet, late.public_id)
    assert (said["why"], said["by"]) == ("not_asked", first["packet_id"])


def test_another_revision_was_not_pinned(cast: Cast) -> None:
    packet = compiled(cast.dev)
    with project_scope(cast.dev.acting):
        other = Revision.objects.get(contract__slug="tester").public_id
    assert told(cast, packet, other)["why"] == "not_pinned"


@pytest.mark.parametrize("ref", ["artifact://nope", "artifact://", f"artifact://art_{'1' * 31}"])
def test_a_malformed_artifact_is_not_there(cast: Cast, ref: str) -> None:
    _, packet = chatty(cast, turns=1)
    assert told(cast, packet, ref)["why"] == "not_there"


def test_a_source_of_which_a_part_was_cut_says_how_much(cast: Cast) -> None:
    _, packet = chatty(cast, budget={"max_input_tokens": 2000})
    rows = layer(packet, "dialogue")
    inside, cut = rows["items"][-1]["ref"], rows["dropped"][0]["ref"]
    session, first, last = inside.rpartition("/")[0], *sorted(int(ref.rpartition("/")[2]) for ref in (inside, cut))
    said = told(cast, packet, f"{session}/{first}-{last}")
    kept = [row for row in rows["items"] if row["ref"].startswith(session)]
    assert (said["verdict"], said["layer"]) == ("partly", "dialogue")
    assert said["tokens"] == sum(row["tokens"] for row in kept)
    assert said["message"].startswith(f"Of its {last - first + 1} parts: {len(kept)} in, ")
    assert cut in {row["ref"] for row in said["items"]}
    out = sum("reason" in row for row in said["items"])
    counts = {"in": len(kept), "held": 0, "left_out": out, "never_considered": last - first + 1 - len(kept) - out}
    assert said["parts"] == counts


def test_a_span_that_was_in_whole_says_so(cast: Cast) -> None:
    session, packet = chatty(cast, turns=5)
    said = told(cast, packet, f"event://{session}/1-5")
    assert (said["verdict"], len(said["items"])) == ("in", 5)


def test_a_summary_of_which_sections_were_cut_is_partly_in(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("start", "e0"))
    long = [f"{n}: the parser keeps the comments of key {n} and the blank line after them" for n in range(60)]
    sections = {"decided": ["Keep the comments."], "done": long, "open": long, "next": long}
    with project_scope(cast.dev.acting):
        row = Session.objects.get()
        summary = WorkSummary.objects.create(
            project_id=row.project_id,
            session=row,
            version=1,
            from_seq=1,
            to_seq=1,
            trigger="test",
            author_id=cast.dev.actor.pk,
            sections=sections,
            tokens_o200k=1,
        )
    packet = compiled(cast.dev, session_id=session, budget={"max_input_tokens": 700})
    said = told(cast, packet, summary.public_id)
    reasons = {row.get("reason") for row in said["items"]}
    assert said["verdict"] == "partly"
    assert len(reasons) > 1
    assert "left out by" in said["message"]


def test_of_a_refused_request_nothing_entered(cast: Cast) -> None:
    session, _ = chatty(cast, turns=1)
    refused = cast.dev.client().post(
        "/context", {"session_id": session, "user_input": {"raw_text": "hm"}, "budget": {"max_input_tokens": 5}}
    )
    packet, short = ({"packet_id": refused.json()["packet_id"]}, refused.json()["shortfall"])
    for ref in (f"event://{session}/1", session):
        said = told(cast, packet, ref)
        assert (said["why"], said["shortfall"]) == ("refused", short)
        assert f"{short[0]['layer']} needs {short[0]['needed']} tokens of" in said["message"]
    assert told(cast, packet, f"event://{session}/99")["why"] == "not_there"


def test_a_task_of_which_steps_were_held_back_is_partly_in(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    steps = [f"{n}: read the keys of part {n}" for n in range(9)]
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "keys", "next_steps": steps}))["id"]
    said = told(cast, compiled(cast.dev, thread_id=thread, task_id=task, phase="execute"), f"task://{task}@1")
    assert (said["verdict"], said["layer"], said["gate"]) == ("partly", "plan", "plan_step")


def test_a_session_is_all_that_is_of_it(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(
        cast.dev, session, event("look", "e0"), event("it is there", "e1", role="tool", kind="tool_result", tool="ls")
    )
    packet = compiled(cast.dev, session_id=session)
    said = told(cast, packet, session)
    assert {row["ref"] for row in said["items"]} >= {f"event://{session}/1", f"event://{session}/2"}
    assert (said["verdict"], said["layer"]) == ("in", None)


def test_a_span_of_which_nothing_is_in_says_what_it_would_have_needed() -> None:
    place = f"event://ses_{'1' * 32}"
    dropped = [{"ref": f"{place}/1", "tokens": 7, "reason": "input_cap"}]
    layers = [{"layer": "dialogue", "items": [], "dropped": dropped}]
    said = explanation(ContextPacket(), {"summary": None, "budget": {"layers": layers}}, f"{place}/1-3")
    assert (said.verdict, said.tokens, said.rule) == ("cut", 7, "input_cap")
    assert said.parts == {"in": 0, "held": 0, "left_out": 1, "never_considered": 2}
