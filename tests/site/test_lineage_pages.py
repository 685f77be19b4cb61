"""Merging and splitting in the console: first what would move, then the button; undone from either thread's page."""

import re

import pytest
from django.test import Client

from governance.vocabulary import MembershipLevel
from tests.api.asking import api_of, append, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.site.thread_cast import ended, make_task, next_page, shown, thread_at, thread_now, told, walk


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


def worked(cast: Cast, title: str, **window: str) -> tuple[str, str]:
    thread = make_thread(cast.dev, title)
    session = open_session(cast.dev, thread, **window)
    append(cast.dev, session, event(f"please build the {title}", "goal", attested=True))
    return thread, session


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that a page confirms by."""
    found = re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', page[page.index("</h1>") : page.index("<footer")]
    )
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


def test_a_merge_is_shown_then_done_then_undone(cast: Cast, maintainer: Client) -> None:
    (first, session), (second, _) = worked(cast, "tide tables"), worked(cast, "lights", role="chief")
    path = thread_at(cast, first, "merge")
    preview = shown(maintainer, f"{path}?into={second}")
    assert (session in preview, "please build the lights" in preview, thread_now(cast, first)["state"]) == (
        True,
        True,
        "open",
    )
    page = next_page(maintainer, maintainer.post(f"{path}?into={second}", hidden(preview) | {"reason": "one matter"}))
    assert ("Merged." in told(page), "one matter" in page, thread_now(cast, first)["state"]) == (True, True, "merged")
    undo = shown(maintainer, thread_at(cast, first, "undo"))
    back = next_page(maintainer, maintainer.post(thread_at(cast, first, "undo"), hidden(undo) | {"reason": "not so"}))
    assert ("Undone." in told(back), thread_now(cast, first)["state"]) == (True, "open")


def test_what_stands_against_a_merge_is_said_instead_of_the_button(cast: Cast, maintainer: Client) -> None:
    (first, one), (second, two) = worked(cast, "tides"), worked(cast, "lights")
    page = shown(maintainer, f"{thread_at(cast, first, 'merge')}?into={second}")
    assert ("Two live sessions" in page, one in page, two in page, 'name="reason"' in page) == (True, True, True, False)


def test_a_merge_of_what_has_moved_meanwhile_is_refused_and_the_words_stay(cast: Cast, maintainer: Client) -> None:
    (first, _), (second, _) = worked(cast, "tides"), worked(cast, "lights", role="chief")
    path = f"{thread_at(cast, first, 'merge')}?into={second}"
    sent = hidden(shown(maintainer, path)) | {"reason": "my own words"}
    ok(api_of(cast.dev).call("PATCH", f"/threads/{first}", {"tags": ["late"]}, If_Match="*"))
    answer = maintainer.post(path, sent)
    assert (answer.status_code, "my own words" in answer.content.decode()) == (409, True)


def test_a_task_is_split_off_with_its_sessions(cast: Cast, maintainer: Client) -> None:
    thread, _ = worked(cast, "tides")
    task = make_task(cast, thread, "dig")
    session = open_session(cast.dev, thread, task_id=task, role="tester")
    path = thread_at(cast, thread, "split")
    assert task in shown(maintainer, path)
    query = f"{path}?title_1=digging&title_2=&{task}=1"
    preview = shown(maintainer, query)
    assert session in preview
    page = next_page(maintainer, maintainer.post(query, hidden(preview) | {"reason": "another matter"}))
    assert ("Split off." in told(page), "<h1><bdi" in page, "digging" in page, session in page) == (True,) * 4


@pytest.mark.parametrize("query", ["title_1=x", "title_1=+&{task}=1", "title_1=x&{task}=1&{session}=1"])
def test_a_split_that_cannot_be_says_why(cast: Cast, maintainer: Client, query: str) -> None:
    thread, session = worked(cast, "tides")
    task = make_task(cast, thread, "dig")
    page = maintainer.get(f"{thread_at(cast, thread, 'split')}?{query.format(task=task, session=session)}")
    assert ('name="reason"' in page.content.decode(), page.status_code in (200, 422)) == (False, True)
    assert re.search(r'role="alert"|class="wrong"', page.content.decode())


@pytest.mark.parametrize("form", ["merge", "split", "undo"])
def test_a_viewer_moves_nothing(cast: Cast, form: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    thread, _ = worked(cast, "tides")
    assert viewer.post(thread_at(cast, thread, form), {"reason": "mine", "version": 1}).status_code == 403


def test_where_there_is_nothing_to_undo_or_to_split_it_is_said(cast: Cast, maintainer: Client) -> None:
    thread = make_thread(cast.dev)
    pages = [shown(maintainer, thread_at(cast, thread, form)) for form in ("undo", "split")]
    assert ["nothing to undo" in pages[0], "nothing to split off" in pages[1]] == [True, True]


@pytest.mark.parametrize("state", ["merged", "split"])
def test_both_threads_show_their_lineage(cast: Cast, maintainer: Client, state: str) -> None:
    thread = make_thread(cast.dev, "tides")
    onward = ended(cast, thread, state)
    pages = [shown(maintainer, thread_at(cast, one)) for one in (thread, *onward)]
    undone_at = [thread] * 2 if state == "merged" else onward
    assert all('id="lineage"' in page for page in pages)
    assert all(f"/threads/{undone_at[0]}/undo" in page for page in pages[:2])


def test_the_timeline_tells_of_what_was_sent_back(cast: Cast, maintainer: Client) -> None:
    thread, _ = worked(cast, "tides")
    task = make_task(cast, thread, "dig")
    dev = open_session(cast.dev, thread, task_id=task)
    append(cast.dev, dev, event("dig", "d", attested=True))
    walk(cast, task, "ready", "doing", "review")
    ok(api_of(cast.dev).post(f"/sessions/{dev}/handoff", {"next_actor": "tester"}))
    tester = open_session(cast.tester, thread, task_id=task)
    append(cast.tester, tester, event("the edge is wet", "t"))
    ok(api_of(cast.tester).post(f"/tasks/{task}/send-back", {"reason": "wet", "session_id": tester}))
    page = shown(maintainer, thread_at(cast, thread))
    told_of = re.findall(r'<a class="pin[^>]*>([^<]+)</a> <bdi>(\w+)</bdi>(?:.*?→.*?<bdi>(\w+)</bdi>)?', page)
    assert ("sent back", "tester", "dev") in told_of
    assert ("handoff", "dev", "tester") in told_of


def test_a_handoff_is_read_whole(cast: Cast, maintainer: Client) -> None:
    _, session = worked(cast, "tides")
    parts = {"summary": "half done", "unfinished_items": ["the rest"], "risks": [], "resume_suggestion": "go on"}
    said = {"what": "dug", "why": "it was asked", "trade_offs": ["slow"], "open": ["how deep?"], "next": ["dig on"]}
    handoff = ok(api_of(cast.dev).post(f"/sessions/{session}/handoff", {"next_actor": "tester", **parts, **said}))
    page = shown(maintainer, f"{page_of(cast)}handoffs/{handoff['id']}/")
    assert [
        words for words in ("half done", "the rest", "it was asked", "slow", "how deep?", "dig on") if words not in page
    ] == []


def test_the_pages_speak_chinese(cast: Cast, maintainer: Client) -> None:
    (first, _), (second, _) = worked(cast, "潮汐表"), worked(cast, "灯塔", role="chief")
    page = maintainer.get(f"{thread_at(cast, first, 'merge')}?into={second}", headers=CHINESE).content.decode()
    assert ("合并线程" in page, "会移动的内容" in page, "潮汐表" in page) == (True, True, True)
