"""Dev builds, Tester sends back, Dev goes on: in the session it had, with what was found and not how it was found."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.api.asking import append, compiled, event, make_thread, ok, open_session
from tests.api.world import ANY_VERSION
from tests.cast import Cast, make_cast
from tests.site.console_cast import account_of, page_of, signed_in

SCRIPT = str(Path(__file__).parents[2] / "docs/examples/send_back.sh")
CODE = {"harness": "claude-code", "id": "cc-dev"}
NOWHERE = f"artifact://art_{0:032x}"
SECRETLY = "I went on with the lexer: first the empty string, then a lone quote, and muttered about the fixtures."
FOUND = {
    "summary": "The lexer drops the last token of a line.",
    "unfinished_items": ["keep the last token"],
    "risks": ["only spaces were tried"],
    "resume_suggestion": "start at the end of the line in lexer.py",
    "what": "ran the suite twice",
    "why": "the parser needs every token",
    "trade_offs": [],
    "open": [],
    "next": ["add a case for the last token"],
}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def moved(api: Any, task: str, *states: str) -> None:
    for state in states:
        ok(api.call("PATCH", f"/tasks/{task}", {"state": state}, **ANY_VERSION))


def story(cast: Cast, *, parts: dict[str, Any]) -> dict[str, Any]:
    """Play it over the API; returns ids and answers by what they are."""
    dev, tester = cast.dev.client(), cast.tester.client()
    thread = make_thread(dev)
    task = ok(dev.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    moved(dev, task, "ready", "doing")
    session = open_session(dev, thread, role="dev", task_id=task, provider_session=CODE)
    append(dev, session, event("build the lexer", attested=True), event("built it", "e2", role="assistant"))
    first = compiled(dev, session_id=session, provider_session=CODE)["session"]["attempt_id"]
    moved(dev, task, "review")
    ok(dev.post(f"/sessions/{session}/handoff", {"next_actor": "tester"}))
    testing = open_session(tester, thread, role="tester", task_id=task)
    handed = compiled(tester, session_id=testing)["packet"]["handoff"]
    append(tester, testing, event(SECRETLY, "t1", role="assistant"))
    back = ok(tester.post(f"/tasks/{task}/send-back", {"reason": "the last token is dropped", **parts}))
    resumed = ok(dev.post(f"/sessions/{session}/resume", {"provider_session": CODE}))
    packet = compiled(dev, "go on", session_id=session, provider_session=CODE)
    return {"dev": session, "testing": testing, "first": first, "handed": handed, "back": back} | {
        "resumed": resumed,
        "packet": packet,
    }


@pytest.mark.parametrize("parts", [FOUND, {}], ids=["told", "from the records"])
def test_a_task_that_is_sent_back_goes_on_in_the_session_that_did_it(cast: Cast, parts: dict[str, Any]) -> None:
    told = story(cast, parts=parts)
    resumed, handoff = told["resumed"], told["packet"]["packet"]["handoff"]
    assert (told["handed"]["from_session_id"], told["back"]["session"]["id"]) == (told["dev"], told["dev"])
    assert (resumed["id"], resumed["outcome"], resumed["attempt_id"] != told["first"]) == (told["dev"], "resumed", True)
    assert (handoff["from_session_id"], handoff["to_session_id"]) == (told["testing"], told["dev"])
    assert "last token" in json.dumps(handoff)
    assert "build the lexer" in told["packet"]["prompt"]["text"]
    assert told["packet"]["packet"]["thread"]["task"]["next_steps"][0] == "the last token is dropped"


def test_what_the_records_quote_keeps_no_task_from_going_back(cast: Cast) -> None:
    dev, tester = cast.dev.client(), cast.tester.client()
    thread = make_thread(dev)
    task = ok(dev.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    moved(dev, task, "ready", "doing", "review")
    append(dev, open_session(dev, thread, role="dev", task_id=task), event("built it", role="assistant"))
    testing = open_session(tester, thread, role="tester", task_id=task)
    append(tester, testing, event(f"look at {NOWHERE}", "t1", attested=True))
    back = tester.post(f"/tasks/{task}/send-back", {"reason": "the last token is dropped", "session_id": testing})
    assert NOWHERE in ok(back)["handoff"]["unfinished_items"][1]


def test_the_testers_dialogue_never_reaches_the_dev(cast: Cast) -> None:
    told = story(cast, parts=FOUND)
    assert SECRETLY not in json.dumps(told["packet"], ensure_ascii=False)


def test_the_tester_waits_for_what_may_come_back(cast: Cast) -> None:
    told = story(cast, parts=FOUND)
    assert ok(cast.tester.client().call("GET", f"/sessions/{told['testing']}"))["state"] == "idle"


def test_the_page_shows_the_three_ids(cast: Cast) -> None:
    told = story(cast, parts=FOUND)
    html = signed_in(account_of(cast)).get(f"{page_of(cast)}sessions/{told['dev']}/").content.decode()
    assert all(name in html for name in (told["dev"], "cc-dev", told["resumed"]["attempt_id"]))


def test_the_script_of_the_docs_ends_with_the_refusal_that_it_met(cast: Cast, live_server: LiveServer) -> None:
    keys = {"GREYWIND_URL": live_server.url, "DEV_KEY": "gw_wrong", "TESTER_KEY": cast.tester.secret}
    run = subprocess.run(["sh", SCRIPT], env=os.environ | keys, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "Dev builds.\n")
    assert ('"code":"unauthenticated"' in run.stderr, "Traceback" in run.stderr) == (True, False)
    assert "<- POST /threads" in run.stderr


def test_the_script_of_the_docs_holds_against_a_running_server(cast: Cast, live_server: LiveServer) -> None:
    keys = {"GREYWIND_URL": live_server.url, "DEV_KEY": cast.dev.secret, "TESTER_KEY": cast.tester.secret}
    run = subprocess.run(["sh", SCRIPT], env=os.environ | keys, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.count("holds:"), run.stderr) == (0, 8, "")
