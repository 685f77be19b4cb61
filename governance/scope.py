"""The only way into a project's rows: a transaction that says whose they are, and ends with its ledger entries."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, DataError, IntegrityError, connection, transaction

from governance.actors import Acting
from governance.ids import new_id
from governance.rows import send

BEGIN = "BEGIN;"
BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
ENTER = (
    "SELECT set_config('greywind.project', %s, true), set_config('greywind.actor', %s, true),"
    " set_config('greywind.roles', %s, true)"
)
LEDGER_COLUMNS = (
    "id, project_id, seq, at, actor, on_behalf_of, verb, target, reason, before, after, trace, detail, prev, hash"
)
LEDGER_ROW = "(%s, %s, 0, now(), %s, %s, %s, %s, %s, %s, %s, %s, %s, '', '')"


# A connection that is gone, and what the ledger's own trigger refuses: neither says that it cannot be written.
ANOTHER_MATTER = ("08", "57P", "GW")
log = structlog.get_logger("greywind.ledger")


class LedgerUnwritable(DatabaseError):
    """An entry could not be written, so that nothing may be released: whatever it was about is rolled back with it."""


@dataclass(slots=True)
class Scope:
    """An open scope: who acts, and the ledger entries that will be written before it commits."""

    acting: Acting
    entries: list[tuple[Any, ...]] = field(default_factory=list)


_open: ContextVar[Scope | None] = ContextVar("greywind_scope", default=None)


@contextmanager
def project_scope(acting: Acting, *, read_only: bool = False) -> Iterator[Scope]:
    """Run one transaction that sees and changes only what `acting` may.

    A scope inside a scope of the same actor and roles joins it; inside any other it is an error, because the two
    would read each other's rows. `read_only` gives one snapshot for all reads. Ledger entries are written last:
    the head of the chain stays locked until commit, so it is locked as late as possible.
    """
    outer = _open.get()
    if outer is not None:
        if _reach(outer.acting) != _reach(acting):
            raise RuntimeError("a scope of another actor, or of other roles, is open; leave it first")
        yield outer
        return
    scope = Scope(acting)
    nested = connection.in_atomic_block
    with transaction.atomic():
        _enter(acting, begin="" if nested else BEGIN_SNAPSHOT if read_only else BEGIN)
        token = _open.set(scope)
        try:
            yield scope
            _write_ledger(scope)
        finally:
            _open.reset(token)
        if nested:
            # A savepoint does not end the settings' lifetime: leave nothing behind for what follows it.
            _set("", "", "")


def record(
    verb: str,
    target: str,
    *,
    reason: str = "",
    before: str = "",
    after: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add one ledger entry to the open scope.

    `before` and `after` are keyed hashes (governance.audit.fingerprint); `detail` holds ids, counts and hashes only.
    Raises RuntimeError outside a scope: a mutation without a record must not be possible.
    """
    scope = _open.get()
    if scope is None:
        raise RuntimeError(f"{verb}: no scope is open to record it in")
    acting = scope.acting
    behalf = str(acting.on_behalf_of or "")
    canonical = json.dumps(detail or {}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    scope.entries.append(
        (
            new_id(),
            acting.project_id,
            acting.public_id,
            behalf,
            verb,
            target,
            reason[:500],
            before,
            after,
            acting.trace_id,
            canonical,
        )
    )


def project_here() -> UUID:
    """Return the project of the open scope; raises RuntimeError outside of one."""
    scope = _open.get()
    if scope is None:
        raise RuntimeError("no scope is open; enter the project_scope of whoever acts")
    return scope.acting.project_id


def write_ledger() -> None:
    """Write the open scope's ledger entries now, where a caller can send them along with its last rows.

    Raises RuntimeError outside a scope. What is recorded afterwards is written at the scope's end, as always.
    """
    scope = _open.get()
    if scope is None:
        raise RuntimeError("no scope is open, so there is nothing to write")
    _write_ledger(scope)


def _reach(acting: Acting) -> tuple[Any, ...]:
    return acting.project_id, acting.actor_id, acting.roles


def _enter(acting: Acting, *, begin: str) -> None:
    values = [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)]
    with connection.cursor() as cursor:
        if begin:
            # The driver would begin in a round trip of its own; ours begins and sets the scope in one. Commit and
            # rollback stay Django's: both look at whether a transaction is open, not at who opened it.
            connection.connection.autocommit = True
        cursor.execute(begin + ENTER, values)


def _set(project: str, actor: str, roles: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ENTER, [project, actor, roles])


def _write_ledger(scope: Scope) -> None:
    if not scope.entries:
        return
    rows = ", ".join([LEDGER_ROW] * len(scope.entries))
    values = [value for entry in scope.entries for value in entry]
    send(f"INSERT INTO governance_auditevent ({LEDGER_COLUMNS}) VALUES {rows}", values, blame=_unwritable)
    scope.entries.clear()


def _unwritable(fault: DatabaseError) -> Exception:
    """Return LedgerUnwritable, or the fault itself where it is one of the connection or a mistake in the entry."""
    state = getattr(fault.__cause__, "sqlstate", None)
    if state is None or state.startswith(ANOTHER_MATTER) or isinstance(fault, IntegrityError | DataError):
        return fault
    log.error("ledger_unwritable", sqlstate=state)
    return LedgerUnwritable("the ledger cannot be written")
