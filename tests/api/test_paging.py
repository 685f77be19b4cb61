"""Lists over HTTP: newest first, whole under new rows, and forth and back by opaque cursors."""

from tests.api.asking import make_thread, ok
from tests.cast import Api, Cast


def pages(api: Api, path: str) -> list[list[str]]:
    found, cursor = [], ""
    while cursor is not None:
        body = ok(api.get(path + (f"&cursor={cursor}" if cursor else "")))
        found.append([row["title"] for row in body["results"]])
        cursor = body["next"]
    return found


def make_threads(api: Api, count: int) -> None:
    for n in range(count):
        make_thread(api, f"thread {n}")


def test_the_newest_stands_first(cast: Cast) -> None:
    make_threads(cast.dev.client(), 5)
    assert pages(cast.dev.client(), "/threads?limit=2") == [
        ["thread 4", "thread 3"],
        ["thread 2", "thread 1"],
        ["thread 0"],
    ]


def test_a_row_made_meanwhile_neither_doubles_nor_hides_another(cast: Cast) -> None:
    api = cast.dev.client()
    make_threads(api, 4)
    first = ok(api.get("/threads?limit=2"))
    make_thread(api, "meanwhile")
    second = ok(api.get(f"/threads?limit=2&cursor={first['next']}"))
    assert [row["title"] for row in second["results"]] == ["thread 1", "thread 0"]


def test_previous_leads_back(cast: Cast) -> None:
    api = cast.dev.client()
    make_threads(api, 5)
    first = ok(api.get("/threads?limit=2"))
    second = ok(api.get(f"/threads?limit=2&cursor={first['next']}"))
    assert ok(api.get(f"/threads?limit=2&cursor={second['previous']}"))["results"] == first["results"]


def test_the_ends_have_no_further_page(cast: Cast) -> None:
    api = cast.dev.client()
    make_threads(api, 3)
    first = ok(api.get("/threads?limit=2"))
    last = ok(api.get(f"/threads?limit=2&cursor={first['next']}"))
    assert (first["previous"], last["next"]) == (None, None)


def test_a_list_that_fits_is_one_page(cast: Cast) -> None:
    make_threads(cast.dev.client(), 2)
    body = ok(cast.dev.client().get("/threads?limit=2"))
    assert (body["next"], body["previous"]) == (None, None)


def test_an_empty_list_is_an_answer(cast: Cast) -> None:
    assert ok(cast.dev.client().get("/threads")) == {"results": [], "next": None, "previous": None}


def test_a_cursor_opens_nothing_of_another_project(cast: Cast, others: Cast) -> None:
    make_threads(cast.dev.client(), 4)
    cursor = ok(cast.dev.client().get("/threads?limit=2"))["next"]
    assert ok(others.dev.client().get(f"/threads?limit=2&cursor={cursor}"))["results"] == []


def test_what_one_may_not_see_takes_no_place_in_a_page(cast: Cast) -> None:
    make_thread(cast.dev, "shared")
    for n in range(3):
        make_thread(cast.dev, f"private {n}", private=True)
    body = ok(cast.tester.client().get("/threads?limit=2"))
    assert ([row["title"] for row in body["results"]], body["next"]) == (["shared"], None)
