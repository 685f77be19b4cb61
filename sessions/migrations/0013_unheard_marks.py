"""A session that has yet to be heard says so itself: the sweep looks at those alone, and not at all that there are."""

from importlib import import_module

from django.db import migrations, models

from governance import ddl

BEFORE = import_module("sessions.migrations.0010_unheard_sessions")
# Those that a look at everything would have taken until now.
MARKED = """
UPDATE agent_sessions_session s SET unheard = true
FROM threads_thread t
WHERE t.project_id = s.project_id AND t.id = s.thread_id AND t.type <> 'small_talk' AND s.head_seq > 0
  AND NOT EXISTS (SELECT FROM threads_threadtalk k
                  WHERE k.project_id = s.project_id AND k.thread_id = s.thread_id AND k.source = s.id)
  AND EXISTS (SELECT FROM agent_sessions_event e WHERE e.project_id = s.project_id AND e.session_id = s.id
              AND e.role = 'user' AND e.kind = 'message');
"""
# The door sees no more of a session than before, but for its mark, and nothing of what was heard.
NARROWED = (
    "GRANT SELECT (unheard) ON agent_sessions_session TO gw_doors;"
    "REVOKE SELECT (thread_id) ON agent_sessions_session FROM gw_doors;"
    "DROP POLICY gw_doors_due ON threads_threadtalk;"
    "REVOKE SELECT (project_id, thread_id, source) ON threads_threadtalk FROM gw_doors;"
)
WIDENED = (
    "GRANT SELECT (project_id, thread_id, source) ON threads_threadtalk TO gw_doors;"
    "CREATE POLICY gw_doors_due ON threads_threadtalk FOR SELECT TO gw_doors USING (true);"
    "GRANT SELECT (thread_id) ON agent_sessions_session TO gw_doors;"
    "REVOKE SELECT (unheard) ON agent_sessions_session FROM gw_doors;"
)
# Latest first: what was said last tells most of what a thread is about now.
UNHEARD = """
  SELECT d.project_id, d.id, coalesce(d.owner_id, a.id), d.audience_role::text FROM (
    SELECT s.project_id, s.id, s.owner_id, s.audience_role, s.last_event_at
    FROM public.agent_sessions_session s
    WHERE s.unheard ORDER BY s.last_event_at DESC LIMIT least($1, 1000)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  ORDER BY d.last_event_at DESC
"""
OLD = ddl.door("unheard_sessions", "most integer, parts integer", BEFORE.RETURNS, BEFORE.UNHEARD)
NEW = ddl.door("unheard_sessions", "most integer", BEFORE.RETURNS, UNHEARD)


def dropped(signature: str) -> str:
    return f"SET LOCAL ROLE gw_doors; DROP FUNCTION {signature}; RESET ROLE;"


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0012_session_indexes"), ("threads", "0002_talk")]

    operations = [
        migrations.AddField("session", "unheard", models.BooleanField(db_default=False, default=False)),
        migrations.AddIndex(
            "session",
            models.Index(fields=["-last_event_at"], condition=models.Q(unheard=True), name="session_unheard"),
        ),
        migrations.RunSQL(MARKED, migrations.RunSQL.noop),
        ddl.statement(dropped("unheard_sessions(integer, integer)"), str(OLD.sql)),
        ddl.statement(NARROWED, WIDENED),
        ddl.statement(str(NEW.sql), dropped("unheard_sessions(integer)")),
    ]
