"""What the catalogue of the database says about isolation: policies, rights, keys and definer functions."""

import pytest

from tests.governance.rawsql import catalog
from tests.governance.tables import (
    ALL,
    APPEND_ONLY,
    CHANGEABLE,
    FRAMEWORK_CHANGED,
    FRAMEWORK_READ,
    INHERITING,
    LEDGER_HEADS,
    OF_ACCOUNTS,
    SHIPPED,
    UNDELETABLE,
    UNUSED,
)

pytestmark = pytest.mark.usefixtures("stage")
POLICIES = "SELECT policyname, cmd, roles::text[] FROM pg_policies WHERE tablename = %s AND 'gw_app' = ANY (roles)"
RIGHTS = """
SELECT DISTINCT a.privilege_type FROM pg_class c, aclexplode(c.relacl) a
WHERE c.oid = %s::regclass AND a.grantee = %s::regrole ORDER BY 1
"""
DEFINERS = """
SELECT p.proname, r.rolname, r.rolcanlogin OR r.rolsuper OR r.rolbypassrls, p.proconfig,
       EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0),
       has_function_privilege('gw_app', p.oid, 'EXECUTE')
FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace ORDER BY 1
"""
KEYS = """
SELECT c.conrelid::regclass::text, c.conname, c.confrelid::regclass::text,
       (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)),
       (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.confrelid AND a.attnum = ANY (c.confkey))
FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid::regclass::text = ANY (%s)
"""
UUID_COLUMNS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relname = ANY (%s) AND a.atttypid = 'uuid'::regtype AND a.attnum > 0 AND NOT a.attisdropped
  AND a.attname NOT IN ('id', 'project_id')
"""
# Ids that are kept as plain values: their table lies in an app above, depends on the row's own words, or is none.
PLAIN_VALUES = {
    ("governance_job", "holder"),
    ("memories_feedback", "packet_id"),
    ("memories_injection", "packet_id"),
    ("memories_memory", "scope_id"),
    ("threads_lineage", "act"),
    ("threads_threadtalk", "source"),
}
DOORS = {
    "audit_head": "gw_ledger",
    "auth_key": "gw_doors",
    "cooling_sessions": "gw_doors",
    "due_embeddings": "gw_doors",
    "due_jobs": "gw_doors",
    "due_memories": "gw_doors",
    "due_proposals": "gw_doors",
    "due_work": "gw_doors",
    "embedding_facts": "gw_doors",
    "erase_memory": "gw_doors",
    "find_passages": "gw_search",
    "follow_lineage": "gw_doors",
    "forget_offered": "gw_doors",
    "forget_proposed": "gw_doors",
    "greywind_audit_chain": "gw_ledger",
    "memberships_of": "gw_doors",
    "old_answers": "gw_doors",
    "recount_passages": "gw_search",
    "rest_in_segment": "gw_doors",
    "return_lineage": "gw_doors",
    "stale_passages": "gw_doors",
    "unembedded_passages": "gw_doors",
    "unheard_sessions": "gw_doors",
}


@pytest.mark.parametrize("table", [*ALL, "governance_project"])
def test_row_level_security_is_on_and_binds_the_owner(table: str) -> None:
    query = "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass"
    assert catalog(query, [table]) == [(True, True)]


@pytest.mark.parametrize("table", [*CHANGEABLE, *UNDELETABLE])
def test_one_policy_rules_a_table_that_changes(table: str) -> None:
    assert catalog(POLICIES, [table]) == [("scope", "ALL", ["gw_app"])]


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_an_append_only_table_has_a_policy_for_reading_and_one_for_adding(table: str) -> None:
    assert sorted(catalog(POLICIES, [table])) == [
        ("scope_add", "INSERT", ["gw_app"]),
        ("scope_read", "SELECT", ["gw_app"]),
    ]


def expected_rights(table: str) -> list[str]:
    if table == LEDGER_HEADS:
        return []
    extra = ["UPDATE"] if table in UNDELETABLE else ["DELETE", "UPDATE"] if table in CHANGEABLE else []
    return sorted(["INSERT", "SELECT", *extra])


@pytest.mark.parametrize("table", ALL)
def test_the_application_holds_no_right_beyond_the_design(table: str) -> None:
    assert [row[0] for row in catalog(RIGHTS, [table, "gw_app"])] == expected_rights(table)


OF_NO_PROJECT = (
    {table: ["DELETE", "INSERT", "SELECT", "UPDATE"] for table in (*OF_ACCOUNTS, *FRAMEWORK_CHANGED)}
    | {table: ["SELECT"] for table in (*FRAMEWORK_READ, SHIPPED)}
    | {table: list[str]() for table in UNUSED}
)


@pytest.mark.parametrize("table", sorted(OF_NO_PROJECT))
def test_of_what_belongs_to_no_project_the_application_holds_what_it_needs(table: str) -> None:
    assert [row[0] for row in catalog(RIGHTS, [table, "gw_app"])] == OF_NO_PROJECT[table]


def test_every_table_is_known() -> None:
    there = {row[0] for row in catalog("SELECT tablename FROM pg_tables WHERE schemaname = %s", ["public"])}
    assert there == {*ALL, "governance_project", *OF_NO_PROJECT}


def test_the_public_holds_no_right_on_any_table() -> None:
    held = "SELECT relname FROM pg_class, aclexplode(relacl) a WHERE a.grantee = 0 AND relnamespace = %s::regnamespace"
    assert catalog(held, ["public"]) == []


def test_the_application_owns_nothing_and_passes_no_wall() -> None:
    query = "SELECT rolsuper, rolbypassrls, rolcreaterole, rolinherit FROM pg_roles WHERE rolname = 'gw_app'"
    owned = "SELECT count(*) FROM pg_class WHERE relowner = 'gw_app'::regrole"
    assert (catalog(query), catalog(owned)) == ([(False, False, False, False)], [(0,)])


def test_the_application_is_a_member_of_no_role_and_makes_nothing() -> None:
    member = "SELECT count(*) FROM pg_auth_members WHERE member = 'gw_app'::regrole"
    rights = (
        "SELECT has_schema_privilege('gw_app', 'public', 'CREATE'), has_database_privilege('gw_app',"
        " current_database(), 'TEMP'), has_database_privilege('gw_app', current_database(), 'CREATE')"
    )
    assert (catalog(member), catalog(rights)) == ([(0,)], [(False, False, False)])


def test_every_view_asks_with_the_rights_of_its_reader() -> None:
    query = (
        "SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace"
        " AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)"
    )
    assert catalog(query) == []


def test_every_key_between_rows_of_projects_carries_the_project() -> None:
    between = [row for row in catalog(KEYS, [list(ALL)]) if row[2] in ALL]
    assert len(between) > 50
    assert [row[:2] for row in between if "project_id" not in row[3] or row[4] != ["id", "project_id"]] == []


def test_every_column_that_names_a_row_is_held_by_a_key() -> None:
    held = {(row[0], column) for row in catalog(KEYS, [list(ALL)]) for column in row[3]}
    inherited = {(table, "owner_id") for table in INHERITING}
    assert set(catalog(UUID_COLUMNS, [list(ALL)])) - held - inherited == PLAIN_VALUES


def test_every_row_belongs_to_a_project_that_exists() -> None:
    of_project = {row[0] for row in catalog(KEYS, [list(ALL)]) if row[2] == "governance_project"}
    assert of_project == set(ALL)


def test_the_definer_functions_are_the_designs_doors() -> None:
    assert {row[0]: row[1] for row in catalog(DEFINERS)} == DOORS


@pytest.mark.parametrize("door", sorted(DOORS))
def test_a_door_is_pinned_and_owned_by_a_role_that_nobody_logs_in_as(door: str) -> None:
    [(powerful, config, public)] = [(row[2], row[3], row[4]) for row in catalog(DEFINERS) if row[0] == door]
    assert (powerful, config[0], public) == (False, "search_path=pg_catalog, pg_temp", False)


def test_only_the_search_has_a_setting_of_its_own() -> None:
    further = {row[0]: row[3][1:] for row in catalog(DEFINERS) if row[3][1:]}
    by_index = "enable_seqscan=off"
    assert further == {
        "find_passages": [by_index, "jit=off", "plan_cache_mode=force_generic_plan"],
        "recount_passages": [by_index],
    }


def test_the_application_may_call_the_doors_and_not_the_chain() -> None:
    callable_ = {row[0] for row in catalog(DEFINERS) if row[5]}
    assert callable_ == set(DOORS) - {"greywind_audit_chain"}


@pytest.mark.parametrize("role", ["gw_doors", "gw_search", "gw_ledger"])
def test_a_door_role_reads_only_what_its_functions_need(role: str) -> None:
    needed = {
        "gw_doors": {
            "governance_actor",
            "governance_apikey",
            "governance_comment",
            "governance_decision",
            "governance_membership",
            "governance_project",
            "governance_proposal",
            "governance_proposaltext",
            "governance_storedanswer",
            "memories_conflictside",
            "memories_feedback",
            "memories_memoryevidence",
            "memories_memoryparent",
            "memories_memoryversion",
            "memories_passagetally",
            "memories_settlement",
            "threads_lineage",
            "threads_thread",
        },
        "gw_search": {"memories_passage", "memories_passagetally"},
        "gw_ledger": {"governance_audithead"},
    }
    query = (
        "SELECT DISTINCT c.relname FROM pg_class c, aclexplode(c.relacl) a"
        " WHERE a.grantee = %s::regrole AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
    )
    assert {row[0] for row in catalog(query, [role])} == needed[role]


def test_every_child_inherits_its_audience_by_trigger() -> None:
    query = "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'inherit_audience' ORDER BY 1"
    assert tuple(row[0] for row in catalog(query)) == INHERITING


def test_the_application_may_not_put_triggers_to_sleep() -> None:
    assert catalog("SELECT has_parameter_privilege('gw_app', 'session_replication_role', 'SET')") == [(False,)]
