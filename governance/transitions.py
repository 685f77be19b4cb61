"""Moving a row along its state machine: check the table, change the row only from there, and record."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet

from governance.audit import told
from governance.errors import Clash
from governance.models.base import ProjectRow
from governance.scope import record

type Table[S: StrEnum] = Mapping[S, frozenset[S]]


def check_move[S: StrEnum](table: Table[S], here: S, there: S) -> None:
    """Raise Clash (invalid_transition) unless the table lets `here` become `there`."""
    if there not in table.get(here, frozenset()):
        allowed = ", ".join(sorted(table.get(here, frozenset()))) or "nothing: it is an end"
        message = f"{here} cannot become {there}; from {here} it may become {allowed}"
        raise Clash.at("/state", message, code="invalid_transition")


def advance[S: StrEnum](
    row: ProjectRow, there: S, *, table: Table[S], verb: str, reason: str, column: str = "state", **also: Any
) -> None:
    """Move `row` to `there` in the open scope, set the `also` columns with it, and record it.

    Raises Clash when the table refuses, or when somebody else moved the row first.
    """
    here = type(there)(getattr(row, column))
    check_move(table, here, there)
    moved = QuerySet(type(row)).filter(pk=row.pk, **{column: here}).update(**{column: there, **also})
    if moved != 1:
        raise Clash.at("/state", f"it is no longer {here}; read it again", code="moved_meanwhile")
    setattr(row, column, there)
    for name, value in also.items():
        setattr(row, name, value)
    record(verb, row.public_id, reason=told(reason, row), before=here, after=there)
