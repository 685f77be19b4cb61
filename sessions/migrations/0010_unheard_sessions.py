"""Sessions whose users were never heard, from before talk was kept or restored without it, are found by a sweep."""

from django.db import migrations

from governance import ddl

# The door sees where something was said, and no word of it.
OPENED = (
    "GRANT SELECT (thread_id) ON agent_sessions_session TO gw_doors;"
    "GRANT SELECT (project_id, thread_id, source) ON threads_threadtalk TO gw_doors;"
    "CREATE POLICY gw_doors_due ON threads_threadtalk FOR SELECT TO gw_doors USING (true);"
)
CLOSED = (
    "DROP POLICY gw_doors_due ON threads_threadtalk;"
    "REVOKE SELECT (project_id, thread_id, source) ON threads_threadtalk FROM gw_doors;"
    "REVOKE SELECT (thread_id) ON agent_sessions_session FROM gw_doors;"
)
# Latest first: what was said last tells most of what a thread is about now. A thread that keeps as many parts of its
# talk as it may has let go of its oldest: those are not heard again.
UNHEARD = """
  SELECT d.project_id, d.id, coalesce(d.owner_id, a.id), d.audience_role::text FROM (
    SELECT s.project_id, s.id, s.owner_id, s.audience_role, s.last_event_at
    FROM public.agent_sessions_session s
    JOIN public.threads_thread t ON t.project_id = s.project_id AND t.id = s.thread_id AND t.type <> 'small_talk'
    WHERE s.head_seq > 0
      AND NOT EXISTS (SELECT FROM public.threads_threadtalk k
                      WHERE k.project_id = s.project_id AND k.thread_id = s.thread_id AND k.source = s.id)
      AND EXISTS (SELECT FROM public.agent_sessions_event e WHERE e.project_id = s.project_id AND e.session_id = s.id
                  AND e.role = 'user' AND e.kind = 'message')
      AND (SELECT count(*) FROM public.threads_threadtalk k
           WHERE k.project_id = s.project_id AND k.thread_id = s.thread_id) < $2
    ORDER BY s.last_event_at DESC NULLS LAST LIMIT least($1, 1000)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  ORDER BY d.last_event_at DESC NULLS LAST
"""
RETURNS = "TABLE (project_id uuid, id uuid, acting uuid, held_role text)"


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0009_session_reads"), ("threads", "0002_talk")]
    operations = [
        ddl.statement(OPENED, CLOSED),
        ddl.door("unheard_sessions", "most integer, parts integer", RETURNS, UNHEARD),
    ]
