"""The ledger: chained by the database, append-only, complete, and silent about what is private."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from governance.actors import Acting
from governance.audit import verify_chain
from governance.scope import project_scope, record
from governance.verify_ledger import Verdict
from tests.governance.rawsql import owner, refusal, rolled_back
from tests.stage import Stage

ENTRY = """
INSERT INTO governance_auditevent (id, project_id, seq, at, actor, on_behalf_of, verb, target, reason, before, after,
                                   trace, detail, prev, hash)
VALUES (gen_random_uuid(), %s, %s, %s, 'act_x', '', 'test', 't', '', '', '', '', '{}', %s, %s)
RETURNING seq, at < now() + interval '1 minute', prev, hash
"""
CHAIN = "SELECT seq, prev, hash FROM governance_auditevent WHERE project_id = %s ORDER BY seq"


def verified(acting: Acting) -> Verdict:
    with project_scope(acting, read_only=True):
        return verify_chain()


def test_the_chain_of_a_worked_in_project_is_whole(stage: Stage) -> None:
    found = verified(stage.alpha.dev.acting)
    assert (found.entries > 20, found.fault) == (True, None)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "UTC"])
def test_another_time_zone_raises_no_alarm(stage: Stage, zone: str) -> None:
    with project_scope(stage.alpha.dev.acting, read_only=True), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('timezone', %s, true), set_config('datestyle', 'German', true)", [zone])
        assert verify_chain().fault is None


def test_each_project_has_a_chain_of_its_own(stage: Stage, boss: psycopg.Connection) -> None:
    chains = [boss.execute(CHAIN, [cast.project.pk]).fetchall() for cast in (stage.alpha, stage.beta)]
    assert [row[0] for row in chains[0]] == list(range(1, len(chains[0]) + 1))
    assert {row[2] for row in chains[0]} & {row[2] for row in chains[1]} == set()


def test_what_a_client_sends_for_the_chain_is_overwritten(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app, stage.alpha.dev.acting):
        last = app.execute(CHAIN, [stage.alpha.project.pk]).fetchall()[-1]
        seq, recent, prev, hash_ = app.execute(
            ENTRY, [stage.alpha.project.pk, 1, "2999-01-01", b"forged", b"forged"]
        ).fetchone()
        assert (seq, recent, prev) == (last[0] + 1, True, last[2])
        assert (len(hash_), hash_ != b"forged") == (32, True)


def test_an_entry_for_another_project_is_refused(stage: Stage, app: psycopg.Connection) -> None:
    values = [stage.beta.project.pk, 0, "2026-01-01", b"", b""]
    assert refusal(app, stage.alpha.dev.acting, ENTRY, values) == "GW003"


def test_an_entry_without_a_scope_is_refused(stage: Stage, app: psycopg.Connection) -> None:
    assert refusal(app, None, ENTRY, [stage.alpha.project.pk, 0, "2026-01-01", b"", b""]) == "GW003"


def test_the_owner_of_the_tables_writes_no_entry_without_a_scope(stage: Stage, boss: psycopg.Connection) -> None:
    assert refusal(boss, None, ENTRY, [stage.alpha.project.pk, 0, "2026-01-01", b"", b""]) == "GW003"


@pytest.mark.parametrize("call", ["SELECT greywind_audit_chain()", "SELECT * FROM governance_audithead"])
def test_the_application_gets_at_the_chain_in_no_other_way(stage: Stage, app: psycopg.Connection, call: str) -> None:
    assert refusal(app, stage.alpha.dev.acting, call) == "42501"


def test_the_head_that_the_door_shows_is_the_last_entry(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app, stage.alpha.dev.acting):
        last = app.execute(CHAIN, [stage.alpha.project.pk]).fetchall()[-1]
        assert app.execute("SELECT seq, hash FROM audit_head()").fetchall() == [(last[0], last[2])]


def test_without_a_scope_the_door_shows_no_head(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app):
        assert app.execute("SELECT * FROM audit_head()").fetchall() == []


# Tampering by whoever owns the tables, with every trigger asleep; `@` is the project, 7 the entry that is touched.
REHASH = (
    "hash = sha256(prev || greywind_audit_bytes(seq, at, id::text, actor, on_behalf_of, verb, target, reason, before,"
    " after, trace, detail))"
)
HERE = "WHERE project_id = %(project)s AND seq"
COLUMNS = ["actor", "on_behalf_of", "verb", "target", "reason", "before", "after", "trace", "detail"]
TAMPERINGS: dict[str, tuple[list[str], int]] = {
    **{name: ([f"UPDATE governance_auditevent SET {name} = {name} || 'x' {HERE} = 7"], 7) for name in COLUMNS},
    "at": ([f"UPDATE governance_auditevent SET at = at + interval '1 microsecond' {HERE} = 7"], 7),
    "id": ([f"UPDATE governance_auditevent SET id = gen_random_uuid() {HERE} = 7"], 7),
    "hash": ([f"UPDATE governance_auditevent SET hash = sha256(hash) {HERE} = 7"], 7),
    "prev": ([f"UPDATE governance_auditevent SET prev = sha256(prev) {HERE} = 7"], 7),
    "text moved between columns": (
        [f"UPDATE governance_auditevent SET verb = left(verb, 1), target = substr(verb, 2) || target {HERE} = 7"],
        7,
    ),
    "changed and hashed anew": (
        [
            f"UPDATE governance_auditevent SET actor = 'act_y' {HERE} = 7",
            f"UPDATE governance_auditevent SET {REHASH} {HERE} = 7",
        ],
        8,
    ),
    "one from the middle removed": ([f"DELETE FROM governance_auditevent {HERE} = 7"], 7),
    "the first removed": ([f"DELETE FROM governance_auditevent {HERE} = 1"], 1),
    "a middle removed and the rest renumbered": (
        [
            f"DELETE FROM governance_auditevent {HERE} = 7",
            f"UPDATE governance_auditevent SET seq = -(seq - 1) {HERE} > 7",
            f"UPDATE governance_auditevent SET seq = -seq {HERE} < 0",
        ],
        7,
    ),
    "two exchanged": (
        [
            f"UPDATE governance_auditevent SET seq = 0 {HERE} = 7",
            f"UPDATE governance_auditevent SET seq = 7 {HERE} = 8",
            f"UPDATE governance_auditevent SET seq = 8 {HERE} = 0",
        ],
        7,
    ),
}


@pytest.fixture
def tamper(stage: Stage) -> Iterator[Any]:
    """Runs statements as the owner with every trigger asleep, and returns what the check finds; undone afterwards."""
    tables = ("governance_auditevent", "governance_audithead")
    with owner() as link:
        for table in tables:
            link.execute(f"CREATE TEMP TABLE kept_{table} AS SELECT * FROM {table}")

        def run(*statements: str) -> int | None:
            with link.transaction():
                link.execute("SET LOCAL session_replication_role = replica")
                for statement in statements:
                    link.execute(statement, {"project": stage.alpha.project.pk, "other": stage.beta.project.pk})
            fault = verified(stage.alpha.dev.acting).fault
            return fault[1] if fault else None

        yield run
        with link.transaction():
            link.execute("SET LOCAL session_replication_role = replica")
            for table in tables:
                link.execute(f"DELETE FROM {table}")
                link.execute(f"INSERT INTO {table} SELECT * FROM kept_{table}")


@pytest.fixture
def length(stage: Stage) -> int:
    return verified(stage.alpha.dev.acting).entries


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_found_and_located(tamper: Any, kind: str) -> None:
    statements, first_bad = TAMPERINGS[kind]
    assert tamper(*statements) == first_bad


def test_an_untouched_chain_is_whole_for_the_same_check(tamper: Any) -> None:
    assert tamper("SELECT 1") is None


def test_an_entry_out_of_another_chain_is_found(tamper: Any) -> None:
    exchanged = "UPDATE governance_auditevent SET project_id = %(project)s WHERE project_id = %(other)s AND seq = 7"
    assert tamper(f"DELETE FROM governance_auditevent {HERE} = 7", exchanged) == 7


@pytest.mark.parametrize("cut", [1, 3])
def test_a_tail_that_was_cut_off_is_found(tamper: Any, length: int, cut: int) -> None:
    assert tamper(f"DELETE FROM governance_auditevent {HERE} > {length - cut}") == length - cut + 1


def test_an_entry_forged_at_the_end_with_the_right_hash_is_found(tamper: Any, length: int) -> None:
    forged = (
        "INSERT INTO governance_auditevent SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(),"
        f" 'seq', e.seq + 1, 'prev', e.hash))).* FROM governance_auditevent e {HERE} = {length}"
    )
    assert tamper(forged, f"UPDATE governance_auditevent SET {REHASH} {HERE} = {length + 1}") == length + 1


def test_a_chain_that_was_emptied_is_found(tamper: Any) -> None:
    assert tamper(f"DELETE FROM governance_auditevent {HERE} > 0") == 1


def test_a_last_entry_written_anew_with_the_right_hash_is_found(tamper: Any, length: int) -> None:
    change = f"UPDATE governance_auditevent SET actor = 'act_y' {HERE} = {length}"
    assert tamper(change, f"UPDATE governance_auditevent SET {REHASH} {HERE} = {length}") == length


def test_a_tail_written_anew_with_right_hashes_does_not_reach_the_head(tamper: Any, length: int) -> None:
    change = f"UPDATE governance_auditevent SET actor = 'act_y' {HERE} = 7"
    link = "UPDATE governance_auditevent e SET prev = p.hash FROM governance_auditevent p"
    link += " WHERE p.project_id = e.project_id "
    anew = [f"UPDATE governance_auditevent SET {REHASH} {HERE} = 7"]
    for seq in range(8, length + 1):
        anew += [f"{link}AND e.project_id = %(project)s AND e.seq = {seq} AND p.seq = {seq - 1}"]
        anew += [f"UPDATE governance_auditevent SET {REHASH} {HERE} = {seq}"]
    assert tamper(change, *anew) == length


WALLS = [
    "ALTER TABLE governance_auditevent DISABLE TRIGGER ALL",
    "ALTER TABLE governance_auditevent DISABLE TRIGGER audit_chain",
    "ALTER TABLE governance_auditevent DISABLE TRIGGER append_only_table",
    "ALTER TABLE governance_auditevent NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE governance_auditevent RENAME TO another",
    "ALTER TABLE governance_auditevent DROP CONSTRAINT audit_seq_once",
    "ALTER TABLE governance_auditevent ADD COLUMN more text",
    "DROP TRIGGER audit_chain ON governance_auditevent",
    "DROP TABLE governance_auditevent CASCADE",
    "DROP FUNCTION greywind_audit_chain() CASCADE",
    "ALTER FUNCTION greywind_refuse_change() RENAME TO another",
    "CREATE RULE nothing AS ON INSERT TO governance_auditevent DO INSTEAD NOTHING",
    "CREATE TRIGGER mine BEFORE INSERT ON governance_auditevent EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE POLICY mine ON governance_auditevent USING (true)",
    "SET session_replication_role = replica",
    "SET ROLE gw_ledger",
    "SET ROLE gw_owner",
    *(
        change.format(table)
        for table in ("governance_auditevent", "governance_audithead")
        for change in ("UPDATE {} SET hash = ''", "DELETE FROM {}", "TRUNCATE {}", "TRUNCATE {} CASCADE")
    ),
    "INSERT INTO governance_audithead (project_id, seq, prev, hash) VALUES (gen_random_uuid(), 1, '', '')",
    "MERGE INTO governance_auditevent e USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE",
]


@pytest.mark.parametrize("statement", WALLS)
def test_the_application_changes_nothing_about_the_ledger(
    stage: Stage, app: psycopg.Connection, statement: str
) -> None:
    assert refusal(app, stage.alpha.dev.acting, statement) in {"42501", "0LP01"}


def test_the_application_can_grant_itself_nothing(stage: Stage, app: psycopg.Connection) -> None:
    with rolled_back(app):
        app.execute("GRANT UPDATE, DELETE, TRUNCATE, TRIGGER ON governance_auditevent TO gw_app")  # only warned about
        held = app.execute("SELECT has_table_privilege('governance_auditevent', 'UPDATE, DELETE, TRUNCATE, TRIGGER')")
        assert held.fetchone() == (False,)


def test_a_scope_that_fails_leaves_no_entry(stage: Stage) -> None:
    acting = stage.alpha.dev.acting
    before = verified(acting).entries
    with pytest.raises(KeyError), project_scope(acting):
        {}[record("test.write", "t://x")]
    assert verified(acting).entries == before


def test_the_ledger_holds_no_private_text(stage: Stage, boss: psycopg.Connection) -> None:
    rows = boss.execute("SELECT to_json(e)::text FROM governance_auditevent e").fetchall()
    assert [row[0] for row in rows if stage.secret.canary in row[0]] == []


def test_the_ledger_keeps_no_reason_that_no_gate_has_seen(boss: psycopg.Connection) -> None:
    rows = boss.execute("SELECT DISTINCT reason FROM governance_auditevent WHERE verb = 'memory.propose'").fetchall()
    assert rows
    assert [row for row in rows if row[0] and not row[0].startswith("hmac:")] == []
