"""Short ways to say what the API's tests keep saying."""

from typing import Any

import psycopg
import tiktoken
from django.db import connection
from psycopg import sql

from tests.cast import Api, Member
from tests.databases import owner_link

GOAL = "build the parser for the config file"
NOBODY = "0" * 32


def ask(text: str = GOAL, **more: Any) -> dict[str, Any]:
    """Return the body of a request for context."""
    return {"user_input": {"raw_text": text}, **more}


def compiled(member: Member | Api, text: str = GOAL, **more: Any) -> dict[str, Any]:
    """Return the answer to a request for context that must succeed."""
    return ok(api_of(member).post("/context", ask(text, **more)))


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """Return the problem of an answer that must be this refusal."""
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code), answer.content
    return problem


def ok(answer: Any) -> dict[str, Any]:
    """Return the body of an answer that must be a success."""
    assert answer.status_code in (200, 201), answer.content
    body: dict[str, Any] = answer.json()
    return body


def make_thread(member: Member | Api, title: str = "config parser", **more: Any) -> str:
    """Make a thread over the API and return its id."""
    return str(ok(api_of(member).post("/threads", {"title": title, **more}))["id"])


def open_session(member: Member | Api, thread: str, **more: Any) -> str:
    """Open a session over the API and return its id."""
    return str(ok(api_of(member).post("/sessions", {"thread_id": thread, **more}))["id"])


def event(text: str, client_id: str = "e1", **more: Any) -> dict[str, Any]:
    """Return an entry of a transcript as it is sent."""
    return {"client_id": client_id, "role": "user", "text": text, **more}


def append(member: Member | Api, session: str, *events: dict[str, Any]) -> dict[str, Any]:
    """Append entries to a session and return the answer."""
    return ok(api_of(member).post(f"/sessions/{session}/events", {"events": list(events)}))


def api_of(who: Member | Api) -> Api:
    """Return the client of a member, or the client itself."""
    return who if isinstance(who, Api) else who.client()


def layer(body: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what a compile reports of one layer."""
    return next(row for row in body["budget"]["layers"] if row["layer"] == name)


def tokens(text: str) -> int:
    """Count a text as a model's own tokeniser does."""
    return len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def row_counts(link: psycopg.Connection | None = None) -> dict[str, int]:
    """Return the number of rows of every table, seen past row-level security."""
    if link is None:
        with owner_link(connection.settings_dict["NAME"]) as fresh:
            return row_counts(fresh)
    tables = [row[0] for row in link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    each = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {}, count(*) FROM {}").format(sql.Literal(name), sql.Identifier(name)) for name in tables
    )
    return {str(name): int(count) for name, count in link.execute(each)}


def grown(before: dict[str, int]) -> dict[str, int]:
    """Return by how many rows each table grew since `before`; tables that did not are left out."""
    return {name: count - before[name] for name, count in row_counts().items() if count != before[name]}
