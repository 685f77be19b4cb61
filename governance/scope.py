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
COMMIT = "COMMIT"
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
    """An open scope: who acts, and the ledger entries that will be written before it commits.

    `own` says that its transaction begins and ends with it, `snapshot` that this one only reads.
    """

    acting: Acting
    own: bool
    snapshot: bool
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
    nested = connection.in_atomic_block
    scope = Scope(acting, own=not nested, snapshot=read_only and not nested)
    with transaction.atomic():
        if nested:
            _set(acting)
        else:
            _begin(acting, BEGIN_SNAPSHOT if read_only else BEGIN)
        token = _open.set(scope)
        try:
            yield scope
            _write_ledger(scope)
        finally:
            _open.reset(token)
        if nested:
            # A savepoint does not end the settings' lifetime: leave nothing behind for what follows it.
            _unset()


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
    return _here().acting.project_id


def _here() -> Scope:
    scope = _open.get()
    if scope is None:
        raise RuntimeError("no scope is open; enter the project_scope of whoever acts")
    return scope


def go_on_writing() -> None:
    """End the snapshot of the open scope, and let it go on in a transaction that may write; one round trip for both.

    For who reads all it needs and then stores what came of it. A scope that may write already goes on as it is.
    """
    scope = _here()
    if scope.snapshot:
        _set(scope.acting, before=f"{COMMIT};{BEGIN}")
        scope.snapshot = False


def conclude() -> None:
    """Write the open scope's ledger entries and end its transaction, where a caller can send both with its last rows.

    Nothing may follow in the scope but its end. Where the transaction is not the scope's own, it goes on.
    """
    scope = _here()
    _write_ledger(scope)
    if scope.own:
        send(COMMIT, ())


def _reach(acting: Acting) -> tuple[Any, ...]:
    return acting.project_id, acting.actor_id, acting.roles


def _begin(acting: Acting, begin: str) -> None:
    # The driver would begin in a round trip of its own; ours begins and sets the scope in one. Commit and rollback
    # stay Django's: both look at whether a transaction is open, not at who opened it.
    connection.ensure_connection()
    connection.connection.autocommit = True
    _set(acting, before=begin)


def _set(acting: Acting, *, before: str = "") -> None:
    _say(before, str(acting.project_id), str(acting.actor_id), ",".join(acting.roles))


def _unset() -> None:
    _say("", "", "", "")


def _say(before: str, project: str, actor: str, roles: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(before + ENTER, [project, actor, roles])


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
