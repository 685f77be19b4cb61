import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
import threads.vocabulary
from governance import ddl
from governance.ddl import Key


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("governance", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Thread",
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
                ("title", models.CharField(max_length=300)),
                ("title_is_human", models.BooleanField(default=False)),
                (
                    "type",
                    models.CharField(
                        choices=[("work", "work"), ("small_talk", "small_talk"), ("personal", "personal")],
                        default=threads.vocabulary.ThreadType["WORK"],
                        max_length=12,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("archived", "archived"), ("merged", "merged"), ("split", "split")],
                        default=threads.vocabulary.ThreadState["OPEN"],
                        max_length=8,
                    ),
                ),
                ("provisional", models.BooleanField(default=True)),
                ("summary", models.TextField(blank=True, default="")),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list
                    ),
                ),
                (
                    "keywords",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list
                    ),
                ),
                (
                    "recent_goals",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("last_active_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
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
        migrations.CreateModel(
            name="Task",
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
                ("title", models.CharField(max_length=300)),
                ("brief", models.TextField(blank=True, default="")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "planned"),
                            ("ready", "ready"),
                            ("doing", "doing"),
                            ("review", "review"),
                            ("blocked", "blocked"),
                            ("done", "done"),
                            ("cancelled", "cancelled"),
                        ],
                        default=threads.vocabulary.TaskState["PLANNED"],
                        max_length=12,
                    ),
                ),
                (
                    "phase",
                    models.CharField(
                        choices=[("plan", "plan"), ("execute", "execute"), ("accept", "accept")],
                        default=governance.vocabulary.Phase["PLAN"],
                        max_length=8,
                    ),
                ),
                (
                    "risk",
                    models.CharField(
                        choices=[("low", "low"), ("medium", "medium"), ("high", "high")],
                        default=governance.vocabulary.Risk["LOW"],
                        max_length=8,
                    ),
                ),
                (
                    "next_steps",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list),
                ),
                ("max_input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
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
                (
                    "thread",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.thread",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Binding",
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
                ("channel", models.CharField(max_length=200)),
                ("page", models.CharField(blank=True, default="", max_length=500)),
                (
                    "destination",
                    models.CharField(
                        choices=[("private", "private"), ("project", "project"), ("external", "external")],
                        default=governance.vocabulary.Destination["PROJECT"],
                        max_length=8,
                    ),
                ),
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
                (
                    "thread",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.thread",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ThreadUse",
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
                ("role", models.CharField(max_length=64)),
                ("last_used_at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
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
                (
                    "thread",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.thread",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Vision",
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
                ("version", models.PositiveIntegerField()),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("first_request", "first_request"),
                            ("task_brief", "task_brief"),
                            ("maintainer", "maintainer"),
                            ("agent", "agent"),
                        ],
                        max_length=16,
                    ),
                ),
                ("origin_goal", models.TextField()),
                ("origin_ref", models.CharField(blank=True, default="", max_length=200)),
                (
                    "done_when",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list),
                ),
                (
                    "non_goals",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list),
                ),
                (
                    "user_priorities",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list),
                ),
                ("quality_bar", models.TextField(blank=True, default="")),
                (
                    "author",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
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
                (
                    "thread",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.thread",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TaskEdge",
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
                (
                    "depends_on",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.task",
                    ),
                ),
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
                (
                    "task",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.task",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "task", "depends_on"), name="task_edge_once"),
                    models.CheckConstraint(
                        condition=models.Q(("task", models.F("depends_on")), _negated=True), name="task_edge_no_loop"
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(fields=["project", "state", "-last_active_at"], name="thread_recent"),
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(
                condition=models.Q(("provisional", True)), fields=["created_at"], name="thread_provisional"
            ),
        ),
        migrations.AddConstraint(
            model_name="thread",
            constraint=models.CheckConstraint(
                condition=models.Q(("type__in", ["work", "small_talk", "personal"])), name="thread_type_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="thread",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "archived", "merged", "split"])), name="thread_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["planned", "ready", "doing", "review", "blocked", "done", "cancelled"])
                ),
                name="task_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(("phase__in", ["plan", "execute", "accept"])), name="task_phase_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(("risk__in", ["low", "medium", "high"])), name="task_risk_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.CheckConstraint(
                condition=models.Q(("destination__in", ["private", "project", "external"])),
                name="binding_destination_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.UniqueConstraint(
                fields=("project", "owner", "channel", "page"), name="binding_once", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="threaduse",
            constraint=models.UniqueConstraint(fields=("project", "thread", "actor", "role"), name="thread_use_once"),
        ),
        migrations.AddConstraint(
            model_name="vision",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["first_request", "task_brief", "maintainer", "agent"])),
                name="vision_source_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vision",
            constraint=models.UniqueConstraint(fields=("project", "thread", "version"), name="vision_version_once"),
        ),
    ]


# From here on: who may see and change what. Django knows none of it, so it is SQL.

NO_CIRCLES = """
CREATE FUNCTION threads_taskedge_no_circle() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF EXISTS (
    WITH RECURSIVE ahead(id) AS (
      SELECT NEW.depends_on_id UNION
      SELECT e.depends_on_id FROM threads_taskedge e JOIN ahead ON e.task_id = ahead.id AND e.project_id = NEW.project_id
    ) SELECT 1 FROM ahead WHERE id = NEW.task_id
  ) THEN RAISE EXCEPTION 'threads_taskedge: this dependency closes a circle' USING ERRCODE = 'GW004'; END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER no_circle BEFORE INSERT OR UPDATE ON threads_taskedge
FOR EACH ROW EXECUTE FUNCTION threads_taskedge_no_circle();
"""
CHILDREN = {
    "threads_binding": "thread_id",
    "threads_threaduse": "thread_id",
    "threads_vision": "thread_id",
    "threads_task": "thread_id",
}
CONTENT = ["threads_thread", "threads_binding", "threads_threaduse", "threads_task", "threads_taskedge"]
KEYS = {
    "threads_thread": [Key("owner_id", "governance_actor"), Key("created_by_id", "governance_actor")],
    "threads_binding": [Key("thread_id", "threads_thread")],
    "threads_threaduse": [Key("thread_id", "threads_thread"), Key("actor_id", "governance_actor")],
    "threads_vision": [Key("thread_id", "threads_thread"), Key("author_id", "governance_actor")],
    "threads_task": [Key("thread_id", "threads_thread"), Key("created_by_id", "governance_actor")],
    "threads_taskedge": [Key("task_id", "threads_task"), Key("depends_on_id", "threads_task")],
}

Migration.operations += [
    *(ddl.addressable(table) for table in ["threads_thread", "threads_task", "threads_vision"]),
    *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
    *(ddl.isolate(table) for table in CONTENT),
    ddl.isolate("threads_vision", append_only=True),
    ddl.append_only("threads_vision"),
    *(ddl.audience_shape(table) for table in [*CONTENT, "threads_vision"]),
    *(ddl.inherit_audience(table, parent="threads_thread", column=column) for table, column in CHILDREN.items()),
    ddl.inherit_audience("threads_taskedge", parent="threads_task", column="task_id"),
    ddl.statement(
        NO_CIRCLES, "DROP TRIGGER no_circle ON threads_taskedge; DROP FUNCTION threads_taskedge_no_circle();"
    ),
    ddl.state_machine(
        "threads_thread",
        {"open": ["archived", "merged", "split"], "archived": ["open"], "merged": ["open"], "split": ["open"]},
        initial=["open"],
    ),
    ddl.state_machine(
        "threads_task",
        {
            "planned": ["ready", "cancelled"],
            "ready": ["doing", "cancelled"],
            "doing": ["review", "blocked", "cancelled"],
            "blocked": ["doing", "cancelled"],
            "review": ["done", "doing", "cancelled"],
            "done": ["cancelled"],
        },
        initial=["planned"],
    ),
]
