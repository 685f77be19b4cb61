"""No entry, no answer: where the ledger cannot be written, nothing is stored and nothing released."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection

from tests.api.endpoints import CALLS, Call, ids_of, owned_by
from tests.databases import owner_link
from tests.stage import Stage, stage

__all__ = ["stage"]  # the fixture of this module

RECORDED = [call for call in CALLS if call.records]
UNRECORDED = [call for call in CALLS if not call.records]
NO_RIGHT = ("REVOKE INSERT ON governance_auditevent FROM gw_app", "GRANT INSERT ON governance_auditevent TO gw_app")


def breaking(sqlstate: str) -> tuple[str, str]:
    """Return statements that let every new entry fail with an error of the server, and that end it."""
    break_it = (
        "CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN"
        f" RAISE EXCEPTION 'no more' USING ERRCODE = '{sqlstate}'; END $f$;"
        "CREATE TRIGGER breaks BEFORE INSERT ON governance_auditevent FOR EACH ROW EXECUTE FUNCTION breaks()"
    )
    return break_it, "DROP TRIGGER breaks ON governance_auditevent; DROP FUNCTION breaks()"


DISK_FULL, ANY_ERROR, OUR_MISTAKE = breaking("53100"), breaking("P0001"), breaking("GW003")


@pytest.fixture
def boss(stage: Stage) -> Iterator[psycopg.Connection]:
    with owner_link(str(connection.settings_dict["NAME"])) as link:
        yield link


@pytest.fixture
def ids(stage: Stage) -> dict[str, str]:
    """The ids of rows that a call would be served with; nothing uses them up here, because nothing is stored."""
    return ids_of(stage.ours) | owned_by(stage.ours)


@pytest.fixture
def broken(boss: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[None]:
    """A ledger that cannot be written, in the way that the test names."""
    break_it, mend_it = getattr(request, "param", NO_RIGHT)
    boss.execute(break_it)
    yield
    boss.execute(mend_it)


def contents(boss: psycopg.Connection) -> dict[str, str]:
    """Return a digest of every table."""
    tables = [row[0] for row in boss.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    digest = "SELECT coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') FROM {} t"
    return {name: boss.execute(digest.format(name)).fetchone()[0] for name in tables}


def heard(response: Any) -> tuple[int, str, str]:
    return response.status_code, response.headers["Content-Type"], response.json()["code"]


UNWRITABLE = (503, "application/problem+json", "ledger_unwritable")


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("call", RECORDED, ids=str)
def test_what_is_recorded_is_refused_and_leaves_nothing(
    stage: Stage, ids: dict[str, str], boss: psycopg.Connection, call: Call
) -> None:
    # A lease that runs short is renewed by itself: that somebody lives is nothing that a ledger holds.
    boss.execute("UPDATE agent_sessions_attempt SET lease_until = now() + interval '1 hour'")
    before = contents(boss)
    response = call.send(stage.ours.maker.client(), ids)
    assert heard(response) == UNWRITABLE
    assert contents(boss) == before


@pytest.mark.parametrize("broken", [DISK_FULL, ANY_ERROR], indirect=True, ids=["disk full", "any error"])
@pytest.mark.parametrize("operation", ["compile_context", "create_thread", "get_context", "append_events"])
def test_it_does_not_matter_why_the_ledger_cannot_be_written(
    stage: Stage, ids: dict[str, str], broken: None, operation: str
) -> None:
    call = next(call for call in RECORDED if call.operation == operation)
    assert heard(call.send(stage.ours.maker.client(), ids)) == UNWRITABLE


@pytest.mark.parametrize("call", RECORDED, ids=str)
def test_a_refused_answer_holds_nothing_of_the_row(stage: Stage, ids: dict[str, str], broken: None, call: Call) -> None:
    assert stage.ours.canary not in call.send(stage.ours.maker.client(), ids).content.decode()


def test_a_repeated_request_is_served_once_the_ledger_is_mended(
    stage: Stage, ids: dict[str, str], boss: psycopg.Connection
) -> None:
    asked = partial(stage.ours.maker.client().post, "/threads", {"title": "late"}, Idempotency_Key="again")
    boss.execute(NO_RIGHT[0])
    refused = asked()
    boss.execute(NO_RIGHT[1])
    assert (refused.status_code, asked().status_code) == (503, 201)


@pytest.mark.parametrize("call", UNRECORDED, ids=str)
def test_what_is_not_recorded_is_served_all_the_same(
    stage: Stage, ids: dict[str, str], broken: None, call: Call
) -> None:
    assert call.send(stage.ours.maker.client(), ids).status_code == 200


@pytest.mark.parametrize("broken", [OUR_MISTAKE], indirect=True, ids=["our mistake"])
@pytest.mark.parametrize("operation", ["compile_context", "create_thread"])
def test_a_mistake_in_an_entry_stays_a_failure_of_ours(
    stage: Stage, ids: dict[str, str], broken: None, operation: str
) -> None:
    call = next(call for call in RECORDED if call.operation == operation)
    assert heard(call.send(stage.ours.maker.client(), ids))[::2] == (500, "internal_error")


@pytest.mark.parametrize("table", ["agent_sessions_contextpacket", "memories_injection"])
def test_another_table_that_cannot_be_written_stays_a_failure_of_ours(
    stage: Stage, ids: dict[str, str], boss: psycopg.Connection, table: str
) -> None:
    call = next(call for call in RECORDED if call.operation == "compile_context")
    boss.execute(f"REVOKE INSERT ON {table} FROM gw_app")
    response = call.send(stage.ours.maker.client(), ids)
    boss.execute(f"GRANT INSERT ON {table} TO gw_app")
    assert heard(response)[::2] == (500, "internal_error")


def test_the_refusal_says_when_to_come_again(stage: Stage, broken: None) -> None:
    response = stage.ours.maker.client().post("/threads", {"title": "late"})
    assert int(response.headers["Retry-After"]) == response.json()["retry_after"] > 0
