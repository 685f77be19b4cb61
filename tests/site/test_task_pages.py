"""The page of a task: changed, moved, sent back; and a new one with what it waits for."""

import pytest
from django.test import Client

from governance.ids import new_id, public_id
from governance.vocabulary import MembershipLevel
from tests.api.asking import api_of, append, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, signed_in
from tests.site.thread_cast import (
    ledger,
    make_task,
    next_page,
    queries,
    shown,
    task_at,
    task_now,
    thread_at,
    thread_now,
    told,
    walk,
)

DOERS = ("dev", "tester")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


@pytest.fixture
def thread(cast: Cast) -> str:
    return make_thread(cast.dev)


def body(**parts: object) -> dict[str, object]:
    """What the form sends; parts that are None are left out, as an unticked box is."""
    sent = {"title": "lexer", "brief": "", "phase": "plan", "risk": "low", "next_steps": ""} | parts
    return {name: value for name, value in sent.items() if value is not None}


def changed(client: Client, cast: Cast, task: str, version: int = 1, **parts: object):
    return client.post(task_at(cast, task), body(version=version, **parts))


def moved(client: Client, cast: Cast, task: str, to: str):
    return client.post(task_at(cast, task, "move"), {"to": to, "version": task_now(cast, task)["version"]})


def sent_back(client: Client, cast: Cast, task: str, reason: str, *, version: int | None = None):
    seen = task_now(cast, task)["version"] if version is None else version
    return client.post(task_at(cast, task, "send-back"), {"reason": reason, "version": seen})


def test_a_new_task_waits_for_what_was_ticked(cast: Cast, maintainer: Client, thread: str) -> None:
    first = make_task(cast, thread, "词法")
    sent = body(title="语法", phase="execute", risk="high", next_steps="a\r\nb", depends_on=[first])
    page = next_page(maintainer, maintainer.post(thread_at(cast, thread, "tasks/new"), sent))
    made = task_now(cast, page.split("<code>tsk_")[1].split("<")[0].join(["tsk_", ""]))
    assert (made["title"], made["phase"], made["risk"]) == ("语法", "execute", "high")
    assert (made["next_steps"], made["depends_on"], "planned" in told(page)) == (["a", "b"], [first], True)


@pytest.mark.parametrize(
    "wrong", [{"title": "  "}, {"title": "x" * 301}, {"phase": "never"}, {"risk": ""}, {"depends_on": ["tsk_x"]}]
)
def test_a_new_task_that_cannot_be_keeps_its_text(
    cast: Cast, maintainer: Client, thread: str, wrong: dict[str, object]
) -> None:
    answer = maintainer.post(thread_at(cast, thread, "tasks/new"), body(brief="kept words", **wrong))
    page = answer.content.decode()
    assert (answer.status_code, "kept words" in page, "field-wrong" in page) == (422, True, True)


def test_a_task_of_another_project_is_no_choice(cast: Cast, maintainer: Client, thread: str) -> None:
    beta = make_cast("beta")
    foreign = make_task(beta, make_thread(beta.dev))
    answer = maintainer.post(thread_at(cast, thread, "tasks/new"), body(depends_on=[foreign]))
    assert answer.status_code == 422


def test_an_archived_thread_takes_no_task(cast: Cast, maintainer: Client, thread: str) -> None:
    ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    page = next_page(maintainer, maintainer.get(thread_at(cast, thread, "tasks/new")))
    answer = maintainer.post(thread_at(cast, thread, "tasks/new"), body(brief="kept words"))
    assert ("not open" in told(page), answer.status_code) == (True, 422)
    assert "kept words" in answer.content.decode()


def test_the_page_shows_both_sides_of_waiting(cast: Cast, maintainer: Client, thread: str) -> None:
    first = make_task(cast, thread, "dig")
    second = make_task(cast, thread, "plant", depends_on=[first])
    third = make_task(cast, thread, "water", depends_on=[second])
    page = shown(maintainer, task_at(cast, second))
    assert all(f"/tasks/{other}/" in page for other in (first, third))


def test_a_task_is_changed(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    page = next_page(maintainer, changed(maintainer, cast, task, brief="one\r\ntwo", risk="medium", next_steps="go"))
    now = task_now(cast, task)
    assert (now["brief"], now["risk"], now["next_steps"], now["version"]) == ("one\ntwo", "medium", ["go"], 2)
    assert ("Stored" in told(page), [entry.target for entry in ledger(cast, "task.change")]) == (True, [task])


def test_a_task_sent_as_it_is_stays_as_it_is(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    page = next_page(maintainer, changed(maintainer, cast, task))
    assert ("Nothing was changed" in told(page), task_now(cast, task)["version"]) == (True, 1)


def test_a_dependency_on_another_thread_stays_ticked(cast: Cast, maintainer: Client, thread: str) -> None:
    other = make_task(cast, make_thread(cast.dev, "elsewhere"), "dig")
    task = make_task(cast, thread, depends_on=[other])
    page = shown(maintainer, task_at(cast, task))
    changed(maintainer, cast, task, brief="new", depends_on=[other])
    assert (f'value="{other}"' in page, task_now(cast, task)["depends_on"]) == (True, [other])


def test_a_circle_is_told_by_the_names_of_its_tasks(cast: Cast, maintainer: Client, thread: str) -> None:
    first = make_task(cast, thread, "dig")
    second = make_task(cast, thread, "plant", depends_on=[first])
    third = make_task(cast, thread, "<i>water", depends_on=[second])
    answer = changed(maintainer, cast, first, title="dig", depends_on=[third], brief="kept words")
    page = answer.content.decode()
    assert "“dig” waits for “&lt;i&gt;water” waits for “plant” waits for “dig”" in page
    assert (answer.status_code, "kept words" in page, task_now(cast, first)["depends_on"]) == (422, True, [])


def test_a_circle_is_told_in_chinese(cast: Cast, thread: str) -> None:
    client = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER), CHINESE)
    first = make_task(cast, thread, "挖土")
    second = make_task(cast, thread, "种树", depends_on=[first])
    page = changed(client, cast, first, title="挖土", depends_on=[second]).content.decode()
    assert "“挖土”等待“种树”等待“挖土”" in page


def test_a_change_over_a_newer_version_is_kept_and_not_stored(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    ok(api_of(cast.dev).call("PATCH", f"/tasks/{task}", {"title": "theirs"}, If_Match="*"))
    answer = changed(maintainer, cast, task, title="mine", brief="kept words")
    page = answer.content.decode()
    assert (answer.status_code, task_now(cast, task)["title"]) == (409, "theirs")
    assert [t for t in ("theirs", 'value="mine"', "kept words", 'name="version" value="2"') if t not in page] == []


def test_a_title_that_an_agent_gave_does_not_stand_in_the_way(cast: Cast, maintainer: Client, thread: str) -> None:
    title = "from \u202ean agent"
    task = make_task(cast, thread, title)
    changed(maintainer, cast, task, title=title, brief="new")
    assert (task_now(cast, task)["title"], task_now(cast, task)["brief"]) == (title, "new")


def test_a_task_is_walked_by_buttons(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    for state in ("ready", "doing", "blocked", "doing", "review", "done"):
        next_page(maintainer, moved(maintainer, cast, task, state))
    assert task_now(cast, task)["state"] == "done"


OFFERED = {
    (): {"ready", "cancelled"},
    ("ready",): {"doing", "cancelled"},
    ("ready", "doing"): {"review", "blocked", "cancelled"},
    ("ready", "doing", "blocked"): {"doing", "cancelled"},
    ("ready", "doing", "review"): {"done", "cancelled"},
    ("cancelled",): set(),
}


@pytest.mark.parametrize("walked", OFFERED)
def test_only_what_the_table_allows_is_offered(
    cast: Cast, maintainer: Client, thread: str, walked: tuple[str, ...]
) -> None:
    task = make_task(cast, thread)
    walk(cast, task, *walked)
    page = shown(maintainer, task_at(cast, task))
    assert {state for state in STATES if f'name="to" value="{state}"' in page} == OFFERED[walked]


STATES = ("planned", "ready", "doing", "blocked", "review", "done", "cancelled")


@pytest.mark.parametrize("to", ["done", "planned", "nonsense", ""])
def test_a_move_that_the_table_forbids_changes_nothing(cast: Cast, maintainer: Client, thread: str, to: str) -> None:
    task = make_task(cast, thread)
    page = next_page(maintainer, moved(maintainer, cast, task, to))
    assert ("cannot go there" in told(page), task_now(cast, task)["state"]) == (True, "planned")


def test_a_move_from_an_old_page_changes_nothing(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    walk(cast, task, "ready")
    page = next_page(maintainer, maintainer.post(task_at(cast, task, "move"), {"to": "cancelled", "version": 1}))
    assert ("Somebody changed this" in told(page), task_now(cast, task)["state"]) == (True, "ready")


def test_what_was_wrong_becomes_the_first_next_step(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread, next_steps=["publish"])
    walk(cast, task, "ready", "doing", "review")
    page = next_page(maintainer, sent_back(maintainer, cast, task, "the tests fail\r\non Windows"))
    now = task_now(cast, task)
    assert (now["state"], now["next_steps"]) == ("doing", ["the tests fail\non Windows", "publish"])
    assert "Sent back" in told(page)


@pytest.mark.parametrize("reviewed", [True, False])
def test_the_doer_hears_in_a_handoff_what_was_wrong(
    cast: Cast, maintainer: Client, thread: str, reviewed: bool
) -> None:
    task = make_task(cast, thread)
    sessions = {role: open_session(getattr(cast, role).client(), thread, role=role, task_id=task) for role in DOERS}
    for role in DOERS[: 1 + reviewed]:
        append(getattr(cast, role).client(), sessions[role], event(f"{role} looked at it", role="assistant"))
    walk(cast, task, "ready", "doing", "review")
    page = next_page(maintainer, sent_back(maintainer, cast, task, "the tests fail"))
    handoff = ok(api_of(cast.dev).post(f"/sessions/{sessions['dev']}/resume"))["handoff"]
    giver = sessions["tester" if reviewed else "dev"]
    assert (handoff["from_session_id"], handoff["to_session_id"]) == (giver, sessions["dev"])
    assert ("the tests fail" in handoff["summary"], "Sent back to dev" in told(page)) == (True, True)


def test_sending_back_needs_a_reason(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    walk(cast, task, "ready", "doing", "review")
    assert (sent_back(maintainer, cast, task, "  ").status_code, task_now(cast, task)["state"]) == (422, "review")


def test_a_reason_for_what_has_moved_is_kept(cast: Cast, maintainer: Client, thread: str) -> None:
    task = make_task(cast, thread)
    walk(cast, task, "ready", "doing", "review")
    answer = sent_back(maintainer, cast, task, "kept words", version=1)
    assert (answer.status_code, "kept words" in answer.content.decode()) == (409, True)


def test_a_viewer_reads_and_has_no_button(cast: Cast, thread: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    page = shown(viewer, task_at(cast, make_task(cast, thread, brief="to be read")))
    assert ("to be read" in page, "<textarea" in page, 'name="to"' in page) == (True, False, False)


@pytest.mark.parametrize("button", ["", "move", "send-back"])
@pytest.mark.parametrize("level", [MembershipLevel.VIEWER, None])
def test_who_may_not_changes_nothing(cast: Cast, thread: str, button: str, level: MembershipLevel | None) -> None:
    task = make_task(cast, thread)
    home = cast if level else make_cast("beta")
    client = signed_in(join(make_account(), home, level or MembershipLevel.OWNER))
    answer = client.post(task_at(cast, task, button), body(version=1, title="mine", to="ready", reason="x"))
    assert (answer.status_code, task_now(cast, task)["version"]) == (403 if level else 404, 1)


def test_a_viewer_plans_nothing(cast: Cast, thread: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    answers = [
        viewer.get(thread_at(cast, thread, "tasks/new")),
        viewer.post(thread_at(cast, thread, "tasks/new"), body()),
    ]
    assert [answer.status_code for answer in answers] == [403, 403]


def test_a_foreign_and_a_private_task_read_like_none(cast: Cast, maintainer: Client) -> None:
    beta = make_cast("beta")
    foreign = make_task(beta, make_thread(beta.dev))
    private = ok(
        api_of(cast.personal).post(
            "/tasks", {"thread_id": make_thread(cast.personal, private=True), "title": "of my own"}
        )
    )["id"]
    answers = [maintainer.get(task_at(cast, one)) for one in (foreign, private, public_id("tsk", new_id()), "tsk_x")]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert len({answer.content for answer in answers}) == 1


def test_hostile_words_are_shown_and_do_nothing(cast: Cast, maintainer: Client, thread: str) -> None:
    words = "</textarea></title><script>window.owned=1</script>"
    first = make_task(cast, thread, words, brief=words, next_steps=[words])
    second = make_task(cast, thread, words, depends_on=[first])
    pages = [shown(maintainer, path) for path in (task_at(cast, second), thread_at(cast, thread, "tasks/new"))]
    assert ["<script>window" in page for page in pages] == [False, False]


def test_the_page_costs_the_same_with_many_tasks(cast: Cast, maintainer: Client, thread: str) -> None:
    first = make_task(cast, thread)
    few = queries(maintainer, task_at(cast, first))
    for n in range(6):
        make_task(cast, thread, f"no {n}", depends_on=[first])
    assert (queries(maintainer, task_at(cast, first)), few <= 12) == (few, True)


def test_changing_a_task_leaves_its_thread_alone(cast: Cast, maintainer: Client, thread: str) -> None:
    before = thread_now(cast, thread)["version"]
    changed(maintainer, cast, make_task(cast, thread), brief="new")
    assert thread_now(cast, thread)["version"] == before
