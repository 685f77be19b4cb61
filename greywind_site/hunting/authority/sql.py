"""Statements around every verb: what the database itself says to the application role, each taken back at once."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, connection, transaction
from psycopg.types.json import Jsonb

from governance.actors import Acting
from governance.ids import new_id
from governance.scope import ENTER

# Refused by a rule, by row-level security, or because the row that it hangs on is not there for this reader.
REFUSALS = frozenset({"GW001", "GW002", "GW005", "GW006", "42501", "23503", "23505"})
DECIDE = (
    "INSERT INTO governance_decision (id, project_id, created_at, proposal_id, version, base_id, seen_hash, verb,"
    " reason_code, text, decider_id, self_approved) VALUES (%s, %s, now(), %s, %s, %s, %s, %s, '', '', %s, %s)"
)
WRITE = (
    "INSERT INTO governance_proposaltext (id, project_id, created_at, proposal_id, version, base_id, body, body_hash,"
    " title, rationale, risk, level, author_id) VALUES (%s, %s, now(), %s, %s, %s, %s, %s, 't', '', %s, %s, %s)"
)
SAY = (
    "INSERT INTO governance_comment (id, project_id, created_at, proposal_id, version, author_id, text)"
    " VALUES (%s, %s, now(), %s, %s, %s, 'so')"
)
MOVE = "UPDATE governance_proposal SET state = %s WHERE id = %s"
READ = "SELECT id FROM threads_thread WHERE id = %s"
CHANGE = "UPDATE threads_thread SET title = 'changed' WHERE id = %s"
PLACE = "UPDATE threads_thread SET audience = %s, audience_role = %s, owner_id = %s WHERE id = %s"


@dataclass(frozen=True, slots=True)
class Stood:
    """What a decision refers to: version, base and hash of what was seen."""

    version: int
    base: uuid.UUID | None
    seen_hash: str


def enter(acting: Acting | None) -> None:
    """Set the scope by hand, or leave it, in the transaction that is open."""
    values = ["", "", ""]
    if acting is not None:
        values = [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)]
    with connection.cursor() as cursor:
        cursor.execute(ENTER, values)


def taken(*statements: tuple[str, Sequence[Any]]) -> bool:
    """Run statements in a savepoint and take them back; returns whether each was accepted and met a row.

    Raises the database's error where it refuses for another reason than a rule.
    """
    met = True
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement, values in statements:
                cursor.execute(statement, values)
                met = met and cursor.rowcount == 1
            transaction.set_rollback(True)
    except DatabaseError as fault:
        if getattr(fault.__cause__, "sqlstate", None) not in REFUSALS:
            raise
        return False
    return met


def decision(acting: Acting, proposal: uuid.UUID, stood: Stood, *, verb: str, word: bool) -> tuple[str, Sequence[Any]]:
    """Return the row of a decision."""
    seen = [proposal, stood.version, stood.base, stood.seen_hash]
    return DECIDE, [new_id(), acting.project_id, *seen, verb, acting.actor_id, word]


def text(
    acting: Acting, proposal: uuid.UUID, stood: Stood, *, body: Any, body_hash: str, weight: tuple[str, str]
) -> tuple[str, Sequence[Any]]:
    """Return the row of a proposal's next text, whose risk and level are `weight`."""
    place = [new_id(), acting.project_id, proposal, stood.version + 1, stood.base]
    return WRITE, [*place, Jsonb(body), body_hash, *weight, acting.actor_id]
