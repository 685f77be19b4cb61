"""How a session was picked up stays with its attempt, a handoff says more, a transcript is sealed, and sweeps find what
was left.
"""

import importlib

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import sessions.vocabulary
from governance import ddl
from governance.ddl import Key

FIRST = importlib.import_module("sessions.migrations.0001_initial")
# The door sees whose turn it is, and no word of what was said.
SEEN = {
    "agent_sessions_session": "id, project_id, audience, audience_role, owner_id, state, task_id, head_seq,"
    " last_event_at, created_at",
    "agent_sessions_attempt": "id, project_id, audience, audience_role, owner_id, session_id, state, lease_until",
    "agent_sessions_event": "project_id, session_id, seq, role, kind",
    "threads_task": "id, project_id, state",
}
OPENED = "".join(
    f"GRANT SELECT ({columns}) ON {table} TO gw_doors;"
    f"CREATE POLICY gw_doors_due ON {table} FOR SELECT TO gw_doors USING (true);"
    for table, columns in SEEN.items()
)
CLOSED = "".join(
    f"DROP POLICY gw_doors_due ON {table}; REVOKE SELECT ({columns}) ON {table} FROM gw_doors;"
    for table, columns in SEEN.items()
)
# Whoever fell silent after an answer waits for the next request; in the middle of a turn, it has died.
# A session of a task that is neither done nor cancelled is never stuck: it waits for whoever goes on.
DUE_WORK = """
  SELECT d.project_id, d.id, coalesce(d.owner_id, a.id), d.audience_role::text FROM (
    (SELECT t.project_id, t.id, t.owner_id, t.audience_role, t.created_at AS since
     FROM public.threads_thread t
     WHERE $1 = 'provisional_thread' AND t.provisional AND t.state = 'open'
       AND t.created_at < clock_timestamp() - interval '1 day'
     ORDER BY t.created_at LIMIT least($2, 1000))
    UNION ALL
    (SELECT p.project_id, p.id, p.owner_id, p.audience_role, p.lease_until
     FROM public.agent_sessions_attempt p
     JOIN public.agent_sessions_session s ON s.project_id = p.project_id AND s.id = p.session_id
     WHERE $1 = 'lapsed_attempt' AND p.state = 'running' AND p.lease_until < clock_timestamp() - interval '1 minute'
       AND (p.lease_until < clock_timestamp() - interval '12 hours' OR EXISTS (
         SELECT FROM public.agent_sessions_event e WHERE e.project_id = s.project_id AND e.session_id = s.id
         AND e.seq = s.head_seq AND NOT (e.role = 'assistant' AND e.kind = 'message')))
     ORDER BY p.lease_until LIMIT least($2, 1000))
    UNION ALL
    (SELECT s.project_id, s.id, s.owner_id, s.audience_role, coalesce(s.last_event_at, s.created_at)
     FROM public.agent_sessions_session s
     WHERE $1 = 'quiet_session' AND s.state = 'active'
       AND coalesce(s.last_event_at, s.created_at) < clock_timestamp() - interval '30 minutes'
       AND NOT EXISTS (SELECT FROM public.agent_sessions_attempt p WHERE p.project_id = s.project_id
                       AND p.session_id = s.id AND p.state = 'running' AND p.lease_until > clock_timestamp())
     ORDER BY 5 LIMIT least($2, 1000))
    UNION ALL
    (SELECT s.project_id, s.id, s.owner_id, s.audience_role, coalesce(s.last_event_at, s.created_at)
     FROM public.agent_sessions_session s
     LEFT JOIN public.threads_task k ON k.project_id = s.project_id AND k.id = s.task_id
     WHERE $1 = 'stuck_session' AND s.state IN ('idle', 'interrupted')
       AND coalesce(s.last_event_at, s.created_at) < clock_timestamp()
         - CASE WHEN s.task_id IS NULL THEN interval '30 days' ELSE interval '1 day' END
       AND (s.task_id IS NULL OR k.state IN ('done', 'cancelled'))
       AND NOT EXISTS (SELECT FROM public.agent_sessions_attempt p WHERE p.project_id = s.project_id
                       AND p.session_id = s.id AND p.state = 'running' AND p.lease_until > clock_timestamp())
     ORDER BY 5 LIMIT least($2, 1000))) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  ORDER BY d.since LIMIT least($2, 1000)
"""
GONE = "SET LOCAL ROLE gw_doors; DROP FUNCTION due_work(text, integer); RESET ROLE;"
ARGUMENTS = "kind text, most integer"
BEFORE = ddl.door("due_work", ARGUMENTS, "TABLE (project_id uuid, id uuid, system_actor uuid)", FIRST.DUE_WORK)
AFTER = ddl.door("due_work", ARGUMENTS, "TABLE (project_id uuid, id uuid, system_actor uuid, held_role text)", DUE_WORK)
OCCASIONS = ["asked", "sent_back", "closed", "crashed"]


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0005_learnt_profiles"),
        ("governance", "0011_jobs"),
        ("threads", "0002_talk"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="recovery",
            field=models.CharField(blank=True, db_default="", default="", max_length=12),
        ),
        migrations.AddField(
            model_name="attempt",
            name="missing",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=24), blank=True, db_default=models.Value("{}"), default=list
            ),
        ),
        migrations.AddField(
            model_name="handoff",
            name="account",
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField(
            model_name="handoff",
            name="occasion",
            field=models.CharField(
                choices=[(occasion, occasion) for occasion in OCCASIONS],
                db_default="asked",
                default=sessions.vocabulary.HandoffOccasion["ASKED"],
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="handoff",
            name="task",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="threads.task",
            ),
        ),
        migrations.AddField(model_name="session", name="resume_failure", field=models.JSONField(blank=True, null=True)),
        migrations.AddField(
            model_name="session",
            name="seal",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(condition=Q(state="running"), fields=["lease_until"], name="attempt_lapsing"),
        ),
        migrations.AddIndex(
            model_name="session", index=models.Index(fields=["project", "thread"], name="session_by_thread")
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=Q(state__in=["active", "idle", "interrupted"]),
                fields=["state", "last_event_at"],
                name="session_quiet",
            ),
        ),
        migrations.AddConstraint(
            model_name="handoff",
            constraint=models.CheckConstraint(condition=Q(occasion__in=OCCASIONS), name="handoff_occasion_known"),
        ),
        ddl.composite_keys("agent_sessions_handoff", [Key("task_id", "threads_task")]),
        ddl.statement(OPENED, CLOSED),
        ddl.statement(f"{GONE}{AFTER.sql}", f"{GONE}{BEFORE.sql}"),
    ]
