"""What the reads of a session have brought in, in tokens: one counter that concurrent readers move under its row."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0008_summary_refusals")]
    operations = [
        migrations.AddField(
            model_name="session",
            name="read_tokens",
            field=models.PositiveBigIntegerField(default=0, db_default=0),
        ),
    ]
