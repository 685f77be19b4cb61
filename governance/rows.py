"""Rows of a model by a fixed condition: for the few reads that stand in every request.

Building a query from its parts costs several times what the database needs to answer it. A condition here is a
literal of ours, with %s for each value; nothing of a caller's is ever part of it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NoReturn

import orjson
import psycopg
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import JSONField, Model
from django.db.models.base import ModelState
from psycopg.pq import Format


def first[M: Model](model: type[M], condition: str, *values: Any) -> M | None:
    """Return the first row that fulfils the condition, or None."""
    found = all_of(model, f"{condition} LIMIT 1", *values)
    return found[0] if found else None


def all_of[M: Model](model: type[M], condition: str, *values: Any) -> list[M]:
    """Return the rows that fulfil the condition, which may go on with ORDER BY and LIMIT."""
    return [made(model, row) for row in fetch(_selection(model) + condition, values)]


def fetch(statement: str, values: Sequence[Any] | Mapping[str, Any], *, binary: bool = False) -> list[tuple[Any, ...]]:
    """Return the rows of a fixed statement, which each connection plans a few times and then remembers.

    Only for statements whose best plan does not depend on their values: lookups by id or by an index. `binary` rows
    are read faster where they are many and hold arrays or moments; JSON in them comes as what it means.
    """
    with _preparing(binary=binary) as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


type Blame = Callable[[DatabaseError], Exception]
# What was sent and not yet answered, in order, each with what its failure is to be called.
_flight: ContextVar[list[tuple[psycopg.Cursor, Blame]] | None] = ContextVar("greywind_flight", default=None)


def as_it_is(fault: DatabaseError) -> Exception:
    """Blame nobody: the database's own error goes on."""
    return fault


def send(statement: str, values: Sequence[Any] | Mapping[str, Any], *, blame: Blame = as_it_is) -> None:
    """Run a fixed statement that returns nothing; it is remembered as in `fetch`.

    Where the database refuses it, what `blame` makes of the error is raised.
    """
    flight = _flight.get()
    with _preparing() as cursor:
        if flight is not None:
            flight.append((cursor.cursor, blame))
            cursor.execute(statement, values)
            return
        try:
            cursor.execute(statement, values)
        except DatabaseError as fault:
            _raise(blame(fault), fault)


@contextmanager
def together() -> Iterator[None]:
    """Send what `send` and `insert` are given without waiting for each answer; the end waits for all of them.

    Nothing in between may ask how many rows it changed. A refusal of the database comes out at the end.
    """
    connection.ensure_connection()
    flight: list[tuple[psycopg.Cursor, Blame]] = []
    token = _flight.set(flight)
    try:
        with connection.wrap_database_errors, connection.connection.pipeline():
            yield
    except DatabaseError as fault:
        # What was sent before the culprit has its answer; the culprit and what came after it have none.
        blame = next((blame for cursor, blame in flight if cursor.pgresult is None), as_it_is)
        _raise(blame(fault), fault)
    finally:
        _flight.reset(token)


def _raise(error: Exception, fault: DatabaseError) -> NoReturn:
    if error is fault:
        raise fault
    raise error from fault


def _preparing(*, binary: bool = False) -> CursorWrapper:
    link = connections[DEFAULT_DB_ALIAS]  # looked up once, for each look takes a while
    link.ensure_connection()
    with link.wrap_database_errors:
        own: Any = psycopg.Cursor(link.connection)  # what Django wraps, whatever its stubs say
    own.format = Format.BINARY if binary else Format.TEXT
    return link.make_debug_cursor(own) if link.queries_logged else link.make_cursor(own)


@cache
def _selection(model: type[Model]) -> str:
    return f"SELECT {columns(model)} FROM {model._meta.db_table} WHERE "  # noqa: S608, SLF001 - names from the model


def on_one_line(statement: str) -> str:
    """Return a statement without the white space that makes it readable; it must hold no comment and no such text.

    The driver remembers how it reads a statement, up to 4,096 characters of it; a longer one it takes apart each time.
    """
    return " ".join(statement.split())


def array_text(items: Iterable[str]) -> str:
    """Return an array as PostgreSQL reads it, of items that need no escaping: numbers, or what is quoted already.

    For long arrays of which each item would else be looked at for what it may need.
    """
    return "{" + ",".join(items) + "}"


def text_array(texts: Iterable[str]) -> str:
    """Return an array of any texts as PostgreSQL reads it; several times faster than the driver's way for lists."""
    return array_text(['"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts])


def insert(*rows: Model) -> None:
    """Store new rows of one model as they are, in one statement; JSON goes out in its shortest form."""
    if not rows:
        return
    meta = rows[0]._meta  # noqa: SLF001 - Django documents it as the interface to a model's fields
    values = [_outgoing(field, getattr(row, field.attname)) for row in rows for field in meta.concrete_fields]
    send(_insertion(type(rows[0]), len(rows)), values)


def _outgoing(field: Any, value: Any) -> Any:
    return json_text(value) if isinstance(field, JSONField) and value is not None else value


def json_text(value: Any) -> str:
    """Return a JSON value as text."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # an integer beyond 64 bits, which only the slower writer knows
        return json.dumps(value, ensure_ascii=False, allow_nan=False)


@cache
def _insertion(model: type[Model], count: int) -> str:
    meta = model._meta  # noqa: SLF001 - as above
    names = [str(field.column) for field in meta.concrete_fields]
    row = f"({', '.join(['%s'] * len(names))})"
    values = ", ".join([row] * count)
    return f'INSERT INTO {meta.db_table} ("{'", "'.join(names)}") VALUES {values}'  # noqa: S608 - names from the model


@cache
def columns(model: type[Model]) -> str:
    """Return the select list that `made` takes: all columns of the model, by the name of its table."""
    meta = model._meta  # noqa: SLF001 - Django documents it as the interface to a model's fields
    return ", ".join(f'{meta.db_table}."{field.column}"' for field in meta.concrete_fields)


def made[M: Model](model: type[M], row: tuple[Any, ...]) -> M:
    """Return the instance of a row that begins with `columns(model)`, as the ORM would load it."""
    names, converters = _loading(model)
    values = list(row[: len(names)])
    for place, convert in converters:
        values[place] = convert(values[place], None, connection)
    return holding(model, dict(zip(names, values, strict=True)))


def holding[M: Model](model: type[M], values: Mapping[str, Any]) -> M:
    """Return an instance of a stored row that holds these values, by attribute; any other is read when it is asked for.

    As the ORM does it for deferred fields, without going through all fields of the model first, which on the way
    of each request is most of the work.
    """
    row = model.__new__(model)
    state = ModelState()
    state.adding, state.db = False, DEFAULT_DB_ALIAS
    row.__dict__.update(values, _state=state)
    return row


@cache
def _loading(model: type[Model]) -> tuple[list[str], list[tuple[int, Any]]]:
    fields = model._meta.concrete_fields  # noqa: SLF001 - as above
    converters = [(n, field.from_db_value) for n, field in enumerate(fields) if hasattr(field, "from_db_value")]
    return [field.attname for field in fields], converters
