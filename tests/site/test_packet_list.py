"""The list of context packets: who sees what, and what the filters leave."""

import re
from typing import Any

import pytest
from django.test import Client

from governance.models import User
from governance.vocabulary import MembershipLevel
from sessions import packet_list
from tests.api.asking import append, compiled, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> User:
    return join(make_account(), cast, MembershipLevel.VIEWER)


def contexts_of(cast: Cast, query: str = "") -> str:
    return f"{page_of(cast)}contexts/{query}"


def listed(client: Client, path: str) -> list[str]:
    """Ids of the packets on a page, in its order."""
    return re.findall(r'class="row-link" href="[^"]*/contexts/(pkt_[0-9a-f]{32})/"', client.get(path).content.decode())


def starve(cast: Cast, **more: Any) -> str:
    """A refused compile; returns its packet's id."""
    body = {"user_input": {"raw_text": "do it " * 400}, "budget": {"max_input_tokens": 60}, **more}
    answer = cast.dev.client().post("/context", body)
    assert answer.status_code == 422
    return str(answer.json()["packet_id"])


def test_packets_stand_newest_first(cast: Cast, viewer: User) -> None:
    first = compiled(cast.dev)["packet_id"]
    second = starve(cast)
    assert listed(signed_in(viewer), contexts_of(cast)) == [second, first]


def test_a_stranger_is_asked_to_sign_in(cast: Cast, client: Client) -> None:
    assert client.get(contexts_of(cast)).status_code == 302


def test_the_owner_of_another_project_finds_nothing(cast: Cast) -> None:
    other = join(make_account(), make_cast("beta"), MembershipLevel.OWNER)
    packet = compiled(cast.dev)["packet_id"]
    client = signed_in(other)
    paths = ["", f"{packet}/", f"{packet}/json", f"{packet}/why", f"{packet}/layers/input"]
    assert {client.get(contexts_of(cast, path)).status_code for path in paths} == {404}


def test_a_packet_of_a_private_thread_is_its_owner_s_alone(cast: Cast, viewer: User) -> None:
    thread = make_thread(cast.personal, "diary", private=True)
    packet = compiled(cast.personal, session_id=open_session(cast.personal, thread))["packet_id"]
    client = signed_in(viewer)
    assert listed(client, contexts_of(cast)) == []
    assert client.get(contexts_of(cast, f"{packet}/")).status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("outcome=refused", "refused"),
        ("outcome=warned", "compiled"),
        ("outcome=ok", None),
        ("outcome=degraded", None),
        ("short=input", "refused"),
        ("short=vision", None),
        ("short=%22", None),
        ("trigger=input_share", "refused"),
        ("trigger=layer_share", None),
        ("outcome=%27", None),
        ("role=dev&outcome=warned", "compiled"),
        ("role=tester", None),
        ("profile=default@conservative&outcome=refused", "refused"),
        ("profile=gpt-5@codex", None),
        ("q=PARSER", "compiled"),
        ("q=%00x", None),
        ("thread=thr_nonsense", None),
        ("thread=THREAD", "compiled"),
    ],
)
def test_a_filter_leaves_what_it_names(cast: Cast, viewer: User, query: str, found: str | None) -> None:
    thread = make_thread(cast.dev, "config parser")
    made = {"compiled": compiled(cast.dev, session_id=open_session(cast.dev, thread))["packet_id"]}
    made["refused"] = starve(cast, thread_id=make_thread(cast.dev, "another matter"))
    path = contexts_of(cast, "?" + query.replace("THREAD", thread))
    assert listed(signed_in(viewer), path) == ([made[found]] if found else [])


def test_filters_stay_in_the_form_and_in_the_pager(cast: Cast, viewer: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packet_list, "PAGE", 1)
    made = [compiled(cast.dev)["packet_id"] for _ in range(2)]
    client = signed_in(viewer)
    page = client.get(contexts_of(cast, "?role=dev")).content.decode()
    [older] = re.findall(r'rel="next" href="([^"]+)"', page)
    assert ('value="dev" selected' in page, "role=dev" in older) == (True, True)
    assert listed(client, contexts_of(cast, older.replace("&amp;", "&"))) == made[:1]


def test_a_packet_that_was_given_less_is_degraded(cast: Cast, viewer: User) -> None:
    session = open_session(cast.dev, make_thread(cast.dev))
    turns = [event("a turn of the parser " * 40, f"e{n}") for n in range(20)]
    append(cast.dev, session, *turns)
    packet = compiled(cast.dev, session_id=session, budget={"max_input_tokens": 700})["packet_id"]
    assert listed(signed_in(viewer), contexts_of(cast, "?outcome=degraded")) == [packet]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_the_filters_leave_is_exported(cast: Cast, viewer: User, form: str) -> None:
    compiled(cast.dev)
    refused = starve(cast)
    answer = signed_in(viewer).get(contexts_of(cast, f"?outcome=refused&as={form}"))
    text = b"".join(answer.streaming_content).decode()
    lines = text.removeprefix("\ufeff").splitlines()[form == "csv" :]
    assert (len(lines), refused in lines[0]) == (1, True)


def test_an_invented_cursor_is_not_there(cast: Cast, viewer: User) -> None:
    assert signed_in(viewer).get(contexts_of(cast, "?cursor=x")).status_code == 404


@pytest.mark.parametrize(("query", "says"), [("", "No packet yet"), ("?role=none", "No packet matches")])
def test_an_empty_list_says_why(cast: Cast, viewer: User, query: str, says: str) -> None:
    assert says in signed_in(viewer).get(contexts_of(cast, query)).content.decode()


def test_htmx_gets_the_rows_alone(cast: Cast, viewer: User) -> None:
    page = signed_in(viewer).get(contexts_of(cast), headers={"HX-Request": "true"}).content.decode()
    assert ('id="packet-rows"' in page, "<html" in page) == (True, False)


@pytest.mark.parametrize(("language", "says"), [(CHINESE, "已拒绝"), (ENGLISH, "refused")])
def test_a_line_says_what_did_not_fit_in_both_languages(
    cast: Cast, viewer: User, language: dict[str, str], says: str
) -> None:
    starve(cast)
    page = signed_in(viewer, language).get(contexts_of(cast)).content.decode()
    assert says in page
    assert 'class="shortfall"' in page


def test_the_number_of_statements_does_not_grow_with_the_rows(cast: Cast, viewer: User) -> None:
    client = signed_in(viewer)
    compiled(cast.dev)
    few = statements(client, contexts_of(cast))
    for _ in range(3):
        compiled(cast.dev)
        starve(cast)
    assert (statements(client, contexts_of(cast)), few <= 12) == (few, True)


def test_titles_and_names_are_escaped(cast: Cast, viewer: User) -> None:
    thread = ok(cast.dev.client().post("/threads", {"title": "<script>alert(1)</script>\u202e"}))["id"]
    compiled(cast.dev, thread_id=thread)
    page = signed_in(viewer).get(contexts_of(cast)).content.decode()
    assert ("<script>alert" in page, "\u202e" in page, "⟦U+202E⟧" in page) == (False, False, True)


def test_the_overview_leads_to_the_packet_and_the_list(cast: Cast, viewer: User) -> None:
    packet = compiled(cast.dev)["packet_id"]
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    assert f'href="{contexts_of(cast, f"{packet}/")}"' in page
    assert f'href="{contexts_of(cast)}"' in page
