import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A packet is written on every turn: it keeps only the indexes that a page or a lookup asks by."""

    dependencies = [
        ("agent_sessions", "0002_shipped_profiles"),
        ("governance", "0001_initial"),
        ("threads", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="contextpacket",
            name="actor",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AlterField(
            model_name="contextpacket",
            name="attempt",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="agent_sessions.attempt",
            ),
        ),
        migrations.AlterField(
            model_name="contextpacket",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.actor",
            ),
        ),
        migrations.AlterField(
            model_name="contextpacket",
            name="thread",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="threads.thread",
            ),
        ),
    ]
