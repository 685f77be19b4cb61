"""The bench of scale at a size of seconds: it finds what is there, by both paths, and compares what it says."""

from dataclasses import replace

import numpy as np
import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from greywind_site.benching.scale import Sizes, moment, sizes_of_shelves
from greywind_site.benching.scale_runs import after_deletes, in_turns, on_app, ratio, recall_of, searches
from greywind_site.benching.scale_store import MODEL, Maker, Shelf
from memories.embeddings.registry import known_models
from tests.memories.embedding import embedding_settings

BOTH = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def maker() -> Maker:
    return Maker(known_models()[MODEL], now=timezone.now())


@pytest.fixture
def shelf(maker: Maker) -> Shelf:
    made = maker.shelf("scale", get_user_model().objects.create_user(username="scale"), 120)
    with connection.cursor() as cursor:
        cursor.execute("SELECT recount_passages()")
    return made


@BOTH
def test_the_nearest_are_found_by_both_paths(maker: Maker, shelf: Shelf) -> None:
    asked = maker.vectors(3)
    whole = recall_of(shelf, asked, maker)
    with embedding_settings(exact_up_to=50):
        graph = recall_of(shelf, asked, maker)
    assert [(one.recall, one.rows, one.paths) for one in (whole, graph)] == [(1, 10, ["scan"]), (1, 10, ["graph"])]


@BOTH
def test_what_is_not_there_is_missed_and_told(maker: Maker, shelf: Shelf) -> None:
    wrong = replace(shelf, vectors=shelf.vectors[::-1])
    assert recall_of(wrong, maker.vectors(3), maker).recall < 0.7


@BOTH
def test_what_was_deleted_is_neither_found_nor_expected(maker: Maker, shelf: Shelf) -> None:
    [left], delete = after_deletes([shelf])
    delete(connection)
    told: list[str] = []
    found = moment("deleted", [left], maker.vectors(3), maker=maker, tell=told.append).scopes[0]
    assert (found.size, found.recall, told) == (108, 1, ["deleted: 108: 1.000 by scan"])


@BOTH
def test_the_products_own_statement_is_what_is_timed(maker: Maker, shelf: Shelf) -> None:
    made = searches(shelf, maker, maker.vectors(2), [maker.text(3) for _ in range(2)])
    assert len(made) == 2
    assert all("nearest_passages" in each.statement for each in made)


def test_a_ratio_comes_with_where_it_lies() -> None:
    dice = np.random.default_rng(1)
    told = ratio("twice", list(2 + dice.random(60) / 10), list(1 + dice.random(60) / 20))
    assert 1.9 < told.low < told.ratio < told.high < 2.1


def test_both_are_measured_in_turns() -> None:
    called: list[str] = []
    ours, other = in_turns(lambda n: called.append(f"a{n}"), lambda n: called.append(f"b{n}"), 2)
    assert called[:4] == ["a0", "b0", "a1", "b1"]
    assert len(ours) == len(other) == 8


def test_a_store_is_as_large_as_it_is_said_to_be() -> None:
    assert sum(sizes_of_shelves(Sizes())) == Sizes().passages


@BOTH
def test_a_step_is_taken_on_the_session_that_it_is_about(maker: Maker) -> None:
    with connection.cursor() as cursor:
        on_app("SET work_mem = '1MB'")(cursor)
        cursor.execute("SHOW work_mem")
        assert cursor.fetchone() == ("1MB",)
        cursor.execute("RESET work_mem")
