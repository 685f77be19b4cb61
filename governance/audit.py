"""The ledger read back: keyed fingerprints for it, and the check that names the first bad entry."""

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from governance.models.base import ProjectRow
from governance.vocabulary import Audience

# One pass over the chain: each entry must follow its predecessor and hash to what it says, and the last one must
# be the head that the ledger kept apart, else the tail was cut off or rewritten.
VERIFY = """
WITH chained AS (
  SELECT e.*, lag(hash) OVER w AS left_hash, lag(seq) OVER w AS left_seq
  FROM governance_auditevent e WINDOW w AS (ORDER BY seq)
), last AS (
  SELECT coalesce(max(seq), 0) AS seq FROM chained
)
SELECT seq FROM chained
WHERE seq <> coalesce(left_seq, 0) + 1
   OR prev <> coalesce(left_hash, sha256(uuid_send(project_id)))
   OR hash <> sha256(prev || greywind_audit_bytes(seq, at, id::text, actor, on_behalf_of, verb, target, reason,
                                                  before, after, trace, detail))
UNION ALL
SELECT least(last.seq, coalesce(head.seq, 0)) + 1
FROM last LEFT JOIN audit_head() head ON true WHERE last.seq <> coalesce(head.seq, 0)
UNION ALL
SELECT chained.seq FROM chained JOIN audit_head() head USING (seq) WHERE head.hash <> chained.hash
ORDER BY 1 LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of one project's chain found. `first_bad` is a seq, or None when the chain is whole."""

    entries: int
    first_bad: int | None


def fingerprint(value: Any) -> str:
    """Return a keyed hash of any JSON value: equal values match, and nobody without the pepper can guess one."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    key = settings.GREYWIND.audit_pepper.get_secret_value().encode()
    return "hmac:" + hmac.new(key, canonical.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def told(reason: str, row: ProjectRow) -> str:
    """Return a reason for the ledger: in words where the whole project may read its row, else as a keyed hash."""
    shared = getattr(row, "audience", Audience.PROJECT) == Audience.PROJECT
    return reason if shared or not reason else fingerprint(reason)


def verify_chain() -> Verification:
    """Check the chain of the project whose scope is open."""
    with connection.cursor() as cursor:
        cursor.execute(VERIFY)
        bad = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM governance_auditevent")
        return Verification(entries=cursor.fetchone()[0], first_bad=bad[0] if bad else None)
