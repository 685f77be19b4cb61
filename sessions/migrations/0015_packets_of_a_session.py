import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A session's last packet is found by the session alone, whichever thread it was on, and without sorting them."""

    dependencies = [("agent_sessions", "0014_cold_segments")]

    operations = [
        migrations.AddIndex(
            model_name="contextpacket",
            index=models.Index(fields=["project", "session", "-created_at"], name="packet_by_session"),
        ),
        migrations.AlterField(
            model_name="contextpacket",
            name="session",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.session",
            ),
        ),
    ]
