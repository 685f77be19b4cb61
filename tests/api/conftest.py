"""Two projects for the API's tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import TransactionTestCase

from tests.api.world import World, make_world
from tests.cast import Api, Cast, make_cast


@dataclass(frozen=True, slots=True)
class Standing:
    """The dev's client, the ids of its project's world, and those of a world that is not its own."""

    api: Api
    world: World
    foreign: World


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """The project in hand."""
    return make_cast("alpha")


@pytest.fixture
def others(cast: Cast) -> Cast:
    """Another project, whose members are outsiders here."""
    return make_cast("beta")


@pytest.fixture(scope="module")
def standing(django_db_setup: None, django_db_blocker: Any) -> Iterator[Standing]:
    """A committed world that a module's tests share, because none of them may change anything in it."""
    with django_db_blocker.unblock():
        cast, others = make_cast("alpha"), make_cast("beta")
        yield Standing(cast.dev.client(), make_world(cast), make_world(others))
        TransactionTestCase()._fixture_teardown()
