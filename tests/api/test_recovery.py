"""How work is picked up: opened, continued, resumed, rebuilt or failed, and never a silent empty start."""

from typing import Any

from governance.scope import project_scope
from sessions.models import Attempt
from sessions.vocabulary import AttemptState
from tests.api.asking import append, ask, compiled, event, make_thread, ok, open_session, refused
from tests.cast import Cast, at

CODE = {"harness": "claude-code", "id": "cc-1"}
CODEX = {"harness": "codex", "id": "cx-1"}


def worked_on(cast: Cast, **provider: Any) -> str:
    """Return a session with one event in it."""
    session = open_session(cast.dev, make_thread(cast.dev), **provider)
    append(cast.dev, session, event("build the parser", attested=True))
    return session


def attempts(cast: Cast) -> list[tuple[int, str]]:
    with project_scope(cast.dev.acting):
        return list(Attempt.objects.order_by("number").values_list("number", "state"))


def test_two_plain_calls_in_a_row_continue(cast: Cast) -> None:
    first = compiled(cast.dev)["session"]
    second = compiled(cast.dev, "继续")["session"]
    assert (second["recovery"], second["attempt_id"]) == ("continued", first["attempt_id"])


def test_naming_the_own_provider_session_continues(cast: Cast) -> None:
    session = worked_on(cast, provider_session=CODE)
    body = compiled(cast.dev, session_id=session, provider_session=CODE)
    assert body["session"]["recovery"] == "continued"


def test_a_new_attempt_in_the_same_provider_session_resumes(cast: Cast) -> None:
    session = worked_on(cast, provider_session=CODE)
    opening = ok(cast.dev.client().post(f"/sessions/{session}/attempts", {"provider_session": CODE}))
    assert (opening["recovery"], opening["missing"]) == ("resumed", [])
    assert attempts(cast) == [(1, AttemptState.ENDED), (2, AttemptState.RUNNING)]


def test_another_harness_rebuilds_and_says_what_is_missing(cast: Cast) -> None:
    session = worked_on(cast, provider_session=CODE)
    body = compiled(cast.dev, session_id=session, provider_session=CODEX)
    assert body["session"]["recovery"] == "rebuilt"
    assert body["session"]["missing"] == ["provider_session", "work_summary", "handoff"]


def test_a_provider_session_by_its_bare_id_belongs_to_the_profiles_harness(cast: Cast) -> None:
    session = worked_on(cast, provider_session=CODE)
    budget = {"profile": "claude-sonnet@claude-code"}
    body = compiled(cast.dev, session_id=session, provider_session="cc-1", budget=budget)
    assert body["session"]["recovery"] == "continued"


def test_without_anything_to_bring_back_the_pick_up_failed(cast: Cast) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    opening = ok(cast.dev.client().post(f"/sessions/{session}/resume", {}))
    assert (opening["recovery"], "events" in opening["missing"]) == ("failed", True)


def test_an_interrupted_session_is_rebuilt_and_active_again(cast: Cast) -> None:
    session = worked_on(cast)
    ok(cast.dev.client().post(f"/sessions/{session}/interrupt", {"kind": "process_exit", "reason": "power"}))
    body = compiled(cast.dev, "继续", session_id=session)
    assert (body["session"]["recovery"], body["session"]["state"]) == ("rebuilt", "active")
    assert "power" in body["packet"]["session"]["interruptions"][0]


def test_resume_is_a_new_attempt_of_the_same_session(cast: Cast) -> None:
    session = worked_on(cast)
    opening = ok(cast.dev.client().post(f"/sessions/{session}/resume", {}))
    assert (opening["id"], opening["recovery"]) == (session, "rebuilt")


def test_the_new_attempt_is_the_one_that_goes_on(cast: Cast) -> None:
    session = worked_on(cast)
    attempt = ok(cast.dev.client().post(f"/sessions/{session}/attempts", {}))["attempt_id"]
    body = compiled(cast.dev, session_id=session, attempt_id=attempt)
    assert (body["session"]["attempt_id"], body["session"]["recovery"]) == (attempt, "continued")


def test_an_attempt_that_is_over_cannot_go_on(cast: Cast) -> None:
    first = compiled(cast.dev)["session"]
    ok(cast.dev.client().post(f"/sessions/{first['id']}/attempts", {}))
    answer = cast.dev.client().post("/context", ask(session_id=first["id"], attempt_id=first["attempt_id"]))
    refused(answer, 409, "attempt_over")


def test_an_attempt_names_its_session(cast: Cast) -> None:
    first = compiled(cast.dev)["session"]
    body = compiled(cast.dev, "继续", attempt_id=first["attempt_id"])
    assert body["session"]["id"] == first["id"]


def test_a_lapsed_lease_ends_as_crashed(cast: Cast) -> None:
    session = worked_on(cast)
    with project_scope(cast.dev.acting):
        Attempt.objects.update(lease_until=at(1))
    ok(cast.dev.client().post(f"/sessions/{session}/attempts", {}))
    assert attempts(cast)[0] == (1, AttemptState.CRASHED)


def test_the_running_attempt_of_somebody_else_is_not_taken_over_silently(cast: Cast) -> None:
    session = compiled(cast.dev, role="tester")["session"]["id"]
    refused(cast.tester.client().post("/context", ask(session_id=session)), 409, "attempt_running")


def test_a_closed_session_does_not_go_on(cast: Cast) -> None:
    session = worked_on(cast)
    ok(cast.dev.client().post(f"/sessions/{session}/close", {}))
    refused(cast.dev.client().post("/context", ask(session_id=session)), 409, "session_closed")


def test_after_a_close_the_thread_opens_a_new_session(cast: Cast) -> None:
    first = compiled(cast.dev)
    ok(cast.dev.client().post(f"/sessions/{first['session']['id']}/close", {}))
    again = compiled(cast.dev, "继续")
    assert (again["session"]["recovery"], again["session"]["id"] != first["session"]["id"]) == ("opened", True)
    assert again["resolution"]["thread_id"] == first["resolution"]["thread_id"]


def at_a_task(cast: Cast) -> tuple[str, str]:
    """A thread, and the session in which the dev works on a task of it."""
    api = cast.dev.client()
    thread = make_thread(api)
    task = ok(api.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    session = open_session(api, thread, task_id=task)
    append(api, session, event("start with the lexer"))
    return thread, session


def test_a_plain_request_goes_on_with_the_task_that_was_being_worked_on(cast: Cast) -> None:
    thread, session = at_a_task(cast)
    assert compiled(cast.dev, "继续", thread_id=thread)["session"]["id"] == session


def test_a_task_that_was_stopped_is_resumed_rather_than_left_for_an_empty_session(cast: Cast) -> None:
    thread, session = at_a_task(cast)
    ok(cast.dev.client().post(f"/sessions/{session}/interrupt", {}))
    again = compiled(cast.dev, "继续", thread_id=thread)["session"]
    assert (again["id"], again["recovery"]) == (session, "rebuilt")


def test_another_actor_at_work_on_a_task_keeps_nobody_from_beginning(cast: Cast) -> None:
    thread, session = at_a_task(cast)
    other = compiled(cast.personal, "look at the docs", thread_id=thread)["session"]
    assert (other["recovery"], other["id"] == session) == ("opened", False)
