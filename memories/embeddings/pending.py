"""Vectors that are waited for: rows beside their passages, written in the same transaction and filled by a worker."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import connection

from governance.rows import send
from memories.embeddings.doorbell import ring
from memories.embeddings.registry import written_models

ROW = """
INSERT INTO memories_embedding (
  id, created_at, project_id, audience, audience_role, owner_id, passage_id, thread_id, source_type, said_at, confined,
  live, model, version, dims, state, attempts, error, due_at)
SELECT gen_random_uuid(), now(), p.project_id, p.audience, p.audience_role, p.owner_id, p.id, p.thread_id,
  p.source_type, coalesce(p.as_of, p.created_at), p.memory_id IS NOT NULL AND p.thread_id IS NOT NULL,
  p.live, m.model, m.version, m.dims, 'pending', 0, '', {due_at}
FROM memories_passage p
CROSS JOIN unnest(%(models)s::text[], %(versions)s::text[], %(dims)s::integer[]) AS m (model, version, dims)
WHERE {condition}
"""
CONFLICT = "ON CONFLICT (project_id, passage_id, model, version) DO NOTHING"
AWAIT = ROW.format(due_at="now()", condition="p.project_id = %(project)s::uuid AND p.ref = ANY (%(refs)s::text[])")
# Older than what is written now, which comes first.
LACKING = ROW.format(
    due_at="greatest(p.created_at, now() - interval '1 hour')",
    condition="""p.live AND p.audience = %(audience)s AND p.audience_role IS NOT DISTINCT FROM %(role)s::text
  AND p.owner_id IS NOT DISTINCT FROM %(owner)s::uuid AND NOT EXISTS (
    SELECT FROM memories_embedding e WHERE e.project_id = p.project_id AND e.passage_id = p.id
    AND e.model = m.model AND e.version = m.version) LIMIT %(most)s::integer""",
)


def await_vectors(project_id: uuid.UUID, refs: Sequence[str]) -> None:
    """Ask for vectors of passages that were just written in the open scope: one statement, whatever their number.

    No model is loaded and nothing is embedded here; a worker is woken once the transaction is committed. Passages
    whose text is the same keep their vectors, and those whose text changed lost them as it changed.
    """
    models = _models()
    if not refs or not models["models"]:
        return
    send(AWAIT + CONFLICT, {**models, "project": project_id, "refs": list(refs)})
    ring()


def await_lacking(audience: str, role: str | None, owner: uuid.UUID | None, *, most: int) -> int:
    """Ask for vectors of passages of one audience, in the open scope, that lack one; returns of how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            LACKING + CONFLICT, {**_models(), "audience": audience, "role": role, "owner": owner, "most": most}
        )
        return int(cursor.rowcount)


def _models() -> dict[str, Any]:
    written = written_models()
    return {
        "models": [model.name for model in written],
        "versions": [model.version for model in written],
        "dims": [model.dims for model in written],
    }
