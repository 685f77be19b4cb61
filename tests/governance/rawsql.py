"""Plain connections as the application role and as the owner, around everything that Python checks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

from governance.actors import Acting
from tests.databases import PROJECT_TABLES, owner_link

SCOPE = (
    "SELECT set_config('greywind.project', %s, true), set_config('greywind.actor', %s, true),"
    " set_config('greywind.roles', %s, true)"
)
# Copies one row of a table, with some of its values changed and an id of its own.
COPY = sql.SQL(
    "INSERT INTO {table} SELECT (jsonb_populate_record(original, %s || jsonb_build_object('id', gen_random_uuid()))).*"
    " FROM {table} original WHERE original.id = %s"
)


def present_database() -> str:
    """Return the name of this process's test database."""
    return str(connection.settings_dict["NAME"])


def app_link() -> psycopg.Connection:
    """Return a connection of the application role; the caller closes it."""
    return psycopg.connect(**(settings.GREYWIND.app_database() | {"dbname": present_database()}))


def owner() -> psycopg.Connection:
    """Return a connection of the owner role, committing each statement; the caller closes it."""
    return owner_link(present_database())


def enter(link: psycopg.Connection, acting: Acting) -> None:
    """Set the scope by hand, for the transaction that is open on the link."""
    link.execute(SCOPE, [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)])


@contextmanager
def rolled_back(link: psycopg.Connection, acting: Acting | None = None) -> Iterator[psycopg.Connection]:
    """Run one transaction in a scope, or in none, and leave nothing of it behind."""
    with link.transaction(force_rollback=True):
        if acting is not None:
            enter(link, acting)
        yield link


def refusal(link: psycopg.Connection, acting: Acting | None, statement: Any, values: Sequence[Any] = ()) -> str | None:
    """Return the SQLSTATE with which a statement is refused, deferred constraints included, or None."""
    try:
        with rolled_back(link, acting):
            link.execute(statement, values or None)
            link.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as error:
        return error.sqlstate
    return None


def catalog(query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return rows of the system catalogue, as the owner."""
    with owner() as link:
        return link.execute(query, values or None).fetchall()  # type: ignore[arg-type]


def project_tables() -> list[str]:
    """Return every table with a project_id column."""
    return [row[0] for row in catalog(PROJECT_TABLES)]


def name(table: str) -> sql.Identifier:
    """Return a table or column name, quoted."""
    return sql.Identifier(table)
