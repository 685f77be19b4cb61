"""Choices of indexes that a compile's cost hangs on. Both would be lost silently: every answer stays right."""

import re

import pytest
from django.db import connection, transaction

from governance.ids import new_id
from sessions.project_state import STANDS, UNUSED
from tests.databases import owner_link

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("agent_sessions_event", "session_id"),
        ("agent_sessions_worksummary", "session_id"),
        ("agent_sessions_session", "thread_id"),
    ],
)
def test_what_grows_behind_a_row_is_read_from_its_end(table: str, column: str) -> None:
    # With an index on this column alone the planner reads all there is and sorts it, however much it is.
    found = "SELECT indexname FROM pg_indexes WHERE tablename = %s AND indexdef LIKE %s"
    with owner_link(connection.settings_dict["NAME"]) as link:
        assert link.execute(found, [table, f"%({column})%"]).fetchall() == []


@pytest.mark.parametrize("sorted_by", ["created_at", "version", "last_active_at"])
def test_the_state_of_a_project_sorts_neither_threads_nor_sessions_nor_summaries(sorted_by: str) -> None:
    values = {"project": new_id(), "roles": [], "owner": None, "without": None, "unused": UNUSED}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")  # where no index has the order it is sorted all the same
        cursor.execute(f"EXPLAIN (COSTS OFF) {STANDS}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert re.findall(rf"Sort Key: \w+\.{sorted_by} DESC$", plan, re.MULTILINE) == []


def test_only_what_is_unheard_is_swept() -> None:
    found = "SELECT indexdef FROM pg_indexes WHERE indexname = 'session_unheard'"
    with owner_link(connection.settings_dict["NAME"]) as link:
        [(index,)] = link.execute(found).fetchall()
    assert index.endswith("(last_event_at DESC) WHERE unheard")


def test_a_search_reads_no_list_of_pending_entries() -> None:
    lists = (
        "SELECT c.reloptions FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
        " WHERE i.indrelid = 'memories_passage'::regclass AND a.amname = 'gin'"
    )
    with owner_link(connection.settings_dict["NAME"]) as link:
        found = link.execute(lists).fetchall()
    assert (bool(found), {str(options) for (options,) in found}) == (True, {"['fastupdate=off']"})
