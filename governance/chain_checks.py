"""The check of a chain that a page can afford: what was checked before is remembered, and only what is new is read.

What is remembered stands in the cache, so it is no proof: an entry below it that was changed since is found by the
check of the whole, which anybody may ask for and `verify_audit` does. Where the cache is away, nothing is remembered.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import structlog
from django.core.cache import cache
from django.db import connection
from redis.exceptions import RedisError

from governance.audit import LAST, Cursor, check_chain, first_fault, read_head
from governance.verify_ledger import end_fault

log = structlog.get_logger("greywind.ledger")
MOST_NEW = 5_000  # entries that one view checks; about a tenth of a second
HASH_OF = "SELECT encode(hash, 'hex') FROM governance_auditevent WHERE project_id = %s AND seq = %s"
# Where the chain should end, where it does, and what stands now where the last check ended.
ENDS = f"""
SELECT head.seq, encode(head.hash, 'hex'), last.seq, last.hash, ({HASH_OF})
FROM (SELECT 1) AS one LEFT JOIN audit_head() AS head ON true LEFT JOIN ({LAST}) AS last (seq, hash) ON true
"""  # noqa: S608 - constants of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState:
    """How far a chain is known to be whole: up to entry `entries` of `last`, found at `at`; all of it at `whole_at`.
    `first_bad` is the first entry that is not what was written.
    """

    entries: int
    last: int
    hash: str = ""
    at: datetime
    whole_at: datetime | None = None
    first_bad: int | None = None

    @property
    def is_behind(self) -> bool:
        """Whether entries are left that nobody has checked yet."""
        return self.first_bad is None and self.entries < self.last


def chain_state(project_id: uuid.UUID, *, now: datetime) -> ChainState:
    """Check what is new in the open scope's chain, at most MOST_NEW entries of it, and remember how far it goes."""
    known = _remembered(project_id) or ChainState(entries=0, last=0, at=now)
    with connection.cursor() as cursor:
        ends = _ends(cursor, project_id, known.entries)
        if known.first_bad is None and known.hash == ends.known:
            return _kept(project_id, _further(cursor, project_id, ends, known, now=now))
        return _kept(project_id, _whole(cursor, project_id, ends.head, now=now))


def check_whole(project_id: uuid.UUID, *, now: datetime) -> ChainState:
    """Check the open scope's chain from its first entry to its last, and remember what was found."""
    with connection.cursor() as cursor:
        return _kept(project_id, _whole(cursor, project_id, read_head(cursor), now=now))


class Ends(NamedTuple):
    """The head that the ledger keeps apart, the last entry that there is, and the hash where the last check ended."""

    head: Mapping[str, Any]
    seq: int
    hash: str
    known: str


def _ends(cursor: Cursor, project_id: uuid.UUID, known: int) -> Ends:
    cursor.execute(ENDS, [project_id, known, project_id])
    said, digest, seq, last, there = cursor.fetchone()
    return Ends({"seq": said or 0, "hash": digest or ""}, seq or 0, last or "", there or "")


def _further(cursor: Cursor, project_id: uuid.UUID, ends: Ends, known: ChainState, *, now: datetime) -> ChainState:
    """Check the entries behind the last that was checked; the chain's end too, where they are not too many."""
    last = ends.head["seq"]
    to = known.entries + MOST_NEW if last > known.entries + MOST_NEW else None
    found = first_fault(cursor, project_id, after=(known.entries, known.hash), to=to)
    whole_at = known.whole_at if known.entries else now
    if found is not None:
        return ChainState(entries=found[2] - 1, last=last, at=now, whole_at=known.whole_at, first_bad=found[1])
    if to is not None:
        cursor.execute(HASH_OF, [project_id, to])
        return ChainState(entries=to, last=last, hash=cursor.fetchone()[0], at=now, whole_at=known.whole_at)
    fault = end_fault(ends.seq, ends.hash, ends.head, {})
    bad = fault[1] if fault else None
    whole = ends.seq if bad is None else bad - 1
    return ChainState(entries=whole, last=last, hash=ends.hash, at=now, whole_at=whole_at, first_bad=bad)


def _whole(cursor: Cursor, project_id: uuid.UUID, head: Mapping[str, Any], *, now: datetime) -> ChainState:
    verdict = check_chain(cursor, project_id, head=head, anchors={})
    if verdict.fault is not None:
        bad = verdict.fault[1]
        return ChainState(entries=verdict.entries, last=head["seq"], at=now, whole_at=now, first_bad=bad)
    return ChainState(entries=head["seq"], last=head["seq"], hash=head["hash"], at=now, whole_at=now)


def chain_key(project_id: uuid.UUID) -> str:
    """Return the name under which the cache remembers how far a project's chain was checked."""
    return f"ledger-checked:{project_id.hex}"


def _remembered(project_id: uuid.UUID) -> ChainState | None:
    try:
        found = cache.get(chain_key(project_id))
    except RedisError:
        return None
    return found if isinstance(found, ChainState) else None


def _kept(project_id: uuid.UUID, state: ChainState) -> ChainState:
    try:
        cache.set(chain_key(project_id), state, timeout=None)
    except RedisError:
        log.warning("chain_check_not_remembered")
    return state
