import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0002_password_for_one_use"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProposalText",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("version", models.PositiveIntegerField()),
                ("body", models.JSONField()),
                ("body_hash", models.CharField(max_length=80)),
                ("title", models.CharField(max_length=300)),
                ("rationale", models.TextField(blank=True, default="")),
                (
                    "risk",
                    models.CharField(choices=[("low", "low"), ("medium", "medium"), ("high", "high")], max_length=8),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("maintainer", "maintainer"), ("owner", "owner")], max_length=12
                    ),
                ),
                ("tokens_before", models.PositiveIntegerField(blank=True, null=True)),
                ("tokens_after", models.PositiveIntegerField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("persona", "persona"),
                            ("role", "role"),
                            ("policy", "policy"),
                            ("self_profile", "self_profile"),
                            ("budget_profile", "budget_profile"),
                        ],
                        max_length=16,
                    ),
                ),
                ("slug", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("open", "open"),
                            ("approved", "approved"),
                            ("rejected", "rejected"),
                            ("changes_requested", "changes_requested"),
                            ("withdrawn", "withdrawn"),
                            ("expired", "expired"),
                        ],
                        default=governance.vocabulary.ProposalState["DRAFT"],
                        max_length=20,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=0)),
                ("expires_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "contract",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.contract",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "proposer",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "reverts",
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
                    "subject",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("version", models.PositiveIntegerField()),
                ("seen_hash", models.CharField(max_length=80)),
                (
                    "verb",
                    models.CharField(
                        choices=[
                            ("approve", "approve"),
                            ("edit_and_approve", "edit_and_approve"),
                            ("request_changes", "request_changes"),
                            ("reject", "reject"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "reason_code",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("sound", "sound"),
                            ("unclear", "unclear"),
                            ("wrong", "wrong"),
                            ("too_broad", "too_broad"),
                            ("unsafe", "unsafe"),
                            ("not_needed", "not_needed"),
                            ("duplicate", "duplicate"),
                            ("other", "other"),
                        ],
                        default="",
                        max_length=16,
                    ),
                ),
                ("text", models.TextField(blank=True, default="")),
                ("self_approved", models.BooleanField(default=False)),
                (
                    "base",
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
                    "decider",
                    models.ForeignKey(
                        db_constraint=False,
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
                    "proposal",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.proposal",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField()),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "proposal",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.proposal",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="revision",
            name="proposal",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.proposal",
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(fields=("project", "proposal"), name="revision_one_a_proposal"),
        ),
        migrations.AddField(
            model_name="proposaltext",
            name="author",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AddField(
            model_name="proposaltext",
            name="base",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.revision",
            ),
        ),
        migrations.AddField(
            model_name="proposaltext",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
            ),
        ),
        migrations.AddField(
            model_name="proposaltext",
            name="proposal",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.proposal",
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(fields=["project", "-created_at", "-id"], name="proposal_newest"),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(fields=["project", "proposer", "-created_at", "-id"], name="proposal_of_proposer"),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["persona", "role", "policy", "self_profile", "budget_profile"])),
                name="proposal_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        ["draft", "open", "approved", "rejected", "changes_requested", "withdrawn", "expired"],
                    )
                ),
                name="proposal_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("verb__in", ["approve", "edit_and_approve", "request_changes", "reject"])),
                name="decision_verb_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "reason_code__in",
                        ["", "sound", "unclear", "wrong", "too_broad", "unsafe", "not_needed", "duplicate", "other"],
                    )
                ),
                name="decision_reason_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                fields=("project", "proposal", "version", "decider"), name="decision_once"
            ),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(fields=["project", "proposal", "created_at"], name="comment_of_proposal"),
        ),
        migrations.AddConstraint(
            model_name="proposaltext",
            constraint=models.CheckConstraint(
                condition=models.Q(("risk__in", ["low", "medium", "high"])), name="proposal_text_risk_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="proposaltext",
            constraint=models.CheckConstraint(
                condition=models.Q(("level__in", ["maintainer", "owner"])), name="proposal_text_level_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="proposaltext",
            constraint=models.UniqueConstraint(
                fields=("project", "proposal", "version"), name="proposal_text_version_once"
            ),
        ),
    ]
