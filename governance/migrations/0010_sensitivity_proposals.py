"""That a shared memory counts as less sensitive is proposed, and an owner decides: how such a proposal is weighed."""

from importlib import import_module

from django.db import migrations, models

from governance import ddl

known = import_module("governance.migrations.0009_memory_proposals")
KINDS = [*known.KINDS, "memory"]
LOWERED = [("sensitivity", field, 1, True) for field in ("memory", "version", "before", "after")]


class Migration(migrations.Migration):
    dependencies = [("governance", "0009_memory_proposals")]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in [*KINDS, "sensitivity"]], max_length=16),
        ),
        migrations.RemoveConstraint(model_name="proposal", name="proposal_kind_known"),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", [*KINDS, "sensitivity"])), name="proposal_kind_known"
            ),
        ),
        ddl.statement(
            known.weighed([*known.FIELDS, *known.OFFERED, *LOWERED]), known.weighed([*known.FIELDS, *known.OFFERED])
        ),
    ]
