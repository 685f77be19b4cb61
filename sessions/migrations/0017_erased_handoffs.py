"""A handoff says itself that it was erased: one that says nothing any more for another reason was not."""

from django.db import migrations, models

# No handoff was ever written without a summary, so that those without one were erased. The row is kept for ever; what
# is added here is what became of it.
KNOWN = """
ALTER TABLE agent_sessions_handoff DISABLE TRIGGER append_only_rows;
UPDATE agent_sessions_handoff SET erased = true WHERE summary = '';
ALTER TABLE agent_sessions_handoff ENABLE TRIGGER append_only_rows;
"""


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0016_known_words")]

    operations = [
        migrations.AddField("handoff", "erased", models.BooleanField(db_default=False, default=False)),
        migrations.RunSQL(KNOWN, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "handoff",
            models.CheckConstraint(
                condition=models.Q(erased=False) | models.Q(summary=""), name="handoff_erased_empty"
            ),
        ),
    ]
