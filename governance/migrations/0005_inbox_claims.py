"""Who brought a matter up, who looks at it, and until when it is put off."""

import django.db.models.deletion
from django.db import migrations, models

from governance import ddl
from governance.ddl import Key


def pointer(name: str) -> migrations.AddField:
    return migrations.AddField(
        model_name="inboxitem",
        name=name,
        field=models.ForeignKey(
            blank=True,
            db_constraint=False,
            null=True,
            on_delete=django.db.models.deletion.DO_NOTHING,
            related_name="+",
            to="governance.actor",
        ),
    )


def moment(name: str) -> migrations.AddField:
    return migrations.AddField(model_name="inboxitem", name=name, field=models.DateTimeField(blank=True, null=True))


class Migration(migrations.Migration):
    dependencies = [("governance", "0004_authority")]

    operations = [
        pointer("opened_by"),
        pointer("assignee"),
        moment("claimed_at"),
        moment("settled_at"),
        migrations.AddField(
            model_name="inboxitem",
            name="awaits_evidence",
            field=models.BooleanField(db_default=False, default=False),
        ),
        ddl.composite_keys(
            "governance_inboxitem", [Key("opened_by_id", "governance_actor"), Key("assignee_id", "governance_actor")]
        ),
    ]
