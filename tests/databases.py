"""Test databases: one migrated template per state of the migrations, one copy of it per process."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql
from pytest_django import DjangoDbBlocker

from greywind_site.embedded.binaries import postgres_program

ROOT = Path(__file__).resolve().parents[1]
ROLES = ROOT / "greywind_site" / "embedded" / "roles.sql"
EMPTY_TEMPLATE = "gw_template"
# Any number will do; it only keeps several processes from making the same template at once.
TURN = 0x67_72_65_79
PROJECT_TABLES = """
SELECT c.relname FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
"""
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


def as_superuser(program: str, *words: str) -> None:
    """Run a program of PostgreSQL as the superuser."""
    instance = settings.GREYWIND.instance
    stored = instance.secrets()
    place = {
        "PGHOST": str(instance.socket_folder),
        "PGUSER": "postgres",
        "PGPASSWORD": stored.superuser_password,
        "PGTZ": "Asia/Kathmandu",
    }
    subprocess.run([postgres_program(instance, program), *words], env=os.environ | place, check=True)


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
    if name in _lasting:
        _lasting.pop(name).close()
    with owner_link("postgres") as link:
        link.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


@contextmanager
def unmigrated_database(suffix: str) -> Iterator[str]:
    """A database of this process's own that nothing was migrated in; its connections use it within the block."""
    original = str(connections["default"].settings_dict["NAME"])
    name = f"{original}_{suffix}"
    with owner_link("postgres") as link:
        _create(link, name, template=EMPTY_TEMPLATE)
    point_connections_at(name)
    try:
        yield name
    finally:
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
GROWN_BYTES = 1_000_000
FILLED = (
    "SELECT {name}, pg_relation_size({table}::regclass) > {grown}"
    " WHERE EXISTS (SELECT FROM {ident}) OR pg_relation_size({table}::regclass) > {grown}"
)
# One link for each database that rows are put back into: a new one costs more than the rows.
_lasting: dict[str, psycopg.Connection] = {}


class Kept:
    """The rows that stand in a database at a moment, kept to be put back after a test that really committed."""

    def __init__(self, database: str) -> None:
        self.database = database
        link = lasting_link(database)
        tables = _tables(link)
        self.filled = sql.SQL(" UNION ALL ").join(map(_filled, tables)).as_bytes(link)
        self.rows = b"".join(rows_as_sql(database, table) for table in tables)

    def restore(self) -> None:
        """Empty every table that holds rows, with its triggers asleep, and put the kept rows back."""
        link = lasting_link(self.database)
        full = link.execute(self.filled, prepare=True).fetchall()
        link.execute(asleep(b"".join(map(_emptied, full)) + self.rows))


@contextmanager
def put_back(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a module commit what it likes: at its end the rows that stood before stand again, and no others."""
    with blocker.unblock():
        kept = Kept(str(connections["default"].settings_dict["NAME"]))
        try:
            yield
        finally:
            kept.restore()


def lasting_link(database: str) -> psycopg.Connection:
    """A connection of the owner role that stays open as long as the database is in use."""
    link = _lasting.get(database)
    if link is None or link.closed or link.broken:
        link = _lasting[database] = owner_link(database)
    return link


def asleep(statements: bytes) -> bytes:
    """The statements as one transaction in which no trigger fires."""
    return b"BEGIN; SET LOCAL session_replication_role = replica;" + statements + b"COMMIT;"


def rows_as_sql(database: str, table: str, column: str = "", value: object = None) -> bytes:
    """A statement that writes the rows that a table holds now, or those with a value in a column; empty without any.

    COPY would refuse a table with row-level security.
    """
    link = lasting_link(database)
    stored = link.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        [f'public."{table}"'],
    )
    columns = [sql.Identifier(row[0]) for row in stored]
    literals = sql.SQL(", ").join(sql.SQL("quote_nullable({}::text)").format(each) for each in columns)
    where = sql.SQL("{} = {}").format(sql.Identifier(column), sql.Literal(value)) if column else sql.SQL("true")
    rows = sql.SQL("SELECT string_agg('(' || concat_ws(',', {}) || ')', ',') FROM public.{} WHERE {}")
    [values] = link.execute(rows.format(literals, sql.Identifier(table), where)).fetchall()[0]
    if values is None:
        return b""
    into = sql.SQL("INSERT INTO public.{} ({}) OVERRIDING SYSTEM VALUE VALUES ")
    return into.format(sql.Identifier(table), sql.SQL(", ").join(columns)).as_bytes(link) + values.encode() + b";"


def project_tables(database: str) -> list[str]:
    """Every table with a project_id column."""
    return [row[0] for row in lasting_link(database).execute(PROJECT_TABLES)]


def _tables(link: psycopg.Connection) -> list[str]:
    found = link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return [row[0] for row in found if row[0] not in UNTOUCHED]


def _filled(table: str) -> sql.Composable:
    ident = sql.Identifier("public", table)
    quoted = sql.Literal(f'public."{table}"')
    return sql.SQL(FILLED).format(name=sql.Literal(table), table=quoted, ident=ident, grown=sql.Literal(GROWN_BYTES))


def _emptied(found: tuple[str, bool]) -> bytes:
    table, grown = found
    return (f'TRUNCATE public."{table}" CASCADE;' if grown else f'DELETE FROM public."{table}";').encode()
