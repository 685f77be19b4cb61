"""A version of a work summary that was refused leaves a row: the last valid one stays current, and says so."""

import uuid
from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
from governance import ddl
from governance.ddl import Key
from governance.vocabulary import Audience

TABLE = "agent_sessions_summaryrefusal"


def _scoped(to: str, *, null: bool = False) -> "models.ForeignKey[uuid.UUID, Any]":
    return models.ForeignKey(
        to=to,
        blank=null,
        null=null,
        db_constraint=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
    )


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0007_packets_no_wider")]

    operations = [
        migrations.CreateModel(
            name="SummaryRefusal",
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
                ("after_version", models.PositiveIntegerField()),
                ("to_seq", models.PositiveIntegerField()),
                ("trigger", models.CharField(max_length=64)),
                ("problems", models.JSONField()),
                ("author", _scoped("governance.actor")),
                ("owner", _scoped("governance.actor", null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                ("session", _scoped("agent_sessions.session")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["session", "after_version", "created_at"], name="refusal_after_version")
                ]
            },
        ),
        ddl.audience_shape(TABLE),
        ddl.composite_keys(
            TABLE,
            [
                Key("session_id", "agent_sessions_session"),
                Key("author_id", "governance_actor"),
                Key("owner_id", "governance_actor"),
            ],
        ),
        ddl.inherit_audience(TABLE, parent="agent_sessions_session", column="session_id"),
        ddl.append_only(TABLE),
        ddl.isolate(TABLE, append_only=True),
    ]
