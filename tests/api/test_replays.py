"""Idempotency-Key over HTTP: done once, answered the same, and never another's answer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from governance.scope import project_scope
from sessions.models import ContextPacket
from tests.api.asking import ask, compiled, grown, make_thread, ok, open_session, refused, row_counts
from tests.api.world import CALLS, filled, make_world
from tests.cast import Api, Cast
from threads.models import Thread

WRITES = [name for name, call in CALLS.items() if call.method != "GET" and name != "resolve_thread"]


def send(api: Api, name: str, world: dict[str, str], key: str) -> Any:
    call = CALLS[name]
    assert call.body is not None
    headers = call.headers | {"Idempotency_Key": key}
    return api.call(call.method, filled(call.path, world), filled(call.body(), world), **headers)


@pytest.mark.parametrize("name", WRITES)
def test_every_write_is_done_once_and_answered_the_same(name: str, cast: Cast) -> None:
    api, world = cast.dev.client(), make_world(cast)
    first = send(api, name, world, "k1")
    ok(first)
    before = row_counts()
    second = send(api, name, world, "k1")
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert (second.headers["Idempotent-Replayed"], second.headers.get("ETag")) == ("true", first.headers.get("ETag"))
    # That a packet was shown again is itself an entry of the ledger.
    assert grown(before) == ({"governance_auditevent": 1} if name == "compile_context" else {})


def test_another_body_under_the_same_key_is_refused(cast: Cast) -> None:
    api = cast.dev.client()
    ok(api.post("/threads", {"title": "a"}, Idempotency_Key="k"))
    problem = refused(api.post("/threads", {"title": "b"}, Idempotency_Key="k"), 422, "idempotency_key_reused")
    assert problem["errors"][0]["pointer"] == "Idempotency-Key"


def test_another_path_under_the_same_key_is_refused(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    session = open_session(api, thread)
    ok(api.post(f"/sessions/{session}/interrupt", {}, Idempotency_Key="k"))
    refused(api.post(f"/sessions/{session}/close", {}, Idempotency_Key="k"), 422, "idempotency_key_reused")


def test_keys_of_two_actors_do_not_meet(cast: Cast) -> None:
    first = ok(cast.dev.client().post("/threads", {"title": "a"}, Idempotency_Key="k"))
    second = ok(cast.tester.client().post("/threads", {"title": "b"}, Idempotency_Key="k"))
    assert first["id"] != second["id"]


def test_keys_of_two_projects_do_not_meet(cast: Cast, others: Cast) -> None:
    first = ok(cast.dev.client().post("/threads", {"title": "a"}, Idempotency_Key="k"))
    second = ok(others.dev.client().post("/threads", {"title": "a"}, Idempotency_Key="k"))
    assert first["id"] != second["id"]


def test_a_refusal_is_not_remembered(cast: Cast) -> None:
    api = cast.dev.client()
    make_thread(api, bindings=[{"channel": "c"}])
    body = {"title": "t", "bindings": [{"channel": "c"}]}
    refused(api.post("/threads", body, Idempotency_Key="k"), 409, "binding_taken")
    ok(api.post("/threads", {"title": "t"}, Idempotency_Key="k"))


def in_threads(cast: Cast, path: str, body: dict[str, Any]) -> list[Any]:
    def one(_: int) -> Any:
        try:
            return cast.dev.client().post(path, body, Idempotency_Key="k")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(one, range(4)))


def test_four_at_once_make_one_thread(cast: Cast) -> None:
    answers = in_threads(cast, "/threads", {"title": "one"})
    assert len({answer.content for answer in answers}) == 1
    with project_scope(cast.dev.acting):
        assert Thread.objects.count() == 1


def test_four_at_once_get_one_packet(cast: Cast) -> None:
    session = compiled(cast.dev)["session"]["id"]
    answers = in_threads(cast, "/context", ask("继续", session_id=session))
    assert {ok(answer)["packet_id"] for answer in answers} == {answers[0].json()["packet_id"]}
    with project_scope(cast.dev.acting):
        assert ContextPacket.objects.count() == 2
