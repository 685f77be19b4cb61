import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
import memories.vocabulary
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
            name="Memory",
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
                    "type",
                    models.CharField(
                        choices=[
                            ("episode", "episode"),
                            ("semantic", "semantic"),
                            ("procedural", "procedural"),
                            ("preference", "preference"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("fact", "fact"), ("decision", "decision"), ("lesson", "lesson"), ("sop", "sop")],
                        default=memories.vocabulary.MemoryKind["FACT"],
                        max_length=12,
                    ),
                ),
                (
                    "action",
                    models.CharField(
                        choices=[("ADD", "ADD"), ("UPDATE", "UPDATE"), ("DELETE", "DELETE"), ("NOOP", "NOOP")],
                        default=memories.vocabulary.WriteAction["ADD"],
                        max_length=8,
                    ),
                ),
                ("content", models.TextField()),
                ("content_hash", models.CharField(max_length=80)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "scope_type",
                    models.CharField(
                        choices=[
                            ("identity", "identity"),
                            ("thread", "thread"),
                            ("task", "task"),
                            ("sop", "sop"),
                            ("project", "project"),
                        ],
                        default=memories.vocabulary.ScopeType["PROJECT"],
                        max_length=12,
                    ),
                ),
                ("scope_id", models.UUIDField(blank=True, null=True)),
                ("importance", models.FloatField(default=0.5)),
                ("confidence", models.FloatField(blank=True, null=True)),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("user_explicit", "user_explicit"),
                            ("agent_inferred", "agent_inferred"),
                            ("external_agent", "external_agent"),
                            ("tool_output", "tool_output"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "source_rank",
                    models.CharField(
                        choices=[
                            ("untrusted_external", "untrusted_external"),
                            ("trusted_agent", "trusted_agent"),
                            ("verified_tool_output", "verified_tool_output"),
                            ("user_correction", "user_correction"),
                            ("user_explicit", "user_explicit"),
                        ],
                        max_length=24,
                    ),
                ),
                (
                    "sensitivity",
                    models.CharField(
                        choices=[
                            ("public", "public"),
                            ("work", "work"),
                            ("personal", "personal"),
                            ("secret", "secret"),
                        ],
                        default=governance.vocabulary.Sensitivity["WORK"],
                        max_length=12,
                    ),
                ),
                ("retention_days", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "write_mode",
                    models.CharField(
                        choices=[("append", "append"), ("merge", "merge"), ("immutable", "immutable")],
                        default=memories.vocabulary.WriteMode["APPEND"],
                        max_length=12,
                    ),
                ),
                ("change_reason", models.CharField(blank=True, default="", max_length=500)),
                (
                    "knowledge_status",
                    models.CharField(
                        choices=[
                            ("disputed", "disputed"),
                            ("open", "open"),
                            ("inferred", "inferred"),
                            ("confirmed", "confirmed"),
                        ],
                        default=memories.vocabulary.KnowledgeStatus["INFERRED"],
                        max_length=12,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("candidate", "candidate"),
                            ("screened", "screened"),
                            ("evidence_checked", "evidence_checked"),
                            ("policy_checked", "policy_checked"),
                            ("user_aligned", "user_aligned"),
                            ("committed", "committed"),
                            ("active", "active"),
                            ("archived", "archived"),
                            ("revoked", "revoked"),
                            ("rejected", "rejected"),
                        ],
                        default=memories.vocabulary.MemoryStatus["CANDIDATE"],
                        max_length=20,
                    ),
                ),
                ("reason_code", models.CharField(blank=True, default="", max_length=64)),
                ("evidence_gap", models.CharField(blank=True, default="", max_length=500)),
                ("valid_from", models.DateTimeField(blank=True, null=True)),
                ("valid_to", models.DateTimeField(blank=True, null=True)),
                ("observed_at", models.DateTimeField(blank=True, null=True)),
                ("updated_at", models.DateTimeField()),
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
                    "proposed_by",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Injection",
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
                ("packet_id", models.UUIDField()),
                ("at", models.DateTimeField()),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GateVerdict",
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
                ("gate", models.CharField(max_length=24)),
                ("passed", models.BooleanField()),
                ("reason_code", models.CharField(blank=True, default="", max_length=64)),
                ("explanation", models.CharField(blank=True, default="", max_length=500)),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MemoryEvidence",
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
                ("ordinal", models.PositiveSmallIntegerField()),
                ("ref", models.CharField(max_length=300)),
                ("quote", models.TextField(blank=True, default="")),
                ("quote_hash", models.CharField(blank=True, default="", max_length=80)),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
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
            name="MemoryParent",
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
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
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
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
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
            name="MemoryVersion",
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
                ("content", models.TextField()),
                ("change_reason", models.CharField(blank=True, default="", max_length=500)),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
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
            name="Passage",
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
                    "source_type",
                    models.CharField(
                        choices=[
                            ("identity", "identity"),
                            ("thread", "thread"),
                            ("task", "task"),
                            ("event", "event"),
                            ("summary", "summary"),
                            ("decision", "decision"),
                            ("lesson", "lesson"),
                            ("sop", "sop"),
                            ("fact", "fact"),
                        ],
                        max_length=12,
                    ),
                ),
                ("ref", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("terms", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list)),
                ("origin", models.CharField(default="agent_inferred", max_length=24)),
                (
                    "sensitivity",
                    models.CharField(
                        choices=[
                            ("public", "public"),
                            ("work", "work"),
                            ("personal", "personal"),
                            ("secret", "secret"),
                        ],
                        default=governance.vocabulary.Sensitivity["WORK"],
                        max_length=12,
                    ),
                ),
                (
                    "knowledge_status",
                    models.CharField(
                        choices=[
                            ("disputed", "disputed"),
                            ("open", "open"),
                            ("inferred", "inferred"),
                            ("confirmed", "confirmed"),
                        ],
                        default=memories.vocabulary.KnowledgeStatus["INFERRED"],
                        max_length=12,
                    ),
                ),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("live", models.BooleanField(default=True)),
                (
                    "memory",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memory",
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
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="threads.thread",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["project", "status", "-created_at"], name="memory_by_status"),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("type__in", ["episode", "semantic", "procedural", "preference"])),
                name="memory_type_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["fact", "decision", "lesson", "sop"])), name="memory_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ["ADD", "UPDATE", "DELETE", "NOOP"])), name="memory_action_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope_type__in", ["identity", "thread", "task", "sop", "project"])),
                name="memory_scope_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("origin__in", ["user_explicit", "agent_inferred", "external_agent", "tool_output"])
                ),
                name="memory_origin_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "source_rank__in",
                        [
                            "untrusted_external",
                            "trusted_agent",
                            "verified_tool_output",
                            "user_correction",
                            "user_explicit",
                        ],
                    )
                ),
                name="memory_rank_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("sensitivity__in", ["public", "work", "personal", "secret"])),
                name="memory_sensitivity_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("write_mode__in", ["append", "merge", "immutable"])), name="memory_write_mode_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("knowledge_status__in", ["disputed", "open", "inferred", "confirmed"])),
                name="memory_knowledge_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "candidate",
                            "screened",
                            "evidence_checked",
                            "policy_checked",
                            "user_aligned",
                            "committed",
                            "active",
                            "archived",
                            "revoked",
                            "rejected",
                        ],
                    )
                ),
                name="memory_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", memories.vocabulary.MemoryStatus["REJECTED"]), _negated=True),
                    models.Q(("reason_code", ""), _negated=True),
                    _connector="OR",
                ),
                name="memory_rejected_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("importance__gte", 0), ("importance__lte", 1)), name="memory_importance_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", True),
                    models.Q(("confidence__gte", 0), ("confidence__lte", 1)),
                    _connector="OR",
                ),
                name="memory_confidence_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("scope_id__isnull", False), ("scope_type__in", ["thread", "task"])),
                    models.Q(("scope_type__in", ["thread", "task"]), _negated=True),
                    _connector="OR",
                ),
                name="memory_scope_has_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("valid_to__isnull", True),
                    ("valid_from__isnull", True),
                    ("valid_to__gte", models.F("valid_from")),
                    _connector="OR",
                ),
                name="memory_validity_forward",
            ),
        ),
        migrations.AddConstraint(
            model_name="injection",
            constraint=models.UniqueConstraint(fields=("project", "memory", "packet_id"), name="injection_once"),
        ),
        migrations.AddConstraint(
            model_name="gateverdict",
            constraint=models.UniqueConstraint(fields=("project", "memory", "gate"), name="gate_verdict_once"),
        ),
        migrations.AddConstraint(
            model_name="gateverdict",
            constraint=models.CheckConstraint(
                condition=models.Q(("passed", True), models.Q(("reason_code", ""), _negated=True), _connector="OR"),
                name="gate_refusal_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="memoryevidence",
            constraint=models.UniqueConstraint(fields=("project", "memory", "ordinal"), name="memory_evidence_once"),
        ),
        migrations.AddConstraint(
            model_name="memoryparent",
            constraint=models.UniqueConstraint(fields=("project", "memory", "parent"), name="memory_parent_once"),
        ),
        migrations.AddConstraint(
            model_name="memoryparent",
            constraint=models.CheckConstraint(
                condition=models.Q(("memory", models.F("parent")), _negated=True), name="memory_parent_no_loop"
            ),
        ),
        migrations.AddConstraint(
            model_name="memoryversion",
            constraint=models.UniqueConstraint(fields=("project", "memory", "version"), name="memory_version_once"),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["terms"], name="passage_terms"),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "source_type__in",
                        ["identity", "thread", "task", "event", "summary", "decision", "lesson", "sop", "fact"],
                    )
                ),
                name="passage_source_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(fields=("project", "ref"), name="passage_ref_once"),
        ),
    ]


# From here on: who may see and change what. Django knows none of it, so it is SQL.

# A memory moves forward only past gates whose passing verdicts are there; one move may pass several of them.
MOVES = """
CREATE FUNCTION memories_memory_moves() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
  chain text[] := ARRAY['candidate', 'screened', 'evidence_checked', 'policy_checked', 'user_aligned', 'committed', 'active'];
  gates jsonb := '{"screened": ["schema", "screening"], "evidence_checked": ["evidence"],
                   "policy_checked": ["identity", "source_weight", "sensitivity"], "user_aligned": ["alignment"]}';
  here int; there int; needed text[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'candidate' THEN
      RAISE EXCEPTION 'memories_memory: a row cannot begin as %', NEW.status USING ERRCODE = 'GW002';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.status IS NOT DISTINCT FROM OLD.status THEN RETURN NEW; END IF;
  IF (OLD.status, NEW.status) IN (
    ('candidate', 'rejected'), ('screened', 'rejected'), ('evidence_checked', 'rejected'), ('policy_checked', 'rejected'),
    ('user_aligned', 'rejected'), ('committed', 'archived'), ('committed', 'revoked'), ('active', 'archived'),
    ('active', 'revoked'), ('archived', 'active'), ('archived', 'revoked')) THEN
    RETURN NEW;
  END IF;
  here := array_position(chain, OLD.status::text);
  there := array_position(chain, NEW.status::text);
  IF here IS NULL OR there IS NULL OR there <= here THEN
    RAISE EXCEPTION 'memories_memory: % cannot become %', OLD.status, NEW.status USING ERRCODE = 'GW002';
  END IF;
  SELECT array_agg(required.gate) INTO needed
  FROM unnest(chain[here + 1 : there]) AS passed(state),
       jsonb_array_elements_text(coalesce(gates -> passed.state, '[]')) AS required(gate)
  WHERE NOT EXISTS (SELECT 1 FROM public.memories_gateverdict v
                    WHERE v.project_id = NEW.project_id AND v.memory_id = NEW.id AND v.gate = required.gate AND v.passed);
  IF needed IS NOT NULL THEN
    RAISE EXCEPTION 'memories_memory: % cannot become % before these gates have passed: %', OLD.status, NEW.status, needed
      USING ERRCODE = 'GW002';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER state_machine BEFORE INSERT OR UPDATE ON memories_memory
FOR EACH ROW EXECUTE FUNCTION memories_memory_moves();
"""
SEARCH = f"""
  SELECT p.id, (SELECT sum(least(char_length(t), 6))::real FROM unnest($1) AS t WHERE t = ANY (p.terms)) AS weight
  FROM public.memories_passage p
  WHERE p.terms && $1 AND p.live AND {ddl.readable("p")}
  ORDER BY weight DESC, p.created_at DESC, p.id LIMIT least($2, 200)
"""
CHILDREN = ["memories_memoryversion", "memories_memoryevidence", "memories_memoryparent", "memories_gateverdict"]
CONTENT = ["memories_memory", "memories_passage"]
RECORDS = [*CHILDREN, "memories_injection"]
KEYS = {
    "memories_memory": [
        Key("owner_id", "governance_actor"),
        Key("proposed_by_id", "governance_actor"),
        Key("target_id", "memories_memory"),
    ],
    "memories_memoryversion": [Key("memory_id", "memories_memory"), Key("author_id", "governance_actor")],
    "memories_memoryevidence": [Key("memory_id", "memories_memory")],
    "memories_memoryparent": [Key("memory_id", "memories_memory"), Key("parent_id", "memories_memory")],
    "memories_gateverdict": [Key("memory_id", "memories_memory")],
    "memories_passage": [
        Key("owner_id", "governance_actor"),
        Key("thread_id", "threads_thread"),
        Key("memory_id", "memories_memory"),
    ],
    "memories_injection": [Key("owner_id", "governance_actor"), Key("memory_id", "memories_memory")],
}

Migration.operations += [
    ddl.addressable("memories_memory"),
    *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
    *(ddl.isolate(table) for table in CONTENT),
    *(ddl.isolate(table, append_only=True) for table in RECORDS),
    *(ddl.append_only(table) for table in RECORDS),
    *(ddl.audience_shape(table) for table in [*CONTENT, *RECORDS]),
    *(ddl.inherit_audience(table, parent="memories_memory", column="memory_id") for table in CHILDREN),
    ddl.frozen_columns(
        "memories_memory", ["project_id", "origin", "proposed_by_id", "action", "target_id", "created_at"]
    ),
    ddl.statement(MOVES, "DROP TRIGGER state_machine ON memories_memory; DROP FUNCTION memories_memory_moves();"),
    ddl.open_to("gw_search", "memories_passage"),
    ddl.door(
        "search_passages", "terms text[], most integer", "TABLE (id uuid, weight real)", SEARCH, owner="gw_search"
    ),
]
