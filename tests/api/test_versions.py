"""Versions over HTTP: ETag out, If-Match in, and no update lost."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from tests.api.asking import make_thread, ok, refused
from tests.api.world import CALLS, filled, make_world
from tests.cast import Cast

BODIES = {"change_thread": {"title": "new"}, "put_vision": {"origin_goal": "new"}, "change_task": {"title": "new"}}
CHANGES = list(BODIES)  # merging and splitting name versions as well: their own tests show it
READS = {"change_thread": "get_thread", "put_vision": "get_vision", "change_task": "get_task"}


def change(cast: Cast, world: dict[str, str], name: str, **headers: str) -> Any:
    return cast.dev.client().call(CALLS[name].method, filled(CALLS[name].path, world), BODIES[name], **headers)


def etag(cast: Cast, world: dict[str, str], name: str) -> str:
    answer = cast.dev.client().get(filled(CALLS[READS[name]].path, world))
    return str(answer.headers["ETag"])


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_needs_the_version_that_was_seen(name: str, cast: Cast) -> None:
    problem = refused(change(cast, make_world(cast), name), 428, "if_match_required")
    assert problem["errors"][0]["pointer"] == "If-Match"


@pytest.mark.parametrize("name", CHANGES)
def test_another_version_is_answered_with_the_current_one(name: str, cast: Cast) -> None:
    world = make_world(cast)
    seen = etag(cast, world, name)
    problem = refused(change(cast, world, name, If_Match='"77"'), 412, "version_moved")
    assert f'"{problem["current"]["version"]}"' == seen


@pytest.mark.parametrize("name", CHANGES)
def test_the_seen_version_is_changed_and_the_answer_names_the_next(name: str, cast: Cast) -> None:
    world = make_world(cast)
    seen = etag(cast, world, name)
    changed = change(cast, world, name, If_Match=seen)
    assert f'"{ok(changed)["version"]}"' == changed.headers["ETag"] == etag(cast, world, name) != seen


@pytest.mark.parametrize("name", CHANGES)
def test_the_same_version_changes_once(name: str, cast: Cast) -> None:
    world = make_world(cast)
    seen = etag(cast, world, name)
    ok(change(cast, world, name, If_Match=seen))
    refused(change(cast, world, name, If_Match=seen), 412, "version_moved")


@pytest.mark.parametrize("name", CHANGES)
def test_of_writers_at_once_one_wins(name: str, cast: Cast) -> None:
    world = make_world(cast)
    seen = etag(cast, world, name)

    def write(_: int) -> int:
        try:
            return int(change(cast, world, name, If_Match=seen).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(write, range(4))) == [200, 412, 412, 412]


def test_a_session_names_its_version(cast: Cast) -> None:
    answer = cast.dev.client().post("/sessions", {"thread_id": make_thread(cast.dev)})
    assert answer.headers["ETag"] == f'"{ok(answer)["version"]}"'


def test_answers_are_not_to_be_kept_by_anybody_between(cast: Cast) -> None:
    assert cast.dev.client().get("/threads").headers["Cache-Control"] == "no-store"
