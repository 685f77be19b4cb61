from typing import ClassVar

from django.db import models
from django.utils import timezone

from governance.ids import new_id, public_id


class Project(models.Model):
    """The isolation boundary: every content row belongs to exactly one project."""

    PREFIX: ClassVar[str] = "prj"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=200)
    max_input_tokens = models.PositiveIntegerField(null=True, blank=True)
    default_profile = models.CharField(max_length=128, default="default@conservative")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        return public_id(self.PREFIX, self.id)
