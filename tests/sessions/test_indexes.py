"""Two choices of indexes that a compile's cost hangs on. Both would be lost silently: every answer stays right."""

import pytest
from django.db import connection

from tests.databases import owner_link

pytestmark = pytest.mark.django_db


def test_the_tail_of_a_session_is_read_from_its_end() -> None:
    # With an index on the session alone the planner reads the whole session and sorts it, however long it is.
    found = (
        "SELECT indexname FROM pg_indexes WHERE tablename = 'agent_sessions_event' AND indexdef LIKE '%(session_id)%'"
    )
    with owner_link(connection.settings_dict["NAME"]) as link:
        assert link.execute(found).fetchall() == []


def test_a_search_reads_no_list_of_pending_entries() -> None:
    lists = (
        "SELECT c.reloptions FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
        " WHERE i.indrelid = 'memories_passage'::regclass AND a.amname = 'gin'"
    )
    with owner_link(connection.settings_dict["NAME"]) as link:
        found = link.execute(lists).fetchall()
    assert (bool(found), {str(options) for (options,) in found}) == (True, {"['fastupdate=off']"})
