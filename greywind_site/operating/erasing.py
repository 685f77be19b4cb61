"""Taking a whole project out of the database: by its owner role alone, which is not bound by append-only."""

import uuid

from django.conf import settings
from django.db import connections, transaction

from governance.errors import Unavailable

OWNER = "owner"
TABLES = """
SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'project_id' AND NOT a.attisdropped
ORDER BY 1
"""


def has_owner() -> bool:
    """Return whether this process holds the owner role's address."""
    return OWNER in settings.DATABASES


def erase_project(project_id: uuid.UUID) -> int:
    """Delete every row of one project, its ledger included, in one transaction; returns how many rows there were.

    The project's row is locked first: a request that is writing into it is waited for, a later one finds nothing.
    Raises Unavailable where this process does not hold the owner role's address.
    """
    if not has_owner():
        raise Unavailable("this needs the owner role; set DATABASE_OWNER_URL", code="owner_role_missing")
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT FROM governance_project WHERE id = %s FOR UPDATE", [project_id])
        # Append-only triggers and foreign keys sleep for this transaction; nothing outside points into a project.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(TABLES)
        gone = 0
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table} WHERE project_id = %s", [project_id])  # noqa: S608 - from the catalogue
            gone += cursor.rowcount
        cursor.execute("DELETE FROM governance_project WHERE id = %s", [project_id])
    return gone
