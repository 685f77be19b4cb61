"""Ways in which somebody who owns the database changes a ledger, made by dice, and what must be said of each.

A tampering happens in a transaction that is rolled back, with every trigger asleep. Both verifiers look at it in there:
the one in the database, and the one that reads an export.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from governance.audit import check_chain, export_entries, export_head
from governance.verify_ledger import Verdict, examine, heads_of

HASHED = (
    "sha256({prev} || greywind_audit_bytes(seq, at, id::text, actor, on_behalf_of, verb, target, reason, before,"
    " after, trace, detail))"
)
REHASH = f"UPDATE governance_auditevent SET hash = {HASHED.format(prev='prev')} WHERE project_id = %s AND seq = %s"
RELINK = (
    "UPDATE governance_auditevent e SET prev = coalesce((SELECT p.hash FROM governance_auditevent p"
    " WHERE p.project_id = e.project_id AND p.seq = e.seq - 1), sha256(uuid_send(e.project_id)))"
    " WHERE e.project_id = %s AND e.seq = %s"
)
HEAD_TO_LAST = (
    "UPDATE governance_audithead h SET seq = e.seq, prev = e.prev, hash = e.hash FROM governance_auditevent e"
    " WHERE e.project_id = h.project_id AND h.project_id = %s"
    " AND e.seq = (SELECT max(seq) FROM governance_auditevent WHERE project_id = h.project_id)"
)
CHANGES: Mapping[str, str] = {
    **{
        name: f"{name} || 'x'"
        for name in ("actor", "on_behalf_of", "verb", "target", "reason", "before", "after", "trace", "detail")
    },
    "id": "gen_random_uuid()",
    "at": "at + interval '1 microsecond'",
    "prev": "sha256(prev)",
    "hash": "sha256(hash)",
}
# Values that no clock and no trigger of ours wrote; whoever owns the table can.
ODD_CHANGES: Sequence[tuple[str, str]] = (
    ("at", "'infinity'"),
    ("at", "'294276-12-31 00:00:00+00'"),
    ("prev", "''"),
    ("hash", "hash || '\\x00'"),
)


@dataclass(frozen=True)
class Ledger:
    """A chain to tamper with: its project, its length, and where it was anchored."""

    link: psycopg.Connection
    project: uuid.UUID
    length: int
    anchors: Sequence[Mapping[str, Any]]

    @property
    def anchored(self) -> int:
        """The last entry that an anchor vouches for."""
        return max(anchor["seq"] for anchor in self.anchors)

    def run(self, statement: str, *values: Any) -> None:
        """Execute a statement whose first parameter is the project."""
        self.link.execute(statement, [self.project, *values])  # type: ignore[arg-type]

    def rewrite(self, first: int) -> None:
        """Give every entry from `first` on the hashes that its content has now, and move the head along."""
        for seq in range(first, self.length + 2):
            self.run(RELINK, seq)
            self.run(REHASH, seq)
        self.run(HEAD_TO_LAST)

    def delete(self, where: str, *values: Any) -> None:
        self.run(f"DELETE FROM governance_auditevent WHERE project_id = %s AND {where}", *values)

    def change(self, seq: int, column: str, value: str) -> None:
        self.run(f"UPDATE governance_auditevent SET {column} = {value} WHERE project_id = %s AND seq = %s", seq)

    def number(self, old: int, new: int) -> None:
        self.change(old, "seq", str(new))

    @contextmanager
    def awake_nobody(self) -> Iterator[None]:
        """Run with every trigger asleep, and leave nothing behind."""
        with self.link.transaction(force_rollback=True):
            self.link.execute("SET LOCAL session_replication_role = replica")
            yield

    def verdicts(self) -> tuple[Verdict, Verdict]:
        """Return what the check in the database and the reader of an export say."""
        heads = heads_of(self.anchors, f"prj_{self.project.hex}")
        with self.link.cursor() as cursor:
            head = self.head(cursor)
            lines = [export_head(self.project, head), *export_entries(cursor, self.project)]
            here = check_chain(cursor, self.project, head=head, anchors=heads)
        return here, examine([line.encode() for line in lines], self.anchors)

    def head(self, cursor: Any) -> dict[str, Any]:
        """Return what the ledger kept as the end of its chain."""
        cursor.execute(
            "SELECT seq, encode(hash, 'hex') FROM governance_audithead WHERE project_id = %s", [self.project]
        )
        seq, digest = cursor.fetchone() or (0, "")
        return {"seq": seq, "hash": digest}


@dataclass(frozen=True)
class Expected:
    """What must be said: the number that is named and every kind of fault that names it rightly; None for no fault.

    `changed` is the first entry that really is another one. An anchor that is contradicted names itself, and the
    entry must then lie between the anchor before and this one.
    """

    seq: int | None
    kinds: frozenset[str]
    changed: int


type Tampering = Callable[[Ledger, random.Random], Expected]


def changed(ledger: Ledger, dice: random.Random) -> Expected:
    """One column of one entry."""
    seq, column = dice.randint(1, ledger.length), dice.choice(list(CHANGES))
    ledger.change(seq, column, CHANGES[column])
    return Expected(seq, frozenset({"link" if column == "prev" else "hash"}), seq)


def changed_oddly(ledger: Ledger, dice: random.Random) -> Expected:
    """One column of one entry, to a value that no entry has."""
    seq = dice.randint(1, ledger.length)
    ledger.change(seq, *dice.choice(ODD_CHANGES))
    return Expected(seq, frozenset({"form"}), seq)


def rehashed(ledger: Ledger, dice: random.Random) -> Expected:
    """One entry changed, with the hash that it has now; the next one, the anchor or the head gives it away."""
    seq = dice.randint(1, ledger.length)
    ledger.change(seq, "actor", "'act_forged'")
    ledger.run(REHASH, seq)
    if seq == ledger.length:
        return Expected(seq, frozenset({"anchor", "head"}), seq)
    anchored_here = any(anchor["seq"] == seq for anchor in ledger.anchors)
    return Expected(seq, frozenset({"anchor"}), seq) if anchored_here else Expected(seq + 1, frozenset({"link"}), seq)


def removed(ledger: Ledger, dice: random.Random) -> Expected:
    """Some in the middle, the rest as it was."""
    seq = dice.randint(1, ledger.length - 1)
    last = dice.randint(seq, min(seq + 3, ledger.length - 1))
    ledger.delete("seq BETWEEN %s AND %s", seq, last)
    return Expected(seq, frozenset({"gap"}), seq)


def closed_up(ledger: Ledger, dice: random.Random) -> Expected:
    """One in the middle removed and the rest renumbered, hashes as they were."""
    seq = dice.randint(1, ledger.length - 1)
    ledger.delete("seq = %s", seq)
    for later in range(seq + 1, ledger.length + 1):
        ledger.number(later, later - 1)
    return Expected(seq, frozenset({"link"}), seq)


def cut(ledger: Ledger, dice: random.Random) -> Expected:
    """The tail cut off, the head as it was."""
    seq = dice.randint(1, ledger.length)
    ledger.delete("seq >= %s", seq)
    return Expected(seq, frozenset({"head"}), seq)


def exchanged(ledger: Ledger, dice: random.Random) -> Expected:
    """Two entries in each other's place."""
    one, other = sorted(dice.sample(range(1, ledger.length + 1), 2))
    for old, new in ((one, 0), (other, one), (0, other)):
        ledger.number(old, new)
    return Expected(one, frozenset({"link", "hash"}), one)


def put_before(ledger: Ledger, dice: random.Random) -> Expected:
    """One entry numbered before the first."""
    seq, place = dice.randint(1, ledger.length), -dice.randint(0, 3)
    ledger.number(seq, place)
    return Expected(place, frozenset({"order"}), min(seq, place))


def forged(ledger: Ledger, dice: random.Random) -> Expected:
    """One more at the end with the right hash; without moving the head, or with it."""
    ledger.run(
        "INSERT INTO governance_auditevent SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(),"
        " 'seq', e.seq + 1))).* FROM governance_auditevent e WHERE project_id = %s AND seq = %s",
        ledger.length,
    )
    ledger.run(RELINK, ledger.length + 1)
    ledger.run(REHASH, ledger.length + 1)
    if dice.random() < 0.5:
        return Expected(ledger.length + 1, frozenset({"head"}), ledger.length + 1)
    ledger.run(HEAD_TO_LAST)
    return Expected(None, frozenset(), ledger.length + 1)


def rewritten(ledger: Ledger, dice: random.Random) -> Expected:
    """A suffix written anew with right hashes, links and head: the chain alone cannot tell."""
    seq = dice.randint(1, ledger.length)
    ledger.change(seq, "reason", "'for another reason'")
    ledger.rewrite(seq)
    return against_anchors(ledger, seq)


def removed_without_trace(ledger: Ledger, dice: random.Random) -> Expected:
    """One in the middle removed, the rest numbered and hashed anew, and the head moved."""
    seq = dice.randint(1, ledger.length - 1)
    ledger.delete("seq = %s", seq)
    for later in range(seq + 1, ledger.length + 1):
        ledger.number(later, later - 1)
    ledger.rewrite(seq)
    return against_anchors(ledger, seq)


def restored(ledger: Ledger, dice: random.Random) -> Expected:
    """An older snapshot of the whole ledger put back, head and all."""
    seq = dice.randint(1, ledger.length)
    ledger.delete("seq >= %s", seq)
    if seq == 1:
        ledger.run("DELETE FROM governance_audithead WHERE project_id = %s")
    else:
        ledger.run(HEAD_TO_LAST)
    return Expected(seq if seq <= ledger.anchored else None, frozenset({"missing"}), seq)


def against_anchors(ledger: Ledger, seq: int) -> Expected:
    """What anchors say of a chain that is another one from `seq` on, and is whole by itself."""
    contradicted = [anchor["seq"] for anchor in ledger.anchors if anchor["seq"] >= seq]
    if not contradicted:
        return Expected(None, frozenset(), seq)
    gone = min(contradicted) == ledger.length  # its number may be missing now, where one entry was removed
    return Expected(min(contradicted), frozenset({"anchor", "missing"} if gone else {"anchor"}), seq)


KINDS: Sequence[Tampering] = (
    changed,
    changed_oddly,
    rehashed,
    removed,
    closed_up,
    cut,
    exchanged,
    put_before,
    forged,
    rewritten,
    removed_without_trace,
    restored,
)


def faults_of(ledger: Ledger, expected: Expected) -> list[str]:
    """Return what is wrong with the two verdicts on a tampered ledger; empty when both say what they must."""
    here, outside = ledger.verdicts()
    if here != outside:
        return [f"they differ: {here} and {outside}"]
    if expected.seq is None:
        silent = here.fault is None and here.anchored == ledger.anchored < expected.changed
        return [] if silent else [f"{here} is said of a change at {expected.changed}"]
    if here.fault is None or here.fault[0] not in expected.kinds or here.fault[1] != expected.seq:
        return [f"expected {sorted(expected.kinds)} at {expected.seq}, found {here}"]
    if here.fault[0] == "anchor" and not here.anchored < expected.changed <= here.fault[1]:
        return [f"entry {expected.changed} lies outside what {here} names"]
    return []
