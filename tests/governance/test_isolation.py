"""Isolation, attacked with plain SQL as the application role: project, audience, keys, and the life of a scope."""

import uuid
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from governance.actors import Acting
from memories.lexical import keys_asked
from tests.governance.rawsql import COPY, enter, name, project_tables, refusal, rolled_back
from tests.governance.tables import (
    ALL,
    CHANGEABLE,
    FRESH,
    INHERITING,
    LEDGER_HEADS,
    READABLE,
    UNDELETABLE,
    WITH_AUDIENCE,
)
from tests.stage import Stage

COUNT = sql.SQL("SELECT count(*) FROM {}")
PROJECTS = sql.SQL("SELECT DISTINCT project_id FROM {}")
# Every key between rows of projects, as (table, column, target).
KEYS = """
SELECT c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text FROM pg_constraint c
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'project_id'
WHERE c.contype = 'f' AND c.conrelid::regclass::text = ANY (%s) AND c.confrelid::regclass::text = ANY (%s)
ORDER BY 1, 2
"""


def counted(link: psycopg.Connection, table: str, acting: Acting | None) -> int:
    with rolled_back(link, acting):
        return link.execute(COUNT.format(name(table))).fetchone()[0]


def test_the_list_of_tables_is_the_catalogues(stage: Stage) -> None:
    assert tuple(project_tables()) == ALL


@pytest.mark.parametrize("table", [*READABLE, "governance_project"])
def test_without_a_scope_a_table_shows_nothing(app: psycopg.Connection, table: str) -> None:
    assert counted(app, table, None) == 0


@pytest.mark.parametrize("table", READABLE)
def test_after_a_scope_a_table_shows_nothing(stage: Stage, app: psycopg.Connection, table: str) -> None:
    counted(app, table, stage.alpha.dev.acting)
    assert counted(app, table, None) == 0


@pytest.mark.parametrize("table", READABLE)
def test_in_its_scope_a_table_shows_its_own_rows_and_no_others(
    stage: Stage, app: psycopg.Connection, table: str
) -> None:
    for cast in (stage.alpha, stage.beta):
        with rolled_back(app, cast.dev.acting):
            assert app.execute(PROJECTS.format(name(table))).fetchall() == [(cast.project.pk,)]


def test_a_scope_shows_its_own_project_alone(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app, stage.alpha.dev.acting):
        assert app.execute("SELECT id FROM governance_project").fetchall() == [(stage.alpha.project.pk,)]


@pytest.mark.parametrize("statement", ["SELECT * FROM {}", "DELETE FROM {}", "UPDATE {} SET seq = 1"])
def test_the_heads_of_the_ledger_are_closed_to_the_application(
    stage: Stage, app: psycopg.Connection, statement: str
) -> None:
    query = sql.SQL(statement).format(name(LEDGER_HEADS))
    assert refusal(app, stage.alpha.dev.acting, query) == "42501"


@pytest.mark.parametrize("table", [*CHANGEABLE, *UNDELETABLE])
def test_a_change_reaches_no_row_of_another_project(stage: Stage, app: psycopg.Connection, table: str) -> None:
    change = sql.SQL("UPDATE {} SET created_at = created_at WHERE project_id = %s").format(name(table))
    with rolled_back(app, stage.beta.dev.acting):
        assert app.execute(change, [stage.alpha.project.pk]).rowcount == 0


@pytest.mark.parametrize("table", CHANGEABLE)
def test_a_removal_reaches_no_row_of_another_project(stage: Stage, app: psycopg.Connection, table: str) -> None:
    removal = sql.SQL("DELETE FROM {} WHERE project_id = %s").format(name(table))
    with rolled_back(app, stage.beta.dev.acting):
        assert app.execute(removal, [stage.alpha.project.pk]).rowcount == 0


@pytest.mark.parametrize("table", [*CHANGEABLE, *UNDELETABLE])
def test_no_row_is_moved_into_another_project(stage: Stage, app: psycopg.Connection, table: str) -> None:
    move = sql.SQL("UPDATE {} SET project_id = %s").format(name(table))
    found = refusal(app, stage.alpha.dev.acting, move, [stage.beta.project.pk])
    assert found in {"42501", "GW001", "23503"}


@pytest.mark.parametrize("table", READABLE)
def test_no_row_is_written_into_another_project(stage: Stage, app: psycopg.Connection, table: str) -> None:
    values = FRESH.get(table, {}) | {"project_id": str(stage.beta.project.pk)}
    copied = copy_of(app, stage.alpha.dev.acting, table, values)
    assert copied in {"42501", "GW003", "23503"}


def copy_of(link: psycopg.Connection, acting: Acting, table: str, values: dict[str, Any]) -> str | None:
    """Copy the scope's first row of a table with other values; returns the SQLSTATE of a refusal."""
    with rolled_back(link, acting):
        first = link.execute(sql.SQL("SELECT id FROM {} ORDER BY id LIMIT 1").format(name(table))).fetchone()
    return refusal(link, acting, COPY.format(table=name(table)), [Jsonb(values), first[0]])


def keys(link: psycopg.Connection) -> list[tuple[str, str, str]]:
    return link.execute(KEYS, [list(ALL), list(ALL)]).fetchall()


def aim(link: psycopg.Connection, key: tuple[str, str, str], target: Any) -> str | None:
    """Copy a row of alpha as the owner, its key aimed at `target`; returns the SQLSTATE of a refusal."""
    table, column, _ = key
    private = {"audience": "private", "audience_role": None} if column == "owner_id" else {}
    values = FRESH.get(table, {}) | private | {column: str(target)}
    statement = COPY.format(table=name(table))
    return refusal(link, None, statement, [Jsonb(values), _row_of_alpha(link, table)])


def _row_of_alpha(link: psycopg.Connection, table: str) -> Any:
    query = (
        "SELECT t.id FROM {} t JOIN governance_project p ON p.id = t.project_id AND p.name = 'alpha' ORDER BY 1 LIMIT 1"
    )
    return link.execute(sql.SQL(query).format(name(table))).fetchone()[0]


def _row_of(link: psycopg.Connection, table: str, project: Any) -> Any:
    query = sql.SQL("SELECT id FROM {} WHERE project_id = %s ORDER BY id LIMIT 1").format(name(table))
    return link.execute(query, [project]).fetchone()[0]


# A new offer names no proposal yet, no new entry rests in a segment, and a vision that was decided on names its
# proposal and its decider together: refused before the key is looked at.
LATE = (
    ("memories_offer", "proposal_id"),
    ("agent_sessions_event", "segment_id"),
    ("threads_vision", "proposal_id"),
    ("threads_vision", "decided_by_id"),
)


def test_every_key_refuses_another_projects_row_like_a_random_id(stage: Stage, boss: psycopg.Connection) -> None:
    aimed = [key for key in keys(boss) if not (key[1] == "owner_id" and key[0] in INHERITING) and key[:2] not in LATE]
    assert len(aimed) > 50
    foreign = {key: aim(boss, key, _row_of(boss, key[2], stage.beta.project.pk)) for key in aimed}
    random = {key: aim(boss, key, uuid.uuid4()) for key in aimed}
    assert (foreign, set(foreign.values())) == (random, {"23503"})


def test_every_key_takes_a_row_of_its_own_project(stage: Stage, boss: psycopg.Connection) -> None:
    aimed = [key for key in keys(boss) if not (key[1] == "owner_id" and key[0] in INHERITING) and key[:2] not in LATE]
    own = {key: aim(boss, key, _row_of(boss, key[2], stage.alpha.project.pk)) for key in aimed}
    assert {key: state for key, state in own.items() if state in ("23503", "42501")} == {}


def test_the_application_hears_the_same_of_foreign_and_random_rows(
    stage: Stage, app: psycopg.Connection, boss: psycopg.Connection
) -> None:
    acting = stage.alpha.dev.acting
    for table, column, target in keys(boss):
        if column == "owner_id" or table in UNDELETABLE:
            continue
        theirs = _row_of(boss, target, stage.beta.project.pk)
        heard = [
            copy_of(app, acting, table, FRESH.get(table, {}) | {column: str(aimed)}) for aimed in (theirs, uuid.uuid4())
        ]
        # Two refuse before the foreign key does: a stored answer is its key's own, and an agent gives nobody a level.
        assert heard[0] == heard[1], (table, column)
        shape = ("23514",) if (table, column) in LATE else ()
        assert heard[0] in ("23503", "42501", "GW001", "GW006", *shape), (table, column)


@pytest.mark.parametrize("table", WITH_AUDIENCE)
def test_private_rows_are_their_owners_alone(stage: Stage, app: psycopg.Connection, table: str) -> None:
    query = sql.SQL("SELECT count(*) FROM {} WHERE audience = 'private'").format(name(table))
    seen = {}
    for who in ("personal", "dev", "owner"):
        with rolled_back(app, getattr(stage.alpha, who).acting):
            seen[who] = app.execute(query).fetchone()[0] > 0
    assert seen == {"personal": True, "dev": False, "owner": False}


@pytest.mark.parametrize("table", [table for table in WITH_AUDIENCE if table not in INHERITING])
def test_no_private_row_is_written_for_somebody_else(stage: Stage, app: psycopg.Connection, table: str) -> None:
    values = FRESH.get(table, {}) | {"audience": "private", "owner_id": str(stage.alpha.personal.actor.pk)}
    assert copy_of(app, stage.alpha.dev.acting, table, values) == "42501"


@pytest.mark.parametrize("table", INHERITING)
def test_a_child_takes_its_parents_audience_whatever_was_sent(
    stage: Stage, app: psycopg.Connection, table: str
) -> None:
    acting = stage.alpha.personal.acting
    with rolled_back(app, acting):
        mine = sql.SQL("SELECT id FROM {} WHERE audience = 'private' LIMIT 1").format(name(table))
        original = app.execute(mine).fetchone()[0]
        public = FRESH.get(table, {}) | {"audience": "project", "owner_id": None} | _unique_pair(app, table, acting)
        app.execute(COPY.format(table=name(table)), [Jsonb(public), original])
        audiences = sql.SQL("SELECT DISTINCT audience FROM {} WHERE owner_id = %s").format(name(table))
        assert app.execute(audiences, [acting.actor_id]).fetchall() == [("private",)]


def _unique_pair(link: psycopg.Connection, table: str, acting: Acting) -> dict[str, Any]:
    """Lineage and edges are unique by their two ends: turn one round, to another row of the same owner."""
    ends = {"memories_memoryparent": ("memory_id", "parent_id", "memories_memory")}
    if table == "threads_taskedge":
        fresh = link.execute(
            "INSERT INTO threads_task SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),"
            " 'state', 'planned'))).* FROM threads_task t WHERE owner_id = %s LIMIT 1 RETURNING id",
            [acting.actor_id],
        ).fetchone()
        return {"depends_on_id": str(fresh[0])}
    if table == "memories_conflictside":
        conflict = link.execute(
            "INSERT INTO memories_conflict SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),"
            " 'state', 'open', 'key', 'copy'))).* FROM memories_conflict c WHERE owner_id = %s LIMIT 1 RETURNING id",
            [acting.actor_id],
        ).fetchone()
        return {"conflict_id": str(conflict[0])}
    if table not in ends:
        return {}
    memory, parent, _ = ends[table]
    row = link.execute(
        sql.SQL("SELECT {}, {} FROM {} WHERE owner_id = %s").format(name(memory), name(parent), name(table)),
        [acting.actor_id],
    ).fetchone()
    return {memory: str(row[1]), parent: str(row[0])}


@pytest.mark.parametrize("table", [table for table in INHERITING if table in CHANGEABLE])
def test_a_private_child_is_not_widened(stage: Stage, app: psycopg.Connection, table: str) -> None:
    widen = "UPDATE {} SET audience = 'project', owner_id = NULL WHERE owner_id = %s RETURNING audience"
    with rolled_back(app, stage.alpha.personal.acting):
        changed = app.execute(sql.SQL(widen).format(name(table)), [stage.alpha.personal.actor.pk]).fetchall()
        assert set(changed) == {("private",)}


@pytest.mark.parametrize(("who", "sees"), [("dev", True), ("tester", False), ("personal", False)])
def test_a_roles_thread_and_its_tasks_are_its_holders_alone(
    stage: Stage, boss: psycopg.Connection, who: str, sees: bool
) -> None:
    reviewer = Jsonb({"audience": "role", "audience_role": "reviewer"})
    with rolled_back(boss):
        boss.execute(COPY.format(table=name("threads_thread")), [reviewer, stage.ours.thread.pk])
        [thread] = boss.execute("SELECT id FROM threads_thread WHERE audience = 'role'").fetchone()
        boss.execute(
            COPY.format(table=name("threads_task")),
            [Jsonb({"thread_id": str(thread), "state": "planned"}), stage.ours.task.pk],
        )
        # The application role's policies, inside the same transaction.
        enter(boss, getattr(stage.alpha, who).acting)
        shown = [visible(boss, table) for table in ("threads_thread", "threads_task")]
    assert shown == [sees, sees]


def visible(link: psycopg.Connection, table: str) -> bool:
    """Return whether the policy of the application role shows a role's row of the table in the scope now open."""
    [policy] = link.execute(
        "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polname = 'scope' AND polrelid = %s::regclass",
        [table],
    ).fetchone()
    query = sql.SQL("SELECT count(*) > 0 FROM {} WHERE audience = 'role' AND ({})")
    return bool(link.execute(query.format(name(table), sql.SQL(policy))).fetchone()[0])


def test_an_answer_is_kept_for_the_actor_behind_its_key(stage: Stage, app: psycopg.Connection) -> None:
    seen = {}
    for who in ("dev", "personal", "tester"):
        with rolled_back(app, getattr(stage.alpha, who).acting):
            seen[who] = [row[0] for row in app.execute("SELECT idempotency_key FROM governance_storedanswer")]
    assert seen == {"dev": ["key-xqalphax"], "personal": ["key-xqsecretx"], "tester": []}


SEARCH = """
SELECT found
FROM find_passages(%s::bigint[], %s::text[], 200, 0.9, 0.4, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}')
"""
MARKS = ["xqalphax", "xqsecretx", "xqbetax"]


def looked_up(stage: Stage) -> list[list[Any]]:
    """Return what finds the marks of either project: their keys in both, and the words themselves."""
    keys = [key for cast in (stage.alpha, stage.beta) for key in keys_asked(cast.project.pk, MARKS)]
    return [keys, MARKS]


@pytest.mark.parametrize(("who", "finds"), [("personal", {"xqalphax", "xqsecretx"}), ("dev", {"xqalphax"})])
@pytest.mark.parametrize("before", [False, True])
def test_the_search_function_finds_what_its_caller_may_read(
    stage: Stage, app: psycopg.Connection, who: str, finds: set[str], *, before: bool
) -> None:
    with rolled_back(app, getattr(stage.alpha, who).acting):
        if before:  # as passages were before they had keys
            app.execute("UPDATE memories_passage SET lexemes_version = 0, keys = '{}'")
        found = app.execute(SEARCH, looked_up(stage)).fetchall()
    with rolled_back(app, stage.alpha.personal.acting):
        rows = app.execute("SELECT text FROM memories_passage WHERE id = ANY (%s)", [[row[0] for row in found]])
        texts = " ".join(row[0] for row in rows)
    assert {term for term in MARKS if term in texts} == finds


def test_the_search_function_finds_nothing_without_a_scope(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app):
        assert app.execute(SEARCH, looked_up(stage)).fetchall() == []


def test_counting_tells_nobody_of_another_project(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app, stage.alpha.dev.acting):
        app.execute("SELECT recount_passages()")
        counted = app.execute("SELECT DISTINCT project_id, audience FROM memories_passagetally").fetchall()
    assert {row[0] for row in counted} == {stage.alpha.project.pk}
    assert "private" not in {row[1] for row in counted}
