"""What POST /context asks of the database: few statements, and as many for much as for little."""

import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg._queries import MAX_CACHED_STATEMENT_LENGTH

from governance.scope import COMMIT, project_scope
from greywind_site.benching.compile_bare import captured
from memories.vocabulary import MemoryKind, MemoryType
from memories.writes import MemoryWish, admit, propose
from tests.api.asking import append, ask, event, make_thread, ok, open_session
from tests.cast import Api, Cast, at

CONTROL = re.compile(
    r"\s*(?:QUERY = ')?(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET |SELECT set_config)", re.IGNORECASE
)
MOST, MOST_GATHER_AND_RECORD = 25, 12
MOST_WAITS = 10
OTHER = {"harness": "codex", "id": "x"}


def statements(api: Api, body: dict[str, object]) -> list[tuple[int, str]]:
    """Return what one call asks, as (number of its transaction, SQL), without the control of transactions."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        ok(api.post("/context", body))
    found, transaction = [], 0
    for query in captured.captured_queries:
        transaction += query["sql"].upper().startswith(("BEGIN", "COMMIT;BEGIN"))
        if not CONTROL.match(query["sql"]):
            found.append((transaction, query["sql"]))
    return found


def gather_and_record(found: list[tuple[int, str]]) -> int:
    """Return how many statements a call took from the first read of its material on; those before found the window."""
    first = next(place for place, (_, text) in enumerate(found) if "FROM governance_project" in text)
    return len(found) - first


def learn(cast: Cast, count: int) -> None:
    with project_scope(cast.owner.acting):
        for n in range(count):
            # By names, not by numbers: two numbers for one thing would dispute each other.
            name = "".join("bcdfghjklm"[int(digit)] + "a" for digit in f"{n:03}")
            content = f"Keep the comments of the {name} parser."
            wish = MemoryWish(content=content, type=MemoryType.SEMANTIC, kind=MemoryKind.LESSON)
            admit(cast.owner.acting, propose(cast.owner.acting, wish, now=at(9)), reason="test", now=at(9))


def lived_in(cast: Cast, *, events: int, memories: int, tasks: int) -> str:
    """Return a session with that much around it."""
    api = cast.dev.client()
    thread = make_thread(api)
    session = open_session(api, thread)
    for n in range(tasks):
        ok(api.post("/tasks", {"thread_id": thread, "title": f"task {n}"}))
    append(api, session, *[event(f"turn {n} of the parser", f"e{n}", attested=n == 0) for n in range(events)])
    append(api, session, *[event(f"Demand {n}.", f"c{n}", kind="constraint", attested=True) for n in range(tasks)])
    learn(cast, memories)
    ok(api.post("/context", ask("keep the comments of the parser", session_id=session)))
    return session


def everything_named(cast: Cast) -> dict[str, object]:
    """Return a request that names all that a request can name, on an interrupted session of a task."""
    api = cast.dev.client()
    thread = make_thread(api, bindings=[{"channel": "c"}])
    task = ok(api.post("/tasks", {"thread_id": thread, "title": "lexer"}))["id"]
    session = open_session(api, thread, task_id=task)
    append(api, session, event("keep the comments", attested=True))
    ok(api.post(f"/sessions/{session}/interrupt", {}))
    named = {"thread_id": thread, "session_id": session, "task_id": task, "binding": {"channel": "c"}}
    more = {"provider_session": OTHER, "budget": {"profile": "claude-sonnet@claude-code"}}
    return ask("keep the comments", on_behalf_of=cast.owner.actor.public_id, **named, **more)


@pytest.mark.parametrize("way", ["new", "continued", "held", "taken up", "everything named"])
def test_a_call_asks_few_statements(cast: Cast, way: str) -> None:
    session = lived_in(cast, events=5, memories=1, tasks=1)
    body = {
        "new": lambda: ask("an entirely different matter: bake bread"),
        "continued": lambda: ask("keep the comments of the parser", session_id=session),
        "held": lambda: ask("keep the comments of the parser", session_id=session, have={"transcript": True}),
        "taken up": lambda: ask("keep the comments", session_id=session, provider_session=OTHER),
        "everything named": lambda: everything_named(cast),
    }[way]()
    found = statements(cast.dev.client(), body)
    listed = "\n".join(f"{number} {sql[:150]}" for number, sql in found)
    assert len(found) <= MOST, listed
    assert gather_and_record(found) <= MOST_GATHER_AND_RECORD, listed


def test_the_driver_remembers_how_it_reads_each_statement(cast: Cast) -> None:
    session = lived_in(cast, events=1, memories=1, tasks=1)
    client = cast.dev.client()
    asked = captured(lambda: ok(client.post("/context", ask("keep the comments", session_id=session))))
    assert {call.statement[:60] for call in asked.calls if len(call.statement) > MAX_CACHED_STATEMENT_LENGTH} == set()


def test_a_request_in_a_running_session_waits_for_the_database_ten_times(cast: Cast) -> None:
    session = lived_in(cast, events=1, memories=1, tasks=1)
    client = cast.dev.client()
    asked = captured(lambda: ok(client.post("/context", ask("keep the comments", session_id=session))))
    calls = [call for calls in asked.transactions for call in calls]
    assert calls[-1].statement == COMMIT
    assert all(call.piped for call in asked.transactions[-1][1:])
    waits = sum(not call.piped for call in calls) + 1  # what is sent together is waited for once, commit and all
    assert waits == MOST_WAITS, [call.statement[:60] for call in calls]


def apart(found: list[tuple[int, str]]) -> tuple[Counter[int], int]:
    """Return how many statements each transaction took, without those that ask for a summary, and how many did that."""
    rest = [number for number, sql in found if "governance_job" not in sql]
    return Counter(rest), len(found) - len(rest)


def test_much_asks_as_many_statements_as_little(cast: Cast) -> None:
    body = ask("keep the comments of the parser")
    little = statements(cast.dev.client(), body | {"session_id": lived_in(cast, events=5, memories=1, tasks=1)})
    much = statements(cast.dev.client(), body | {"session_id": lived_in(cast, events=300, memories=50, tasks=20)})
    # Much is past the threshold at which a packet asks for a summary, which is one statement however much it is.
    (usual, unasked), (same, asked) = apart(little), apart(much)
    assert (same, unasked, asked) == (usual, 0, 1)
    assert (len(much) <= MOST, gather_and_record(much) <= MOST_GATHER_AND_RECORD) == (True, True)
