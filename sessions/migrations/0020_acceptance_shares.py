"""Shipped profiles in a further version: what is accepted is held against what done means, so that has room.

Until now the vision had a tenth of the input in every phase, and a goal of four hundred tokens took most of that where
the cap was low: sixty criteria came in as an excerpt beside thousands of free tokens. In acceptance the goal and its
criteria may now take two fifths, and are promised a quarter before anything else is filled; the summary, which holds
what was verified and the evidence, is promised a tenth of it and may take a third; raw dialogue is promised half of
what it is elsewhere. What is not used goes on to the others. Packets that were compiled before replay with the version that they name.
"""

import importlib
from typing import Any

from django.db import migrations

SECOND = importlib.import_module("sessions.migrations.0005_learnt_profiles")
ACCEPT = {
    "vision": {"floor": 0.25, "cap": 0.4},
    "summary": {"floor": 0.1, "cap": 0.33},
    "dialogue": {"floor": 0.1, "cap": 0.6},
}


def _with_room(body: dict[str, Any]) -> dict[str, Any]:
    accept = {"layers": body["phases"]["accept"]["layers"] | ACCEPT}
    return body | {"phases": body["phases"] | {"accept": accept}}


VERSIONS = [(_with_room(body), version + 1) for body, version in SECOND.VERSIONS]
PROFILES = [body for body, _ in VERSIONS]


def insert(apps: Any, schema_editor: Any) -> None:
    """Insert the next version of each profile."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    for body, version in VERSIONS:
        profiles.create(slug=body["name"], version=version, body=body)


def delete(apps: Any, schema_editor: Any) -> None:
    """Delete what `insert` inserted."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    for body, version in VERSIONS:
        profiles.filter(slug=body["name"], version=version).delete()


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0019_cooling_past_quarantine")]
    operations = [migrations.RunPython(insert, delete)]
