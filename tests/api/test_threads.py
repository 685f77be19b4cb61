"""Threads over HTTP: made, shown, changed, and asked where an input would go."""

import pytest

from tests.api.asking import append, ask, compiled, event, grown, make_thread, ok, open_session, refused, row_counts
from tests.cast import Cast


def test_a_new_thread_is_provisional_and_open(cast: Cast) -> None:
    thread = ok(cast.dev.client().post("/threads", {"title": "配置解析器", "tags": ["parser"]}))
    assert (thread["state"], thread["provisional"], thread["tags"]) == ("open", True, ["parser"])


def test_a_thread_shows_its_bindings(cast: Cast) -> None:
    tie = {"channel": "feishu:oc_1", "page": "p", "audience": "external"}
    thread = make_thread(cast.dev, bindings=[tie])
    assert ok(cast.dev.client().get(f"/threads/{thread}"))["bindings"] == [tie]


def test_a_channel_is_tied_to_one_thread(cast: Cast) -> None:
    make_thread(cast.dev, bindings=[{"channel": "c"}])
    answer = cast.dev.client().post("/threads", {"title": "other", "bindings": [{"channel": "c"}]})
    refused(answer, 409, "binding_taken")


def test_a_private_tie_of_somebody_else_is_no_clash(cast: Cast) -> None:
    make_thread(cast.dev, private=True, bindings=[{"channel": "c"}])
    make_thread(cast.tester, private=True, bindings=[{"channel": "c"}])
    make_thread(cast.tester, bindings=[{"channel": "c"}])


def test_a_private_thread_is_its_owners_alone(cast: Cast) -> None:
    thread = make_thread(cast.dev, private=True)
    assert ok(cast.dev.client().get(f"/threads/{thread}"))["audience"] == "private"
    refused(cast.tester.client().get(f"/threads/{thread}"), 404, "not_found")


def test_a_private_thread_is_in_nobody_elses_list(cast: Cast) -> None:
    make_thread(cast.dev, private=True)
    assert ok(cast.tester.client().get("/threads"))["results"] == []


def test_a_thread_is_changed_where_the_request_says_so(cast: Cast) -> None:
    thread = make_thread(cast.dev, "old", tags=["a"])
    changed = ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"title": "new"}, If_Match='"1"'))
    assert (changed["title"], changed["tags"], changed["version"]) == ("new", ["a"], 2)


def test_null_is_no_change(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    answer = cast.dev.client().call("PATCH", f"/threads/{thread}", {"title": None}, If_Match="*")
    assert refused(answer, 422, "invalid")["errors"][0]["pointer"] == "/title"


def test_an_archived_thread_leaves_the_list_and_comes_back(cast: Cast) -> None:
    api, thread = cast.dev.client(), make_thread(cast.dev)
    ok(api.call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    assert ok(api.get("/threads"))["results"] == []
    assert [row["id"] for row in ok(api.get("/threads?state=archived"))["results"]] == [thread]
    assert ok(api.call("PATCH", f"/threads/{thread}", {"state": "open"}, If_Match="*"))["state"] == "open"


def test_a_thread_cannot_be_called_merged(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    answer = cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "merged"}, If_Match="*")
    refused(answer, 409, "invalid_transition")


def test_an_archived_thread_takes_no_request(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    refused(cast.dev.client().post("/context", ask(thread_id=thread)), 409, "thread_not_open")


def test_a_thread_without_a_vision_has_none_to_show(cast: Cast) -> None:
    refused(cast.dev.client().get(f"/threads/{make_thread(cast.dev)}/vision"), 404, "not_found")


def test_a_first_vision_needs_no_version(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    wish = {"origin_goal": "a parser", "done_when": ["tests pass"], "non_goals": ["speed"]}
    vision = ok(cast.dev.client().call("PUT", f"/threads/{thread}/vision", wish))
    assert (vision["version"], vision["source"], vision["non_goals"]) == (1, "agent", ["speed"])


def test_a_later_vision_is_the_next_version(cast: Cast) -> None:
    path = f"/threads/{make_thread(cast.dev)}/vision"
    ok(cast.dev.client().call("PUT", path, {"origin_goal": "a parser"}))
    ok(cast.dev.client().call("PUT", path, {"origin_goal": "a fast parser"}, If_Match='"1"'))
    vision = ok(cast.dev.client().get(path))
    assert (vision["version"], vision["origin_goal"]) == (2, "a fast parser")


def test_resolve_says_where_an_input_would_go(cast: Cast) -> None:
    thread = compiled(cast.dev)["resolution"]["thread_id"]
    told = ok(cast.dev.client().post("/threads/resolve", {"raw_text": "继续"}))
    assert (told["thread_id"], told["rule"], told["speech"]) == (thread, "recent", "continue")


def test_resolve_proposes_a_title_for_what_is_new(cast: Cast) -> None:
    told = ok(cast.dev.client().post("/threads/resolve", {"raw_text": "build the parser for the config file"}))
    assert (told["thread_id"], told["rule"], told["new_type"]) == (None, "new", "work")
    assert "parser" in told["new_title"]


def test_resolve_changes_nothing(cast: Cast) -> None:
    before = row_counts()
    ok(cast.dev.client().post("/threads/resolve", {"raw_text": "build the parser for the config file"}))
    assert grown(before) == {}


def test_resolve_finds_the_thread_of_a_task(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    task = ok(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "t"}))["id"]
    told = ok(cast.dev.client().post("/threads/resolve", {"raw_text": "继续", "task_id": task}))
    assert told["thread_id"] == thread


def test_resolve_refuses_a_thread_and_a_task_that_differ(cast: Cast) -> None:
    task = ok(cast.dev.client().post("/tasks", {"thread_id": make_thread(cast.dev), "title": "t"}))["id"]
    body = {"raw_text": "继续", "task_id": task, "thread_id": make_thread(cast.dev, "other")}
    refused(cast.dev.client().post("/threads/resolve", body), 422, "threads_differ")


def archived(cast: Cast) -> tuple[str, str]:
    """An archived thread with a session, by their ids."""
    thread = make_thread(cast.dev)
    session = open_session(cast.dev, thread)
    ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    return thread, session


def test_an_archived_thread_opens_no_session(cast: Cast) -> None:
    thread, _ = archived(cast)
    refused(cast.dev.client().post("/sessions", {"thread_id": thread, "role": "chief"}), 409, "thread_not_open")


def test_an_archived_thread_takes_no_entry(cast: Cast) -> None:
    _, session = archived(cast)
    answer = cast.dev.client().post(f"/sessions/{session}/events", {"events": [event("late")]})
    refused(answer, 409, "thread_not_open")


def test_an_entry_that_was_stored_before_is_answered_as_before(cast: Cast) -> None:
    thread = make_thread(cast.dev)
    session = open_session(cast.dev, thread)
    append(cast.dev, session, event("in time"))
    ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    assert append(cast.dev, session, event("in time"))["head_seq"] == 1


@pytest.mark.parametrize("verb", ["attempts", "resume"])
def test_an_archived_thread_is_not_taken_up(cast: Cast, verb: str) -> None:
    _, session = archived(cast)
    refused(cast.dev.client().post(f"/sessions/{session}/{verb}"), 409, "thread_not_open")


def test_an_archived_thread_takes_no_task(cast: Cast) -> None:
    thread, _ = archived(cast)
    refused(cast.dev.client().post("/tasks", {"thread_id": thread, "title": "late"}), 409, "thread_not_open")


def test_a_reopened_thread_goes_on(cast: Cast) -> None:
    thread, session = archived(cast)
    ok(cast.dev.client().call("PATCH", f"/threads/{thread}", {"state": "open"}, If_Match="*"))
    assert append(cast.dev, session, event("back"))["head_seq"] == 1
