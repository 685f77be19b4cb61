"""The life of a scope: it ends with its transaction, however that ends, and whoever borrows the connection next."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import DatabaseError, connection, transaction

from governance.actors import Acting
from governance.scope import project_scope, record
from tests.cast import Cast
from tests.stage import Stage
from threads.models import Thread

SETTINGS = ("greywind.project", "greywind.actor", "greywind.roles")
READ = "SELECT " + ", ".join(f"coalesce(current_setting('{name}', true), '')" for name in SETTINGS)


def left_over() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return tuple(cursor.fetchone())


@pytest.fixture
def acting(stage: Stage) -> Acting:
    return stage.alpha.dev.acting


def test_inside_a_scope_the_settings_name_its_actor(acting: Acting) -> None:
    with project_scope(acting):
        assert left_over() == (str(acting.project_id), str(acting.actor_id), ",".join(acting.roles))


def test_after_commit_nothing_is_left(acting: Acting) -> None:
    with project_scope(acting):
        assert Thread.objects.exists()
    assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_after_an_exception_nothing_is_left(acting: Acting) -> None:
    with pytest.raises(ZeroDivisionError), project_scope(acting):
        raise ZeroDivisionError
    assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_after_a_failed_statement_nothing_is_left(acting: Acting) -> None:
    with pytest.raises(DatabaseError), project_scope(acting), connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_after_a_read_only_scope_nothing_is_left(acting: Acting) -> None:
    with project_scope(acting, read_only=True):
        assert Thread.objects.exists()
    assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_a_read_only_scope_writes_nothing(acting: Acting) -> None:
    with pytest.raises(DatabaseError, match="read-only"), project_scope(acting, read_only=True):
        Thread.objects.update(title="changed")


def test_a_scope_inside_another_transaction_leaves_nothing_in_it(acting: Acting) -> None:
    with transaction.atomic():
        with project_scope(acting):
            assert Thread.objects.exists()
        assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_a_failed_scope_inside_another_transaction_leaves_nothing_in_it(acting: Acting) -> None:
    with transaction.atomic():
        with pytest.raises(ZeroDivisionError), project_scope(acting):
            raise ZeroDivisionError
        assert (left_over(), Thread.objects.exists()) == (("", "", ""), False)


def test_a_scope_of_another_project_inside_one_is_an_error(stage: Stage, acting: Acting) -> None:
    with project_scope(acting), pytest.raises(RuntimeError), project_scope(stage.beta.dev.acting):
        pass


def test_a_scope_of_another_actor_of_the_project_inside_one_is_an_error(stage: Stage, acting: Acting) -> None:
    with project_scope(acting), pytest.raises(RuntimeError), project_scope(stage.alpha.personal.acting):
        pass


def test_a_scope_with_more_roles_inside_one_is_an_error(acting: Acting) -> None:
    narrow = replace(acting, roles=("tester",))
    with project_scope(narrow), pytest.raises(RuntimeError), project_scope(acting):
        pass


def test_a_scope_of_the_same_actor_joins_the_open_one(acting: Acting) -> None:
    with project_scope(acting) as outer, project_scope(acting) as inner:
        assert inner is outer


def test_a_refused_scope_leaves_the_open_one_as_it_was(stage: Stage, acting: Acting) -> None:
    with project_scope(acting):
        with pytest.raises(RuntimeError), project_scope(stage.beta.dev.acting):
            pass
        assert left_over()[0] == str(acting.project_id)


def test_nothing_is_recorded_outside_a_scope() -> None:
    with pytest.raises(RuntimeError):
        record("thread.create", "thr_x")


@pytest.fixture
def pool_of_two(stage: Stage) -> Iterator[None]:
    """Two connections for everybody, as the next borrower meets what the last one left."""
    options = connection.settings_dict["OPTIONS"]
    kept = options["pool"]
    options["pool"] = {**kept, "min_size": 2, "max_size": 2, "timeout": 30}
    connection.close()
    connection.close_pool()
    yield
    options["pool"] = kept
    connection.close()
    connection.close_pool()


def work(mine: Cast, *, rounds: int, dice: random.Random) -> list[str]:
    """Borrow, work and give back in a loop, now and then with an accident; returns what was seen that is not ours."""
    wrong = []
    for _ in range(rounds):
        if left_over() != ("", "", "") or Thread.objects.exists():
            wrong.append("left over")
        try:
            with project_scope(mine.dev.acting, read_only=dice.random() < 0.3):
                if set(Thread.objects.values_list("project_id", flat=True)) != {mine.project.pk}:
                    wrong.append("another project")
                _accident(dice)
        except (ZeroDivisionError, DatabaseError):
            pass
        connection.close()
    return wrong


def _accident(dice: random.Random) -> None:
    chance = dice.random()
    if chance < 0.2:
        raise ZeroDivisionError
    if chance < 0.4:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
    if chance < 0.5:
        connection.connection.cancel()


def test_borrowers_of_two_connections_never_see_each_other(stage: Stage, pool_of_two: None) -> None:
    casts = [stage.alpha, stage.beta] * 2
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(work, cast, rounds=100, dice=random.Random(n)) for n, cast in enumerate(casts)]  # noqa: S311 - repeatable dice
        assert [job.result() for job in jobs] == [[], [], [], []]


def test_requests_over_two_connections_never_see_each_other(stage: Stage, pool_of_two: None) -> None:
    def ask(cast: Cast, foreign: str) -> list[bool]:
        client = cast.dev.client()
        seen = []
        for _ in range(10):
            seen.append(foreign.encode() in client.get("/threads").content)
            client.post("/sessions", {"thread_id": "thr_" + "0" * 32})
        connection.close()
        return seen

    pairs = [(stage.alpha, "xqbetax"), (stage.beta, "xqalphax")] * 2
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(ask, cast, foreign) for cast, foreign in pairs]
        assert not any(any(job.result()) for job in jobs)
