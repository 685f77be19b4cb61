"""The main job over HTTP: which thread, which packet, what is said of it, and what is stored."""

import hashlib

from governance.contracts import install
from governance.models import Actor, AuditEvent
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from sessions.models import ContextPacket
from tests.api.asking import NOBODY, append, ask, compiled, event, grown, make_thread, ok, open_session, refused
from tests.api.asking import row_counts as rows_now
from tests.cast import Cast, at
from threads.models import Thread, Vision

SLOTS = {
    "persona": "name role policy speaking_style behavior_rules relationship_to_user stable_preferences boundaries",
    "vision": "origin_goal done_when non_goals user_priorities quality_bar version source",
    "thread": "thread_id thread_title thread_type thread_summary linked_task_ids thread_tags task constraints",
    "session": "session_id state recent_dialogue recent_actions screen_context interruptions resume_point work_summary",
    "handoff": None,
    "retrieved": None,
    "user_input": "raw_text input_type timestamp attached_context",
}
ANSWER = (
    "packet_id trace_id packet_hash packet prompt budget resolution session summary consolidation retrieval actions"
    " warnings"
)


def codes(body: dict) -> set[str]:
    return {warning["code"] for warning in body["warnings"]}


def test_a_first_request_opens_a_thread_and_a_session(cast: Cast) -> None:
    body = compiled(cast.dev)
    assert (body["resolution"]["rule"], body["session"]["recovery"]) == ("new", "opened")


def test_a_named_thread_binds(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    body = compiled(cast.dev, thread_id=thread)
    assert (body["resolution"]["rule"], body["resolution"]["thread_id"]) == ("binding", thread)


def test_a_named_session_binds(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    session = open_session(cast.dev, thread)
    body = compiled(cast.dev, session_id=session)
    assert (body["resolution"]["thread_id"], body["session"]["id"]) == (thread, session)


def test_a_named_task_binds_and_stands_in_the_packet(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "write the lexer"}))["id"]
    body = compiled(cast.dev, task_id=task)
    assert body["resolution"]["thread_id"] == thread
    assert body["packet"]["thread"]["task"]["task_id"] == task


def test_a_finished_task_still_stands_in_its_own_session(cast: Cast) -> None:
    api = cast.dev.client()
    task = ok(api.post("/tasks", {"thread_id": make_thread(api), "title": "write the lexer"}))["id"]
    for version, state in enumerate(["ready", "doing", "review", "done"], start=1):
        ok(api.call("PATCH", f"/tasks/{task}", {"state": state}, If_Match=f'"{version}"'))
    assert compiled(api, task_id=task)["packet"]["thread"]["task"]["state"] == "done"


def test_a_channel_leads_to_the_thread_that_it_is_tied_to(cast: Cast) -> None:
    thread = make_thread(cast.dev, bindings=[{"channel": "feishu:oc_1"}])
    body = compiled(cast.dev, binding={"channel": "feishu:oc_1", "page": None})
    assert (body["resolution"]["rule"], body["resolution"]["thread_id"]) == ("binding", thread)


def test_a_page_of_its_own_is_closer_than_its_channel(cast: Cast) -> None:
    make_thread(cast.dev, "whole channel", bindings=[{"channel": "c"}])
    page = make_thread(cast.dev, "one page", bindings=[{"channel": "c", "page": "p1"}])
    assert compiled(cast.dev, binding={"channel": "c", "page": "p1"})["resolution"]["thread_id"] == page


def test_go_on_means_the_thread_last_worked_on(cast: Cast) -> None:
    first = compiled(cast.dev)
    body = compiled(cast.dev, "继续")
    assert (body["resolution"]["rule"], body["resolution"]["thread_id"]) == ("recent", first["resolution"]["thread_id"])


def test_a_request_on_the_matter_of_a_thread_finds_it(cast: Cast) -> None:
    thread = make_thread(cast.dev, "token bucket rate limiter for the gateway", keywords=["rate-limiter", "gateway"])
    body = compiled(cast.dev, "add a metrics counter to the gateway rate limiter's token bucket")
    assert (body["resolution"]["rule"], body["resolution"]["thread_id"]) == ("semantic", thread)


def test_small_talk_does_not_land_in_a_work_thread(cast: Cast) -> None:
    work = compiled(cast.dev)["resolution"]["thread_id"]
    body = compiled(cast.dev, "早上好！")
    assert body["resolution"]["thread_id"] != work
    assert body["packet"]["thread"]["thread_type"] == "small_talk"


def test_two_threads_on_one_matter_are_put_to_the_caller(cast: Cast) -> None:
    pair = {make_thread(cast.dev, f"gateway rate limiter {kind}", type=kind) for kind in ("work", "personal")}
    answer = cast.dev.client().post("/context", ask("change the gateway rate limiter"))
    problem = refused(answer, 409, "thread_ambiguous")
    assert {row["thread_id"] for row in problem["candidates"]} >= pair


def test_an_ambiguous_request_stores_nothing(cast: Cast) -> None:
    for kind in ("work", "personal"):
        make_thread(cast.dev, f"gateway rate limiter {kind}", type=kind)
    before = rows_now()
    refused(cast.dev.client().post("/context", ask("change the gateway rate limiter")), 409, "thread_ambiguous")
    assert grown(before) == {}


def test_the_answer_has_every_part(cast: Cast) -> None:
    body = compiled(cast.dev)
    assert set(ANSWER.split()) <= set(body)
    assert list(body["packet"]) == list(SLOTS)


def test_every_slot_has_every_key(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    ok(cast.dev.client().call("PUT", f"/threads/{thread}/vision", {"origin_goal": "a parser"}))
    packet = compiled(cast.dev, thread_id=thread)["packet"]
    missing = {slot: set(keys.split()) - set(packet[slot]) for slot, keys in SLOTS.items() if keys}
    assert missing == {slot: set() for slot in missing}


def test_what_was_said_stands_in_the_packet_verbatim(cast: Cast) -> None:
    spoken = {
        "raw_text": "写解析器\n  keep  spaces <|endoftext|> 👩‍👩‍👧",
        "input_type": "voice",
        "timestamp": "2026-03-11T14:10:00+09:00",
        "attached_context": "line 12 of app.toml",
    }
    packet = ok(cast.dev.client().post("/context", {"user_input": spoken}))["packet"]
    assert packet["user_input"] == spoken


def test_the_screen_stands_in_the_packet(cast: Cast) -> None:
    screen = {"app": "ChatGPT", "mode": "writing", "summary": "a draft"}
    assert compiled(cast.dev, ui_context=screen)["packet"]["session"]["screen_context"]


def test_what_is_missing_is_a_warning(cast: Cast) -> None:
    assert {"no_vision", "no_handoff", "nothing_retrieved"} <= codes(compiled(cast.dev))


def test_a_thread_without_a_vision_is_told_the_ways_to_one(cast: Cast) -> None:
    [told] = [warning["message"] for warning in compiled(cast.dev)["warnings"] if warning["code"] == "no_vision"]
    ways = ("/sessions/{id}/events", "attested: true", "PUT /threads/{id}/vision")
    assert [way in told for way in ways] == [True] * 3


def test_a_role_that_the_actor_does_not_hold_is_refused(cast: Cast) -> None:
    problem = refused(cast.tester.client().post("/context", ask(role="chief")), 403, "role_not_held")
    assert problem["errors"][0]["pointer"] == "/role"


def test_without_a_role_the_first_one_is_taken(cast: Cast) -> None:
    assert compiled(cast.dev)["packet"]["persona"]["role"]["slug"] == "dev"


def test_the_asked_role_brings_its_contract(cast: Cast) -> None:
    role = compiled(cast.dev, role="chief")["packet"]["persona"]["role"]
    assert (role["slug"], role["duties"]) == ("chief", ["do the work of chief"])


def test_a_session_of_another_thread_contradicts(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    answer = cast.dev.client().post("/context", ask(session_id=session, thread_id=make_thread(cast.dev, "other")))
    refused(answer, 422, "threads_differ")


def test_a_task_that_the_session_does_not_work_on_contradicts(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "other"}))["id"]
    answer = cast.dev.client().post("/context", ask(session_id=open_session(cast.dev, thread), task_id=task))
    refused(answer, 422, "tasks_differ")


def test_a_first_packet_makes_a_provisional_thread_a_used_one(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    compiled(cast.dev, thread_id=thread)
    assert ok(cast.dev.client().get(f"/threads/{thread}"))["provisional"] is False


def test_what_context_wrote_itself_is_in_no_packet(cast: Cast) -> None:
    thread = compiled(cast.dev)["resolution"]["thread_id"]
    assert compiled(cast.dev, "继续", thread_id=thread)["packet"]["session"]["recent_dialogue"] == []


def test_the_first_attested_request_becomes_the_vision(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(
        cast.dev,
        session,
        event("继续", "e0", attested=True),
        event("hi", "e1", attested=True),
        event(GOAL_TEXT, "e2", attested=True),
    )
    vision = compiled(cast.dev, "继续", session_id=session)["packet"]["vision"]
    assert (vision["origin_goal"], vision["version"]) == (GOAL_TEXT, 1)


def test_an_unattested_request_makes_no_vision(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event(GOAL_TEXT, "e1"))
    with project_scope(cast.dev.acting):
        assert Vision.objects.count() == 0


def test_the_turn_that_was_posted_already_does_not_stand_twice(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    append(cast.dev, session, event("earlier words", "e1"), event(GOAL_TEXT, "turn-2", attested=True))
    packet = compiled(cast.dev, GOAL_TEXT, session_id=session, client_event_id="turn-2")["packet"]
    assert [turn["text"] for turn in packet["session"]["recent_dialogue"]] == ["earlier words"]


def test_a_demand_stands_in_every_later_packet_until_it_is_retired(cast: Cast) -> None:
    api = cast.dev.client()
    session = open_session(api, make_thread(api))
    demand = "Never touch the vendored code."
    ref = append(api, session, event(demand, "c1", kind="constraint", attested=True))["results"][0]["ref"]
    append(api, session, *[event(f"turn {n}", f"t{n}") for n in range(40)])
    assert compiled(api, session_id=session)["packet"]["thread"]["constraints"] == [demand]
    retire = {"ref": ref, "reason": "it is ours now", "client_id": "r1"}
    ok(api.post(f"/sessions/{session}/constraints/retire", retire))
    assert compiled(api, session_id=session)["packet"]["thread"]["constraints"] == []


def test_a_demand_holds_for_every_session_of_its_thread(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    append(cast.dev, open_session(cast.dev, thread), event("No new deps.", "c1", kind="constraint", attested=True))
    body = compiled(cast.dev, thread_id=thread, role="chief")
    assert body["packet"]["thread"]["constraints"] == ["No new deps."]


def test_a_rehearsal_stores_nothing_but_a_ledger_entry(cast: Cast) -> None:
    before = rows_now()
    body = compiled(cast.dev, dry_run=True)
    assert body["packet_id"] is None
    assert grown(before) == {"governance_auditevent": 1}


def test_a_rehearsal_gives_the_packet_that_the_real_call_gives(cast: Cast) -> None:
    session = compiled(cast.dev)["session"]["id"]
    rehearsed = compiled(cast.dev, "继续", session_id=session, dry_run=True)
    assert rehearsed["packet_hash"] == compiled(cast.dev, "继续", session_id=session)["packet_hash"]


def test_a_compile_is_recorded_with_its_packet_and_ledger_entry(cast: Cast) -> None:
    body = compiled(cast.dev)
    with project_scope(cast.dev.acting):
        packet = ContextPacket.objects.get()
        entry = AuditEvent.objects.get(verb="context.compile")
    assert (packet.public_id, packet.packet_hash) == (body["packet_id"], body["packet_hash"])
    assert (entry.target, entry.trace) == (body["packet_id"], body["trace_id"])


def test_the_trace_of_the_answer_is_that_of_the_response(cast: Cast) -> None:
    answer = cast.dev.client().post("/context", ask())
    assert answer.json()["trace_id"] == answer.headers["X-Trace-ID"]


def test_a_refused_request_leaves_no_thread_behind(cast: Cast) -> None:
    refused(cast.dev.client().post("/context", ask(session_id=f"ses_{NOBODY}")), 404, "not_found")
    with project_scope(cast.dev.acting):
        assert Thread.objects.count() == 0


def test_the_stable_prefix_is_the_hashed_beginning_of_the_prompt(cast: Cast) -> None:
    prompt = compiled(cast.dev)["prompt"]
    stable = prompt["messages"][0]["content"]
    assert prompt["text"].startswith(stable)
    assert prompt["stable_prefix_hash"] == "sha256:" + hashlib.sha256(stable.encode()).hexdigest()


GOAL_TEXT = "Build the parser for the config file and keep the comments."


def test_an_agents_own_persona_stands_above_the_projects(cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        body = {"name": "小灰"}
        own = install(ContractKind.PERSONA, "own", body, by=cast.owner.actor, reason="test", now=at(9))
        Actor.objects.filter(pk=cast.dev.actor.pk).update(persona_id=own.contract_id)
    assert compiled(cast.dev)["packet"]["persona"]["name"] == "小灰"
