"""Builders of the SQL that migrations run: isolation, append-only tables, state machines, composite keys.

What a builder emits is history once a migration has landed with it: change behaviour in a new builder.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import migrations

APP, OWNER, DOORS, SEARCH, LEDGER = (
    "gw_app",
    "gw_owner",
    "gw_doors",
    "gw_search",
    "gw_ledger",
)

# The subselects let the planner evaluate each setting once per statement, not once per row.
PROJECT = "(SELECT nullif(current_setting('greywind.project', true), '')::uuid)"
ACTOR = "(SELECT nullif(current_setting('greywind.actor', true), '')::uuid)"
ROLES = "(SELECT string_to_array(coalesce(current_setting('greywind.roles', true), ''), ','))::text[]"


def statement(forward: str, backward: str) -> migrations.RunSQL:
    """Return one reversible step."""
    return migrations.RunSQL(forward, backward)


def readable(alias: str = "") -> str:
    """Return the condition under which the present scope may read a content row."""
    dot = f"{alias}." if alias else ""
    return (
        f"{dot}project_id = {PROJECT} AND ({dot}audience = 'project'"
        f" OR ({dot}audience = 'role' AND {dot}audience_role = ANY ({ROLES}))"
        f" OR ({dot}audience = 'private' AND {dot}owner_id = {ACTOR}))"
    )


def _policies(table: str, condition: str, *, append_only: bool) -> tuple[str, str]:
    if append_only:
        scoped = (
            f"CREATE POLICY scope_read ON {table} FOR SELECT TO {APP} USING ({condition});"
            f"CREATE POLICY scope_add ON {table} FOR INSERT TO {APP} WITH CHECK ({condition});"
        )
        rights = "SELECT, INSERT"
        names = ["scope_read", "scope_add"]
    else:
        scoped = f"CREATE POLICY scope ON {table} FOR ALL TO {APP} USING ({condition}) WITH CHECK ({condition});"
        rights = "SELECT, INSERT, UPDATE, DELETE"
        names = ["scope"]
    forward = (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        # FORCE binds the owner as well: without this, data migrations would silently change nothing.
        f"CREATE POLICY owner ON {table} TO {OWNER} USING (true) WITH CHECK (true);"
        f"{scoped} GRANT {rights} ON {table} TO {APP};"
    )
    dropped = "".join(f"DROP POLICY {name} ON {table};" for name in ["owner", *names])
    backward = f"REVOKE ALL ON {table} FROM {APP}; {dropped} ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;"
    return forward, backward + f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;"


def isolate(table: str, *, append_only: bool = False) -> migrations.RunSQL:
    """Isolate a content table by project and audience."""
    return statement(*_policies(table, readable(), append_only=append_only))


def isolate_project(table: str, *, column: str = "project_id", append_only: bool = False) -> migrations.RunSQL:
    """Isolate a table that has no audience, such as actors and keys, by project alone."""
    return statement(*_policies(table, f"{column} = {PROJECT}", append_only=append_only))


def isolate_by(table: str, condition: str) -> migrations.RunSQL:
    """Isolate a table whose readers neither project nor audience name, by a condition of its own."""
    return statement(*_policies(table, condition, append_only=False))


def audience_shape(table: str) -> migrations.RunSQL:
    """Keep the audience columns honest: a role audience names its role, a private one its owner, others neither."""
    condition = (
        "(audience = 'project' AND audience_role IS NULL AND owner_id IS NULL)"
        " OR (audience = 'role' AND audience_role IS NOT NULL AND owner_id IS NULL)"
        " OR (audience = 'private' AND audience_role IS NULL AND owner_id IS NOT NULL)"
    )
    return statement(
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_audience CHECK ({condition})",
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_audience",
    )


@dataclass(frozen=True, slots=True)
class Key:
    """A column that points at a row of the same project."""

    column: str
    target: str


def composite_keys(table: str, keys: Iterable[Key]) -> migrations.RunSQL:
    """Point columns at rows of the same project only: (project_id, column) → target (project_id, id)."""
    forward = "".join(
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{key.column}_scoped FOREIGN KEY (project_id, {key.column})"
        f" REFERENCES {key.target} (project_id, id);"
        for key in keys
    )
    backward = "".join(f"ALTER TABLE {table} DROP CONSTRAINT {table}_{key.column}_scoped;" for key in keys)
    return statement(forward, backward)


def addressable(table: str) -> migrations.RunSQL:
    """Let composite keys point at this table."""
    return statement(
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_addressable UNIQUE (project_id, id)",
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_addressable",
    )


def append_only(table: str) -> migrations.RunSQL:
    """Refuse UPDATE, DELETE and TRUNCATE, whoever asks. Needs `append_only_guard()` to have run."""
    return statement(
        f"CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION greywind_refuse_change();"
        f"CREATE TRIGGER append_only_table BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION greywind_refuse_change();",
        f"DROP TRIGGER append_only_rows ON {table}; DROP TRIGGER append_only_table ON {table};",
    )


def undeletable(table: str) -> migrations.RunSQL:
    """Refuse DELETE and TRUNCATE, whoever asks. Needs `append_only_guard()` to have run."""
    return statement(
        f"CREATE TRIGGER undeletable_rows BEFORE DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION greywind_refuse_change();"
        f"CREATE TRIGGER undeletable_table BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION greywind_refuse_change();"
        f"REVOKE DELETE ON {table} FROM {APP};",
        f"DROP TRIGGER undeletable_rows ON {table}; DROP TRIGGER undeletable_table ON {table};"
        f"GRANT DELETE ON {table} TO {APP};",
    )


def append_only_guard() -> migrations.RunSQL:
    """Create the function behind every append-only table."""
    return statement(
        "CREATE FUNCTION greywind_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN"
        " RAISE EXCEPTION '% keeps what it holds: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'GW001'; END $f$",
        "DROP FUNCTION greywind_refuse_change()",
    )


def frozen_columns(table: str, columns: Iterable[str]) -> migrations.RunSQL:
    """Refuse an UPDATE that changes any of these columns."""
    changed = " OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in columns)
    return statement(
        f"CREATE FUNCTION {table}_frozen() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN IF {changed} THEN"
        f" RAISE EXCEPTION '{table}: these columns are immutable' USING ERRCODE = 'GW001'; END IF;"
        " RETURN NEW; END $f$;"
        f"CREATE TRIGGER frozen_columns BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_frozen();",
        f"DROP TRIGGER frozen_columns ON {table}; DROP FUNCTION {table}_frozen();",
    )


def state_machine(
    table: str,
    moves: Mapping[str, Iterable[str]],
    *,
    initial: Iterable[str],
    column: str = "state",
) -> migrations.RunSQL:
    """Refuse a new row outside `initial`, and every change of `column` that `moves` does not list."""
    pairs = ", ".join(f"('{here}', '{there}')" for here, targets in moves.items() for there in targets)
    starts = ", ".join(f"'{state}'" for state in initial)
    return statement(
        f"CREATE FUNCTION {table}_moves() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN"
        f" IF TG_OP = 'INSERT' THEN IF NEW.{column} NOT IN ({starts}) THEN"
        f" RAISE EXCEPTION '{table}: a row cannot begin as %', NEW.{column} USING ERRCODE = 'GW002'; END IF;"
        f" ELSIF NEW.{column} IS DISTINCT FROM OLD.{column} AND (OLD.{column}, NEW.{column}) NOT IN ({pairs}) THEN"
        f" RAISE EXCEPTION '{table}: % cannot become %', OLD.{column}, NEW.{column} USING ERRCODE = 'GW002';"
        " END IF; RETURN NEW; END $f$;"
        f"CREATE TRIGGER state_machine BEFORE INSERT OR UPDATE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {table}_moves();",
        f"DROP TRIGGER state_machine ON {table}; DROP FUNCTION {table}_moves();",
    )


def inherit_audience(table: str, *, parent: str, column: str) -> migrations.RunSQL:
    """Give a child row the audience of its parent, whatever the client sent: as it is inserted, and as it changes.

    The function runs with the rights of the caller: a parent that it may not read is reported exactly like one
    that does not exist.
    """
    return statement(
        f"CREATE FUNCTION {table}_inherit() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN"
        " SELECT p.audience, p.audience_role, p.owner_id INTO NEW.audience, NEW.audience_role, NEW.owner_id"
        f" FROM {parent} p WHERE p.id = NEW.{column} AND p.project_id = NEW.project_id;"
        f" IF NOT FOUND THEN RAISE EXCEPTION '{table}: no such {column}' USING ERRCODE = 'foreign_key_violation';"
        " END IF; RETURN NEW; END $f$;"
        f"CREATE TRIGGER inherit_audience BEFORE INSERT OR UPDATE OF {column}, audience, audience_role, owner_id"
        f" ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {table}_inherit();",
        f"DROP TRIGGER inherit_audience ON {table}; DROP FUNCTION {table}_inherit();",
    )


def narrow_audience(table: str, *, parent: str, column: str) -> migrations.RunSQL:
    """Keep a child row from being read by more than its parent is: what a role or one reader has, its children have.

    Under a parent that the whole project reads, a child may be narrower. The function runs with the rights of the
    caller, as that of `inherit_audience` does.
    """
    return statement(
        f"CREATE FUNCTION {table}_narrow() RETURNS trigger LANGUAGE plpgsql AS $f$"
        f" DECLARE held {parent}; BEGIN"
        f" SELECT * INTO held FROM {parent} p WHERE p.id = NEW.{column} AND p.project_id = NEW.project_id;"
        f" IF NOT FOUND THEN RAISE EXCEPTION '{table}: no such {column}' USING ERRCODE = 'foreign_key_violation';"
        " END IF;"
        " IF held.audience <> 'project' THEN"
        " NEW.audience := held.audience; NEW.audience_role := held.audience_role; NEW.owner_id := held.owner_id;"
        " END IF; RETURN NEW; END $f$;"
        f"CREATE TRIGGER narrow_audience BEFORE INSERT OR UPDATE OF {column}, audience, audience_role, owner_id"
        f" ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {table}_narrow();",
        f"DROP TRIGGER narrow_audience ON {table}; DROP FUNCTION {table}_narrow();",
    )


def door(name: str, arguments: str, returns: str, body: str, *, owner: str = DOORS) -> migrations.RunSQL:
    """Create a SECURITY DEFINER function that only the application may call, owned by a NOLOGIN role."""
    signature = f"{name}({arguments})"
    return statement(
        f"CREATE FUNCTION {signature} RETURNS {returns} LANGUAGE sql STABLE SECURITY DEFINER"
        f" SET search_path = pg_catalog, pg_temp AS $f$ {body} $f$;"
        f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC; GRANT EXECUTE ON FUNCTION {signature} TO {APP};"
        f"ALTER FUNCTION {signature} OWNER TO {owner};",
        f"DROP FUNCTION {signature}",
    )


def open_to(role: str, table: str) -> migrations.RunSQL:
    """Let a NOLOGIN role read a whole table; it is reached only through that role's own functions."""
    return statement(
        f"GRANT SELECT ON {table} TO {role}; CREATE POLICY {role}_read ON {table} FOR SELECT TO {role} USING (true);",
        f"DROP POLICY {role}_read ON {table}; REVOKE SELECT ON {table} FROM {role};",
    )


def changed_door(signature: str, change: str, undo: str, *, owner: str = DOORS) -> migrations.RunSQL:
    """Alter a door in place. Only the role that owns it may, and the owner of the tables can become that role."""
    as_owner = f"SET LOCAL ROLE {owner}; ALTER FUNCTION {signature} {{}}; RESET ROLE;"
    return statement(as_owner.format(change), as_owner.format(undo))
