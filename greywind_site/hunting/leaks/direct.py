"""Reading every table directly, as the application's role in somebody's scope: what the database itself would show."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

from governance.actors import Acting
from governance.scope import ENTER
from greywind_site.hunting.leaks.ground import PROJECTS, tables_with_project
from greywind_site.hunting.leaks.marks import ids_in, marks_in, place_of
from greywind_site.hunting.leaks.people import Principal
from greywind_site.hunting.leaks.report import Leak, Report
from greywind_site.hunting.leaks.world import World
from greywind_site.hunting.scratch import owner_link

OPERATION = "a direct read"
READABLE = "SELECT has_table_privilege('gw_app', %s, 'SELECT')"


@contextmanager
def app_link() -> Iterator[psycopg.Connection]:
    """Yield a connection of the application's role to the present database."""
    parameters = settings.GREYWIND.app_database() | {"dbname": connection.settings_dict["NAME"]}
    with psycopg.connect(**parameters, autocommit=True) as link:
        yield link


def readable_tables() -> list[str]:
    """Return every table of a project that the application's role may select from at all."""
    with owner_link() as link:
        named = [*tables_with_project(link), PROJECTS]
        return [table for table in named if link.execute(READABLE, [table]).fetchone() == (True,)]


def read_all(
    world: World, report: Report, *, tables: Sequence[str], principals: Sequence[Principal] | None = None
) -> None:
    """Read tables in the scope of each seat, and in none; what is foreign becomes a leak, the rest is heard."""
    with app_link() as link:
        for by in principals or world.principals:
            for number, member in by.seats.items():
                for table in tables:
                    _judge(world, report, by, number=number, table=table, text=_read(link, member.acting, table))
        nobody = Principal(name="nobody")
        for table in tables:
            _judge(world, report, nobody, number=-1, table=table, text=_read(link, None, table))


def _read(link: psycopg.Connection, acting: Acting | None, table: str) -> str:
    with link.transaction():
        if acting is not None:
            link.execute(ENTER, [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)])
        rows = link.execute(sql.SQL("SELECT to_jsonb(t)::text FROM {} t").format(sql.Identifier(table)))
        return "\n".join(row[0] for row in rows)


def _judge(world: World, report: Report, by: Principal, *, number: int, table: str, text: str) -> None:
    for mark in marks_in(text):
        place = place_of(mark)
        if place.project == number and by.may_read(place):
            report.heard[mark].add(by.name)
        else:
            report.leaks.append(Leak(by.name, OPERATION, table, mark, table))
    for pk in ids_in(text):
        known = world.ground.ids.get(pk)
        # The rows of the table itself; that another row's id stands in one of them says nothing of that row.
        if known is not None and known[0] == table and not (known[1].project == number and by.may_read(known[1])):
            report.leaks.append(Leak(by.name, OPERATION, table, str(pk), table))
