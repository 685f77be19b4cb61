"""What is written once: append-only tables, immutable columns, and a transcript that numbers itself."""

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.governance.rawsql import COPY, name, refusal, rolled_back
from tests.governance.tables import APPEND_ONLY, UNDELETABLE
from tests.stage import Stage

REFUSED = "GW001"
FROZEN = {
    "governance_revision": {
        "project_id": "gen_random_uuid()",
        "contract_id": "gen_random_uuid()",
        "number": "number + 1",
        "body": "'{}'",
        "body_hash": "'changed'",
        "base_id": "gen_random_uuid()",
        "proposed_by_id": "gen_random_uuid()",
        "created_at": "created_at + interval '1 day'",
    },
    "governance_proposal": {
        "project_id": "gen_random_uuid()",
        "kind": "'policy'",
        "slug": "'changed'",
        "subject_id": "gen_random_uuid()",
        "proposer_id": "gen_random_uuid()",
        "reverts_id": "gen_random_uuid()",
        "created_at": "created_at + interval '1 day'",
        "version": "version + 1",
    },
    "agent_sessions_attempt": {
        "persona_revision_id": "gen_random_uuid()",
        "role_revision_id": "gen_random_uuid()",
        "policy_revision_id": "gen_random_uuid()",
        "self_profile_revision_id": "gen_random_uuid()",
    },
    "memories_memory": {
        "project_id": "gen_random_uuid()",
        "origin": "'external_agent'",
        "proposed_by_id": "gen_random_uuid()",
        "action": "'DELETE'",
        "target_id": "gen_random_uuid()",
        "created_at": "created_at + interval '1 day'",
    },
}


@pytest.mark.parametrize("role", ["app", "boss"])
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in FROZEN.items() for column in columns]
)
def test_a_frozen_column_does_not_change(
    *, request: pytest.FixtureRequest, stage: Stage, role: str, table: str, column: str
) -> None:
    change = sql.SQL("UPDATE {} SET {} = {}").format(name(table), name(column), sql.SQL(FROZEN[table][column]))
    assert refusal(request.getfixturevalue(role), stage.alpha.dev.acting, change) == REFUSED


CHANGES = ["UPDATE {} SET created_at = now()", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
KEPT = [(table, change) for table in APPEND_ONLY for change in CHANGES]
KEPT += [(table, change) for table in UNDELETABLE for change in CHANGES[1:]]


def changing(table: str, change: str) -> sql.Composed:
    written = change.replace("created_at", "at") if table == "governance_auditevent" else change
    return sql.SQL(written).format(name(table))


@pytest.mark.parametrize(("table", "change"), KEPT)
def test_the_application_changes_nothing_that_is_kept(
    stage: Stage, app: psycopg.Connection, table: str, change: str
) -> None:
    assert refusal(app, stage.alpha.dev.acting, changing(table, change)) == "42501"


@pytest.mark.parametrize(("table", "change"), KEPT)
def test_the_owner_of_the_tables_changes_nothing_that_is_kept(
    stage: Stage, boss: psycopg.Connection, table: str, change: str
) -> None:
    assert refusal(boss, None, changing(table, change)) == REFUSED


def test_only_new_events_move_the_head_of_a_session(stage: Stage, app: psycopg.Connection) -> None:
    change = "UPDATE agent_sessions_session SET head_seq = head_seq + 1"
    assert refusal(app, stage.alpha.dev.acting, change) == REFUSED


@pytest.mark.parametrize("seq", [2, 3, 5, 400])
def test_an_event_out_of_turn_is_refused(stage: Stage, app: psycopg.Connection, seq: int) -> None:
    statement = COPY.format(table=name("agent_sessions_event"))
    with rolled_back(app, stage.alpha.dev.acting):
        [event] = app.execute("SELECT id FROM agent_sessions_event ORDER BY seq LIMIT 1").fetchone()
    values = [Jsonb({"seq": seq, "client_id": "out of turn"}), event]
    assert refusal(app, stage.alpha.dev.acting, statement, values) in {"GW005", "23505"}


def test_the_next_event_in_turn_is_taken(stage: Stage, app: psycopg.Connection) -> None:
    statement = COPY.format(table=name("agent_sessions_event"))
    with rolled_back(app, stage.alpha.dev.acting):
        [event] = app.execute("SELECT id FROM agent_sessions_event ORDER BY seq LIMIT 1").fetchone()
    values = [Jsonb({"seq": 4, "client_id": "in turn"}), event]
    assert refusal(app, stage.alpha.dev.acting, statement, values) is None
