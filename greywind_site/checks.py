"""Boot checks: an application role that could step round row-level security must not serve."""

from collections.abc import Sequence
from typing import Any, Protocol

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 - Django's name
from django.db import connections

# Everything the role can become, by inheritance or by SET ROLE, including itself.
ROLE_FAULTS = """
WITH me AS (SELECT oid FROM pg_roles WHERE rolname = current_user),
reachable AS (
    SELECT r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.oid = me.oid AS own
    FROM pg_roles r, me
    WHERE r.oid = me.oid OR {member}
)
SELECT rolname, own, rolsuper, rolbypassrls,
       EXISTS (SELECT FROM pg_class c WHERE c.relowner = reachable.oid) AS owns_tables,
       EXISTS (SELECT FROM pg_namespace n WHERE n.nspowner = reachable.oid)
       OR EXISTS (SELECT FROM pg_proc p WHERE p.proowner = reachable.oid)
       OR EXISTS (SELECT FROM pg_database d WHERE d.datdba = reachable.oid)
       OR (NOT own AND has_schema_privilege(reachable.oid, 'public', 'CREATE')) AS owns_others
FROM reachable
"""
# PostgreSQL 16 tells SET from plain membership; before that every member may SET ROLE.
MEMBER_SINCE_16 = "pg_has_role(me.oid, r.oid, 'USAGE') OR pg_has_role(me.oid, r.oid, 'SET')"
MEMBER_BEFORE_16 = "pg_has_role(me.oid, r.oid, 'MEMBER')"

PRIVILEGE_FAULTS = """
SELECT has_schema_privilege('public', 'CREATE') AS creates,
       has_database_privilege(current_database(), 'TEMP') AS temporary,
       has_database_privilege(current_database(), 'CREATE') AS schemas
"""


class Connection(Protocol):
    """What Django's connections and psycopg's have in common."""

    def cursor(self) -> Any: ...


class OverPrivileged(Exception):
    """The application role may do more than it must; the message lists what and the remedy."""


def privilege_faults(connection: Connection) -> list[str]:
    """One sentence for each way in which the connected role could pass row-level security; empty when it cannot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int, current_user")
        version, me = cursor.fetchone()
        cursor.execute(ROLE_FAULTS.format(member=MEMBER_SINCE_16 if version >= 160_000 else MEMBER_BEFORE_16))
        faults = [fault for row in cursor.fetchall() for fault in _role_faults(me, row)]
        cursor.execute(PRIVILEGE_FAULTS)
        return faults + _grant_faults(me, cursor.fetchone())


def refuse_over_privileged(connection: Connection) -> None:
    """Raise OverPrivileged when the role is unfit to serve."""
    faults = privilege_faults(connection)
    if faults:
        raise OverPrivileged(
            "GreyWind does not serve with this database role:\n"
            + "\n".join(f"  - {fault}" for fault in faults)
            + "\nUse gw_app as greywind_site/embedded/roles.sql makes it."
        )


def check_application_role(*, databases: Sequence[str] | None, **_: Any) -> list[CheckMessage]:
    """Django's database check for the alias that requests use."""
    if not databases or "default" not in databases:
        return []
    return [
        Error(fault, hint="Use gw_app as roles.sql makes it.", id="greywind.E001")
        for fault in privilege_faults(connections["default"])
    ]


def check_sizes(**_: Any) -> list[CheckMessage]:
    """A text field that could never arrive is a mistake in the configuration."""
    if settings.GREYWIND.max_text_bytes <= settings.GREYWIND.max_body_bytes:
        return []
    hint = "Raise GREYWIND_MAX_BODY_BYTES or lower GREYWIND_MAX_TEXT_BYTES."
    return [Error("One text field may be larger than a whole request body.", hint=hint, id="greywind.E002")]


def check_models(**_: Any) -> list[CheckMessage]:
    """A model that this machine cannot use is told before anybody waits for its vectors."""
    from memories.embeddings.registry import absent_because, served_models

    hint = "Take it out of GREYWIND_EMBEDDINGS__MODELS, or run the workers elsewhere."
    absent = {model.name: absent_because(model) for model in served_models()}
    return [Warning(f"{name}: {why}", hint=hint, id="greywind.W001") for name, why in absent.items() if why]


def check_vectors(*, databases: Sequence[str] | None, **_: Any) -> list[CheckMessage]:
    """Vectors of another length than their model is set to give compare with nothing."""
    if not databases or "default" not in databases:
        return []
    from greywind_site.operating.vectors import misfits, stored_vectors

    hint = "Give the model another VERSION, so that passages are embedded anew, or set its DIMS back."
    return [Error(fault, hint=hint, id="greywind.E003") for fault in misfits(stored_vectors())]


def register_all() -> None:
    """Called once when Django starts."""
    register(check_models)
    register(check_vectors, Tags.database)
    register(check_application_role, Tags.database)
    register(check_sizes)


def _role_faults(me: str, row: tuple[Any, ...]) -> list[str]:
    name, own, superuser, bypass, owns_tables, owns_others = row
    who = f"role {me}" if own else f"role {me} can act as {name}, which"
    verdicts = (
        (superuser, "is a superuser"),
        (bypass, "bypasses row-level security"),
        (owns_tables, "owns tables"),
        (owns_others and not owns_tables, "owns the database, a schema or a function, or may create some"),
    )
    return [f"{who} {what}" for guilty, what in verdicts if guilty]


def _grant_faults(me: str, row: tuple[bool, bool, bool]) -> list[str]:
    creates, temporary, schemas = row
    verdicts = (
        (creates, "may create objects in schema public"),
        (temporary, "may create temporary tables"),
        (schemas, "may create schemas in this database"),
    )
    return [f"role {me} {what}" for guilty, what in verdicts if guilty]
