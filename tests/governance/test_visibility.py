"""Who may read what: the Python rule, the policies of the database and an oracle written here agree."""

import uuid
from dataclasses import dataclass
from itertools import product
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from governance.actors import Acting
from governance.visibility import Placement, may_read
from governance.vocabulary import ActorKind, Audience
from tests.governance.rawsql import COPY, enter, name, rolled_back
from tests.stage import Stage

PROJECTS = [uuid.UUID(int=n) for n in (1, 2)]
ACTORS = [uuid.UUID(int=n) for n in (11, 12)]
ROLE_SETS = [(), ("dev",), ("reviewer",), ("dev", "reviewer")]
PLACES = [("project", None, None)]
PLACES += [("role", role, None) for role in ("dev", "reviewer", "de")]
PLACES += [("private", None, owner) for owner in ACTORS]
MATRIX = list(product(PROJECTS, ACTORS, ROLE_SETS, PROJECTS, PLACES))

type Row = tuple[Any, Any, tuple[str, ...], Any, tuple[str, Any, Any]]


@dataclass(frozen=True)
class Case:
    acting: Acting
    placement: Placement


def case(row: Row) -> Case:
    reader, actor, roles, project, (audience, role, owner) = row
    return Case(
        Acting(project_id=reader, actor_id=actor, kind=ActorKind.AGENT, roles=roles),
        Placement(project_id=project, audience=Audience(audience), audience_role=role, owner_id=owner),
    )


def oracle(row: Row) -> bool:
    """The written rule: your own project, and then everyone, or a role that you hold, or your own."""
    reader, actor, roles, project, (audience, role, owner) = row
    by_audience = {"project": True, "role": role in set(roles), "private": owner == actor}
    return reader == project and by_audience[audience]


@dataclass
class Shelf:
    """A thread whose project and audience a test sets, and the application's own policy for reading it."""

    link: psycopg.Connection
    thread: Any

    def shows(self, case: Case) -> bool:
        enter(self.link, case.acting)
        place = case.placement
        values = [place.project_id, place.audience, place.audience_role, place.owner_id]
        return bool(self.link.execute(self.query, values).fetchone()[0])

    @property
    def query(self) -> str:
        return "SELECT pg_temp.readable(%s::uuid, %s, %s, %s::uuid)"


@pytest.fixture
def shelf(stage: Stage, boss: psycopg.Connection) -> Any:
    """The policy's own expression, as the catalogue holds it, made callable for one transaction."""
    query = "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polname = 'scope' AND polrelid = %s::regclass"
    with rolled_back(boss):
        [expression] = boss.execute(query, ["threads_thread"]).fetchone()
        boss.execute(
            "CREATE FUNCTION pg_temp.readable(project_id uuid, audience text, audience_role text, owner_id uuid)"
            f" RETURNS boolean LANGUAGE sql AS $f$ SELECT {expression} $f$"
        )
        yield Shelf(boss, stage.ours.thread.pk)


def test_the_rule_in_python_is_the_written_one() -> None:
    differing = [row for row in MATRIX if may_read((c := case(row)).acting, c.placement) != oracle(row)]
    assert (len(MATRIX), differing) == (192, [])


def test_the_policy_of_the_database_is_the_written_one(shelf: Shelf) -> None:
    assert [row for row in MATRIX if shelf.shows(case(row)) != oracle(row)] == []


slugs = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
roles = st.lists(st.sampled_from(["dev", "reviewer", "d", "dev-2"]) | slugs, max_size=4, unique=True).map(tuple)
places = st.one_of(
    st.just(("project", None, None)),
    st.tuples(st.just("role"), st.sampled_from(["dev", "reviewer", "d", "dev-2", ""]) | slugs, st.none()),
    st.tuples(st.just("private"), st.none(), st.sampled_from(ACTORS) | st.uuids()),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    reader=st.sampled_from(PROJECTS),
    actor=st.sampled_from(ACTORS),
    roles=roles,
    project=st.sampled_from(PROJECTS),
    place=places,
)
def test_all_three_agree_on_any_reader_and_place(
    *, shelf: Shelf, reader: Any, actor: Any, roles: tuple[str, ...], project: Any, place: Any
) -> None:
    row = (reader, actor, roles, project, place)
    drawn = case(row)
    expected = oracle(row)
    assert (may_read(drawn.acting, drawn.placement), shelf.shows(drawn)) == (expected, expected)


@pytest.mark.parametrize("place", PLACES[:4], ids=str)
@pytest.mark.parametrize("who", ["dev", "tester", "personal"])
def test_a_stored_row_shows_as_the_rule_says(stage: Stage, app: psycopg.Connection, who: str, place: Any) -> None:
    """The same through a real row and the application role, not only through the policy's expression."""
    reader = getattr(stage.alpha, who).acting
    audience, role, _ = place
    if role is not None and role not in stage.alpha.dev.acting.roles:
        role = "tester"
    with rolled_back(app, stage.alpha.dev.acting):
        values = Jsonb({"audience": audience, "audience_role": role, "title": "shown?"})
        app.execute(COPY.format(table=name("threads_thread")), [values, stage.ours.thread.pk])
        enter(app, reader)
        shown = app.execute("SELECT count(*) FROM threads_thread WHERE title = 'shown?'").fetchone()[0] == 1
    placed = Placement(project_id=reader.project_id, audience=Audience(audience), audience_role=role)
    assert shown == may_read(reader, placed)


@pytest.mark.parametrize("roles", ["{'a,b'}", "{''}", "{' dev'}", "{Dev}", "{NULL}", '{"dev,reviewer"}'])
def test_an_actor_holds_no_role_whose_name_could_be_read_as_two(boss: psycopg.Connection, roles: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), rolled_back(boss):
        boss.execute("UPDATE governance_actor SET roles = %s::varchar[]", [roles])
