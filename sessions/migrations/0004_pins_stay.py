"""An attempt keeps the contract revisions that it started with: nothing changes them afterwards."""

from django.db import migrations

from governance import ddl

PINS = ["persona_revision_id", "role_revision_id", "policy_revision_id", "self_profile_revision_id"]


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0003_packet_indexes")]

    operations = [ddl.frozen_columns("agent_sessions_attempt", PINS)]
