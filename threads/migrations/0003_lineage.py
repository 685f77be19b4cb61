"""Work of a thread goes on in another one: a row says so, and a thread is merged or split exactly while one stands."""

import uuid
from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

import governance.ids
from governance import ddl
from governance.ddl import Key
from governance.vocabulary import Audience

TABLE = "threads_lineage"
FIXED = ["project_id", "created_at", "kind", "act", "source_id", "target_id", "whole", "author_id", "moved", "before"]
SOURCES = ["first_request", "task_brief", "maintainer", "agent"]
# After the trigger that knows the moves as such, which comes first by its name.
TOLD = """
CREATE FUNCTION threads_thread_told() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF NEW.state IS DISTINCT FROM OLD.state AND (NEW.state IN ('merged', 'split') OR OLD.state IN ('merged', 'split'))
    AND (NEW.state IN ('merged', 'split')) <> EXISTS (
      SELECT FROM threads_lineage l
      WHERE l.project_id = NEW.project_id AND l.source_id = NEW.id AND l.state = 'standing' AND l.whole
        AND l.kind = CASE WHEN 'merged' IN (NEW.state, OLD.state) THEN 'merge' ELSE 'split' END) THEN
    RAISE EXCEPTION 'threads_thread: no lineage says that it became % from %', NEW.state, OLD.state
      USING ERRCODE = 'GW006';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER told_by_lineage BEFORE UPDATE OF state ON threads_thread
FOR EACH ROW EXECUTE FUNCTION threads_thread_told();
"""
UNTOLD = "DROP TRIGGER told_by_lineage ON threads_thread; DROP FUNCTION threads_thread_told();"

# No row is read by more than its thread is. The name is whole: doors insert here, and know no schema by themselves.
NARROW = """
CREATE FUNCTION threads_lineage_narrow() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE held public.threads_thread;
BEGIN
  SELECT * INTO held FROM public.threads_thread t WHERE t.id = NEW.source_id AND t.project_id = NEW.project_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'threads_lineage: no such source_id' USING ERRCODE = 'foreign_key_violation';
  END IF;
  IF held.audience <> 'project' THEN
    NEW.audience := held.audience; NEW.audience_role := held.audience_role; NEW.owner_id := held.owner_id;
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER narrow_audience BEFORE INSERT OR UPDATE OF source_id, audience, audience_role, owner_id
ON threads_lineage FOR EACH ROW EXECUTE FUNCTION threads_lineage_narrow();
"""
WIDE = "DROP TRIGGER narrow_audience ON threads_lineage; DROP FUNCTION threads_lineage_narrow();"


def _scoped(to: str, *, null: bool = False) -> "models.ForeignKey[uuid.UUID, Any]":
    return models.ForeignKey(
        to=to,
        blank=null,
        null=null,
        db_constraint=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
    )


def _sources(known: list[str]) -> list[Any]:
    says = models.CheckConstraint(condition=Q(source__in=known), name="vision_source_known")
    chosen = models.CharField(choices=[(one, one) for one in known], max_length=16)
    return [
        migrations.RemoveConstraint(model_name="vision", name="vision_source_known"),
        migrations.AlterField(model_name="vision", name="source", field=chosen),
        migrations.AddConstraint(model_name="vision", constraint=says),
    ]


class Migration(migrations.Migration):
    dependencies = [("threads", "0002_talk")]

    operations = [
        migrations.CreateModel(
            name="Lineage",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[(one.value, one.value) for one in Audience], default=Audience.PROJECT, max_length=8
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                ("kind", models.CharField(choices=[("merge", "merge"), ("split", "split")], max_length=8)),
                (
                    "state",
                    models.CharField(
                        choices=[("standing", "standing"), ("undone", "undone")], default="standing", max_length=8
                    ),
                ),
                ("act", models.UUIDField()),
                ("whole", models.BooleanField(default=True)),
                ("reason", models.TextField(blank=True, default="")),
                ("moved", models.JSONField(default=dict)),
                ("before", models.JSONField(default=dict)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("undone_because", models.TextField(blank=True, default="")),
                ("author", _scoped("governance.actor")),
                ("owner", _scoped("governance.actor", null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                ("source", _scoped("threads.thread")),
                ("target", _scoped("threads.thread")),
                ("undone_by", _scoped("governance.actor", null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=Q(kind__in=["merge", "split"]), name="lineage_kind_known"),
                    models.CheckConstraint(condition=Q(state__in=["standing", "undone"]), name="lineage_state_known"),
                    models.CheckConstraint(condition=~Q(source=models.F("target")), name="lineage_leads_elsewhere"),
                    models.CheckConstraint(
                        condition=~Q(state="undone") | Q(undone_at__isnull=False, undone_by__isnull=False),
                        name="lineage_undone_by_somebody",
                    ),
                    models.UniqueConstraint(
                        condition=Q(kind="merge", state="standing"),
                        fields=("project", "source", "audience", "audience_role", "owner"),
                        name="lineage_one_merge",
                        nulls_distinct=False,
                    ),
                ]
            },
        ),
        ddl.composite_keys(
            TABLE,
            [
                Key("owner_id", "governance_actor"),
                Key("source_id", "threads_thread"),
                Key("target_id", "threads_thread"),
                Key("author_id", "governance_actor"),
                Key("undone_by_id", "governance_actor"),
            ],
        ),
        ddl.isolate(TABLE),
        ddl.audience_shape(TABLE),
        ddl.statement(NARROW, WIDE),
        ddl.frozen_columns(TABLE, FIXED),
        ddl.state_machine(TABLE, {"standing": ["undone"]}, initial=["standing"]),
        ddl.undeletable(TABLE),
        ddl.statement(TOLD, UNTOLD),
        *_sources([*SOURCES, "merge", "split"]),
    ]
