from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from governance.models.base import ProjectRow, scoped_fk


class ApiKey(ProjectRow):
    """A bearer key of one agent in one project. The secret is shown once; only its keyed hash is kept."""

    PREFIX: ClassVar[str] = "key"

    actor = scoped_fk("governance.Actor")
    name = models.CharField(max_length=200, default="", blank=True)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.BinaryField()
    scopes = ArrayField(models.CharField(max_length=32))
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"gw_{self.prefix}_…"
