"""Delta packets: what the caller's window holds is not paid twice, and a wrong word about it does no harm."""

from typing import Any

import pytest

from governance.scope import project_scope
from memories.models import Memory
from memories.retiring import revoke
from memories.vocabulary import MemoryKind, MemoryType
from memories.writes import MemoryWish, admit, propose
from sessions.context.held import digest
from tests.api.asking import append, ask, compiled, event, layer, make_thread, ok, open_session, refused
from tests.cast import Api, Cast, at

HARNESS = {"harness": "claude-code", "id": "window-1"}
TEXTS = ("keep the comments of the config file", "the parser reads each line once")


@pytest.fixture
def api(cast: Cast) -> Api:
    return cast.dev.client()


@pytest.fixture
def session(api: Api) -> str:
    session = open_session(api, make_thread(api), provider_session=HARNESS)
    append(api, session, *[event(text, f"e{n}", attested=True) for n, text in enumerate(TEXTS)])
    return session


def asked(api: Api, session: str, text: str = "what of the tabs?", **more: Any) -> dict[str, Any]:
    return compiled(api, text, session_id=session, provider_session=HARNESS, **more)


def codes(body: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in body["warnings"]}


def text_of(body: dict[str, Any]) -> str:
    return str(body["prompt"]["text"])


def test_a_delta_leaves_out_what_the_named_packet_brought(api: Api, session: str) -> None:
    whole = asked(api, session)
    delta = asked(api, session, have={"packet_id": whole["packet_id"]})
    assert delta["delta"]["against"] == whole["packet_id"]
    assert [TEXTS[0] in text_of(body).partition("§§ dialogue")[2] for body in (whole, delta)] == [True, False]


def test_what_a_delta_saves_is_what_the_whole_packet_would_have_cost_more(api: Api, session: str) -> None:
    whole = asked(api, session)
    delta = asked(api, session, have={"packet_id": whole["packet_id"]})
    held = [item for row in delta["budget"]["layers"] for item in row["held"]]
    assert delta["delta"]["tokens_saved"] == sum(item["tokens"] for item in held) > 0
    assert delta["delta"]["held_items"] == len(held)


def test_must_layers_stand_in_a_delta_whole(api: Api, session: str) -> None:
    whole = asked(api, session)
    delta = asked(api, session, have={"packet_id": whole["packet_id"]})
    for name in ("policy", "role", "constraints"):
        musts = [[item for item in layer(body, name)["items"] if item["fidelity"] == "must"] for body in (whole, delta)]
        assert {item["ref"] for item in musts[0]} <= {item["ref"] for item in musts[1]}


def test_what_was_said_since_is_in_the_delta(api: Api, session: str) -> None:
    whole = asked(api, session)
    append(api, session, event("tabs count as eight", "e9", attested=True))
    assert "tabs count as eight" in text_of(asked(api, session, have={"packet_id": whole["packet_id"]}))


def test_a_delta_goes_on_from_a_delta(api: Api, session: str) -> None:
    first = asked(api, session)
    append(api, session, event("tabs count as eight", "e9", attested=True))
    second = asked(api, session, have={"packet_id": first["packet_id"]})
    third = asked(api, session, have={"packet_id": second["packet_id"]})
    assert not any(text in text_of(third).partition("§§ dialogue")[2] for text in (*TEXTS, "tabs count as eight"))


def test_what_its_own_process_said_is_held_where_the_caller_says_so(api: Api, session: str) -> None:
    whole = asked(api, session)
    append(api, session, event("tabs count as eight", "e9", attested=True))
    delta = asked(api, session, have={"packet_id": whole["packet_id"], "transcript": True})
    assert "tabs count as eight" not in text_of(delta)


def test_named_refs_are_held_and_unknown_ones_told(api: Api, session: str) -> None:
    refs = [f"event://{session}/1", f"event://{session}/999"]
    body = asked(api, session, have=refs)
    assert [item["ref"] for item in layer(body, "dialogue")["held"]] == refs[:1]
    assert body["delta"]["unused"] == refs[1:]


@pytest.mark.parametrize(
    ("have", "code"),
    [
        ({"packet_id": "pkt_" + "0" * 32}, "have_unknown_packet"),
        ({"stable_prefix_hash": "sha256:" + "0" * 64}, "have_mismatch"),
    ],
)
def test_a_wrong_word_gives_a_whole_packet_and_says_so(api: Api, session: str, have: dict, code: str) -> None:
    whole = asked(api, session)
    body = asked(api, session, have=have)
    assert (body["delta"], body["packet"]) == (None, whole["packet"])
    assert code in codes(body)


def test_another_window_gets_a_whole_packet(api: Api, session: str) -> None:
    whole = asked(api, session)
    other = {"harness": "claude-code", "id": "window-2"}
    have = {"packet_id": whole["packet_id"]}
    body = compiled(api, "go on", session_id=session, provider_session=other, have=have)
    assert (body["delta"], "have_window_gone" in codes(body)) == (None, True)


def test_a_resumed_window_still_holds_what_it_held(api: Api, session: str) -> None:
    whole = asked(api, session)
    ok(api.post(f"/sessions/{session}/resume", {"provider_session": HARNESS}))
    assert asked(api, session, have={"packet_id": whole["packet_id"]})["delta"]["held_items"] > 0


def test_the_stable_prefix_alone_can_be_held(api: Api, session: str) -> None:
    whole = asked(api, session)
    delta = asked(api, session, have={"stable_prefix_hash": whole["prompt"]["stable_prefix_hash"]})
    assert layer(delta, "dialogue")["held"] == [] != layer(delta, "thread")["held"]


def test_a_caller_without_a_window_of_its_own_says_that_it_begins(api: Api) -> None:
    session = open_session(api, make_thread(api))
    append(api, session, event("keep the comments"))
    first = compiled(api, "go on", session_id=session, have={})
    later = compiled(api, "go on", session_id=session, have={"packet_id": first["packet_id"]})
    assert (first["delta"], later["delta"]["held_items"] > 0) == (None, True)


def test_a_revoked_memory_that_was_delivered_is_withdrawn(cast: Cast, api: Api, session: str) -> None:
    ref = learnt(cast, "The parser keeps its comments above each key.")
    whole = asked(api, session, "what of the comments above each key?")
    assert ref in text_of(whole)
    with project_scope(cast.owner.acting):
        revoke(cast.owner.acting, Memory.objects.get(), reason="wrong", now=at(9))
    delta = asked(api, session, have={"packet_id": whole["packet_id"]})
    assert delta["delta"]["withdrawn"] == [ref]
    assert ref in text_of(delta).partition("§§")[0]


def learnt(cast: Cast, content: str) -> str:
    with project_scope(cast.owner.acting):
        wish = MemoryWish(content=content, type=MemoryType.SEMANTIC, kind=MemoryKind.LESSON)
        admit(cast.owner.acting, propose(cast.owner.acting, wish, now=at(9)), reason="test", now=at(9))
        return f"memory://{Memory.objects.get().public_id}@1"


def test_a_delta_is_shown_again_as_it_was(api: Api, session: str) -> None:
    whole = asked(api, session)
    delta = asked(api, session, have={"packet_id": whole["packet_id"], "refs": [f"event://{session}/1"]})
    assert ok(api.get(f"/context/{delta['packet_id']}")) == delta


def test_client_tokens_are_the_harness_reserve_and_say_whose_word_it_is(api: Api, session: str) -> None:
    usual = asked(api, session)["budget"]
    told = asked(api, session, client_tokens={"system": 9_000, "tools": 5_000})["budget"]
    assert (told["reserves"]["harness"], told["reserve_origins"]["harness"]) == (14_000, "request")
    assert told["input_cap"] == usual["input_cap"] + usual["reserves"]["harness"] - 14_000


@pytest.mark.parametrize(
    ("more", "pointer"),
    [({}, "/client_tokens"), ({"budget": {"max_input_tokens": 5}}, "/budget/max_input_tokens")],
)
def test_a_harness_that_fills_the_window_is_refused_at_its_own_field(
    api: Api, session: str, more: dict[str, Any], pointer: str
) -> None:
    told = 2_000_000_000 if pointer == "/client_tokens" else 10
    answer = api.post("/context", ask("go on", session_id=session, client_tokens=told, **more))
    problem = refused(answer, 422, "required_content_exceeds_budget")
    assert problem["errors"][0]["pointer"] == pointer
    assert ("2000000000 tokens fill the window" in problem["detail"]) is (pointer == "/client_tokens")


def test_a_packet_with_client_tokens_is_shown_again_as_it_was(api: Api, session: str) -> None:
    body = asked(api, session, client_tokens=60_000)
    assert ok(api.get(f"/context/{body['packet_id']}")) == body


@pytest.mark.parametrize("field", [{"have": {"handoff": "x"}}, {"client_tokens": {"files": 1}}, {"client_tokens": -1}])
def test_a_misspelt_word_is_refused(api: Api, field: dict) -> None:
    answer = api.post("/context", {"user_input": {"raw_text": "x"}, **field})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith(f"/{next(iter(field))}")


def test_a_digest_tells_two_texts_apart() -> None:
    assert len({digest("one"), digest("two"), digest("\ud800")}) == 3
