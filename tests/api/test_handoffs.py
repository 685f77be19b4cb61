"""Handing work over: every part is said, minimal and true, and the session that hands over waits."""

from typing import Any

import pytest

from tests.api.asking import NOBODY, append, compiled, event, make_thread, ok, open_session, refused
from tests.api.world import ANY_VERSION, HANDED
from tests.cast import Cast


def worked_on(cast: Cast, **more: Any) -> str:
    """Return the dev's session with a request and an answer in it."""
    session = open_session(cast.dev, make_thread(cast.dev), **more)
    append(cast.dev, session, event("build the parser", attested=True), event("done", "e2", role="assistant"))
    return session


def handed(cast: Cast, session: str, **more: Any) -> Any:
    return cast.dev.client().post(f"/sessions/{session}/handoff", {"next_actor": "tester", **more})


def test_a_handoff_without_parts_is_written_from_the_records(cast: Cast) -> None:
    session = worked_on(cast)
    told = ok(handed(cast, session))
    assert all(told[name] for name in ("summary", "resume_suggestion", "what", "why"))
    assert (told["occasion"], told["covers_to_seq"], told["risks"] != []) == ("asked", 2, True)


def test_handing_over_ends_the_attempt_and_leaves_the_session_idle(cast: Cast) -> None:
    session = worked_on(cast)
    ok(handed(cast, session))
    assert ok(cast.dev.client().call("GET", f"/sessions/{session}"))["state"] == "idle"
    assert ok(cast.dev.client().post(f"/sessions/{session}/resume", {}))["outcome"] == "rebuilt"


def test_what_was_said_is_kept_and_what_nobody_knows_is_added_to_the_risks(cast: Cast) -> None:
    told = ok(handed(cast, worked_on(cast), **HANDED))
    assert {name: told[name] for name in HANDED if name != "risks"} == {n: v for n, v in HANDED.items() if n != "risks"}
    assert "no work summary" in told["risks"][0]


def test_each_missing_part_is_named(cast: Cast) -> None:
    said = {name: value for name, value in HANDED.items() if name not in ("why", "trade_offs")}
    problem = refused(handed(cast, worked_on(cast), **said | {"what": "  "}), 422, "handoff_part_missing")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/what", "/why", "/trade_offs"]


def test_a_ref_that_opens_nothing_is_refused(cast: Cast) -> None:
    session = worked_on(cast)
    dead = HANDED | {"what": f"see event://{session}/9"}
    assert refused(handed(cast, session, **dead), 422, "dead_ref")["errors"][0]["pointer"] == "/what"


def test_a_history_is_refused(cast: Cast) -> None:
    long = HANDED | {"summary": "and then it went on " * 500}
    assert refused(handed(cast, worked_on(cast), **long), 422, "too_long")["errors"][0]["pointer"] == "/summary"


@pytest.mark.parametrize(
    ("more", "code"),
    [({"next_actor": "nobody"}, "unknown_role"), ({"to_session_id": "{session}"}, "not_an_addressee")],
)
def test_whom_it_goes_to_has_to_be_somebody(cast: Cast, more: dict[str, str], code: str) -> None:
    session = worked_on(cast)
    refused(handed(cast, session, **{k: v.format(session=session) for k, v in more.items()}), 422, code)


def test_a_session_of_another_project_is_no_addressee_like_one_that_is_nowhere(cast: Cast, others: Cast) -> None:
    foreign = open_session(others.dev, make_thread(others.dev))
    session = worked_on(cast)
    answers = [handed(cast, session, to_session_id=to) for to in (foreign, f"ses_{NOBODY}")]
    assert [refused(answer, 404, "not_found")["errors"] for answer in answers] == [answers[0].json()["errors"]] * 2


def test_an_empty_session_has_nothing_to_hand_over(cast: Cast) -> None:
    refused(handed(cast, open_session(cast.dev, make_thread(cast.dev))), 409, "nothing_to_hand_over")


def test_a_resume_says_what_moved_since_the_handoff(cast: Cast) -> None:
    api = cast.dev.client()
    thread = make_thread(api)
    task = ok(api.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    session = open_session(api, thread, task_id=task)
    append(api, session, event("go"))
    pinned = ok(api.post(f"/sessions/{session}/handoff", {"next_actor": "dev"}))["pins"][f"task://{task}"]
    ok(api.call("PATCH", f"/tasks/{task}", {"state": "ready"}, **ANY_VERSION))
    moved = ok(api.post(f"/sessions/{session}/resume", {}))["moved"]
    assert {"ref": f"task://{task}", "pinned": pinned, "now": pinned + 1} in moved


def test_a_role_gets_the_handoff_to_it_and_not_its_own_to_another(cast: Cast) -> None:
    session = worked_on(cast)
    ok(handed(cast, session, **HANDED))
    thread = ok(cast.dev.client().call("GET", f"/sessions/{session}"))["thread_id"]
    theirs = compiled(cast.dev, thread_id=thread, role="tester")["packet"]["handoff"]
    assert theirs["summary"] == HANDED["summary"]
    assert compiled(cast.dev, session_id=session)["packet"]["handoff"] is None


def test_a_close_seals_the_transcript_and_writes_the_handoff(cast: Cast) -> None:
    session = worked_on(cast)
    shown = ok(cast.dev.client().post(f"/sessions/{session}/close", {"head_seq": 2}))
    assert (shown["state"], shown["seal"][:7]) == ("handoff_written", "sha256:")
    refused(
        cast.dev.client().post(f"/sessions/{session}/events", {"events": [event("more", "e9")]}), 409, "session_closed"
    )


def test_a_close_that_missed_the_last_entries_is_refused(cast: Cast) -> None:
    session = worked_on(cast)
    problem = refused(cast.dev.client().post(f"/sessions/{session}/close", {"head_seq": 1}), 409, "head_moved")
    assert problem["head_seq"] == 2


def test_an_interruption_says_where_and_in_which_attempt(cast: Cast) -> None:
    session = worked_on(cast)
    shown = ok(cast.dev.client().post(f"/sessions/{session}/interrupt", {"kind": "tool_stopped", "reason": "oom"}))
    noted = shown["interruptions"][0]
    assert (noted["kind"], noted["after"], noted["attempt"][:4]) == ("tool_stopped", 2, "att_")
