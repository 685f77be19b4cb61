"""The lists of the store of memories as files: what is remembered, and what was proposed."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from django.http import StreamingHttpResponse

from governance.exports import As, exported_list, exported_rows
from governance.invisible import made_visible
from governance.pages import Desk
from governance.scope import project_scope
from governance.vocabulary import Audience
from memories.embeddings.queries import AskedVectors
from memories.funnel import candidate_rows
from memories.models import Memory
from memories.store_list import Filters, MemoryLine, excerpt, line_of, memory_list, memory_rows
from memories.store_words import Standing

COLUMNS = (
    "id", "excerpt", "status", "type", "scope", "scope_title", "sensitivity", "knowledge", "private", "last_used",
    "expires", "created", "matched",
)  # fmt: skip
CANDIDATES = (
    "id", "excerpt", "status", "type", "scope", "action", "reason_code", "evidence_gap", "proposer", "private",
    "created",
)  # fmt: skip


def memories_export(
    desk: Desk, filters: Filters, form: As, *, now: datetime, vectors: AskedVectors | None
) -> StreamingHttpResponse:
    """Return the memories that fit as a file, as the list shows them; runs in an open scope. What a search found comes
    in the order in which it found it; `vectors` as in `memory_list`.
    """
    if filters.q:
        found = memory_list(filters, cursor=None, now=now, vectors=vectors)
        return exported_list("memories", form, COLUMNS, [_told(line) for line in found.lines], cut=found.cut)
    rows = memory_rows(filters, now=now)
    return exported_rows(
        "memories", form, COLUMNS, rows, told=lambda row: _told(line_of(row)), scope=lambda: _read(desk)
    )


def candidates_export(
    desk: Desk, standing: Standing, form: As, *, code: str, since: datetime | None
) -> StreamingHttpResponse:
    """Return the proposals that fit as a file; runs in an open scope."""
    rows = candidate_rows(standing, code=code, since=since)
    return exported_rows("candidates", form, CANDIDATES, rows, told=_proposed, scope=lambda: _read(desk))


def _read(desk: Desk) -> AbstractContextManager[Any]:
    return project_scope(desk.acting, read_only=True)


def _told(line: MemoryLine) -> Mapping[str, Any]:
    return {
        "id": line.id,
        "excerpt": line.text.text,
        "status": line.status,
        "type": line.type,
        "scope": line.scope,
        "scope_title": line.scope_title.text if line.scope_title else None,
        "sensitivity": line.sensitivity,
        "knowledge": line.knowledge,
        "private": line.private,
        "last_used": line.used.isoformat() if line.used else None,
        "expires": line.expires.isoformat() if line.expires else None,
        "created": line.at.isoformat(),
        "matched": line.matched,
    }


def _proposed(row: Memory) -> Mapping[str, Any]:
    plain = {name: getattr(row, name) for name in ("status", "type", "action", "reason_code", "evidence_gap")}
    return plain | {
        "id": row.public_id,
        "excerpt": excerpt(row.content).text,
        "scope": row.scope_type,
        "proposer": made_visible(row.proposed_by.name),
        "private": row.audience == Audience.PRIVATE,
        "created": row.created_at.isoformat(),
    }
