"""Plain connections beside the seeded projects."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.governance.rawsql import app_link, owner
from tests.stage import Stage, stage

__all__ = ["stage"]


@pytest.fixture
def app(stage: Stage) -> Iterator[psycopg.Connection]:
    """A connection of the application role."""
    with app_link() as link:
        yield link


@pytest.fixture
def boss(stage: Stage) -> Iterator[psycopg.Connection]:
    """A connection of the owner role."""
    with owner() as link:
        yield link
