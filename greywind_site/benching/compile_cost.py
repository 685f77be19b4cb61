"""What a request costs the database, without a clock: the pages that it touches, and the plans of its statements."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import Any

import psycopg

from greywind_site.benching.compile_bare import Call, Work, apart, ask_again, begins

REPEATS = 15
# What this transaction has asked the buffers for, triggers and functions and all: EXPLAIN does not see into those.
TOUCHED = "SELECT coalesce(sum(pg_stat_get_xact_blocks_fetched(oid)), 0)::integer FROM pg_class"
TOLD_OF_A_NODE = ("Node Type", "Relation Name", "Index Name", "Join Type", "Parent Relationship", "Subplan Name")


class Touched:
    """Counts the pages that the transactions of a connection touch."""

    def __init__(self, link: psycopg.Connection[Any]) -> None:
        self._link, self.pages = link, 0
        with link.transaction():
            before = self._read()
            self._counting = self._read() - before

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Count what is touched within the block, and not what the counting touches."""
        before = self._read()
        yield
        self.pages += self._read() - before - self._counting

    def _read(self) -> int:
        row = self._link.execute(TOUCHED).fetchone()
        return int(row[0]) if row else 0


def pages_of(link: psycopg.Connection[Any], work: Work) -> int:
    """Return how many pages one request touches inside its transactions: the median of a few."""
    inside = replace(work, transactions=[calls for calls in apart(work).transactions if begins(calls[0])])
    counted = []
    for _ in range(REPEATS):
        touched = Touched(link)
        ask_again(link, inside, touched)
        counted.append(touched.pages)
    return round(median(counted))


def plans_of(link: psycopg.Connection[Any], work: Work) -> dict[str, str]:
    """Return for each statement the hash of its plan's shape: nodes, tables, indexes, and neither costs nor values."""
    plans: dict[str, str] = {}
    with link.transaction(force_rollback=True):
        for calls in apart(work).transactions:
            _enter(link, calls)
            plans |= {_name(place, call): _plan(link, call) for place, call in enumerate(calls) if not begins(call)}
    return plans


def _enter(link: psycopg.Connection[Any], calls: Sequence[Call]) -> None:
    if begins(calls[0]):
        with psycopg.ClientCursor(link) as cursor:
            cursor.execute(calls[0].statement.partition(";")[2], calls[0].values)


def _plan(link: psycopg.Connection[Any], call: Call) -> str:
    with psycopg.ClientCursor(link) as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON, COSTS OFF) {call.statement}", call.values)
        row = cursor.fetchone()
    told = row[0] if row else "[]"
    shape = list(_nodes(json.loads(told) if isinstance(told, str) else told))
    return hashlib.sha256(json.dumps(shape).encode()).hexdigest()[:12]


def _nodes(told: Any) -> Iterator[Any]:
    match told:
        case list():
            for one in told:
                yield from _nodes(one)
        case dict():
            yield {name: told[name] for name in TOLD_OF_A_NODE if name in told}
            for one in told.values():
                yield from _nodes(one)


def _name(place: int, call: Call) -> str:
    """Return what a statement is called in the report: its verb, and the first table that it names."""
    words = call.statement.replace("(", " ").split()
    tables = [word.strip('",;') for word in words if word.strip('",;').split(".")[0].startswith(_APPS)]
    return f"{place} {words[0].lower()} {tables[0].split('.')[0] if tables else words[-1]}"


_APPS = ("governance_", "threads_", "memories_", "agent_sessions_", "find_passages", "auth_key")
