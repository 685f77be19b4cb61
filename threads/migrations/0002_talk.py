import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
from governance import ddl
from governance.ddl import Key

TABLE = "threads_threadtalk"
# Hashes do not compress; trying to would cost every turn more than it saves. Parts are read whole, by thread.
PLAIN = f"ALTER TABLE {TABLE} ALTER COLUMN keys SET STORAGE EXTERNAL, ALTER COLUMN counts SET STORAGE EXTERNAL"
PACKED = f"ALTER TABLE {TABLE} ALTER COLUMN keys SET STORAGE EXTENDED, ALTER COLUMN counts SET STORAGE EXTENDED"


class Migration(migrations.Migration):
    dependencies = [("threads", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ThreadTalk",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                ("source", models.UUIDField()),
                ("part", models.PositiveIntegerField()),
                ("keys", models.BinaryField()),
                ("counts", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("matter", models.PositiveIntegerField()),
                ("manner", models.PositiveIntegerField()),
                *(
                    (
                        name,
                        models.ForeignKey(
                            blank=null,
                            db_constraint=False,
                            null=null,
                            on_delete=django.db.models.deletion.DO_NOTHING,
                            related_name="+",
                            to=to,
                        ),
                    )
                    for name, to, null in (("owner", "governance.actor", True), ("thread", "threads.thread", False))
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "thread", "source", "part"), name="thread_talk_once")
                ],
            },
        ),
        ddl.composite_keys(TABLE, [Key("owner_id", "governance_actor"), Key("thread_id", "threads_thread")]),
        ddl.isolate(TABLE),
        ddl.audience_shape(TABLE),
        ddl.inherit_audience(TABLE, parent="threads_thread", column="thread_id"),
        ddl.statement(PLAIN, PACKED),
    ]
