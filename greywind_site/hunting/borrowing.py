"""One worker of the hunt over a pool: it borrows a connection, works in a scope, has an accident, and looks around."""

import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from django.db import DatabaseError, connection, transaction

from governance.rows import fetch
from governance.scope import project_scope, record
from governance.visibility import Placement, may_read
from governance.vocabulary import Audience
from greywind_site.hunting.crowd import Place, Principal, may_see
from threads.models import Thread

# What a connection that nobody uses must know: no scope, and the ordinary kind of transaction.
CLEAN = ("", "", "", "off", "read committed", False, False, False)
LOOK_AROUND = """
SELECT coalesce(current_setting('greywind.project', true), ''), coalesce(current_setting('greywind.actor', true), ''),
  coalesce(current_setting('greywind.roles', true), ''), current_setting('transaction_read_only'),
  current_setting('transaction_isolation'), EXISTS (SELECT FROM threads_thread),
  EXISTS (SELECT FROM governance_actor), EXISTS (SELECT FROM governance_auditevent)
"""
READ = "SELECT id, project_id, audience, audience_role, owner_id FROM threads_thread"
LATEST = "SELECT project_id FROM governance_auditevent ORDER BY seq DESC LIMIT 3"
RENAME = "UPDATE threads_thread SET title = %s WHERE id = %s"
NAP_SECONDS = 0.004  # long enough for a cancel to arrive in the middle


class Accident(Exception):
    """Something went wrong in the middle of a request."""


class Unwound(BaseException):
    """The same, as an interrupt unwinds a thread: no handler of ordinary errors sees it."""


class Borrower:
    """Sends requests of all kinds over whatever connection it is lent, and notes what it should not have seen."""

    def __init__(self, crowd: Sequence[Principal], dice: random.Random) -> None:
        self.crowd = crowd
        self.dice = dice
        self.reads = 0
        self.kinds: Counter[str] = Counter()
        self.accidents: Counter[str] = Counter()
        self.wrong: list[str] = []

    def request(self) -> None:
        """Look around, do one request of a random kind as somebody, and half of the time look around again."""
        self.look_around("on a connection that was lent")
        kind = self.dice.choice(list(KINDS))
        self.kinds[kind] += 1
        try:
            KINDS[kind](self, self.dice.choice(self.crowd))
        finally:
            if self.dice.random() < 0.5 and connection.connection is not None and connection.is_usable():
                self.look_around(f"after {kind}")

    def look_around(self, when: str) -> None:
        """Note whatever the connection still knows outside of any scope."""
        with connection.cursor() as cursor:
            cursor.execute(LOOK_AROUND)
            found = tuple(cursor.fetchone())
        if found != CLEAN:
            self.wrong.append(f"{when}: {found}")

    def read(self, who: Principal) -> None:
        """Read everything there is to be read, and compare it with what the reader may see."""
        rows = fetch(READ, []) if self.dice.random() < 0.5 else _by_the_orm()
        places = [Place(*row) for row in rows]
        self.reads += 1
        if foreign := [place for place in places if not may_see(who.acting, place) or not _explained(who, place)]:
            self.wrong.append(f"{who.acting.public_id} read {foreign[0]}")
        if lacking := who.sees - {place.row for place in places}:
            self.wrong.append(f"{who.acting.public_id} did not see {len(lacking)} rows of theirs")
        if {row[0] for row in fetch(LATEST, [])} - {who.acting.project_id}:
            self.wrong.append(f"{who.acting.public_id} read a ledger of others")

    def accident(self) -> None:
        """Let something go wrong, or nothing."""
        name = self.dice.choices(list(ACCIDENTS), weights=WEIGHTS)[0]
        self.accidents[name] += 1
        ACCIDENTS[name]()


def _by_the_orm() -> list[tuple[uuid.UUID, uuid.UUID, str, str | None, uuid.UUID | None]]:
    return list(Thread.objects.values_list("id", "project_id", "audience", "audience_role", "owner_id"))


def _explained(who: Principal, place: Place) -> bool:
    """Say whether the code that explains refusals would let them read it, too."""
    reach = {"audience": Audience(place.audience), "audience_role": place.role, "owner_id": place.owner}
    return may_read(who.acting, Placement(project_id=place.project, **reach))  # type: ignore[arg-type]  # by name


def _reading(borrower: Borrower, who: Principal) -> None:
    with project_scope(who.acting):
        borrower.read(who)
        borrower.accident()
        borrower.read(who)


def _reading_only(borrower: Borrower, who: Principal) -> None:
    with project_scope(who.acting, read_only=True):
        borrower.read(who)
        borrower.accident()
        if _refused(RENAME, ["changed", who.own]) is None:
            borrower.wrong.append(f"{who.acting.public_id} wrote in a read-only scope")
        borrower.read(who)


def _writing(borrower: Borrower, who: Principal) -> None:
    with project_scope(who.acting), connection.cursor() as cursor:
        cursor.execute(RENAME, [f"hunted {borrower.reads}", who.own])
        own = cursor.rowcount
        cursor.execute(RENAME, ["taken", who.foreign])
        if (own, cursor.rowcount) != (1, 0):
            borrower.wrong.append(
                f"{who.acting.public_id} changed {own} rows of theirs and {cursor.rowcount} of others"
            )
        record("thread.rename", str(who.own))
        borrower.accident()
        borrower.read(who)


def _making(borrower: Borrower, who: Principal) -> None:
    """Make a private row and take it away again; in between nobody else may see it."""
    acting = who.acting
    with project_scope(acting):
        reach = {"audience": Audience.PRIVATE, "owner_id": acting.actor_id, "created_by_id": acting.actor_id}
        row = Thread.objects.create(project_id=acting.project_id, title="passing", **reach)
        record("thread.create", row.public_id)
        borrower.accident()
        borrower.read(who)
        row.delete()


def _nested(borrower: Borrower, who: Principal) -> None:
    other = borrower.dice.choice([each for each in borrower.crowd if each is not who])
    with project_scope(who.acting):
        with project_scope(who.acting, read_only=borrower.dice.random() < 0.5):
            borrower.read(who)
        try:
            with project_scope(other.acting):
                borrower.wrong.append(f"{other.acting.public_id} entered the scope of {who.acting.public_id}")
        except RuntimeError:
            borrower.read(who)
        borrower.accident()
        borrower.read(who)


def _inside_another_transaction(borrower: Borrower, who: Principal) -> None:
    other = borrower.dice.choice(borrower.crowd)
    with transaction.atomic():
        with project_scope(who.acting):
            borrower.read(who)
        borrower.look_around("between two scopes of one transaction")
        with project_scope(other.acting):
            borrower.read(other)
            borrower.accident()


def _with_a_savepoint(borrower: Borrower, who: Principal) -> None:
    """Roll back to a savepoint: the scope goes on as it was."""
    with project_scope(who.acting):
        borrower.read(who)
        if _refused("SELECT 1 / 0", []) is None:
            borrower.wrong.append("a division by zero was taken")
        borrower.read(who)
        borrower.accident()
        borrower.read(who)


def _refused(statement: str, values: Sequence[str | uuid.UUID]) -> str | None:
    """Run a statement in a savepoint of its own; returns the SQLSTATE with which it was refused.

    An accident from outside that strikes just here is no answer, and goes on.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values or None)
    except DatabaseError as fault:
        state = getattr(fault.__cause__, "sqlstate", None)
        if state not in ("25006", "22012"):
            raise
        return str(state)
    return None


KINDS: Mapping[str, Callable[[Borrower, Principal], None]] = {
    "reading": _reading,
    "reading only": _reading_only,
    "writing": _writing,
    "making": _making,
    "nested": _nested,
    "inside another transaction": _inside_another_transaction,
    "with a savepoint": _with_a_savepoint,
}


def _fail() -> None:
    raise Accident


def _unwind() -> None:
    raise Unwound


def _statement_fails() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def _is_cancelled() -> None:
    """Be cancelled in the middle of a statement; a late one strikes whoever has the connection by then."""
    timer = threading.Timer(NAP_SECONDS / 4, connection.connection.cancel)
    timer.start()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(%s)", [NAP_SECONDS])
    finally:
        timer.join()


def _is_lost() -> None:
    """Lose the connection itself, as when a cable is pulled."""
    connection.connection.close()


ACCIDENTS: Mapping[str, Callable[[], None]] = {
    "none": lambda: None,
    "an exception": _fail,
    "unwound": _unwind,
    "a failing statement": _statement_fails,
    "a cancelled statement": _is_cancelled,
    "a lost connection": _is_lost,
}
# A new connection costs as much as twenty requests.
WEIGHTS = (12, 2, 2, 2, 2, 0.3)
