from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow


class Consolidation(ContentRow):
    """How far what is known to one audience has been put in order. Whoever does so holds the row's lock.

    `policy` is the revision by which ends were computed; `counts` is what the last run that found work did.
    """

    PREFIX: ClassVar[str] = "cns"

    work = models.CharField(max_length=24, default="memories")
    policy = models.CharField(max_length=80, default="", blank=True)
    ran_at = models.DateTimeField(null=True, blank=True)
    runs = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "audience", "audience_role", "owner", "work"],
                nulls_distinct=False,
                name="consolidation_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.audience} {self.work}"
