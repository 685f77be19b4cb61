"""A Chief that served five threads finds each of them as it stood, from the summaries alone, after a restart."""

from typing import Any

import pytest

from governance import refs
from governance.scope import project_scope
from tests.api.asking import append, ask, compiled, event, make_thread, ok, open_session, tokens
from tests.api.test_statements import statements
from tests.cast import Cast, Member, make_cast
from tests.flows.chief_threads import SERVED, Served

CAP = {"max_input_tokens": 12_000}
SAID = {"next_steps": ["write the rollback plan [1]"], "blockers": ["The key is missing [1]"]}
DECIDED = {"sections": SAID | {"decisions": ["We ship in April [1]"]}}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def serve(cast: Cast, one: Served) -> str:
    """Live through a thread as its Chief until the process is gone; returns the thread."""
    chief = cast.dev.client()
    thread = make_thread(chief, title=one.title)
    session = open_session(chief, thread, role="chief", provider_session={"harness": "codex", "id": one.title})
    entries = [
        event(words, f"e{n}", role=who, attested=who == "user") for n, (who, words) in enumerate(one.said, start=1)
    ]
    append(chief, session, *entries)
    ok(chief.post(f"/sessions/{session}/checkpoint", {}))
    ok(chief.post(f"/sessions/{session}/interrupt", {"reason": "process_exit"}))
    return thread


def stand_of(member: Member, *, role: str = "dev", **thread: Any) -> dict[str, str]:
    """Have a session summed up by its agent; returns the ids of thread, session and summary."""
    of = make_thread(member, title="rollback", **thread)
    session = open_session(member, of, role=role)
    append(
        member,
        session,
        event("Please write the rollback plan. We ship in April. The key is missing.", attested=True),
    )
    told = ok(member.client().post(f"/sessions/{session}/checkpoint", {"sections": SAID}))
    return {"thread": of, "session": session, "summary": told["summary"]["id"]}


def chiefs(cast: Cast, **more: Any) -> dict[str, Any]:
    """Return what the Chief is told on a thread of its own."""
    more = more if "thread_id" in more or "session_id" in more else more | {"thread_id": make_thread(cast.dev)}
    return compiled(cast.dev, "Where does everything stand?", **{"role": "chief", "budget": CAP} | more)


def stands(packet: dict[str, Any]) -> dict[str, Any]:
    return {stand["thread_id"]: stand for stand in packet["packet"].get("project_state", ())}


def opened(cast: Cast, ref: str) -> str:
    with project_scope(cast.dev.acting):
        return refs.resolve(ref, cast.dev.acting).text


def test_five_threads_in_two_languages_stand_in_one_packet_after_a_restart(cast: Cast) -> None:
    served = {serve(cast, one): one for one in SERVED}
    packet = chiefs(cast)
    there = stands(packet)
    missing = [
        (one.title, part, words)
        for thread, one in served.items()
        for part, words in one.labels
        if not any(words in line["text"] and words in opened(cast, line["refs"][0]) for line in there[thread][part])
    ]
    assert (missing, len(there)) == ([], 5)
    assert packet["budget"]["used"] == tokens(packet["prompt"]["text"]) <= CAP["max_input_tokens"]
    assert all(words in packet["prompt"]["text"] for one in SERVED for _, words in one.labels)


def test_each_thread_is_picked_up_in_the_session_it_had_beside_how_the_others_stand(cast: Cast) -> None:
    first, second = stand_of(cast.dev)["thread"], serve(cast, SERVED[3])
    packet = chiefs(cast, thread_id=second)
    assert (packet["session"]["recovery"], list(stands(packet))) == ("rebuilt", [first])
    assert "PostgreSQL" in str(packet["packet"]["session"]["work_summary"])


def test_only_a_role_whose_contract_says_so_is_told_and_it_costs_one_statement(cast: Cast) -> None:
    stand_of(cast.dev)
    told = ask(thread_id=make_thread(cast.dev), role="chief")
    other = ask(thread_id=make_thread(cast.dev), role="reviewer")
    assert "project_state" not in ok(cast.dev.client().post("/context", other))["packet"]
    ok(cast.dev.client().post("/context", told))
    counted = [len(statements(cast.dev.client(), body)) for body in (told, other)]
    assert counted[0] == counted[1] + 1


def test_what_is_private_is_told_to_its_owner_alone_and_there_alone(cast: Cast) -> None:
    own, others = stand_of(cast.dev, private=True), stand_of(cast.personal, private=True)
    shared, alone = chiefs(cast), chiefs(cast, thread_id=make_thread(cast.dev, private=True))
    assert (stands(shared), list(stands(alone))) == ({}, [own["thread"]])
    assert not any(one in str(shared) for one in (*own.values(), *others.values()))
    assert not any(one in str(alone) for one in others.values())


def test_nobody_is_told_of_it_where_outsiders_read_along(cast: Cast) -> None:
    stand_of(cast.dev)
    tie = {"channel": "mail:outside", "audience": "external"}
    outside = make_thread(cast.dev, bindings=[tie])
    assert "project_state" not in chiefs(cast, thread_id=outside, binding={"channel": "mail:outside"})["packet"]


def test_a_thread_that_stands_as_before_is_not_sent_again(cast: Cast) -> None:
    stays, moves = stand_of(cast.dev), stand_of(cast.dev)
    first = chiefs(cast, have={})
    append(cast.dev, moves["session"], event("And one thing more.", "e2"))
    told = chiefs(cast, session_id=first["session"]["id"])
    assert [stand["behind"] for stand in stands(told).values()] == [True, False]
    assert "/1-1 and not what came after\n" in told["prompt"]["text"]
    ok(cast.dev.client().post(f"/sessions/{moves['session']}/checkpoint", DECIDED))
    delta = chiefs(cast, session_id=first["session"]["id"], have={"packet_id": first["packet_id"]})
    assert (list(stands(first)), list(stands(delta))) == ([moves["thread"], stays["thread"]], [moves["thread"]])
    assert f"summary://{moves['summary']}@1" in delta["prompt"]["text"].split("no longer valid: ")[1]


def test_it_is_shown_again_and_explained(cast: Cast) -> None:
    one, api = stand_of(cast.dev), cast.dev.client()
    newest = f"summary://{ok(api.post(f'/sessions/{one["session"]}/checkpoint', DECIDED))['summary']['id']}@2"
    packet = chiefs(cast)
    again = ok(api.get(f"/context/{packet['packet_id']}"))
    why = [
        ok(api.get(f"/context/{packet['packet_id']}/explain?ref={ref}"))
        for ref in (newest, f"summary://{one['summary']}@1")
    ]
    assert (again["packet"], again["prompt"]) == (packet["packet"], packet["prompt"])
    assert [(said["verdict"], said["layer"] or said["why"]) for said in why] == [
        ("in", "summary"),
        ("never_considered", "replaced"),
    ]
    assert why[1]["by"] == newest


def test_a_session_whose_work_went_on_in_another_keeps_what_it_decided_alone(cast: Cast) -> None:
    first = stand_of(cast.dev)
    api = cast.dev.client()
    ok(api.post(f"/sessions/{first['session']}/checkpoint", DECIDED))
    ok(api.post(f"/sessions/{first['session']}/close", {}))
    later = open_session(cast.dev, first["thread"], role="dev")
    append(cast.dev, later, event("write the rollback plan now", attested=True))
    ok(api.post(f"/sessions/{later}/checkpoint", {"sections": {"next_steps": ["write the rollback plan now [1]"]}}))
    told = chiefs(cast)["packet"]["project_state"]
    assert [(stand["session_id"], stand["over"]) for stand in told] == [(later, False), (first["session"], True)]
    assert (told[1]["decisions"][0]["text"], told[1]["open_items"], told[1]["blockers"]) == ("We ship in April", [], [])
