"""The list of threads, and the page of one."""

import json
import re

import pytest
from django.test import Client

from governance.ids import new_id, public_id
from governance.vocabulary import MembershipLevel
from tests.api.asking import api_of, append, compiled, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast
from tests.factories import make_intent, make_session, seed
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in
from tests.site.thread_cast import ended, make_task, queries, shown, thread_at, walk

SPECIMEN = "</title><script>window.owned=1</script>"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.VIEWER))


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


def listed(client: Client, cast: Cast, query: str = "") -> list[str]:
    """Titles in the list, in its order."""
    page = shown(client, f"{page_of(cast)}threads/{query}")
    return re.findall(r'class="row-link"[^>]*><bdi[^>]*>([^<]*)</bdi>', page)


def test_the_list_shows_the_latest_activity_first(cast: Cast, viewer: Client) -> None:
    old = make_thread(cast.dev, "old one")
    make_thread(cast.dev, "new one")
    append(cast.dev, open_session(cast.dev, old), event("hello"))
    assert listed(viewer, cast) == ["old one", "new one"]


def test_what_the_filters_leave_is_exported(cast: Cast, viewer: Client) -> None:
    make_thread(cast.dev, "tides and quays")
    make_thread(cast.dev, "lunch")
    rows = viewer.get(f"{page_of(cast)}threads/?q=quay&as=jsonl").getvalue().splitlines()
    assert [(json.loads(row)["title"], json.loads(row)["sessions"]) for row in rows] == [("tides and quays", 0)]


def test_the_list_is_of_open_threads_unless_asked(cast: Cast, viewer: Client) -> None:
    away = make_thread(cast.dev, "put away")
    make_thread(cast.dev, "at work")
    ok(api_of(cast.dev).call("PATCH", f"/threads/{away}", {"state": "archived"}, If_Match="*"))
    found = [listed(viewer, cast, query) for query in ("", "?state=archived", "?state=")]
    assert [sorted(titles) for titles in found] == [["at work"], ["put away"], ["at work", "put away"]]


@pytest.mark.parametrize("text", ["解析", "parser", "PARSER", "rust"])
def test_the_list_is_searched_by_title_and_tag(cast: Cast, viewer: Client, text: str) -> None:
    make_thread(cast.dev, "配置解析 parser", tags=["rust", "cli"])
    make_thread(cast.dev, "other")
    assert listed(viewer, cast, f"?q={text}") == ["配置解析 parser"]


def test_a_percent_sign_is_no_pattern(cast: Cast, viewer: Client) -> None:
    make_thread(cast.dev, "nothing to see")
    assert listed(viewer, cast, "?q=%25") == []


@pytest.mark.parametrize("query", ["?state=nonsense", "?type=%00", "?q=%00", "?q=" + "x" * 300])
def test_a_filter_that_cannot_be_says_so_and_filters_nothing(cast: Cast, viewer: Client, query: str) -> None:
    make_thread(cast.dev, "still here")
    assert "field-wrong" in shown(viewer, f"{page_of(cast)}threads/{query}")
    assert listed(viewer, cast, query) == ["still here"]


def test_mine_are_those_that_one_made_or_worked_in(cast: Cast) -> None:
    make_thread(cast.dev, "of the agent")
    account = join(make_account(), cast, MembershipLevel.MAINTAINER)
    client = signed_in(account)
    client.post(f"{page_of(cast)}threads/new", {"title": "of the human", "type": "work"})
    assert listed(client, cast, "?mine=on") == ["of the human"]


def test_pages_follow_each_other_without_gap_or_repetition(
    cast: Cast, viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.thread_listing.ROWS", 2)
    for n in range(5):
        make_thread(cast.dev, f"no {n}")
    seen, path = [], f"{page_of(cast)}threads/"
    while path:
        page = shown(viewer, path)
        seen += re.findall(r"<bdi[^>]*>(no \d)</bdi>", page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = f"{page_of(cast)}threads/{older[1].replace('&amp;', '&')}" if older else ""
    assert seen == [f"no {n}" for n in reversed(range(5))]


def test_a_cursor_that_nobody_was_given_is_not_there(cast: Cast, viewer: Client) -> None:
    assert viewer.get(f"{page_of(cast)}threads/?cursor=abc").status_code == 404


def test_the_list_has_three_kinds_of_empty(cast: Cast, viewer: Client) -> None:
    nothing_yet = shown(viewer, f"{page_of(cast)}threads/")
    make_thread(cast.dev)
    nothing_fits = shown(viewer, f"{page_of(cast)}threads/?q=zzz")
    assert ("No thread yet" in nothing_yet, "Clear the filters" in nothing_fits) == (True, True)


def test_htmx_gets_the_rows_alone(cast: Cast, viewer: Client) -> None:
    make_thread(cast.dev, "a row")
    part = viewer.get(f"{page_of(cast)}threads/", headers={"HX-Request": "true"}).content.decode()
    assert ("a row" in part, "<html" in part, part.strip().startswith("<section")) == (True, False, True)


def test_a_private_thread_is_nowhere_for_others(cast: Cast, viewer: Client) -> None:
    private = make_thread(cast.personal, "my diary", private=True)
    assert listed(viewer, cast, "?q=diary&state=") == []
    assert viewer.get(thread_at(cast, private)).status_code == 404


def test_a_private_thread_is_there_for_its_owner(cast: Cast, maintainer: Client) -> None:
    made = maintainer.post(f"{page_of(cast)}threads/new", {"title": "my diary", "type": "personal", "private": "on"})
    assert "only you" in shown(maintainer, made["Location"])
    assert signed_in(join(make_account(), cast, MembershipLevel.OWNER)).get(made["Location"]).status_code == 404


def test_a_foreign_thread_reads_like_none(cast: Cast, viewer: Client) -> None:
    foreign = make_thread(make_cast("beta").dev)
    unknown = public_id("thr", new_id())
    answers = [viewer.get(thread_at(cast, one)) for one in (foreign, unknown, "thr_x")]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert len({answer.content for answer in answers}) == 1


def test_the_page_shows_all_that_belongs_to_a_thread(cast: Cast, viewer: Client) -> None:
    world = seed(cast, canary="canary")
    page = shown(viewer, thread_at(cast, world.thread.public_id))
    wanted = [
        "right tides for canary",  # the goal
        "checked canary",  # done when
        "version 1, up to entry",  # a work summary
        "never round the heights of canary",  # a demand
        "publish canary",  # a task
        "codex · px-1",  # a provider session
        "go on with canary",  # a handoff
        "feishu:canary",  # a binding
    ]
    assert [text for text in wanted if text not in page] == []


def test_the_page_leads_to_what_it_names(cast: Cast, viewer: Client) -> None:
    world = seed(cast, canary="canary")
    page = shown(viewer, thread_at(cast, world.thread.public_id))
    session = f"/sessions/{world.session.public_id}/"
    assert f'{session}?seq=3#e3"' in page  # where the demand was said
    assert f"/tasks/{world.task.public_id}/" in page
    assert f"/contexts/{world.packet.public_id}/" in page


def test_earlier_versions_of_the_vision_stay_readable(cast: Cast, viewer: Client) -> None:
    thread = make_thread(cast.dev)
    api, path = api_of(cast.dev), f"/threads/{thread}/vision"
    ok(api.call("PUT", path, {"origin_goal": "the first goal"}))
    ok(api.call("PUT", path, {"origin_goal": "the second goal"}, If_Match='"1"'))
    page = shown(viewer, thread_at(cast, thread))
    assert page.index("the second goal") < page.index("Earlier versions") < page.index("the first goal")


def test_a_demand_that_was_taken_back_is_gone(cast: Cast, viewer: Client) -> None:
    thread = make_thread(cast.dev)
    session = open_session(cast.dev, thread)
    append(cast.dev, session, event("no tabs", kind="constraint", attested=True))
    before = shown(viewer, thread_at(cast, thread))
    body = {"ref": f"event://{session}/1", "reason": "tabs are fine", "client_id": "r1"}
    ok(api_of(cast.dev).post(f"/sessions/{session}/constraints/retire", body))
    after = shown(viewer, thread_at(cast, thread))
    assert ("no tabs" in before, "no tabs" in after) == (True, False)


def test_the_drawing_says_the_state_in_words_and_shapes(cast: Cast, viewer: Client) -> None:
    thread = make_thread(cast.dev)
    first = make_task(cast, thread, "dig")
    make_task(cast, thread, "plant", depends_on=[first])
    walk(cast, first, "ready", "doing")
    page = shown(viewer, thread_at(cast, thread))
    drawing = page[page.index("<svg width=") : page.index("<table")]
    assert (drawing.count("dag-curve"), "dag-doing" in drawing, ">doing</text>" in drawing) == (1, True, True)


def test_a_task_of_another_thread_is_drawn_as_such(cast: Cast, viewer: Client) -> None:
    thread = make_thread(cast.dev)
    other = make_task(cast, make_thread(cast.dev, "elsewhere"), "dig")
    make_task(cast, thread, "plant", depends_on=[other])
    assert "dag-elsewhere" in shown(viewer, thread_at(cast, thread))


ACTIONS = ("/say", "/rename", "/merge", "/split", "/vision", "/archive", "/tasks/new", "/retire?ref=")


def actions_of(page: str, thread: str) -> list[str]:
    return [action for action in ACTIONS if f"/threads/{thread}{action}" in page]


def test_a_viewer_sees_no_button_that_would_be_refused(cast: Cast, viewer: Client, maintainer: Client) -> None:
    thread = make_thread(cast.dev)
    append(cast.dev, open_session(cast.dev, thread), event("no tabs", kind="constraint", attested=True))
    pages = [shown(client, thread_at(cast, thread)) for client in (viewer, maintainer)]
    assert [actions_of(page, thread) for page in pages] == [[], list(ACTIONS)]


def test_an_archived_thread_says_so_and_offers_to_open_it(cast: Cast, maintainer: Client) -> None:
    thread = make_thread(cast.dev)
    ok(api_of(cast.dev).call("PATCH", f"/threads/{thread}", {"state": "archived"}, If_Match="*"))
    page = shown(maintainer, thread_at(cast, thread))
    assert ("is archived" in page, f"/threads/{thread}/reopen" in page) == (True, True)
    assert actions_of(page, thread) == ["/rename"]


def test_a_merged_thread_is_not_offered_to_be_opened(cast: Cast, maintainer: Client) -> None:
    thread = make_thread(cast.dev)
    ended(cast, thread, "merged")
    page = shown(maintainer, thread_at(cast, thread))
    assert ("merged or split" in page, "/reopen" in page) == (True, False)


def test_hostile_words_are_shown_and_do_nothing(cast: Cast, viewer: Client) -> None:
    thread = make_thread(cast.dev, f"{SPECIMEN} \u202eevil", tags=[SPECIMEN[:60]])
    ok(api_of(cast.dev).call("PUT", f"/threads/{thread}/vision", {"origin_goal": SPECIMEN, "done_when": [SPECIMEN]}))
    make_task(cast, thread, SPECIMEN, next_steps=[SPECIMEN])
    pages = [shown(viewer, path) for path in (f"{page_of(cast)}threads/", thread_at(cast, thread))]
    assert [("<script>window" in page, "\u202e" in page, "U+202E" in page) for page in pages] == [
        (False, False, True)
    ] * 2


def test_the_page_costs_the_same_with_many_rows(cast: Cast, viewer: Client) -> None:
    world = seed(cast, canary="canary")
    path = thread_at(cast, world.thread.public_id)
    few = queries(viewer, path)
    for n in range(4):
        make_session(
            cast.dev, world.thread, role=("chief", "reviewer", "tester", "dev")[n], now=world.thread.created_at
        )
        make_intent(cast.dev, world.thread, canary=f"more {n}", now=world.thread.created_at)
        compiled(cast.dev, f"and now {n}", thread_id=world.thread.public_id)
    assert (queries(viewer, path), few <= 12) == (few, True)


def test_the_list_costs_the_same_with_many_rows(cast: Cast, viewer: Client) -> None:
    make_thread(cast.dev)
    few = queries(viewer, f"{page_of(cast)}threads/")
    for n in range(9):
        open_session(cast.dev, make_thread(cast.dev, f"no {n}"))
    assert (queries(viewer, f"{page_of(cast)}threads/"), few <= 12) == (few, True)


def test_both_languages_are_whole(cast: Cast) -> None:
    world = seed(cast, canary="canary")
    client = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER), CHINESE)
    page = shown(client, thread_at(cast, world.thread.public_id))
    assert [word for word in ("愿景", "现行约束", "任务", "会话", "交接", "绑定的渠道") if word not in page] == []


def test_a_stranger_is_asked_to_sign_in(cast: Cast, client: Client) -> None:
    assert client.get(f"{page_of(cast)}threads/").status_code == 302
