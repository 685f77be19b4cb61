"""The ground of the hunt: every row of every project as the owner of the tables sees it, and where each belongs."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from greywind_site.hunting.leaks.filling import columns_of, project_models
from greywind_site.hunting.leaks.marks import Mints, Place, marks_in, place_of
from greywind_site.hunting.leaks.people import Crew, placed
from greywind_site.hunting.scratch import asleep

LEDGER = "governance_auditevent"
# Words that the machine reads, not people: a mark in them would be another state, role, hash or address. The rest of
# the texts is marked, those of a new table included.
MACHINE = frozenset(
    {
        "audience_role",
        "body_hash",
        "content_hash",
        "quote_hash",
        "seen_hash",
        "packet_hash",
        "sha256",
        "fingerprint",
        "prefix",
        "digest",
        "scopes",
        "role",
        "roles",
        "gate",
        "ref",
        "origin_ref",
        "packet_ref",
        "media_type",
        "encoding",
        "harness",
        "dialect",
        "trace",
        "origin",
        "terms",
        "default_profile",
        "verification",
        "slug",
        "name",
        "reason_code",
        "recovery",
        "missing",
    }
)
TABLES = """
SELECT c.relname, c.relname IN (
  SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'audience')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
"""
TEXTS = """
SELECT attname, format_type(atttypid, atttypmod), atttypid = 'jsonb'::regtype FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
  AND atttypid IN ('text'::regtype, 'varchar'::regtype, 'text[]'::regtype, 'varchar[]'::regtype, 'jsonb'::regtype)
ORDER BY attnum
"""
PROJECTS, HEADS = "governance_project", "governance_audithead"
ANSWERS = "governance_storedanswer"
NO_MEMBER = 20  # the number of an owner who is none of the crew


@dataclass(slots=True)
class Ground:
    """What lies where. `marks` maps each mark to the columns that hold it; `ids` each id to a table and a place."""

    marks: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    ids: dict[uuid.UUID, tuple[str, Place]] = field(default_factory=dict)
    rows: dict[str, list[tuple[uuid.UUID, Place]]] = field(default_factory=lambda: defaultdict(list))
    at_rest: list[str] = field(default_factory=list)
    contracts: list[tuple[Place, str, str]] = field(default_factory=list)


def tables_with_project(link: psycopg.Connection) -> dict[str, bool]:
    """Return every table that carries a project, and whether it has an audience."""
    return dict(link.execute(TABLES).fetchall())


def move(link: psycopg.Connection, crew: Crew, place: Place, *, since: uuid.UUID) -> None:
    """Give every row of the project that was made after the id `since` to another audience."""
    given = columns_of(crew, place)
    with asleep(link):
        for table, has_audience in tables_with_project(link).items():
            if has_audience:
                change = sql.SQL(
                    "UPDATE {} SET audience = %(audience)s, audience_role = %(audience_role)s, owner_id = %(owner_id)s"
                    " WHERE project_id = %(project)s AND id > %(since)s AND audience = 'project'"
                )
                values = given | {"project": crew.project_id, "since": since}
                link.execute(change.format(sql.Identifier(table)), values)


def paint(link: psycopg.Connection, crews: Sequence[Crew], *, mints: Mints) -> list[str]:
    """Put a mark into each text that has none yet; returns the columns that hold text and are left alone."""
    left = []
    chosen = {
        (model._meta.db_table, each.column)  # noqa: SLF001 - Django documents it
        for model in project_models()
        for each in model._meta.concrete_fields  # noqa: SLF001 - as above
        if each.choices or getattr(getattr(each, "base_field", None), "choices", None)
    }
    with asleep(link):
        for table in tables_with_project(link):
            if table == LEDGER:
                continue
            for column, kind, is_json in link.execute(TEXTS, [table]).fetchall():
                if (table, column) in chosen or column == "audience":
                    continue
                if column in MACHINE or is_json:
                    left.append(f"{table}.{column}")
                else:
                    _paint_column(link, (table, column, kind), crews, mints=mints)
    return left


def _paint_column(
    link: psycopg.Connection, column: tuple[str, str, str], crews: Sequence[Crew], *, mints: Mints
) -> None:
    table, name, kind = column
    here = sql.SQL(
        "SELECT id, {audience}, to_jsonb({name}) FROM {table} WHERE {name} IS NOT NULL AND {name}::text !~ 'qz'"
    )
    whole = here.format(audience=_placing(table), name=sql.Identifier(name), table=sql.Identifier(table))
    change = sql.SQL("UPDATE {} SET {} = %s WHERE id = %s").format(sql.Identifier(table), sql.Identifier(name))
    places = _Places(crews)
    for pk, project, audience, role, owner, value in link.execute(whole).fetchall():
        word = mints.of(places.of(project, audience, role, owner)).word()
        longest = int(kind.partition("(")[2].partition(")")[0] or 0) or None
        if longest is not None and longest <= len(word):
            continue
        if isinstance(value, list):
            link.execute(change, [[*value, word], pk])
        else:
            kept = value if longest is None else value[: longest - len(word) - 1]
            link.execute(change, [f"{kept} {word}".strip(), pk])


def _placing(table: str) -> sql.Composable:
    if table == ANSWERS:
        owner = "(SELECT k.actor_id FROM governance_apikey k WHERE k.id = api_key_id)"
        return sql.SQL(f"project_id, 'private', NULL::text, {owner}")
    if _has_audience(table):
        return sql.SQL("project_id, audience, audience_role, owner_id")
    return sql.SQL("project_id, 'project', NULL::text, NULL::uuid")


def _has_audience(table: str) -> bool:
    named = {model._meta.db_table: model for model in project_models()}  # noqa: SLF001 - as above
    model = named.get(table)
    return model is not None and any(each.name == "audience" for each in model._meta.concrete_fields)  # noqa: SLF001


class _Places:
    """Turns the columns of a row into its place."""

    def __init__(self, crews: Sequence[Crew]) -> None:
        self.numbers = {crew.project_id: crew.number for crew in crews}
        self.owners: dict[uuid.UUID | None, int] = {
            member.acting.actor_id: member.number for crew in crews for member in crew.everybody
        }

    def of(self, project: uuid.UUID, audience: str, role: str | None, owner: uuid.UUID | None) -> Place:
        return placed(self.numbers[project], audience, role, who=self.owners.get(owner, NO_MEMBER))


def survey(link: psycopg.Connection, crews: Sequence[Crew]) -> Ground:
    """Read every row of every table and note which marks and ids lie where."""
    ground, places = Ground(), _Places(crews)
    for table in [*tables_with_project(link), PROJECTS]:
        if table == HEADS:
            continue
        placing = sql.SQL("id, 'project', NULL::text, NULL::uuid") if table == PROJECTS else _placing(table)
        query = sql.SQL("SELECT id, {}, to_jsonb(t) FROM {} t").format(placing, sql.Identifier(table))
        for pk, project, audience, role, owner, row in link.execute(query).fetchall():
            if project in places.numbers:
                _note(ground, table, (pk, places.of(project, audience, role, owner)), row)
    return ground


def _note(ground: Ground, table: str, row: tuple[uuid.UUID, Place], values: Mapping[str, Any]) -> None:
    pk, place = row
    ground.ids[pk] = (table, place)
    ground.rows[table].append((pk, place))
    if table == "governance_contract":
        ground.contracts.append((place, values["kind"], values["slug"]))
    for column, value in values.items():
        for mark in marks_in(str(value)):
            ground.marks[mark].add((table, column))
            if place_of(mark) not in (place, Place(place.project)):
                ground.at_rest.append(f"{table}.{column} of {pk}: {mark} lies at {place.stem}")
