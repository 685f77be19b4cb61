import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """When an actor was last at work is asked of its latest attempt, however many there are."""

    dependencies = [("agent_sessions", "0017_erased_handoffs")]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["project", "actor", "-lease_until"], name="attempt_by_actor"),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="actor",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
    ]
