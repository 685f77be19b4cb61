"""A database of a hunt's own, made from the template and migrated, so that nothing of anybody's is touched."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql
from psycopg.conninfo import make_conninfo

from greywind_site.embedded.postgres import TEMPLATE
from greywind_site.operating.command import FAILED, Refused

PATIENCE_SECONDS = 30
NO_OWNER = "this makes a database of its own, which needs the owner role; set DATABASE_OWNER_URL"
NO_TEMPLATE = (
    f"the database {TEMPLATE} is missing; make it by greywind_site/embedded/roles.sql, and let it be a template"
)


@contextmanager
def scratch_database(purpose: str) -> Iterator[str]:
    """Point every connection of this process at a fresh migrated database, and drop it at the end.

    Raises Refused where the owner role's address or the template is missing.
    """
    owner = settings.GREYWIND.owner_database()
    if owner is None:
        raise Refused(NO_OWNER, returncode=FAILED)
    name, before = f"gw_{purpose}_{os.getpid()}", {each.alias: each.settings_dict["NAME"] for each in connections.all()}
    with psycopg.connect(make_conninfo(**owner | {"dbname": "postgres"}), autocommit=True) as link:
        _make(link, name)
        try:
            _point_at(dict.fromkeys(before, name))
            call_command("migrate", database="owner", verbosity=0)
            yield name
        finally:
            _point_at(before)
            _drop(link, name)


def _make(link: psycopg.Connection, name: str) -> None:
    if link.execute("SELECT FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone() is None:
        raise Refused(NO_TEMPLATE, returncode=FAILED)
    new = sql.Identifier(name)
    link.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(new, sql.Identifier(TEMPLATE)))
    # A copy does not bring the database's own grants along.
    link.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(new))
    link.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO gw_app").format(new))


def _drop(link: psycopg.Connection, name: str) -> None:
    """Drop it once the last backend has ended, which takes a moment after its connection was closed."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            link.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        except psycopg.errors.ObjectInUse:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _point_at(names: dict[str, str]) -> None:
    for connection in connections.all():
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
        connection.settings_dict["NAME"] = names[connection.alias]
