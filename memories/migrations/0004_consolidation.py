import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
from governance import ddl
from governance.ddl import Key

# What is new is marked by the row itself: a cursor over moments or ids would pass over what commits late.
ANEW = """
CREATE FUNCTION memories_memory_anew() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF NEW.content IS DISTINCT FROM OLD.content THEN NEW.tokens := NULL; END IF;
  IF (NEW.status, NEW.content, NEW.scope_type, NEW.scope_id)
     IS DISTINCT FROM (OLD.status, OLD.content, OLD.scope_type, OLD.scope_id) THEN
    NEW.consolidated_at := NULL;
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER to_consolidate BEFORE UPDATE OF status, content, scope_type, scope_id ON memories_memory
FOR EACH ROW EXECUTE FUNCTION memories_memory_anew();

CREATE FUNCTION memories_memoryevidence_anew() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  UPDATE public.memories_memory m SET consolidated_at = NULL
  WHERE m.project_id = NEW.project_id AND m.id = NEW.memory_id AND m.consolidated_at IS NOT NULL;
  RETURN NULL;
END $f$;
CREATE TRIGGER to_consolidate AFTER INSERT ON memories_memoryevidence
FOR EACH ROW EXECUTE FUNCTION memories_memoryevidence_anew();
"""
NOT_ANEW = """
DROP TRIGGER to_consolidate ON memories_memoryevidence; DROP FUNCTION memories_memoryevidence_anew();
DROP TRIGGER to_consolidate ON memories_memory; DROP FUNCTION memories_memory_anew();
"""
# The door sees whose turn it is, and no word of what is known.
SEEN = {
    "memories_memory": "project_id, audience, audience_role, owner_id, status, consolidated_at, expires_at, created_at",
    "memories_conflict": "project_id, audience, audience_role, owner_id, state, snoozed_until, created_at",
    "memories_consolidation": "project_id, audience, audience_role, owner_id, work, ran_at, created_at",
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
DUE = """
  SELECT d.project_id, d.audience, d.audience_role, d.owner_id, coalesce(d.owner_id, a.id)
  FROM (
    SELECT m.project_id, m.audience, m.audience_role, m.owner_id, m.created_at FROM public.memories_memory m
    WHERE m.status = 'active' AND m.consolidated_at IS NULL
    UNION ALL
    SELECT m.project_id, m.audience, m.audience_role, m.owner_id, m.created_at FROM public.memories_memory m
    WHERE m.status = 'active' AND m.expires_at <= $1
    UNION ALL
    SELECT c.project_id, c.audience, c.audience_role, c.owner_id, c.created_at FROM public.memories_conflict c
    WHERE c.state = 'snoozed' AND c.snoozed_until <= $1
    UNION ALL -- once a day in any case: another policy may let things lapse that nobody has touched
    SELECT n.project_id, n.audience, n.audience_role, n.owner_id, n.created_at FROM public.memories_consolidation n
    WHERE n.work = 'memories' AND n.ran_at <= $1 - interval '1 day') AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  GROUP BY 1, 2, 3, 4, 5 ORDER BY min(d.created_at), 1, 2, 3, 4 LIMIT least($2, 1000)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0008_second_factors"),
        ("memories", "0003_claims_and_conflicts"),
    ]

    operations = [
        migrations.CreateModel(
            name="Consolidation",
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
                ("work", models.CharField(default="memories", max_length=24)),
                ("policy", models.CharField(blank=True, default="", max_length=80)),
                ("ran_at", models.DateTimeField(blank=True, null=True)),
                ("runs", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
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
        ),
        migrations.AddField(
            model_name="memory",
            name="consolidated_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="tokens",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("consolidated_at", None), ("status", "active")),
                fields=["project", "created_at"],
                name="memory_to_consolidate",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False), ("status", "active")),
                fields=["project", "expires_at"],
                name="memory_by_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="consolidation",
            constraint=models.UniqueConstraint(
                fields=("project", "audience", "audience_role", "owner", "work"),
                name="consolidation_once",
                nulls_distinct=False,
            ),
        ),
        ddl.composite_keys("memories_consolidation", [Key("owner_id", "governance_actor")]),
        ddl.isolate("memories_consolidation"),
        ddl.audience_shape("memories_consolidation"),
        ddl.statement(ANEW, NOT_ANEW),
        ddl.statement(OPENED, CLOSED),
        ddl.door(
            "due_memories",
            "at timestamptz, most integer",
            "TABLE (project_id uuid, audience text, audience_role text, owner_id uuid, acting uuid)",
            DUE,
        ),
    ]
