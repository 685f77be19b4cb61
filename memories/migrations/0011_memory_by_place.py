from django.db import migrations, models


class Migration(migrations.Migration):
    """What holds of a thread or task is looked up when it is merged, split or told: no reading of a whole project."""

    dependencies = [("memories", "0010_erasure_reaches_proposals")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("scope_id__isnull", False)),
                fields=["project", "scope_id", "-created_at"],
                name="memory_by_place",
            ),
        ),
    ]
