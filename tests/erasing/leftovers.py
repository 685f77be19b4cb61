"""Every byte that a dump of the database would hold, and where it stands."""

import psycopg
from django.conf import settings
from psycopg import sql

from tests.databases import owner_link


def dump(database: str | None = None) -> dict[str, bytes]:
    """Return the content of every table as the text that a dump would write."""
    with owner_link(database or settings.DATABASES["default"]["NAME"]) as link:
        found = link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        return {name: _copied(link, name) for (name,) in found.fetchall()}


def holding(canary: str, *, of: dict[str, bytes] | None = None) -> dict[str, int]:
    """Return how often a word stands in each table, whatever its case; tables without it are left out."""
    counted = {name: text.lower().count(canary.lower().encode()) for name, text in (of or dump()).items()}
    return {name: times for name, times in counted.items() if times}


def _copied(link: psycopg.Connection, table: str) -> bytes:
    with link.cursor() as cursor, cursor.copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as copy:
        return b"".join(bytes(block) for block in copy)
