"""Forms on threads: opened, renamed, given a vision, put away and opened again."""

import re

import pytest
from django.test import Client

from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from tests.api.asking import api_of, make_thread, ok, refused
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.site.thread_cast import ended, ledger, next_page, shown, thread_at, thread_now, told
from threads.models import Thread, Vision

FAMILY = "👨‍👩‍👧‍👦"  # one for the eye, seven for a computer
FORMS = ("rename", "vision", "archive", "reopen")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


@pytest.fixture
def thread(cast: Cast) -> str:
    return make_thread(cast.dev, "config parser")


def archive(cast: Cast, thread: str) -> None:
    ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))


def renamed(client: Client, cast: Cast, thread: str, title: str, *, version: int = 1):
    return client.post(thread_at(cast, thread, "rename"), {"title": title, "version": version})


def visioned(client: Client, cast: Cast, thread: str, version: int = 0, **parts: str):
    body = {"origin_goal": "a parser", "done_when": "", "non_goals": "", "user_priorities": "", "quality_bar": ""}
    return client.post(thread_at(cast, thread, "vision"), body | parts | {"version": version})


@pytest.mark.parametrize("form", FORMS)
def test_a_viewer_may_not(cast: Cast, thread: str, form: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    answer = viewer.post(thread_at(cast, thread, form), {"title": "mine", "version": 1, "origin_goal": "mine"})
    assert (answer.status_code, thread_now(cast, thread)["version"]) == (403, 1)


def test_a_viewer_opens_no_thread(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    answer = viewer.post(f"{page_of(cast)}threads/new", {"title": "mine", "type": "work"})
    assert (answer.status_code, ok(api_of(cast.dev).get("/threads"))["results"]) == (403, [])


@pytest.mark.parametrize("form", FORMS)
def test_the_owner_of_another_project_finds_nothing(cast: Cast, thread: str, form: str) -> None:
    stranger = signed_in(join(make_account(), make_cast("beta"), MembershipLevel.OWNER))
    answer = stranger.post(thread_at(cast, thread, form), {"title": "mine", "version": 1, "origin_goal": "mine"})
    assert (answer.status_code, thread_now(cast, thread)["version"]) == (404, 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_private_thread_of_another_is_not_there(cast: Cast, maintainer: Client, form: str) -> None:
    private = make_thread(cast.personal, "diary", private=True)
    answer = maintainer.post(thread_at(cast, private, form), {"title": "mine", "version": 1, "origin_goal": "mine"})
    assert answer.status_code == 404


def test_a_thread_is_opened_with_its_tags(cast: Cast, maintainer: Client) -> None:
    body = {"title": "  发布  说明 ", "type": "work", "tags": "发布，release, 发布、 notes"}
    page = next_page(maintainer, maintainer.post(f"{page_of(cast)}threads/new", body))
    [made] = ok(api_of(cast.dev).get("/threads"))["results"]
    assert (made["title"], made["tags"]) == ("发布 说明", ["发布", "release", "notes"])
    assert ("Write into it" in told(page), "named by a person" in page) == (True, True)


def test_opening_a_thread_is_in_the_ledger(cast: Cast, maintainer: Client) -> None:
    maintainer.post(f"{page_of(cast)}threads/new", {"title": "a plan of mine", "type": "work"})
    [entry] = ledger(cast, "thread.create")
    assert ("a plan of mine" in str(vars(entry)), entry.actor.startswith("act_")) == (False, True)


@pytest.mark.parametrize("title", ["", "   ", "\u200b\u200d", "长" * 61, FAMILY * 61, "a\u202eb"])
def test_a_title_that_cannot_be_is_refused_beside_its_field(cast: Cast, maintainer: Client, title: str) -> None:
    answer = maintainer.post(f"{page_of(cast)}threads/new", {"title": title, "type": "work", "tags": "kept, too"})
    page = answer.content.decode()
    assert (answer.status_code, 'id="id_title_error"' in page, "kept, too" in page) == (422, True, True)


@pytest.mark.parametrize("title", ["长" * 60, FAMILY * 40])
def test_a_title_is_measured_as_people_see_it(cast: Cast, maintainer: Client, thread: str, title: str) -> None:
    assert renamed(maintainer, cast, thread, title).status_code == 303
    assert thread_now(cast, thread)["title"] == title


def test_a_person_s_title_sticks(cast: Cast, maintainer: Client, thread: str) -> None:
    renamed(maintainer, cast, thread, "by a person")
    answer = api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"title": "by an agent"}, If_Match="*")
    refused(answer, 409, "title_is_a_persons")
    assert thread_now(cast, thread)["title"] == "by a person"


def test_the_rest_of_a_named_thread_an_agent_may_change(cast: Cast, maintainer: Client, thread: str) -> None:
    renamed(maintainer, cast, thread, "by a person")
    change = {"title": "by a person", "summary": "half way"}
    assert ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", change, If_Match="*"))["summary"] == "half way"


def test_renaming_says_what_happens_next(cast: Cast, maintainer: Client, thread: str) -> None:
    page = next_page(maintainer, renamed(maintainer, cast, thread, "by a person"))
    assert "The title stays" in told(page)
    assert [entry.target for entry in ledger(cast, "thread.change")] == [thread]


def test_a_title_over_a_newer_one_is_kept_and_not_stored(cast: Cast, maintainer: Client, thread: str) -> None:
    ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"title": "moved on"}, If_Match="*"))
    answer = renamed(maintainer, cast, thread, "too late")
    page = answer.content.decode()
    assert (answer.status_code, thread_now(cast, thread)["title"]) == (409, "moved on")
    assert ('value="too late"' in page, "moved on" in page, 'name="version" value="2"' in page) == (True,) * 3


def test_what_was_kept_can_be_sent_again(cast: Cast, maintainer: Client, thread: str) -> None:
    ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"title": "moved on"}, If_Match="*"))
    page = renamed(maintainer, cast, thread, "after all").content.decode()
    version = re.search(r'name="version" value="(\d+)"', page)
    assert version is not None
    assert renamed(maintainer, cast, thread, "after all", version=int(version[1])).status_code == 303


def test_the_vision_of_an_archived_thread_stays_and_the_words_do_too(
    cast: Cast, maintainer: Client, thread: str
) -> None:
    archive(cast, thread)
    answer = visioned(maintainer, cast, thread, done_when="too late words")
    page = answer.content.decode()
    assert (answer.status_code, "Reopen it first" in page, "too late words" in page) == (422, True, True)
    assert "Reopen it first" in told(next_page(maintainer, maintainer.get(thread_at(cast, thread, "vision"))))


def test_a_first_vision_is_a_maintainer_s_note(cast: Cast, maintainer: Client, thread: str) -> None:
    answer = visioned(maintainer, cast, thread, done_when="tests pass\r\n\r\n  用户确认 ", non_goals="speed")
    assert "version 1" in told(next_page(maintainer, answer))
    vision = ok(api_of(cast.dev).get(f"/threads/{thread}/vision"))
    assert (vision["source"], vision["done_when"], vision["non_goals"]) == (
        "maintainer",
        ["tests pass", "用户确认"],
        ["speed"],
    )


def test_a_vision_leaves_its_words_out_of_the_ledger(cast: Cast, maintainer: Client, thread: str) -> None:
    visioned(maintainer, cast, thread, origin_goal="a goal of some delicacy")
    [entry] = ledger(cast, "vision.write")
    assert (entry.target, "delicacy" in str(vars(entry))) == (thread, False)


def test_a_goal_that_stays_keeps_the_ref_to_its_words(cast: Cast, maintainer: Client, thread: str) -> None:
    ref = "event://ses_" + "0" * 32 + "/1"
    with project_scope(cast.dev.acting):
        home = {"project": cast.project, "thread": Thread.objects.get(), "author": cast.dev.actor}
        Vision.objects.create(version=1, source="first_request", origin_goal="a parser", origin_ref=ref, **home)
    visioned(maintainer, cast, thread, version=1, quality_bar="no crash")
    assert ok(api_of(cast.dev).get(f"/threads/{thread}/vision"))["origin_ref"] == ref


def test_items_with_line_ends_survive_an_edit_of_another_field(cast: Cast, maintainer: Client, thread: str) -> None:
    wish = {"origin_goal": "a parser", "done_when": ["first\nsecond"]}
    ok(api_of(cast.dev).call("PUT", f"/threads/{thread}/vision", wish))
    visioned(maintainer, cast, thread, version=1, done_when="first\r\nsecond", quality_bar="no crash")
    vision = ok(api_of(cast.dev).get(f"/threads/{thread}/vision"))
    assert (vision["version"], vision["done_when"]) == (2, ["first\nsecond"])


@pytest.mark.parametrize("goal", ["", " \r\n "])
def test_a_vision_needs_a_goal(cast: Cast, maintainer: Client, thread: str, goal: str) -> None:
    answer = visioned(maintainer, cast, thread, origin_goal=goal, quality_bar="kept words")
    assert (answer.status_code, "kept words" in answer.content.decode()) == (422, True)


def test_the_same_vision_makes_no_version(cast: Cast, maintainer: Client, thread: str) -> None:
    visioned(maintainer, cast, thread)
    answer = visioned(maintainer, cast, thread, version=1)
    assert (answer.status_code, len(ledger(cast, "vision.write"))) == (422, 1)


def test_a_stale_vision_shows_both_texts(cast: Cast, maintainer: Client, thread: str) -> None:
    ok(api_of(cast.dev).call("PUT", f"/threads/{thread}/vision", {"origin_goal": "theirs", "non_goals": ["<b>bold"]}))
    answer = visioned(maintainer, cast, thread, origin_goal="mine", version=0)
    page = answer.content.decode()
    texts = ("What it says now", "theirs", "&lt;b&gt;bold", "What you wrote", "mine", 'name="version" value="1"')
    assert (answer.status_code, [text for text in texts if text not in page]) == (409, [])
    assert ok(api_of(cast.dev).get(f"/threads/{thread}/vision"))["version"] == 1


def test_a_text_beyond_the_limit_is_refused(cast: Cast, maintainer: Client, thread: str, settings) -> None:
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"max_text_bytes": 30})
    answer = visioned(maintainer, cast, thread, origin_goal="长" * 11)
    assert (answer.status_code, 'id="id_origin_goal_error"' in answer.content.decode()) == (422, True)


def test_archiving_and_opening_again(cast: Cast, maintainer: Client, thread: str) -> None:
    away = next_page(maintainer, maintainer.post(thread_at(cast, thread, "archive")))
    assert ("Archived" in told(away), thread_now(cast, thread)["state"]) == (True, "archived")
    back = next_page(maintainer, maintainer.post(thread_at(cast, thread, "reopen")))
    assert ("Open again" in told(back), thread_now(cast, thread)["state"]) == (True, "open")


def test_putting_away_is_in_the_ledger_both_ways(cast: Cast, maintainer: Client, thread: str) -> None:
    for form in ("archive", "reopen"):
        maintainer.post(thread_at(cast, thread, form))
    assert [len(ledger(cast, f"thread.{state}")) for state in ("archived", "open")] == [1, 1]


def test_a_second_click_on_archive_says_why_not(cast: Cast, maintainer: Client, thread: str) -> None:
    archive(cast, thread)
    page = next_page(maintainer, maintainer.post(thread_at(cast, thread, "archive")))
    assert ("alert-danger" in page, "cannot go there" in told(page)) == (True, True)


@pytest.mark.parametrize("state", ["merged", "split"])
def test_a_thread_with_a_lineage_is_not_merely_opened(cast: Cast, maintainer: Client, thread: str, state: str) -> None:
    ended(cast, thread, state)
    page = next_page(maintainer, maintainer.post(thread_at(cast, thread, "reopen")))
    assert ("merged or split" in told(page), thread_now(cast, thread)["state"]) == (True, state)


@pytest.mark.parametrize("form", ["archive", "reopen"])
def test_a_link_changes_nothing(cast: Cast, maintainer: Client, thread: str, form: str) -> None:
    assert maintainer.get(thread_at(cast, thread, form)).status_code == 405


@pytest.mark.parametrize("form", ["rename", "vision", "tasks/new"])
def test_each_form_is_there_in_chinese(cast: Cast, thread: str, form: str) -> None:
    client = signed_in(join(make_account(), cast, MembershipLevel.OWNER), CHINESE)
    assert "取消" in shown(client, thread_at(cast, thread, form))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_without_its_token_is_refused(cast: Cast, thread: str, form: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(join(make_account(), cast, MembershipLevel.OWNER))
    assert client.post(thread_at(cast, thread, form), {"title": "x", "version": 1}).status_code == 403
