"""Test databases: one migrated template per state of the migrations, one copy of it per process."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql
from pytest_django import DjangoDbBlocker

ROOT = Path(__file__).resolve().parents[1]
ROLES = ROOT / "greywind_site" / "embedded" / "roles.sql"
EMPTY_TEMPLATE = "gw_template"
# Any number will do; it only keeps several processes from making the same template at once.
TURN = 0x67_72_65_79
UNTOUCHED = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def migrations_digest() -> str:
    """Twelve hex digits that change with any migration, with the SQL builders they use, and with the roles."""
    digest = hashlib.sha256(ROLES.read_bytes())
    for app in ("governance", "threads", "memories", "sessions"):
        for source in sorted([*(ROOT / app).glob("migrations/*.py"), *(ROOT / app).glob("ddl*.py")]):
            digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:12]


def owner_link(database: str) -> psycopg.Connection:
    """A connection of the owner role, committing each statement."""
    parameters = settings.GREYWIND.owner_database()
    if parameters is None:
        raise LookupError("DATABASE_URL is set for the tests, so set DATABASE_OWNER_URL as well")
    return psycopg.connect(**(parameters | {"dbname": database}), autocommit=True)


def point_connections_at(database: str) -> None:
    """Let every alias of this process use that database."""
    for connection in connections.all():
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
        connection.settings_dict["NAME"] = database


@contextmanager
def cloned_database(worker: str) -> Iterator[str]:
    """A migrated database of this process's own, dropped at the end."""
    original = settings.GREYWIND.app_database()["dbname"]
    name = f"test_gw_{worker}_{os.getpid()}"
    with owner_link("postgres") as link:
        link.execute("SELECT pg_advisory_lock(%s)", [TURN])  # held until the link closes
        template = _ensure_template(link)
        _create(link, name, template=template)
    point_connections_at(name)
    yield name
    point_connections_at(original)
    with owner_link("postgres") as link:
        link.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def _ensure_template(link: psycopg.Connection) -> str:
    template = f"test_template_{migrations_digest()}"
    found = link.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", [template]).fetchone()
    if found and found[0]:
        return template
    if found:  # its making was interrupted
        link.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(template)))
    _create(link, template, template=EMPTY_TEMPLATE)
    point_connections_at(template)
    call_command("migrate", database="owner", verbosity=0)
    point_connections_at(template)
    link.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE true").format(sql.Identifier(template)))
    return template


def _create(link: psycopg.Connection, name: str, *, template: str) -> None:
    link.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    # A copy does not bring the database's own grants along.
    link.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name)))
    link.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO gw_app").format(sql.Identifier(name)))


# Emptying by TRUNCATE makes new files for a table and each of its indexes, some hundred in all: for the few rows of
# a test it takes twenty times as long as deleting them. A table that has grown is truncated, or dead rows pile up.
EMPTY = """
DO $$
DECLARE t text; filled boolean;
BEGIN
  FOREACH t IN ARRAY {tables}::text[] LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', t) INTO filled;
    IF pg_relation_size(format('public.%I', t)::regclass) > 1000000 THEN
      EXECUTE format('TRUNCATE public.%I CASCADE', t);
    ELSIF filled THEN
      EXECUTE format('DELETE FROM public.%I', t);
    END IF;
  END LOOP;
END $$
"""


class Kept:
    """The rows that stand in a database at a moment, kept to be put back after a test that really committed."""

    def __init__(self, database: str) -> None:
        self.database = database
        with owner_link(database) as link:
            self.tables = _tables(link)
            self.rows = {table: _copy_out(link, table) for table in self.tables if _has_rows(link, table)}

    def restore(self) -> None:
        """Empty every table that holds rows, with its triggers asleep, and put the kept rows back."""
        with owner_link(self.database) as link, link.transaction():
            link.execute("SET LOCAL session_replication_role = replica")
            link.execute(sql.SQL(EMPTY).format(tables=sql.Literal(self.tables)))
            for table, (columns, content) in self.rows.items():
                _copy_in(link, table, columns, content)


@contextmanager
def put_back(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a module commit what it likes: at its end the rows that stood before stand again, and no others."""
    with blocker.unblock():
        kept = Kept(str(connections["default"].settings_dict["NAME"]))
        try:
            yield
        finally:
            kept.restore()


def _tables(link: psycopg.Connection) -> list[str]:
    found = link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return [row[0] for row in found if row[0] not in UNTOUCHED]


def _has_rows(link: psycopg.Connection, table: str) -> bool:
    return link.execute(sql.SQL("SELECT 1 FROM {} LIMIT 1").format(sql.Identifier(table))).fetchone() is not None


def _copy_out(link: psycopg.Connection, table: str) -> tuple[Any, bytes]:
    stored = link.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        [f'public."{table}"'],
    )
    columns = sql.SQL(", ").join(sql.Identifier(row[0]) for row in stored)
    command = sql.SQL("COPY {} ({}) TO STDOUT (FORMAT binary)").format(sql.Identifier(table), columns)
    with link.cursor() as cursor, cursor.copy(command) as copy:
        return columns, b"".join(bytes(block) for block in copy)


def _copy_in(link: psycopg.Connection, table: str, columns: Any, content: bytes) -> None:
    # COPY refuses a table with row-level security, so the rows go by way of a copy without it.
    name = sql.Identifier(table)
    link.execute(sql.SQL("CREATE TEMP TABLE kept (LIKE public.{})").format(name))
    with (
        link.cursor() as cursor,
        cursor.copy(sql.SQL("COPY kept ({}) FROM STDIN (FORMAT binary)").format(columns)) as copy,
    ):
        copy.write(content)
    insert = "INSERT INTO public.{} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM kept"
    link.execute(sql.SQL(insert).format(name, columns, columns))
    link.execute("DROP TABLE kept")
