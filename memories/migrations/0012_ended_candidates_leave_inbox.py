"""Candidates that had ended, mostly by losing a conflict, leave the inbox; what their gates had missed goes with them.

Going back opens none of them again: a matter that is over waits for nobody in the older schema either.
"""

from django.db import migrations

# The ids of matters are written in hexadecimal digits, behind their prefix and before their version.
SETTLE = """
UPDATE governance_inboxitem i
SET state = 'done', settled_at = greatest(m.updated_at, i.created_at), snoozed_until = NULL, awaits_evidence = false
FROM memories_memory m
WHERE i.kind = 'candidate' AND i.state <> 'done' AND i.ref = 'memory://mem_' || replace(m.id::text, '-', '') || '@1'
  AND m.project_id = i.project_id AND m.status IN ('active', 'archived', 'revoked', 'rejected');
"""
CLEAR = """
UPDATE memories_memory SET evidence_gap = ''
WHERE status = 'rejected' AND evidence_gap <> ''
  AND reason_code IN ('lost_conflict', 'merged_into_another', 'parent_revoked');
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0011_memory_by_place"), ("governance", "0013_old_answers")]
    operations = [migrations.RunSQL([SETTLE, CLEAR], migrations.RunSQL.noop)]
