"""Every state machine: the table in Python, the design's grid, and what the database lets plain SQL do."""

from itertools import product
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from governance.errors import Clash
from governance.transitions import check_move
from memories.lifecycle import GATES_BEFORE
from tests.governance.machines import ALL, ATTEMPT, CHAIN, GATES, INBOX, MEMORY, PLAIN, REVISION, SESSION, Machine
from tests.governance.rawsql import COPY, name, owner, rolled_back
from tests.governance.tables import WITHOUT_AUDIENCE
from tests.stage import Stage

REFUSED = "GW002"
UNDECIDED = "GW006"  # the move is the table's, and nobody has decided it


def named(machine: Machine) -> str:
    return machine.table


@pytest.fixture(scope="module")
def standing(stage: Stage) -> dict[str, dict[str, Any]]:
    """A row of every machine in every state, by table and state; put there by the owner with its triggers asleep."""
    with owner() as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        link.execute("UPDATE agent_sessions_attempt SET state = 'ended'")
        link.execute("UPDATE governance_revision SET state = 'superseded' WHERE state = 'active'")
        return {machine.table: _rows(link, machine, stage) for machine in ALL}


def _rows(link: psycopg.Connection, machine: Machine, stage: Stage) -> dict[str, Any]:
    return {
        state: link.execute(
            *_copy(link, machine, stage, unlike(link, machine, stage, n) | {machine.column: state})
        ).fetchone()[0]
        for n, state in enumerate(machine.states)
    }


def _copy(link: psycopg.Connection, machine: Machine, stage: Stage, values: dict[str, Any]) -> tuple[Any, list[Any]]:
    shared = sql.SQL("" if machine.table in WITHOUT_AUDIENCE else "AND audience = 'project'")
    pick = sql.SQL("SELECT id FROM {} WHERE project_id = %s {} ORDER BY id LIMIT 1").format(name(machine.table), shared)
    [original] = link.execute(pick, [stage.alpha.project.pk]).fetchone()
    statement = sql.SQL("{} RETURNING id").format(COPY.format(table=name(machine.table)))
    return statement, [Jsonb(machine.also | values), original]


def unlike(link: psycopg.Connection, machine: Machine, stage: Stage, n: int) -> dict[str, Any]:
    """Return values that set the n-th copy apart from every other row, where something must be unique."""
    if machine is REVISION:
        query = "SELECT id FROM governance_contract WHERE project_id = %s ORDER BY id OFFSET %s LIMIT 1"
        [contract] = link.execute(query, [stage.alpha.project.pk, n]).fetchone()
        return {"number": 100 + n, "contract_id": str(contract)}
    fresh = {
        SESSION: {"role": f"copied{n}", "head_seq": 0},
        ATTEMPT: {"number": 100 + n},
        INBOX: {"ref": f"copy{n}"},
        MEMORY: {"dedupe_key": f"copy{n}"},
    }
    return next((values for other, values in fresh.items() if other is machine), {})


def tried(link: psycopg.Connection, machine: Machine, row: Any, there: str) -> str | None:
    """Try a move and take it back; returns the SQLSTATE of a refusal."""
    move = sql.SQL("UPDATE {} SET {} = %s WHERE id = %s").format(name(machine.table), name(machine.column))
    try:
        with link.transaction(force_rollback=True):
            assert link.execute(move, [there, row]).rowcount == 1
            link.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as error:
        return error.sqlstate
    return None


def moves_of(link: psycopg.Connection, machine: Machine, standing: Any) -> dict[tuple[str, str], str | None]:
    """Return what plain SQL hears for every pair of two states."""
    rows = standing[machine.table]
    pairs = [(here, there) for here, there in product(machine.states, repeat=2) if here != there]
    return {(here, there): tried(link, machine, rows[here], there) for here, there in pairs}


def expected(machine: Machine, moves: set[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
    pairs = [(here, there) for here, there in product(machine.states, repeat=2) if here != there]
    return {pair: verdict(machine, pair, allowed=pair in moves) for pair in pairs}


def verdict(machine: Machine, pair: tuple[str, str], *, allowed: bool) -> str | None:
    """Return what plain SQL must hear for a move, or for a beginning (from the empty state)."""
    return (UNDECIDED if pair in machine.guarded else None) if allowed else REFUSED


@pytest.mark.parametrize("machine", ALL, ids=named)
def test_the_table_in_python_is_the_designs(machine: Machine) -> None:
    assert {(str(here), str(there)) for here, targets in machine.python.items() for there in targets} == machine.moves


@pytest.mark.parametrize("machine", ALL, ids=named)
def test_every_state_stands_in_the_table_in_python(machine: Machine) -> None:
    assert sorted(machine.python) == sorted(machine.states) == sorted(type(next(iter(machine.python))))


@pytest.mark.parametrize("machine", ALL, ids=named)
def test_a_pair_outside_the_table_is_refused_by_its_name(machine: Machine) -> None:
    kind = type(next(iter(machine.python)))
    for here, there in product(machine.states, repeat=2):
        if (here, there) not in machine.moves:
            with pytest.raises(Clash, match="cannot become"):
                check_move(machine.python, kind(here), kind(there))


@pytest.mark.parametrize("machine", PLAIN, ids=named)
def test_the_application_moves_a_row_exactly_along_the_design(
    stage: Stage, standing: Any, app: psycopg.Connection, machine: Machine
) -> None:
    with rolled_back(app, stage.alpha.dev.acting):
        assert moves_of(app, machine, standing) == expected(machine, machine.moves)


@pytest.mark.parametrize("machine", PLAIN, ids=named)
def test_the_owner_of_the_tables_moves_a_row_no_further(
    standing: Any, boss: psycopg.Connection, machine: Machine
) -> None:
    assert moves_of(boss, machine, standing) == expected(machine, machine.moves)


def beginnings(link: psycopg.Connection, machine: Machine, stage: Stage, standing: Any) -> dict[str, str | None]:
    """Return what plain SQL hears for a new row in every state."""
    apart = unlike(link, machine, stage, 5)
    if machine is ATTEMPT:  # a session of its own, in which nothing runs yet
        apart |= {"session_id": str(standing[SESSION.table]["active"])}
    if machine is MEMORY:  # what it says, no other row says
        apart |= {"dedupe_key": "fresh"}
    heard = {}
    for state in machine.states:
        statement, values = _copy(link, machine, stage, apart | {machine.column: state})
        try:
            with link.transaction(force_rollback=True):
                link.execute(statement, values)
                heard[state] = None
        except psycopg.Error as error:
            heard[state] = error.sqlstate
    return heard


@pytest.mark.parametrize("machine", ALL, ids=named)
@pytest.mark.parametrize("role", ["app", "boss"])
def test_a_row_begins_only_where_the_design_says(
    *, request: pytest.FixtureRequest, stage: Stage, standing: Any, machine: Machine, role: str
) -> None:
    link = request.getfixturevalue(role)
    with rolled_back(link, stage.alpha.dev.acting):
        heard = beginnings(link, machine, stage, standing)
    allowed = {state: state in machine.initial for state in machine.states}
    assert heard == {state: verdict(machine, ("", state), allowed=can) for state, can in allowed.items()}


def give(link: psycopg.Connection, stage: Stage, memory: Any, gates: list[str], *, passed: bool = True) -> None:
    """Write verdicts of these gates for a memory."""
    for gate in gates:
        link.execute(
            "INSERT INTO memories_gateverdict (id, project_id, created_at, memory_id, gate, passed, reason_code,"
            " explanation, audience) VALUES (gen_random_uuid(), %s, now(), %s, %s, %s, 'why', '', 'project')",
            [stage.alpha.project.pk, memory, gate, passed],
        )


EVERY_GATE = [gate for gates in GATES.values() for gate in gates]
FORWARD = [(here, there) for n, here in enumerate(CHAIN) for there in CHAIN[n + 1 :]]


def gates_of(here: str, there: str) -> list[str]:
    return [gate for state in CHAIN[CHAIN.index(here) + 1 : CHAIN.index(there) + 1] for gate in GATES.get(state, [])]


def test_the_gates_in_python_are_the_designs() -> None:
    assert {str(state): list(gates) for state, gates in GATES_BEFORE.items()} == GATES


@pytest.mark.parametrize("role", ["app", "boss"])
def test_without_verdicts_a_memory_passes_no_gate(
    request: pytest.FixtureRequest, stage: Stage, standing: Any, role: str
) -> None:
    link = request.getfixturevalue(role)
    ungated = {pair for pair in FORWARD if not gates_of(*pair)}
    backward = {pair for pair in MEMORY.moves if pair not in FORWARD}
    with rolled_back(link, stage.alpha.dev.acting):
        assert moves_of(link, MEMORY, standing) == expected(MEMORY, ungated | backward)


@pytest.mark.parametrize("role", ["app", "boss"])
def test_with_every_verdict_a_memory_moves_along_the_design_and_jumps_forward(
    request: pytest.FixtureRequest, stage: Stage, standing: Any, role: str
) -> None:
    link = request.getfixturevalue(role)
    with rolled_back(link, stage.alpha.dev.acting):
        for memory in standing[MEMORY.table].values():
            give(link, stage, memory, EVERY_GATE)
        assert moves_of(link, MEMORY, standing) == expected(MEMORY, MEMORY.moves | set(FORWARD))


@pytest.mark.parametrize("pair", [pair for pair in FORWARD if gates_of(*pair)], ids="-".join)
def test_a_jump_needs_each_of_its_gates(
    stage: Stage, standing: Any, app: psycopg.Connection, pair: tuple[str, str]
) -> None:
    here, there = pair
    memory = standing[MEMORY.table][here]
    heard = {}
    for missing in [None, *gates_of(here, there)]:
        with rolled_back(app, stage.alpha.dev.acting):
            give(app, stage, memory, [gate for gate in gates_of(here, there) if gate != missing])
            heard[missing] = tried(app, MEMORY, memory, there)
    assert heard == {None: None} | dict.fromkeys(gates_of(here, there), REFUSED)


def test_a_verdict_that_refuses_opens_no_gate(stage: Stage, standing: Any, app: psycopg.Connection) -> None:
    memory = standing[MEMORY.table]["screened"]
    with rolled_back(app, stage.alpha.dev.acting):
        give(app, stage, memory, ["evidence"], passed=False)
        assert tried(app, MEMORY, memory, "evidence_checked") == REFUSED


def test_a_verdict_on_another_memory_opens_no_gate(stage: Stage, standing: Any, app: psycopg.Connection) -> None:
    rows = standing[MEMORY.table]
    with rolled_back(app, stage.alpha.dev.acting):
        give(app, stage, rows["candidate"], ["evidence"])
        assert tried(app, MEMORY, rows["screened"], "evidence_checked") == REFUSED


@pytest.mark.parametrize("state", ["merged", "split"])
def test_a_thread_is_not_merged_or_split_by_a_change_of_state(stage: Stage, state: str) -> None:
    path = f"/threads/{stage.ours.thread.public_id}"
    answer = stage.alpha.dev.client().call("PATCH", path, {"state": state}, If_Match="*")
    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")
