"""How an attempt picked its session up, what it missed, and how a packet's outcome was verified are known words."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import Q

RECOVERIES = ["opened", "continued", "resumed", "rebuilt", "failed"]
LOSSES = [
    "provider_session",
    "events",
    "work_summary",
    "handoff",
    "transcript_part",
    "current_summary",
    "whole_handoff",
]
VERIFICATIONS = ["unverified", "passed", "failed"]


def _choices(words: list[str]) -> list[tuple[str, str]]:
    return [(word, word) for word in words]


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0015_packets_of_a_session")]

    operations = [
        migrations.AlterField(
            model_name="attempt",
            name="recovery",
            field=models.CharField(blank=True, choices=_choices(RECOVERIES), db_default="", default="", max_length=12),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="missing",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=_choices(LOSSES), max_length=24),
                blank=True,
                db_default=models.Value("{}"),
                default=list,
                size=None,
            ),
        ),
        migrations.AlterField(
            model_name="packetoutcome",
            name="verification",
            field=models.CharField(choices=_choices(VERIFICATIONS), default="unverified", max_length=16),
        ),
        # Before an attempt said how it began, nothing was said.
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=Q(recovery__in=["", *RECOVERIES]), name="attempt_recovery_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(condition=Q(missing__contained_by=LOSSES), name="attempt_missing_known"),
        ),
        migrations.AddConstraint(
            model_name="packetoutcome",
            constraint=models.CheckConstraint(
                condition=Q(verification__in=VERIFICATIONS), name="outcome_verification_known"
            ),
        ),
    ]
