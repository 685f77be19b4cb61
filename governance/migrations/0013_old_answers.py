"""Remembered answers that are older than anybody may count on are found by a sweep, whosever they are."""

from django.db import migrations

from governance import ddl

# The door sees when an answer was given and to which key, and no word of it.
SEEN = "id, project_id, api_key_id, created_at"
OPENED = (
    f"GRANT SELECT ({SEEN}) ON governance_storedanswer TO gw_doors;"
    "CREATE POLICY gw_doors_due ON governance_storedanswer FOR SELECT TO gw_doors USING (true);"
)
CLOSED = (
    "DROP POLICY gw_doors_due ON governance_storedanswer;"
    f"REVOKE SELECT ({SEEN}) ON governance_storedanswer FROM gw_doors;"
)
# Ids are ordered by time, so the oldest stand at the beginning of the primary key: no other index is kept for them.
# A day is what is promised, whatever is asked.
OLD_ANSWERS = """
  SELECT d.project_id, k.actor_id, array_agg(d.id) FROM (
    SELECT a.project_id, a.id, a.api_key_id, a.created_at FROM public.governance_storedanswer a
    ORDER BY a.id LIMIT least($2, 1000)) AS d
  JOIN public.governance_apikey k ON k.project_id = d.project_id AND k.id = d.api_key_id
  WHERE d.created_at < clock_timestamp() - greatest($1, interval '1 day')
  GROUP BY 1, 2
"""


class Migration(migrations.Migration):
    dependencies = [("governance", "0012_vision_proposals")]

    operations = [
        ddl.statement(OPENED, CLOSED),
        ddl.door(
            "old_answers",
            "kept interval, most integer",
            "TABLE (project_id uuid, acting uuid, ids uuid[])",
            OLD_ANSWERS,
        ),
    ]
