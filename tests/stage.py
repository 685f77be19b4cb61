"""Two seeded projects, made once for a module, whose tests leave the rows as they found them."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pytest_django import DjangoDbBlocker

from tests.cast import Cast, make_cast
from tests.databases import put_back
from tests.factories import World, seed


@dataclass(frozen=True, slots=True)
class Stage:
    """Two projects, each with one row of everything, and the private rows of the first one's personal agent."""

    alpha: Cast
    beta: Cast
    ours: World
    theirs: World
    secret: World


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Stage]:
    with put_back(django_db_blocker):
        yield _stage()


def _stage() -> Stage:
    alpha, beta = make_cast("alpha"), make_cast("beta")
    return Stage(
        alpha,
        beta,
        ours=seed(alpha, canary="xqalphax"),
        theirs=seed(beta, canary="xqbetax"),
        secret=seed(alpha, canary="xqsecretx", maker=alpha.personal, private=True),
    )
