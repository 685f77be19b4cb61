import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

import governance.ids
import governance.vocabulary
from governance import ddl
from governance.ddl import Key

# The door sees whose work is due, and neither what it is about nor how it went.
SEEN = "id, project_id, audience, audience_role, owner_id, kind, state, attempts, due_at, lease_until"
OPENED = (
    f"GRANT SELECT ({SEEN}) ON governance_job TO gw_doors;"
    "CREATE POLICY gw_doors_due ON governance_job FOR SELECT TO gw_doors USING (true);"
)
CLOSED = f"DROP POLICY gw_doors_due ON governance_job; REVOKE SELECT ({SEEN}) ON governance_job FROM gw_doors;"
# What nobody has tried comes first, so that what fails again and again holds nothing up. A lapsed lease is due as well:
# whoever held it has died or hangs.
DUE = """
  SELECT j.project_id, j.id, j.kind::text, j.audience_role::text, coalesce(j.owner_id, a.id)
  FROM public.governance_job j
  JOIN public.governance_actor a ON a.project_id = j.project_id AND a.kind = 'system'
  WHERE j.state IN ('waiting', 'running') AND j.kind = ANY ($1)
    AND CASE j.state WHEN 'waiting' THEN j.due_at ELSE j.lease_until END <= clock_timestamp()
  ORDER BY j.attempts, j.due_at, j.id LIMIT least($2, 1000)
"""
MOVES = {
    "waiting": ["running"],
    "running": ["waiting", "done", "quarantined"],
    "quarantined": ["waiting"],
}


class Migration(migrations.Migration):
    """Work that waits for a worker, as rows: what is asked for is in the transaction that needs it."""

    dependencies = [("governance", "0010_sensitivity_proposals")]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                ("kind", models.CharField(max_length=40)),
                ("subject", models.CharField(max_length=120)),
                (
                    "state",
                    models.CharField(
                        choices=[(state, state) for state in ("waiting", "running", "done", "quarantined")],
                        default=governance.vocabulary.JobState["WAITING"],
                        max_length=12,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("asked_again", models.BooleanField(default=False)),
                ("due_at", models.DateTimeField()),
                ("holder", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("done_parts", models.PositiveIntegerField(default=0)),
                ("all_parts", models.PositiveIntegerField(blank=True, null=True)),
                ("error", models.CharField(blank=True, default="", max_length=80)),
                ("trace", models.CharField(blank=True, default="", max_length=80)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=Q(state__in=["waiting", "running"]), fields=["attempts", "due_at"], name="job_due"
                    ),
                    models.Index(fields=["project", "state", "-created_at"], name="job_by_state"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(state__in=["waiting", "running", "done", "quarantined"]), name="job_state_known"
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("holder__isnull", False), ("lease_until__isnull", False), ("state", "running")),
                            Q(Q(("state", "running"), _negated=True), ("holder", None), ("lease_until", None)),
                            _connector="OR",
                        ),
                        name="job_held_while_running",
                    ),
                    models.UniqueConstraint(
                        condition=~Q(state="done"), fields=("project", "kind", "subject"), name="job_open_once"
                    ),
                ],
            },
        ),
        ddl.composite_keys("governance_job", [Key("owner_id", "governance_actor")]),
        ddl.isolate("governance_job"),
        ddl.audience_shape("governance_job"),
        ddl.state_machine("governance_job", MOVES, initial=["waiting"]),
        ddl.statement(OPENED, CLOSED),
        ddl.door(
            "due_jobs",
            "kinds text[], most integer",
            "TABLE (project_id uuid, id uuid, kind text, held_role text, acting uuid)",
            DUE,
        ),
    ]
