"""Keeping the search index: passages whose terms were made by rules of before are made anew, and all are counted."""

import uuid
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import DatabaseError, connection

from governance.actors import Acting, system_of
from governance.ids import public_id
from governance.scope import project_scope, record
from memories.models import Passage
from memories.passages import SEARCHED_BY, searched_by
from threads.lexemes import LEXEMES_VERSION

BATCH = 200  # passages of one transaction
MOST_BATCHES = 50  # of one audience in one sweep; the next sweep takes the rest
AUDIENCES = 200  # of one sweep
STALE = "SELECT project_id, audience, audience_role, owner_id, acting FROM stale_passages(%s, %s)"
log = structlog.get_logger("greywind.passages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Whose passages: what is private is made anew as its owner, and nobody else ever reads it."""

    audience: str
    audience_role: str | None
    owner_id: uuid.UUID | None

    def where(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def count_passages() -> None:
    """Count the passages of every audience, and note by which rules the oldest terms of each were made."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT recount_passages()")


def renew_due(*, most: int = MOST_BATCHES, trace_id: str = "") -> int:
    """Make the terms of passages anew that were made by other rules than today's; returns of how many.

    No scope is needed. Each batch is a transaction of its own: stopped anywhere, whole batches are done, and the rest
    goes on being found as it was.
    """
    count_passages()
    with connection.cursor() as cursor:
        cursor.execute(STALE, [LEXEMES_VERSION, AUDIENCES])
        due = cursor.fetchall()
    done = 0
    for project, audience, role, owner, actor in due:
        acting = system_of(project, actor, role=role, trace_id=trace_id, on_behalf_of=owner)
        try:
            done += renew(acting, Readers(audience=audience, audience_role=role, owner_id=owner), most=most)
        except DatabaseError as fault:
            log.warning("renewing_postponed", project=str(project), cause=type(fault).__name__)
    if due:
        count_passages()
    return done


def renew(acting: Acting, readers: Readers, *, most: int) -> int:
    """Make the terms of one audience's passages anew, in at most so many batches; returns of how many."""
    done = 0
    for _ in range(most):
        batch = _batch(acting, readers)
        done += batch
        if batch < BATCH:
            break
    return done


def _batch(acting: Acting, readers: Readers) -> int:
    with project_scope(acting):
        stale = Passage.objects.filter(lexemes_version__lt=LEXEMES_VERSION, **readers.where()).order_by("pk")
        rows = list(stale.select_for_update(skip_locked=True).only("pk", "project_id", "speaker", "text")[:BATCH])
        for row in rows:
            for name, value in searched_by(row.text, speaker=row.speaker, project_id=row.project_id).items():
                setattr(row, name, value)
        Passage.objects.bulk_update(rows, SEARCHED_BY)
        if rows:
            project = public_id("prj", acting.project_id)
            record("passages.renew", project, detail={"count": len(rows), "version": LEXEMES_VERSION})
        return len(rows)
