"""Bounded reads: no more than a page at once, words found inside a text, and a budget that a session's reads share."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from governance.scope import project_scope
from sessions.models import Session
from sessions.read_budget import reading_session, spend
from tests.api.asking import append, event, make_thread, ok, open_session, refused, tokens
from tests.cast import Api, Cast, at

LOG = "".join(f"{n}: GET /items/{n % 7} 正常\n" for n in range(400))


@pytest.fixture
def api(cast: Cast) -> Api:
    return cast.dev.client()


@pytest.fixture
def session(api: Api) -> str:
    return open_session(api, make_thread(api))


def stored(api: Api, session: str, content: str = LOG) -> str:
    return f"/artifacts/{ok(api.post('/artifacts', {'session_id': session, 'content': content}))['id']}"


def budget_left(cast: Cast, session: str, left: int) -> None:
    """Let so many tokens be left of what the session may read."""
    with project_scope(cast.dev.acting):
        row = Session.objects.get(pk=session.removeprefix("ses_"))
        budget = spend(row, 0, now=at(9)).budget
        Session.objects.filter(pk=row.pk).update(read_tokens=budget - left)


def test_lines_are_read_up_to_a_page_of_tokens(api: Api, session: str) -> None:
    piece = ok(api.get(f"{stored(api, session, LOG * 2)}?unit=lines&limit=800"))
    assert tokens(piece["text"]) == piece["tokens"] <= 4_000
    assert piece["text"].count("\n") == piece["next"] < 800


def test_a_line_that_is_longer_than_a_page_is_cut_and_says_so(api: Api, session: str) -> None:
    piece = ok(api.get(f"{stored(api, session, '上下文 ' * 9_000 + chr(10) + 'end')}?unit=lines&limit=2"))
    assert (piece["cut"], piece["next"], piece["tokens"] <= 4_000) == (True, 1, True)


def test_words_are_found_with_the_numbers_of_their_lines(api: Api, session: str) -> None:
    path = stored(api, session, "one\ntwo 日志出错\nTHREE and two  WORDS\n")
    assert [match["line"] for match in ok(api.get(f"{path}?q=出错"))["results"]] == [2]
    [match] = ok(api.get(f"{path}?q=two words"))["results"]
    assert (match["line"], match["offset"], match["text"]) == (3, 2, "THREE and two  WORDS")


def test_matches_are_paged(api: Api, session: str) -> None:
    path, found, offset = stored(api, session), [], 0
    while offset is not None:
        page = ok(api.get(f"{path}?q=items/3&offset={offset}&limit=20"))
        found, offset = found + page["results"], page["next"]
    assert [match["line"] for match in found] == [n + 1 for n in range(400) if n % 7 == 3]
    assert page["total"] == len(found)


def test_evidence_of_any_kind_can_be_searched(api: Api, session: str) -> None:
    ref = append(api, session, event("first line\nthe 答案 is here"))["results"][0]["ref"]
    assert ok(api.get(f"/evidence?ref={ref}&q=答案"))["results"][0]["line"] == 2


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("q=", "?q"),
        ("q=%20%20", "?q"),
        (f"q={'x' * 201}", "?q"),
        ("q=a&limit=51", "?limit"),
        ("q=a&offset=-1", "?offset"),
        ("q=a&unit=lines", "?unit"),
        ("unit=words", "?unit"),
        ("session_id=nonsense", "?session_id"),
    ],
)
def test_a_wrong_search_names_the_field(api: Api, session: str, query: str, pointer: str) -> None:
    answer = api.get(f"{stored(api, session)}?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)


def test_a_read_says_what_the_session_has_read_and_may_read(api: Api, session: str) -> None:
    path = stored(api, session)
    first, second = (ok(api.get(f"{path}?limit=100"))["read_budget"] for _ in range(2))
    assert (first["session_id"], first["read"], second["read"]) == (session, 100, 200)
    assert second["left"] == second["budget"] - 200 > 0


def test_a_read_that_the_budget_has_no_room_for_is_refused_with_the_figures(cast: Cast, api: Api, session: str) -> None:
    path = stored(api, session)
    budget_left(cast, session, 150)
    problem = refused(api.get(f"{path}?limit=200"), 409, "read_budget_spent")
    assert (problem["left"], problem["wanted"], problem["session_id"]) == (150, 200, session)
    assert "at most 150 tokens" in problem["detail"]


def test_what_is_left_can_still_be_read_and_nothing_after_it(cast: Cast, api: Api, session: str) -> None:
    path = stored(api, session)
    budget_left(cast, session, 150)
    assert ok(api.get(f"{path}?limit=150"))["read_budget"]["left"] == 0
    assert "new session" in refused(api.get(f"{path}?limit=1"), 409, "read_budget_spent")["detail"]


def test_a_refused_read_costs_nothing(cast: Cast, api: Api, session: str) -> None:
    path = stored(api, session)
    budget_left(cast, session, 150)
    refused(api.get(f"{path}?limit=200"), 409, "read_budget_spent")
    assert ok(api.get(f"{path}?limit=10"))["read_budget"]["left"] == 140


def test_another_session_has_its_own_budget(cast: Cast, api: Api, session: str) -> None:
    path, other = stored(api, session), open_session(api, make_thread(api, title="another matter"))
    budget_left(cast, session, 0)
    assert ok(api.get(f"{path}?limit=10&session_id={other}"))["read_budget"]["read"] == 10


def test_a_session_of_another_role_is_not_charged(cast: Cast, session: str) -> None:
    path = stored(cast.dev.client(), session)
    answer = cast.tester.client().get(f"{path}?limit=10&session_id={session}")
    assert (answer.status_code, answer.json()["code"]) == (403, "role_not_held")


def test_the_budget_is_that_of_the_profile_in_use(api: Api, session: str) -> None:
    path = stored(api, session)
    before = ok(api.get(f"{path}?limit=1"))["read_budget"]["budget"]
    body: dict[str, Any] = {"user_input": {"raw_text": "go on"}, "session_id": session}
    ok(api.post("/context", body | {"budget": {"profile": "gemini-pro@gemini-cli"}}))
    assert ok(api.get(f"{path}?limit=1"))["read_budget"]["budget"] > 2 * before


def test_two_readers_at_once_do_not_overspend(cast: Cast, api: Api, session: str) -> None:
    path = stored(api, session)
    budget_left(cast, session, 350)

    def read(_: int) -> int:
        try:
            return cast.dev.client().get(f"{path}?limit=100").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(read, range(8))) == [200] * 3 + [409] * 5


def test_whoever_works_in_no_session_is_charged_to_none(cast: Cast) -> None:
    with project_scope(cast.dev.acting, read_only=True):
        assert reading_session(cast.dev.acting, None) is None
