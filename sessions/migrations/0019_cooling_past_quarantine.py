"""A sealed session whose compressing failed too often waits for a person, and no other waits behind it: the sweep passes
over it until somebody lets its job go on.
"""

from importlib import import_module

from django.db import migrations

from governance import ddl

BEFORE = import_module("sessions.migrations.0014_cold_segments")
SIGNATURE, ARGUMENTS = "cooling_sessions(integer, integer)", "most integer, days integer"
RETURNS = "TABLE (project_id uuid, id uuid, acting uuid, held_role text)"
# Of a job the door sees what it is about by now, which is an id; those that are open are found by it.
COOLING = """
  SELECT d.project_id, d.id, coalesce(d.owner_id, a.id), d.audience_role::text FROM (
    SELECT s.project_id, s.id, s.owner_id, s.audience_role, s.closed_at
    FROM public.agent_sessions_session s
    WHERE s.cold_at IS NULL AND s.closed_at IS NOT NULL AND s.head_seq > 0
      AND s.closed_at < clock_timestamp() - make_interval(days => $2)
      AND NOT EXISTS (SELECT FROM public.governance_job j
        WHERE j.project_id = s.project_id AND j.kind = 'cool_session'
          AND j.subject = 'ses_' || replace(s.id::text, '-', '') AND j.state = 'quarantined')
    ORDER BY s.closed_at LIMIT least($1, 1000)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  ORDER BY d.closed_at
"""
OLD, NEW = (ddl.door("cooling_sessions", ARGUMENTS, RETURNS, body) for body in (BEFORE.COOLING, COOLING))
DROPPED = f"SET LOCAL ROLE gw_doors; DROP FUNCTION {SIGNATURE}; RESET ROLE;"


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0018_attempts_of_an_actor"), ("governance", "0013_old_answers")]

    operations = [
        ddl.statement(
            "GRANT SELECT (subject) ON governance_job TO gw_doors;",
            "REVOKE SELECT (subject) ON governance_job FROM gw_doors;",
        ),
        ddl.statement(DROPPED, str(OLD.sql)),
        ddl.statement(str(NEW.sql), DROPPED),
    ]
