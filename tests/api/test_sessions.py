"""Sessions over HTTP: one live window per thread, role and task, and its ends."""

from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from governance.scope import project_scope
from sessions.models import Session
from tests.api.asking import append, event, make_thread, ok, open_session, refused
from tests.cast import Cast


def test_a_session_is_opened_once(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    first = cast.dev.client().post("/sessions", {"thread_id": thread})
    second = cast.dev.client().post("/sessions", {"thread_id": thread})
    assert (first.status_code, first.json()["recovery"]) == (201, "opened")
    assert (second.status_code, second.json()["id"]) == (200, first.json()["id"])


def test_two_at_once_open_one_session(cast: Cast) -> None:
    thread = make_thread(cast.dev)

    def one(_: int) -> int:
        try:
            return int(cast.dev.client().post("/sessions", {"thread_id": thread}).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(one, range(4))) == [200, 200, 200, 201]
    with project_scope(cast.dev.acting):
        assert Session.objects.count() == 1


def test_each_role_has_a_session_of_its_own(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    assert open_session(cast.dev, thread, role="dev") != open_session(cast.dev, thread, role="chief")


def test_each_task_has_a_session_of_its_own(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "t"}))["id"]
    assert open_session(cast.dev, thread, task_id=task) != open_session(cast.dev, thread)


def test_a_task_of_another_thread_is_refused(cast: Cast) -> None:
    task = ok(cast.dev.client().post("/tasks", {"thread_id": make_thread(cast.dev), "title": "t"}))["id"]
    body = {"thread_id": make_thread(cast.dev, "other"), "task_id": task}
    refused(cast.dev.client().post("/sessions", body), 422, "threads_differ")


def test_a_session_shows_its_thread_and_state(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    shown = ok(cast.dev.client().get(f"/sessions/{open_session(cast.dev, thread)}"))
    assert (shown["thread_id"], shown["state"], shown["head_seq"]) == (thread, "active", 0)


def test_a_session_of_a_role_not_held_is_closed_to_an_agent(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev), role="chief")
    refused(cast.tester.client().get(f"/sessions/{session}"), 403, "role_not_held")


def test_an_interruption_is_kept_with_its_reason(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    shown = ok(cast.dev.client().post(f"/sessions/{session}/interrupt", {"kind": "connection_lost", "reason": "断网"}))
    assert (shown["state"], shown["interruptions"][0]["reason"]) == ("interrupted", "断网")


def test_an_interrupted_session_still_takes_events(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    ok(cast.dev.client().post(f"/sessions/{session}/interrupt", {}))
    assert append(cast.dev, session, event("late words"))["head_seq"] == 1


def test_a_closed_session_is_final(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    assert ok(cast.dev.client().post(f"/sessions/{session}/close", {}))["closed_at"]
    refused(cast.dev.client().post(f"/sessions/{session}/interrupt", {}), 409, "invalid_transition")
    refused(cast.dev.client().post(f"/sessions/{session}/attempts", {}), 409, "session_closed")


def test_a_second_close_is_refused(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    ok(cast.dev.client().post(f"/sessions/{session}/close", {}))
    refused(cast.dev.client().post(f"/sessions/{session}/close", {}), 409, "invalid_transition")


def test_the_demands_of_a_thread_are_listed_with_their_events(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    session = open_session(cast.dev, thread)
    said = append(cast.dev, session, event("No new deps.", kind="constraint", attested=True))
    listed = ok(cast.dev.client().get(f"/threads/{thread}/constraints"))["results"]
    assert listed == [{"ref": said["results"][0]["ref"], "text": "No new deps."}]


def test_only_a_standing_demand_is_retired(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    ref = append(cast.dev, session, event("just words", attested=True))["results"][0]["ref"]
    body = {"ref": ref, "reason": "r", "client_id": "r1"}
    answer = cast.dev.client().post(f"/sessions/{session}/constraints/retire", body)
    refused(answer, 422, "unknown_constraint")


def test_retiring_again_with_the_same_client_id_is_answered_the_same(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    said = append(cast.dev, session, event("No new deps.", kind="constraint", attested=True))["results"][0]["ref"]
    body = {"ref": said, "reason": "r", "client_id": "r1"}
    path = f"/sessions/{session}/constraints/retire"
    first, second = (cast.dev.client().post(path, body) for _ in range(2))
    assert (ok(first)["head_seq"], ok(second)["results"][0]["replayed"]) == (2, True)
