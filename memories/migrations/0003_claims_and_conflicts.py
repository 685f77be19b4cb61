import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
import memories.vocabulary
from governance import ddl
from governance.ddl import Key


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0004_authority"),
        ("memories", "0002_search_by_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="Claim",
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
                ("ordinal", models.PositiveSmallIntegerField(default=0)),
                ("subject_kind", models.CharField(blank=True, default="", max_length=64)),
                ("subject_key", models.CharField(max_length=300)),
                ("subject_text", models.CharField(blank=True, default="", max_length=500)),
                ("open_class", models.BooleanField(default=False)),
                ("attribute", models.CharField(max_length=200)),
                ("value", models.CharField(max_length=500)),
                ("value_text", models.CharField(blank=True, default="", max_length=1000)),
                ("unit", models.CharField(blank=True, default="", max_length=64)),
                ("valid_from", models.DateTimeField(blank=True, null=True)),
                ("valid_to", models.DateTimeField(blank=True, null=True)),
                ("when_text", models.CharField(blank=True, default="", max_length=200)),
                ("inferred", models.BooleanField(default=True)),
            ],
        ),
        migrations.CreateModel(
            name="Conflict",
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
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("snoozed", "snoozed"), ("settled", "settled")],
                        default=memories.vocabulary.ConflictState["OPEN"],
                        max_length=8,
                    ),
                ),
                ("key", models.CharField(max_length=80)),
                ("subject_text", models.CharField(blank=True, default="", max_length=500)),
                ("attribute", models.CharField(blank=True, default="", max_length=200)),
                (
                    "risk",
                    models.CharField(
                        choices=[("low", "low"), ("medium", "medium"), ("high", "high")],
                        default=governance.vocabulary.Risk["LOW"],
                        max_length=8,
                    ),
                ),
                (
                    "suggestion",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("take_new", "take_new"),
                            ("keep_old", "keep_old"),
                            ("merge", "merge"),
                            ("both_valid", "both_valid"),
                            ("neither", "neither"),
                            ("needs_evidence", "needs_evidence"),
                        ],
                        default="",
                        max_length=16,
                    ),
                ),
                ("suggestion_reason", models.CharField(blank=True, default="", max_length=64)),
                ("snoozed_until", models.DateTimeField(blank=True, null=True)),
                ("wakes_on_evidence", models.BooleanField(default=False)),
                ("cooldown_until", models.DateTimeField(blank=True, null=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("updated_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="ConflictSide",
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
                ("role", models.CharField(choices=[("old", "old"), ("new", "new")], max_length=4)),
                (
                    "knowledge_before",
                    models.CharField(
                        choices=[
                            ("disputed", "disputed"),
                            ("open", "open"),
                            ("inferred", "inferred"),
                            ("confirmed", "confirmed"),
                        ],
                        max_length=12,
                    ),
                ),
                ("joined_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Feedback",
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
                    "kind",
                    models.CharField(
                        choices=[
                            ("useful", "useful"),
                            ("wrong", "wrong"),
                            ("outdated", "outdated"),
                            ("do_not_use", "do_not_use"),
                        ],
                        max_length=12,
                    ),
                ),
                ("packet_id", models.UUIDField(blank=True, null=True)),
                ("note", models.CharField(blank=True, default="", max_length=1000)),
            ],
        ),
        migrations.CreateModel(
            name="MemoryMove",
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
                    "here",
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
                        max_length=20,
                    ),
                ),
                (
                    "there",
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
                        max_length=20,
                    ),
                ),
                ("code", models.CharField(blank=True, default="", max_length=64)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="MemoryRead",
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
                    "through",
                    models.CharField(
                        choices=[("api", "api"), ("console", "console"), ("evidence", "evidence")], max_length=8
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Settlement",
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
                    "verb",
                    models.CharField(
                        choices=[
                            ("take_new", "take_new"),
                            ("keep_old", "keep_old"),
                            ("merge", "merge"),
                            ("both_valid", "both_valid"),
                            ("neither", "neither"),
                            ("needs_evidence", "needs_evidence"),
                        ],
                        max_length=16,
                    ),
                ),
                ("by_policy", models.BooleanField(default=False)),
                ("seen_version", models.PositiveIntegerField()),
                ("seen_hash", models.CharField(max_length=80)),
                ("text", models.TextField(blank=True, default="")),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("effects", models.JSONField(default=list)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="gateverdict",
            name="gate_verdict_once",
        ),
        migrations.AddField(
            model_name="gateverdict",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="memory",
            name="archived_for",
            field=models.CharField(
                blank=True,
                choices=[
                    ("superseded", "superseded"),
                    ("merged", "merged"),
                    ("deleted", "deleted"),
                    ("lost_conflict", "lost_conflict"),
                    ("expired", "expired"),
                    ("stale", "stale"),
                    ("budget", "budget"),
                    ("parent_revoked", "parent_revoked"),
                    ("by_hand", "by_hand"),
                ],
                default="",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="memory",
            name="dedupe_key",
            field=models.CharField(blank=True, default="", max_length=80),
        ),
        migrations.AddField(
            model_name="memory",
            name="erased_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="expires_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="last_confirmed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="superseded_by",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="memory",
            name="target_version",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["project", "proposed_by", "-created_at"], name="memory_by_proposer"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["project", "dedupe_key"], name="memory_by_text"),
        ),
        migrations.AddIndex(
            model_name="memoryevidence",
            index=models.Index(fields=["project", "ref"], name="memory_evidence_by_ref"),
        ),
        migrations.AddConstraint(
            model_name="gateverdict",
            constraint=models.UniqueConstraint(
                fields=("project", "memory", "gate", "passed"), name="gate_verdict_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "archived_for__in",
                        [
                            "",
                            memories.vocabulary.ArchivedFor["SUPERSEDED"],
                            memories.vocabulary.ArchivedFor["MERGED"],
                            memories.vocabulary.ArchivedFor["DELETED"],
                            memories.vocabulary.ArchivedFor["LOST_CONFLICT"],
                            memories.vocabulary.ArchivedFor["EXPIRED"],
                            memories.vocabulary.ArchivedFor["STALE"],
                            memories.vocabulary.ArchivedFor["BUDGET"],
                            memories.vocabulary.ArchivedFor["PARENT_REVOKED"],
                            memories.vocabulary.ArchivedFor["BY_HAND"],
                        ],
                    )
                ),
                name="memory_archived_for_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("dedupe_key", ""), _negated=True),
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
                        ],
                    ),
                ),
                fields=("project", "scope_type", "scope_id", "audience", "audience_role", "owner", "dedupe_key"),
                name="memory_said_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddField(
            model_name="claim",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="claim",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="claim",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="conflict",
            name="opened_by",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="conflict",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="conflict",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="conflictside",
            name="conflict",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.conflict",
            ),
        ),
        migrations.AddField(
            model_name="conflictside",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="conflictside",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="conflictside",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="feedback",
            name="actor",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="feedback",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="feedback",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="feedback",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="memorymove",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="memorymove",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="memorymove",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="memoryread",
            name="actor",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="memoryread",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="memoryread",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="memoryread",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="conflict",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.conflict",
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="decider",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="merged",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="settlement",
            name="undone_by",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddIndex(
            model_name="claim",
            index=models.Index(fields=["project", "subject_key", "attribute"], name="claim_by_key"),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("project", "memory", "ordinal"), name="claim_once"),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(fields=["project", "state", "-created_at"], name="conflict_by_state"),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(fields=["project", "key"], name="conflict_by_key"),
        ),
        migrations.AddConstraint(
            model_name="conflict",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "snoozed", "settled"])), name="conflict_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="conflict",
            constraint=models.CheckConstraint(
                condition=models.Q(("risk__in", ["low", "medium", "high"])), name="conflict_risk_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="conflict",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "suggestion__in",
                        [
                            "",
                            memories.vocabulary.SettlementVerb["TAKE_NEW"],
                            memories.vocabulary.SettlementVerb["KEEP_OLD"],
                            memories.vocabulary.SettlementVerb["MERGE"],
                            memories.vocabulary.SettlementVerb["BOTH_VALID"],
                            memories.vocabulary.SettlementVerb["NEITHER"],
                            memories.vocabulary.SettlementVerb["NEEDS_EVIDENCE"],
                        ],
                    )
                ),
                name="conflict_suggestion_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="conflict",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["open", "snoozed"])),
                fields=("project", "audience", "audience_role", "owner", "key"),
                name="conflict_open_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddIndex(
            model_name="conflictside",
            index=models.Index(fields=["project", "memory"], name="side_by_memory"),
        ),
        migrations.AddConstraint(
            model_name="conflictside",
            constraint=models.CheckConstraint(condition=models.Q(("role__in", ["old", "new"])), name="side_role_known"),
        ),
        migrations.AddConstraint(
            model_name="conflictside",
            constraint=models.CheckConstraint(
                condition=models.Q(("knowledge_before__in", ["disputed", "open", "inferred", "confirmed"])),
                name="side_knowledge_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="conflictside",
            constraint=models.UniqueConstraint(fields=("project", "conflict", "memory"), name="side_once"),
        ),
        migrations.AddConstraint(
            model_name="feedback",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["useful", "wrong", "outdated", "do_not_use"])),
                name="feedback_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="feedback",
            constraint=models.UniqueConstraint(
                fields=("project", "memory", "actor", "kind", "packet_id"), name="feedback_once", nulls_distinct=False
            ),
        ),
        migrations.AddIndex(
            model_name="memorymove",
            index=models.Index(fields=["project", "memory", "at"], name="memory_move_in_order"),
        ),
        migrations.AddConstraint(
            model_name="memorymove",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "here__in",
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
                name="memory_move_here_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="memorymove",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "there__in",
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
                name="memory_move_there_known",
            ),
        ),
        migrations.AddIndex(
            model_name="memoryread",
            index=models.Index(fields=["project", "memory", "-created_at"], name="memory_read_newest"),
        ),
        migrations.AddConstraint(
            model_name="memoryread",
            constraint=models.CheckConstraint(
                condition=models.Q(("through__in", ["api", "console", "evidence"])), name="memory_read_through_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="settlement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("verb__in", ["take_new", "keep_old", "merge", "both_valid", "neither", "needs_evidence"])
                ),
                name="settlement_verb_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="settlement",
            constraint=models.UniqueConstraint(fields=("project", "conflict", "seen_version"), name="settlement_once"),
        ),
    ]


# From here on: who may see and change what.

GUARDS = """
CREATE FUNCTION memories_refuse_change_but_erasure() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  -- Erasing is the one way past append-only, and it runs as this role alone.
  IF TG_OP = 'UPDATE' AND current_user = 'gw_doors' THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% keeps what it holds: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'GW001';
END $f$;

CREATE FUNCTION memories_settlement_kept() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF current_user <> 'gw_doors' AND (NEW.text, NEW.reason) IS DISTINCT FROM (OLD.text, OLD.reason) THEN
    RAISE EXCEPTION 'memories_settlement: what was decided stays' USING ERRCODE = 'GW001';
  END IF;
  IF OLD.undone_at IS NOT NULL
     AND (NEW.undone_at, NEW.undone_by_id) IS DISTINCT FROM (OLD.undone_at, OLD.undone_by_id) THEN
    RAISE EXCEPTION 'memories_settlement: it is undone once' USING ERRCODE = 'GW001';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER words_kept BEFORE UPDATE ON memories_settlement
FOR EACH ROW EXECUTE FUNCTION memories_settlement_kept();

CREATE FUNCTION memories_gateverdict_authority() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF NEW.decided_by_id IS NOT NULL AND NOT greywind_is_actor(NEW.decided_by_id) THEN
    RAISE EXCEPTION 'memories_gateverdict: a verdict is its decider''s' USING ERRCODE = 'GW006';
  END IF;
  IF NEW.passed
     AND EXISTS (SELECT FROM memories_gateverdict v WHERE v.project_id = NEW.project_id
                 AND v.memory_id = NEW.memory_id AND v.gate = NEW.gate AND NOT v.passed)
     AND NOT EXISTS (SELECT FROM governance_actor a WHERE a.project_id = NEW.project_id
                     AND a.id = NEW.decided_by_id AND a.kind = 'human' AND a.active) THEN
    RAISE EXCEPTION 'memories_gateverdict: only a human lets pass what a gate has refused' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT ON memories_gateverdict
FOR EACH ROW EXECUTE FUNCTION memories_gateverdict_authority();
"""
NO_GUARDS = """
DROP TRIGGER the_authority ON memories_gateverdict; DROP FUNCTION memories_gateverdict_authority();
DROP TRIGGER words_kept ON memories_settlement; DROP FUNCTION memories_settlement_kept();
DROP FUNCTION memories_refuse_change_but_erasure();
"""
ERASABLE = {
    "memories_memoryversion": ["content", "change_reason"],
    "memories_memoryevidence": ["quote", "quote_hash"],
    "memories_memoryparent": ["reason"],
    "memories_feedback": ["note"],
    "memories_settlement": ["text", "reason"],
    "memories_conflictside": [],
    "governance_storedanswer": ["body", "status"],
}
WRITTEN = {table: columns for table, columns in ERASABLE.items() if columns}
ROWS = "CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {} FOR EACH ROW EXECUTE FUNCTION {}();"
KEPT = [table for table in WRITTEN if table not in ("memories_settlement", "governance_storedanswer")]
SOFTER = "".join(
    f"DROP TRIGGER append_only_rows ON {table};" + ROWS.format(table, "memories_refuse_change_but_erasure")
    for table in KEPT
)
HARDER = "".join(
    f"DROP TRIGGER append_only_rows ON {table};" + ROWS.format(table, "greywind_refuse_change") for table in KEPT
)
OPENED = "".join(
    f"GRANT SELECT ON {table} TO gw_doors; CREATE POLICY gw_doors_erase ON {table} TO gw_doors USING (true);"
    for table in ERASABLE
) + "".join(f"GRANT UPDATE ({', '.join(columns)}) ON {table} TO gw_doors;" for table, columns in WRITTEN.items())
CLOSED = "".join(f"DROP POLICY gw_doors_erase ON {table}; REVOKE ALL ON {table} FROM gw_doors;" for table in ERASABLE)
ERASE = f"""
CREATE FUNCTION erase_memory(erased uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$ BEGIN
  UPDATE public.memories_memoryversion t SET content = '', change_reason = ''
  WHERE t.memory_id = erased AND {ddl.readable("t")};
  UPDATE public.memories_memoryevidence t SET quote = '', quote_hash = ''
  WHERE t.memory_id = erased AND {ddl.readable("t")};
  UPDATE public.memories_memoryparent t SET reason = ''
  WHERE (t.memory_id = erased OR t.parent_id = erased) AND {ddl.readable("t")};
  UPDATE public.memories_feedback t SET note = '' WHERE t.memory_id = erased AND {ddl.readable("t")};
  UPDATE public.memories_settlement t SET text = '', reason = ''
  WHERE {ddl.readable("t")} AND (t.merged_id = erased OR EXISTS (
    SELECT FROM public.memories_conflictside s
    WHERE s.project_id = t.project_id AND s.conflict_id = t.conflict_id AND s.memory_id = erased));
  -- What each key was answered is open to that key alone, so that nobody else could blank it.
  UPDATE public.governance_storedanswer a SET body = '{{"erased": true}}', status = 410
  WHERE a.project_id = {ddl.PROJECT} AND position('mem_' || replace(erased::text, '-', '') IN a.body) > 0
    AND EXISTS (SELECT FROM public.memories_memoryversion t WHERE t.memory_id = erased AND {ddl.readable("t")});
END $f$;
REVOKE ALL ON FUNCTION erase_memory(uuid) FROM PUBLIC; GRANT EXECUTE ON FUNCTION erase_memory(uuid) TO gw_app;
ALTER FUNCTION erase_memory(uuid) OWNER TO gw_doors;
"""
OF_MEMORY = ["memories_claim", "memories_feedback", "memories_memorymove", "memories_memoryread"]
OF_CONFLICT = ["memories_conflictside", "memories_settlement"]
ADDED_ONLY = ["memories_conflictside", "memories_feedback", "memories_memorymove", "memories_memoryread"]
CHANGED = ["memories_claim", "memories_conflict", "memories_settlement"]
KEYS = {
    "memories_memory": [Key("superseded_by_id", "memories_memory")],
    "memories_gateverdict": [Key("decided_by_id", "governance_actor")],
    "memories_claim": [Key("memory_id", "memories_memory")],
    "memories_conflict": [Key("owner_id", "governance_actor"), Key("opened_by_id", "governance_actor")],
    "memories_conflictside": [Key("conflict_id", "memories_conflict"), Key("memory_id", "memories_memory")],
    "memories_settlement": [
        Key("conflict_id", "memories_conflict"),
        Key("decider_id", "governance_actor"),
        Key("merged_id", "memories_memory"),
        Key("undone_by_id", "governance_actor"),
    ],
    "memories_feedback": [Key("memory_id", "memories_memory"), Key("actor_id", "governance_actor")],
    "memories_memorymove": [Key("memory_id", "memories_memory")],
    "memories_memoryread": [Key("memory_id", "memories_memory"), Key("actor_id", "governance_actor")],
}
MOVES = {"open": ["snoozed", "settled"], "snoozed": ["open", "settled"], "settled": ["open"]}

Migration.operations += [
    ddl.addressable("memories_conflict"),
    *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
    *(ddl.isolate(table) for table in CHANGED),
    *(ddl.isolate(table, append_only=True) for table in ADDED_ONLY),
    *(ddl.append_only(table) for table in ADDED_ONLY),
    *(ddl.undeletable(table) for table in ("memories_conflict", "memories_settlement")),
    *(ddl.audience_shape(table) for table in [*CHANGED, *ADDED_ONLY]),
    *(ddl.inherit_audience(table, parent="memories_memory", column="memory_id") for table in OF_MEMORY),
    *(ddl.inherit_audience(table, parent="memories_conflict", column="conflict_id") for table in OF_CONFLICT),
    ddl.state_machine("memories_conflict", MOVES, initial=["open"]),
    ddl.frozen_columns("memories_conflict", ["project_id", "key", "opened_by_id", "created_at"]),
    ddl.frozen_columns(
        "memories_settlement",
        [
            "project_id",
            "conflict_id",
            "verb",
            "decider_id",
            "by_policy",
            "seen_version",
            "seen_hash",
            "merged_id",
            "effects",
            "created_at",
        ],
    ),
    ddl.statement(GUARDS, NO_GUARDS),
    ddl.statement(SOFTER, HARDER),
    ddl.statement(OPENED, CLOSED),
    ddl.statement(ERASE, "DROP FUNCTION erase_memory(uuid)"),
]
