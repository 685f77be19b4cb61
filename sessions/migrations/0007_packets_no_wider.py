"""A packet is read by nobody who may not read its thread, whatever is inserted."""

from django.db import migrations

from governance import ddl


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0006_continuity")]

    operations = [ddl.narrow_audience("agent_sessions_contextpacket", parent="threads_thread", column="thread_id")]
