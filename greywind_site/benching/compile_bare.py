"""The floor of one request: what it asks of the database, captured once and asked again by the bare driver."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import psycopg
from django.db import connection
from django.utils import timezone
from psycopg.pq import PipelineStatus, TransactionStatus

from governance.ids import new_id
from governance.scope import COMMIT

BEGIN = "BEGIN"
PRESENT = timedelta(seconds=30)  # so near to a request a moment is its own: now, or a little before


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One statement as it went out. `bound_here` is one whose values the driver wrote into its text, `piped` one
    whose answer was not waited for; `rows` and `size` are of what came back.
    """

    statement: str
    values: Any
    bound_here: bool
    piped: bool
    rows: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """All statements of one request by transaction; one alone may stand outside of any.

    `minted` are the ids that the request made: they have to be others each time. `at` is when it was made: what it says
    of that moment is said of the present one.
    """

    transactions: Sequence[Sequence[Call]]
    minted: frozenset[uuid.UUID]
    at: datetime

    @property
    def calls(self) -> list[Call]:
        """All statements but what begins or ends a transaction, in order."""
        return [call for calls in self.transactions for call in calls if not (begins(call) or call.statement == COMMIT)]


def begins(call: Call) -> bool:
    """Return whether a statement begins a transaction; it may end the one before in the same breath."""
    return call.statement.startswith((BEGIN, COMMIT + ";"))


def apart(work: Work) -> Work:
    """Return the same work with no end of a transaction sent along with anything else."""
    return replace(work, transactions=[[*_without_end(calls)] for calls in work.transactions])


def _without_end(calls: Sequence[Call]) -> Iterator[Call]:
    for call in calls:
        if call.statement != COMMIT:
            yield replace(call, statement=call.statement.removeprefix(f"{COMMIT};"))


@dataclass(slots=True)
class _Heard:
    """What is heard while a request is answered."""

    transactions: list[list[Call]] = field(default_factory=list)
    inside: bool = False

    def __call__(self, execute: Callable[..., Any], *asked: Any) -> Any:
        sql, params, _many, context = asked
        inside, raw = connection.in_atomic_block, context["cursor"].cursor
        answer = execute(*asked)
        piped = connection.connection.pgconn.pipeline_status != PipelineStatus.OFF
        call = Call(
            statement=str(sql),
            values=params,
            bound_here=isinstance(raw, psycopg.ClientCursor),
            piped=piped,
            rows=0 if piped else raw.rowcount,
            size=0 if piped else size_of(raw),
        )
        if begins(call) or not (inside and self.inside):
            self.transactions.append([])
        self.inside = inside
        self.transactions[-1].append(call)
        return answer


def captured(request: Callable[[], object]) -> Work:
    """Return what a request that this process answers asks of the database."""
    heard, since, now = _Heard(), new_id(), timezone.now()
    with connection.execute_wrapper(heard):
        request()
    values = [value for calls in heard.transactions for call in calls for value in _values(call)]
    minted = {value for value in values if isinstance(value, uuid.UUID) and value.version == since.version}
    return Work(transactions=heard.transactions, minted=frozenset(value for value in minted if value > since), at=now)


@contextmanager
def bare_link() -> Iterator[psycopg.Connection[Any]]:
    """A connection of the application role that is set up as the product's own are, without Django around it."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as link:
        yield link


def ask_again(link: psycopg.Connection[Any], work: Work, around: Callable[[], Any] = nullcontext) -> Work:
    """Ask all of it again and commit; `around` is entered in each transaction. Returns the work with what came back."""
    others: dict[Any, Any] = {one: new_id() for one in work.minted}
    others |= {moment: moment + (timezone.now() - work.at) for moment in _moments(work)}
    done = []
    for calls in work.transactions:
        first, rest = (calls[0], calls[1:]) if begins(calls[0]) else (None, calls)
        if first is None or not first.statement.startswith(COMMIT):
            _end(link)
        if first is not None:
            _ask(link, first, others)
        with around():
            done.append([*([first] if first else []), *_ask_all(link, rest, others)])
    _end(link)
    return replace(work, transactions=done)


def _end(link: psycopg.Connection[Any]) -> None:
    if link.info.transaction_status != TransactionStatus.IDLE:
        link.execute(COMMIT)


def _moments(work: Work) -> set[datetime]:
    found = [value for calls in work.transactions for call in calls for value in _values(call)]
    return {value for value in found if isinstance(value, datetime) and abs(value - work.at) < PRESENT}


def _ask_all(link: psycopg.Connection[Any], calls: Sequence[Call], others: Mapping[Any, Any]) -> Iterator[Call]:
    for piped, run in groupby(calls, key=lambda call: call.piped):
        with link.pipeline() if piped else nullcontext():
            yield from [_ask(link, call, others) for call in run]


def _ask(link: psycopg.Connection[Any], call: Call, others: Mapping[Any, Any]) -> Call:
    kind: Any = psycopg.ClientCursor if call.bound_here else psycopg.Cursor
    with kind(link) as cursor:
        cursor.execute(call.statement, fresh(call.values, others))
        if call.piped:
            return call
        rows, size = cursor.rowcount, size_of(cursor)
        if cursor.description is not None:
            cursor.fetchall()
        return replace(call, rows=rows, size=size)


def fresh(values: Any, others: Mapping[Any, Any]) -> Any:
    """Return a statement's values with the ids and moments that have to be others."""
    if isinstance(values, Mapping):
        return {name: _other(value, others) for name, value in values.items()}
    return None if values is None else [_other(value, others) for value in values]


def _other(value: Any, others: Mapping[Any, Any]) -> Any:
    return others.get(value, value) if isinstance(value, uuid.UUID | datetime) else value


def _values(call: Call) -> Iterator[Any]:
    if call.values is not None:
        yield from call.values.values() if isinstance(call.values, Mapping) else call.values


def size_of(cursor: Any) -> int:
    """Return the bytes of an answer's values."""
    result = cursor.pgresult
    if result is None:
        return 0
    return sum(
        len(result.get_value(row, place) or b"") for row in range(result.ntuples) for place in range(result.nfields)
    )
