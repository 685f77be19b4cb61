"""Tasks over HTTP: states, dependencies and the way back from review."""

import pytest

from tests.api.asking import make_thread, ok, refused
from tests.cast import Api, Cast


def make_task(api: Api, thread: str, title: str = "lexer", **more: object) -> str:
    return str(ok(api.post("/tasks", {"thread_id": thread, "title": title, **more}))["id"])


def move(api: Api, task: str, *states: str) -> dict:
    moved = {}
    for state in states:
        moved = ok(api.call("PATCH", f"/tasks/{task}", {"state": state}, If_Match="*"))
    return moved


def test_a_new_task_is_planned(cast: Cast) -> None:
    body = {"thread_id": make_thread(cast.dev), "title": "词法分析", "phase": "execute", "risk": "high"}
    task = ok(cast.dev.client().post("/tasks", body))
    assert (task["state"], task["phase"], task["risk"], task["version"]) == ("planned", "execute", "high", 1)


def test_a_task_shows_what_it_waits_for(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    first, second = make_task(api, thread), make_task(api, thread, "grammar")
    third = make_task(api, thread, "printer", depends_on=[first, second])
    assert set(ok(api.get(f"/tasks/{third}"))["depends_on"]) == {first, second}


def test_dependencies_are_set_as_a_whole(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    first, second = make_task(api, thread), make_task(api, thread, "grammar")
    third = make_task(api, thread, "printer", depends_on=[first])
    changed = ok(api.call("PATCH", f"/tasks/{third}", {"depends_on": [second]}, If_Match='"1"'))
    assert (changed["depends_on"], changed["version"]) == ([second], 2)


def test_a_circle_of_dependencies_is_refused(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    first = make_task(api, thread)
    second = make_task(api, thread, "grammar", depends_on=[first])
    answer = api.call("PATCH", f"/tasks/{first}", {"depends_on": [second]}, If_Match="*")
    refused(answer, 409, "dependency_circle")


def test_a_task_cannot_wait_for_itself(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api))
    answer = api.call("PATCH", f"/tasks/{task}", {"depends_on": [task]}, If_Match="*")
    refused(answer, 409, "dependency_circle")


def test_a_task_goes_along_its_states(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api))
    assert move(api, task, "ready", "doing", "blocked", "doing", "review", "done")["state"] == "done"


@pytest.mark.parametrize("state", ["doing", "done", "review", "blocked"])
def test_a_planned_task_takes_no_short_cut(cast: Cast, state: str) -> None:
    api = cast.dev.client()
    answer = api.call("PATCH", f"/tasks/{make_task(api, make_thread(api))}", {"state": state}, If_Match="*")
    assert refused(answer, 409, "invalid_transition")["errors"][0]["pointer"] == "/state"


def test_the_state_and_a_field_move_together(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api))
    changed = ok(api.call("PATCH", f"/tasks/{task}", {"state": "ready", "title": "new"}, If_Match='"1"'))
    assert (changed["state"], changed["title"]) == ("ready", "new")


def test_a_limit_can_be_taken_away(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api), max_input_tokens=900)
    changed = ok(api.call("PATCH", f"/tasks/{task}", {"max_input_tokens": None}, If_Match="*"))
    assert changed["max_input_tokens"] is None


def test_review_sends_back_to_doing(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api))
    move(api, task, "ready", "doing", "review")
    assert ok(api.post(f"/tasks/{task}/send-back", {"reason": "tests fail"}))["state"] == "doing"


def test_only_a_review_is_sent_back(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api))
    refused(api.post(f"/tasks/{task}/send-back", {"reason": "no"}), 409, "not_under_review")


def test_what_was_wrong_is_the_first_next_step(cast: Cast) -> None:
    api = cast.dev.client()
    task = make_task(api, make_thread(api), next_steps=["publish"])
    move(api, task, "ready", "doing", "review")
    assert ok(api.post(f"/tasks/{task}/send-back", {"reason": "tests fail"}))["next_steps"] == ["tests fail", "publish"]


def test_a_circle_is_named(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    first = make_task(api, thread)
    second = make_task(api, thread, "grammar", depends_on=[first])
    answer = api.call("PATCH", f"/tasks/{first}", {"depends_on": [second]}, If_Match="*")
    assert [step["id"] for step in refused(answer, 409, "dependency_circle")["circle"]] == [first, second, first]
