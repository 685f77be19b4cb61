from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def unindexed(to: str) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


class Migration(migrations.Migration):
    """A thread's sessions are read from the latest on, and a session's newest summary alone, however many there are.

    An index on the thread or the session by itself let the planner read them all and sort. Who opened a session is
    asked by nobody but an erasure, and every entry of a live session writes to each of its indexes.
    """

    dependencies = [
        ("agent_sessions", "0011_following"),
        ("governance", "0001_initial"),
        ("threads", "0001_initial"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["project", "thread", "-created_at"], name="session_latest"),
        ),
        migrations.RemoveIndex(model_name="session", name="session_by_thread"),
        migrations.AlterField(model_name="session", name="thread", field=unindexed("threads.thread")),
        migrations.AlterField(model_name="session", name="opened_by", field=unindexed("governance.actor")),
        migrations.AlterField(model_name="worksummary", name="session", field=unindexed("agent_sessions.session")),
    ]
