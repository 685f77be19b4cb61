import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
import sessions.vocabulary
from governance import ddl
from governance.ddl import Key


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("governance", "0001_initial"),
        ("threads", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="BudgetProfile",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("slug", models.CharField(max_length=128, unique=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("body", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="Artifact",
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
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
                ("lines", models.PositiveIntegerField()),
                ("tokens_o200k", models.PositiveIntegerField()),
                ("media_type", models.CharField(default="text/plain", max_length=100)),
                ("content", models.TextField()),
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
            name="Attempt",
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
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "running"), ("ended", "ended"), ("crashed", "crashed")],
                        default=sessions.vocabulary.AttemptState["RUNNING"],
                        max_length=8,
                    ),
                ),
                ("lease_until", models.DateTimeField()),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
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
                    "persona_revision",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.revision",
                    ),
                ),
                (
                    "policy_revision",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.revision",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "role_revision",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.revision",
                    ),
                ),
                (
                    "self_profile_revision",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.revision",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ContextPacket",
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
                ("trace", models.CharField(max_length=64)),
                ("dialect", models.CharField(max_length=24)),
                ("refused", models.BooleanField(default=False)),
                ("packet_hash", models.CharField(blank=True, default="", max_length=80)),
                ("input_cap", models.IntegerField()),
                ("used", models.IntegerField()),
                ("receipt", models.JSONField()),
                ("decisions", models.JSONField()),
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
                    "attempt",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.attempt",
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
            name="PacketOutcome",
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
                ("result", models.CharField(blank=True, default="", max_length=64)),
                ("verification", models.CharField(default="unverified", max_length=16)),
                ("usage", models.JSONField(default=dict)),
                ("cited_refs", models.JSONField(default=list)),
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
                    "packet",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.contextpacket",
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
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="ProviderSession",
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
                ("harness", models.CharField(max_length=64)),
                ("external_id", models.CharField(max_length=200)),
                ("alive", models.BooleanField(default=True)),
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
            model_name="attempt",
            name="provider_session",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.providersession",
            ),
        ),
        migrations.CreateModel(
            name="Session",
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
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "active"),
                            ("idle", "idle"),
                            ("interrupted", "interrupted"),
                            ("closed", "closed"),
                            ("handoff_written", "handoff_written"),
                        ],
                        default=sessions.vocabulary.SessionState["ACTIVE"],
                        max_length=16,
                    ),
                ),
                ("title", models.CharField(blank=True, default="", max_length=300)),
                ("head_seq", models.PositiveIntegerField(default=0)),
                ("resume_point", models.TextField(blank=True, default="")),
                ("interruptions", models.JSONField(blank=True, default=list)),
                ("screen_context", models.JSONField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("last_event_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "opened_by",
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
                    "task",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.task",
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
        migrations.AddField(
            model_name="providersession",
            name="session",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.session",
            ),
        ),
        migrations.CreateModel(
            name="Handoff",
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
                ("summary", models.TextField()),
                (
                    "unfinished_items",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list),
                ),
                ("risks", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list)),
                ("resume_suggestion", models.TextField()),
                ("next_actor", models.CharField(blank=True, default="", max_length=64)),
                ("covers_to_seq", models.PositiveIntegerField(default=0)),
                ("pins", models.JSONField(default=dict)),
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
                (
                    "from_session",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.session",
                    ),
                ),
                (
                    "to_session",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.session",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Event",
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
                ("seq", models.PositiveIntegerField()),
                ("client_id", models.CharField(max_length=200)),
                (
                    "role",
                    models.CharField(
                        choices=[("user", "user"), ("assistant", "assistant"), ("tool", "tool"), ("system", "system")],
                        max_length=12,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("message", "message"),
                            ("tool_call", "tool_call"),
                            ("tool_result", "tool_result"),
                            ("constraint", "constraint"),
                            ("correction", "correction"),
                            ("interruption", "interruption"),
                            ("screen", "screen"),
                            ("provider_compaction", "provider_compaction"),
                            ("verification", "verification"),
                            ("unknown", "unknown"),
                        ],
                        max_length=24,
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("tool", models.CharField(blank=True, default="", max_length=200)),
                ("failed", models.BooleanField(blank=True, null=True)),
                (
                    "attested_by",
                    models.CharField(
                        choices=[
                            ("console", "console"),
                            ("harness", "harness"),
                            ("agent", "agent"),
                            ("import", "import"),
                        ],
                        default=sessions.vocabulary.AttestedBy["AGENT"],
                        max_length=12,
                    ),
                ),
                ("tokens_o200k", models.PositiveIntegerField()),
                ("tokens_cl100k", models.PositiveIntegerField()),
                ("content_hash", models.CharField(max_length=80)),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("occurred_at", models.DateTimeField(blank=True, null=True)),
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
                    "artifact",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.artifact",
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.attempt",
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
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.session",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="contextpacket",
            name="session",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.session",
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="session",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.session",
            ),
        ),
        migrations.CreateModel(
            name="WorkSummary",
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
                ("from_seq", models.PositiveIntegerField()),
                ("to_seq", models.PositiveIntegerField()),
                ("trigger", models.CharField(max_length=64)),
                ("sections", models.JSONField()),
                ("tokens_o200k", models.PositiveIntegerField()),
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
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.worksummary",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agent_sessions.session",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="artifact",
            constraint=models.UniqueConstraint(
                fields=("project", "sha256", "audience", "audience_role", "owner"),
                name="artifact_content_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["active", "idle", "interrupted", "closed", "handoff_written"])),
                name="session_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["active", "idle", "interrupted"])),
                fields=("project", "thread", "role", "task", "owner"),
                name="session_one_live",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="providersession",
            constraint=models.UniqueConstraint(
                fields=("project", "session", "harness", "external_id"), name="provider_session_once"
            ),
        ),
        migrations.AddIndex(
            model_name="handoff",
            index=models.Index(fields=["project", "thread", "-created_at"], name="handoff_latest"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("kind__in", ["constraint", "correction"])),
                fields=["project", "session", "seq"],
                name="event_constraints",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["user", "assistant", "tool", "system"])), name="event_role_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "message",
                            "tool_call",
                            "tool_result",
                            "constraint",
                            "correction",
                            "interruption",
                            "screen",
                            "provider_compaction",
                            "verification",
                            "unknown",
                        ],
                    )
                ),
                name="event_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(("attested_by__in", ["console", "harness", "agent", "import"])),
                name="event_attested_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(fields=("project", "session", "seq"), name="event_seq_once"),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(fields=("project", "session", "client_id"), name="event_client_id_once"),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(condition=models.Q(("seq__gte", 1)), name="event_seq_from_one"),
        ),
        migrations.AddIndex(
            model_name="contextpacket",
            index=models.Index(fields=["project", "thread", "-created_at"], name="packet_by_thread"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["running", "ended", "crashed"])), name="attempt_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(fields=("project", "session", "number"), name="attempt_number_once"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", sessions.vocabulary.AttemptState["RUNNING"])),
                fields=("project", "session"),
                name="attempt_one_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="worksummary",
            constraint=models.UniqueConstraint(fields=("project", "session", "version"), name="summary_version_once"),
        ),
        migrations.AddConstraint(
            model_name="worksummary",
            constraint=models.CheckConstraint(
                condition=models.Q(("to_seq__gte", models.F("from_seq"))), name="summary_covers_forward"
            ),
        ),
    ]


# From here on: who may see and change what. Django knows none of it, so it is SQL.

# The transcript numbers itself: a statement's new events must continue the session without a gap, and moving the
# head is part of the insert. The writer holds the session's row lock, so that nobody else numbers in between.
TRANSCRIPT = """
CREATE FUNCTION agent_sessions_event_numbering() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE expected int; moved int;
BEGIN
  SELECT count(DISTINCT session_id) INTO expected FROM fresh;
  WITH spans AS (
    SELECT project_id, session_id, min(seq) AS lo, max(seq) AS hi, count(*) AS n, max(created_at) AS at
    FROM fresh GROUP BY project_id, session_id
  )
  UPDATE agent_sessions_session s SET head_seq = spans.hi, last_event_at = greatest(s.last_event_at, spans.at)
  FROM spans
  WHERE s.id = spans.session_id AND s.project_id = spans.project_id AND s.head_seq = spans.lo - 1
    AND spans.n = spans.hi - spans.lo + 1 AND s.state IN ('active', 'idle', 'interrupted');
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> expected THEN
    RAISE EXCEPTION 'agent_sessions_event: seq must continue an open session without a gap' USING ERRCODE = 'GW005';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER numbering AFTER INSERT ON agent_sessions_event REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION agent_sessions_event_numbering();
CREATE FUNCTION agent_sessions_session_head() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF NEW.head_seq IS DISTINCT FROM OLD.head_seq AND pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'agent_sessions_session: only new events move head_seq' USING ERRCODE = 'GW001';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER head_moves_with_events BEFORE UPDATE ON agent_sessions_session
FOR EACH ROW EXECUTE FUNCTION agent_sessions_session_head();
"""
NO_TRANSCRIPT = """
DROP TRIGGER head_moves_with_events ON agent_sessions_session; DROP FUNCTION agent_sessions_session_head();
DROP TRIGGER numbering ON agent_sessions_event; DROP FUNCTION agent_sessions_event_numbering();
"""
DUE_WORK = """
  SELECT t.project_id, t.id, coalesce(t.owner_id, a.id)
  FROM public.threads_thread t
  JOIN public.governance_actor a ON a.project_id = t.project_id AND a.kind = 'system'
  WHERE $1 = 'provisional_thread' AND t.provisional AND t.state = 'open'
    AND t.created_at < clock_timestamp() - interval '1 day'
  ORDER BY t.created_at LIMIT least($2, 1000)
"""
CHILDREN = [
    "agent_sessions_providersession",
    "agent_sessions_attempt",
    "agent_sessions_event",
    "agent_sessions_worksummary",
]
CONTENT = ["agent_sessions_session", "agent_sessions_providersession", "agent_sessions_attempt"]
RECORDS = [
    "agent_sessions_event",
    "agent_sessions_artifact",
    "agent_sessions_worksummary",
    "agent_sessions_handoff",
    "agent_sessions_contextpacket",
    "agent_sessions_packetoutcome",
]
KEYS = {
    "agent_sessions_session": [
        Key("owner_id", "governance_actor"),
        Key("thread_id", "threads_thread"),
        Key("task_id", "threads_task"),
        Key("opened_by_id", "governance_actor"),
    ],
    "agent_sessions_providersession": [Key("session_id", "agent_sessions_session")],
    "agent_sessions_attempt": [
        Key("session_id", "agent_sessions_session"),
        Key("actor_id", "governance_actor"),
        Key("provider_session_id", "agent_sessions_providersession"),
        Key("persona_revision_id", "governance_revision"),
        Key("role_revision_id", "governance_revision"),
        Key("policy_revision_id", "governance_revision"),
        Key("self_profile_revision_id", "governance_revision"),
    ],
    "agent_sessions_event": [
        Key("session_id", "agent_sessions_session"),
        Key("attempt_id", "agent_sessions_attempt"),
        Key("actor_id", "governance_actor"),
        Key("artifact_id", "agent_sessions_artifact"),
    ],
    "agent_sessions_artifact": [Key("owner_id", "governance_actor")],
    "agent_sessions_worksummary": [
        Key("session_id", "agent_sessions_session"),
        Key("parent_id", "agent_sessions_worksummary"),
        Key("author_id", "governance_actor"),
    ],
    "agent_sessions_handoff": [
        Key("thread_id", "threads_thread"),
        Key("from_session_id", "agent_sessions_session"),
        Key("to_session_id", "agent_sessions_session"),
        Key("author_id", "governance_actor"),
    ],
    "agent_sessions_contextpacket": [
        Key("owner_id", "governance_actor"),
        Key("thread_id", "threads_thread"),
        Key("session_id", "agent_sessions_session"),
        Key("attempt_id", "agent_sessions_attempt"),
        Key("actor_id", "governance_actor"),
    ],
    "agent_sessions_packetoutcome": [
        Key("packet_id", "agent_sessions_contextpacket"),
        Key("actor_id", "governance_actor"),
    ],
}

Migration.operations += [
    *(ddl.addressable(table) for table in [*CONTENT, *RECORDS]),
    *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
    *(ddl.isolate(table) for table in CONTENT),
    *(ddl.isolate(table, append_only=True) for table in RECORDS),
    *(ddl.append_only(table) for table in RECORDS),
    *(ddl.audience_shape(table) for table in [*CONTENT, *RECORDS]),
    *(ddl.inherit_audience(table, parent="agent_sessions_session", column="session_id") for table in CHILDREN),
    ddl.inherit_audience("agent_sessions_session", parent="threads_thread", column="thread_id"),
    ddl.inherit_audience("agent_sessions_handoff", parent="agent_sessions_session", column="from_session_id"),
    ddl.inherit_audience("agent_sessions_packetoutcome", parent="agent_sessions_contextpacket", column="packet_id"),
    ddl.statement(TRANSCRIPT, NO_TRANSCRIPT),
    ddl.state_machine(
        "agent_sessions_session",
        {
            "active": ["idle", "interrupted", "closed"],
            "idle": ["active", "interrupted", "closed"],
            "interrupted": ["active", "closed"],
            "closed": ["handoff_written"],
        },
        initial=["active", "interrupted"],
    ),
    ddl.state_machine("agent_sessions_attempt", {"running": ["ended", "crashed"]}, initial=["running", "ended"]),
    ddl.statement(
        "GRANT SELECT ON agent_sessions_budgetprofile TO gw_app",
        "REVOKE ALL ON agent_sessions_budgetprofile FROM gw_app",
    ),
    ddl.open_to("gw_doors", "threads_thread"),
    ddl.door("due_work", "kind text, most integer", "TABLE (project_id uuid, id uuid, system_actor uuid)", DUE_WORK),
]
