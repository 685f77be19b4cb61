"""Profiles in versions that stay, four more of them, and what reported usage teaches about each.

Version 2 of a profile says what each message and each tool of a request costs beside its text. Until now one figure
stood for all of it: the flat part is that figure less the three messages of a chat request, so that a budget of version
2 has the input cap of version 1.

Where the figures are from: the makers' pages on their models, as they could be read in November 2026; where pages differ
the lower figure is taken. Claude Haiku: context window 200,000, output up to 64,000. GPT-5 mini: 400,000 and 128,000,
like GPT-5, with the same published vocabulary. DeepSeek's chat model: its own price list has stood at 64K and at 128K,
output 8K; 64,000 is taken. Kimi K2: 128K in its first release and 256K since; 131,072 is taken, and its output limit,
which could not be confirmed, is kept at 16,384. A request to an API without a harness (deepseek-chat@api) has no system
prompt but ours. What a message costs: three tokens that mark it and one for its role, which OpenAI states for its chat
format; the others state nothing, and their request is taken to cost as much. Nobody states what marks a tool; eight
tokens stand beside its schema, which the harness's own figure covers.
"""

import importlib
import uuid
from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
from governance import ddl
from governance.ddl import Key

FIRST = importlib.import_module("sessions.migrations.0002_shipped_profiles")
OVERHEADS = {"message": 4, "tool": 8}
FLAT = 488


SHIPPED: dict[str, dict[str, Any]] = {body["name"]: body for body in FIRST.PROFILES}
RESERVES = ("output", "tool_results", "protocol", "harness", "margin")


def _second(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"reserves": body["reserves"] | {"protocol": FLAT}, "overheads": OVERHEADS}


def _like(other: str, name: str, *, window: int, reserves: tuple[int, int, int, int, int]) -> dict[str, Any]:
    """Return a profile with the shares and the factor of another; `reserves` as in RESERVES, in tokens."""
    figures = dict(zip(RESERVES, reserves, strict=True))
    entries = {"dialogue_items": min(max(window // 400, 200), 2_000)}
    changes = {"name": name, "model_window": window, "harness_window": window, "reserves": figures}
    return SHIPPED[other] | changes | {"counts": SHIPPED[other]["counts"] | entries, "overheads": OVERHEADS}


NEWER = [_second(body) for body in FIRST.PROFILES]
MORE = [
    _like(
        "claude-sonnet@claude-code",
        "claude-haiku@claude-code",
        window=200_000,
        reserves=(32_000, 40_000, FLAT, 25_000, 6_500),
    ),
    _like("gpt-5@codex", "gpt-5-mini@codex", window=400_000, reserves=(128_000, 60_000, FLAT, 20_000, 11_500)),
    _like("qwen-max@qwen-code", "deepseek-chat@api", window=64_000, reserves=(8_000, 8_000, FLAT, 1_000, 2_500)),
    _like("qwen-max@qwen-code", "kimi-k2@kimi-cli", window=131_072, reserves=(16_384, 20_000, FLAT, 16_000, 4_500)),
]
PROFILES = [*NEWER, *MORE]
VERSIONS = [*((body, 2) for body in NEWER), *((body, 1) for body in MORE)]


def insert(apps: Any, schema_editor: Any) -> None:
    """Insert the newer versions and the new profiles."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    for body, version in VERSIONS:
        profiles.create(slug=body["name"], version=version, body=body)


def delete(apps: Any, schema_editor: Any) -> None:
    """Delete what `insert` inserted."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    for body, version in VERSIONS:
        profiles.filter(slug=body["name"], version=version).delete()


def _own() -> list[tuple[str, "models.Field[Any, Any]"]]:
    return [
        (
            "id",
            models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
        ),
        ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
        (
            "project",
            models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"),
        ),
    ]


def _scoped(to: str) -> "models.ForeignKey[uuid.UUID, Any]":
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


USAGE, LEARNT = "agent_sessions_usagereport", "agent_sessions_learntfigures"
FATES = [("taken", "taken"), ("implausible", "implausible")]
STATES = [("collecting", "collecting"), ("unsteady", "unsteady"), ("learnt", "learnt")]


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0004_pins_stay"), ("governance", "0001_initial")]

    operations = [
        migrations.AlterField("budgetprofile", "slug", models.CharField(max_length=128)),
        migrations.AddConstraint(
            "budgetprofile", models.UniqueConstraint(fields=("slug", "version"), name="profile_version_once")
        ),
        migrations.RunPython(insert, delete),
        migrations.CreateModel(
            name="UsageReport",
            fields=[
                *_own(),
                ("packet", _scoped("agent_sessions.contextpacket")),
                ("actor", _scoped("governance.actor")),
                ("slug", models.CharField(max_length=128)),
                ("encoding", models.CharField(max_length=32)),
                ("fate", models.CharField(choices=FATES, max_length=16)),
                ("counted", models.PositiveIntegerField(help_text="tokens of the prompt in `encoding`")),
                (
                    "mix",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        help_text="characters of the prompt by script, in the order of Script",
                        size=None,
                    ),
                ),
                ("reported", models.PositiveIntegerField(help_text="input tokens as the provider counted them")),
                (
                    "harness_told",
                    models.PositiveIntegerField(
                        blank=True, help_text="of these, the harness's own, if told", null=True
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "slug", "-created_at"], name="usage_by_profile")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "packet", "actor"), name="usage_once_a_reporter"),
                    models.CheckConstraint(
                        condition=models.Q(("fate__in", [word for word, _ in FATES])), name="usage_fate"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LearntFigures",
            fields=[
                *_own(),
                ("slug", models.CharField(max_length=128)),
                ("version", models.PositiveIntegerField()),
                ("encoding", models.CharField(max_length=32)),
                ("state", models.CharField(choices=STATES, max_length=16)),
                ("figures", models.JSONField()),
                ("usages", models.PositiveIntegerField()),
                ("outliers", models.PositiveIntegerField(default=0)),
                ("reporters", models.PositiveIntegerField(default=1)),
                ("error", models.FloatField()),
                ("spread", models.FloatField()),
                ("undercount", models.FloatField()),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "slug", "version"), name="learnt_version_once"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", [word for word, _ in STATES])), name="learnt_state"
                    ),
                ],
            },
        ),
        *(ddl.addressable(table) for table in (USAGE, LEARNT)),
        ddl.composite_keys(
            USAGE, [Key("packet_id", "agent_sessions_contextpacket"), Key("actor_id", "governance_actor")]
        ),
        *(ddl.isolate_project(table, append_only=True) for table in (USAGE, LEARNT)),
        *(ddl.append_only(table) for table in (USAGE, LEARNT)),
    ]
