"""The ledger read back: keyed fingerprints for it, the check that names the first bad entry, and the export.

The check runs in the database; `governance.verify_ledger` does the same to an export, by itself. Both must find the
same, and tests hold them to it.
"""

import hashlib
import hmac
import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from django.conf import settings
from django.db import connection

from governance.ids import public_id
from governance.models.base import ProjectRow
from governance.verify_ledger import FORMAT, TEXTS, Verdict, end_fault
from governance.vocabulary import Audience

# Years beyond these do not fit into microseconds since the epoch, and no clock of ours ever said them.
AT_FITS = "at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'"
TEXTS_IN_ORDER = ", ".join("id::text" if name == "id" else name for name in TEXTS)
# One pass over the chain. Each entry must be whole, stand in turn, follow its predecessor, hash to what it says, and
# be the one that was anchored. NULLs are no entry's own; whoever dropped the constraint may have put them in.
FIRST_FAULT = f"""
WITH chained AS (
  SELECT e.seq, e.id, e.prev, e.hash, coalesce((lag(e.seq) OVER w)::numeric, %(after)s) + 1 AS due,
         CASE WHEN row_number() OVER w > 1 THEN lag(e.hash) OVER w
              ELSE coalesce(decode(%(left)s, 'hex'), sha256(uuid_send(%(project)s))) END AS left_hash,
         num_nulls({TEXTS_IN_ORDER}, seq) > 0 OR ({AT_FITS}) IS NOT TRUE
         OR coalesce(octet_length(prev), 0) <> 32 OR coalesce(octet_length(hash), 0) <> 32 AS unfit,
         CASE WHEN {AT_FITS} THEN sha256(prev || greywind_audit_bytes(seq, at, {TEXTS_IN_ORDER})) END AS own
  FROM governance_auditevent e WHERE e.project_id = %(project)s AND (%(after)s = 0 OR e.seq > %(after)s)
    AND (%(to)s::bigint IS NULL OR e.seq <= %(to)s) WINDOW w AS (ORDER BY seq, id)
), judged AS (
  SELECT c.seq, c.id, c.due, CASE
    WHEN c.unfit THEN 'form' WHEN c.seq < c.due THEN 'order' WHEN c.seq > c.due THEN 'gap'
    WHEN c.prev IS DISTINCT FROM c.left_hash THEN 'link' WHEN c.hash IS DISTINCT FROM c.own THEN 'hash'
    WHEN a.hash <> encode(c.hash, 'hex') THEN 'anchor' END AS kind
  FROM chained c LEFT JOIN unnest(%(seqs)s::bigint[], %(hashes)s::text[]) AS a (seq, hash) ON a.seq = c.seq
)
SELECT kind, (CASE kind WHEN 'form' THEN due ELSE least(seq, due) END)::bigint, due::bigint
FROM judged WHERE kind IS NOT NULL ORDER BY seq, id LIMIT 1
"""  # noqa: S608 - names of columns, literals of ours
LAST = "SELECT seq, encode(hash, 'hex') FROM governance_auditevent WHERE project_id = %s ORDER BY seq DESC LIMIT 1"
HEAD = "SELECT seq, encode(hash, 'hex') FROM audit_head()"
ENTRIES = f"""
SELECT seq, CASE WHEN {AT_FITS} THEN (extract(epoch FROM at) * 1000000)::bigint END, encode(prev, 'hex'),
       encode(hash, 'hex'), {TEXTS_IN_ORDER}
FROM governance_auditevent WHERE project_id = %s ORDER BY seq, id
"""  # noqa: S608 - as above
HASHED = "hmac"  # what a keyed hash begins with
EXPORTED = ("seq", "at", "prev", "hash", *TEXTS)


class Cursor(Protocol):
    """What Django's cursors and psycopg's have in common."""

    def execute(self, query: Any, params: Any = ..., /) -> Any: ...
    def fetchone(self) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...


def fingerprint(value: Any) -> str:
    """Return a keyed hash of any JSON value: equal values match, and nobody without the pepper can guess one."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    key = settings.GREYWIND.audit_pepper.get_secret_value().encode()
    return f"{HASHED}:" + hmac.new(key, canonical.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def told(reason: str, row: ProjectRow) -> str:
    """Return a reason for the ledger: in words where the whole project may read its row, else as a keyed hash."""
    shared = getattr(row, "audience", Audience.PROJECT) == Audience.PROJECT
    return reason if shared or not reason else fingerprint(reason)


def verify_chain(anchors: Mapping[int, str] | None = None) -> Verdict:
    """Check the chain of the project whose scope is open, against its anchored entries: hashes in hex by number."""
    with connection.cursor() as cursor:
        return check_chain(cursor, present_project(cursor), head=read_head(cursor), anchors=anchors or {})


def check_chain(
    cursor: Cursor, project_id: uuid.UUID, *, head: Mapping[str, Any], anchors: Mapping[int, str]
) -> Verdict:
    """Check the chain of a project that the cursor may read. `head` is what the ledger kept apart: seq, hash in hex."""
    found = first_fault(cursor, project_id, anchors=anchors)
    if found is not None:
        kind, bad, due = found
        return Verdict(due - 1, _last_before(due, anchors), (kind, bad))
    cursor.execute(LAST, [project_id])
    seq, last = cursor.fetchone() or (0, "")
    return Verdict(seq, _last_before(seq + 1, anchors), end_fault(seq, last, head, anchors))


def first_fault(
    cursor: Cursor,
    project_id: uuid.UUID,
    *,
    anchors: Mapping[int, str] | None = None,
    after: tuple[int, str] = (0, ""),
    to: int | None = None,
) -> tuple[str, int, int] | None:
    """Return what is wrong first in a project's chain, or in its part behind the entry `after` (its number, its hash in
    hex) up to the entry `to`: a key of WORDS, the first bad entry, and the one that was due there.
    """
    kept = anchors or {}
    chosen = {"project": project_id, "seqs": list(kept), "hashes": list(kept.values())}
    cursor.execute(FIRST_FAULT, chosen | {"after": after[0], "left": after[1] or None, "to": to})
    found: tuple[str, int, int] | None = cursor.fetchone()
    return found


def read_head(cursor: Cursor) -> dict[str, Any]:
    """Return the end of the open scope's chain as the ledger kept it: `seq`, 0 for none, and `hash` in hex."""
    cursor.execute(HEAD)
    seq, digest = cursor.fetchone() or (0, "")
    return {"seq": seq, "hash": digest}


def present_project(cursor: Cursor) -> uuid.UUID:
    """Return the project whose scope is open; raises RuntimeError where none is."""
    cursor.execute("SELECT nullif(current_setting('greywind.project', true), '')::uuid")
    project: uuid.UUID | None = cursor.fetchone()[0]
    if project is None:
        raise RuntimeError("no scope is open, so there is no ledger to read")
    return project


def export_chain() -> Iterator[str]:
    """Yield the lines of an export of the open scope's ledger, as `verify_ledger.py` reads them; nothing is held back.

    The scope must be read-only, so that head and entries are of one moment, and stay open to the last line.
    """
    with connection.cursor() as cursor:
        project_id, head = present_project(cursor), read_head(cursor)
    yield export_head(project_id, head)
    with connection.chunked_cursor() as cursor:
        yield from export_entries(cursor, project_id)


def export_head(project_id: uuid.UUID, head: Mapping[str, Any]) -> str:
    """Return the first line of an export."""
    return _line({"format": FORMAT, "project": public_id("prj", project_id), "head": dict(head)})


def export_entries(cursor: Cursor, project_id: uuid.UUID) -> Iterator[str]:
    """Yield one line an entry, in order."""
    cursor.execute(ENTRIES, [project_id])
    for row in cursor:
        yield _line(dict(zip(EXPORTED, row, strict=True)))


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False) + "\n"


def _last_before(seq: int, anchors: Mapping[int, str]) -> int:
    return max((anchored for anchored in anchors if anchored < seq), default=0)
