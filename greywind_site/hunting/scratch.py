"""A database of a hunt's own, made from the template and migrated, so that nothing of anybody's is touched; a project
in it, and other settings of embeddings for as long as it is there.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql
from psycopg.conninfo import make_conninfo

from governance.actors import Acting, acting_as
from governance.contracts import install
from governance.models import User
from governance.projects import create_project
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from greywind_site.embedded.postgres import TEMPLATE
from greywind_site.operating.command import FAILED, Refused

PATIENCE_SECONDS = 30
NO_OWNER = "this makes a database of its own, which needs the owner role; set DATABASE_OWNER_URL"
NO_TEMPLATE = (
    f"the database {TEMPLATE} is missing; make it by greywind_site/embedded/roles.sql, and let it be a template"
)

type Contracts = Sequence[tuple[ContractKind, str, Mapping[str, Any]]]
"""Contracts by kind and slug, with their bodies."""


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
            point_at(name)
            call_command("migrate", database="owner", verbosity=0)
            yield name
        finally:
            _point_at(before)
            _drop(link, name)


def scratch_project(name: str, contracts: Contracts, *, owner: str, now: datetime) -> Acting:
    """Make a project with these contracts in force; returns its owner, whose new account is called `owner`."""
    account: User = User.objects.create_user(username=owner)
    _, founder = create_project(name, owner=account, now=now)
    acting = acting_as(founder)
    with project_scope(acting):
        for kind, slug, body in contracts:
            install(kind, slug, body, by=founder, reason=name, now=now)
    return acting


@contextmanager
def embedding_by(**told: Any) -> Iterator[None]:
    """Let this process embed by other settings within the block: `told` are those of embeddings that differ."""
    before = settings.GREYWIND
    settings.GREYWIND = before.model_copy(update={"embeddings": before.embeddings.model_copy(update=told)})
    try:
        yield
    finally:
        settings.GREYWIND = before


def nobody_woken() -> AbstractContextManager[None]:
    """Wake no worker within the block: vectors are made here, in their turn."""
    return embedding_by(wake=False)


@contextmanager
def owner_link() -> Iterator[psycopg.Connection]:
    """Yield a connection of the tables' owner to the present database."""
    parameters = settings.GREYWIND.owner_database()
    if parameters is None:
        raise LookupError("this needs the owner role; set DATABASE_OWNER_URL")
    present = parameters | {"dbname": connections["default"].settings_dict["NAME"]}
    with psycopg.connect(**present, autocommit=True) as link:
        yield link


@contextmanager
def asleep(link: psycopg.Connection) -> Iterator[None]:
    """Run one transaction in which the triggers of the tables do not act."""
    with link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        yield


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


def leave_connections() -> None:
    """Close every connection of this thread, and the pools of the process with what looks after them."""
    for connection in connections.all():
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()


def point_at(database: str) -> None:
    """Let every connection that this process makes from now on be to that database."""
    _point_at(dict.fromkeys(connections, database))


def _point_at(names: Mapping[str, str]) -> None:
    leave_connections()
    for connection in connections.all():
        connection.settings_dict["NAME"] = names[connection.alias]
