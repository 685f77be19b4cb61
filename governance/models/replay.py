from typing import ClassVar

from django.db import models

from governance.models.base import ProjectRow, scoped_fk


class StoredAnswer(ProjectRow):
    """What a request with an Idempotency-Key was answered, so that a retry hears the same and does nothing twice."""

    PREFIX: ClassVar[str] = "idm"

    api_key = scoped_fk("governance.ApiKey")
    idempotency_key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=80)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.TextField(default="", blank=True)
    packet_ref = models.CharField(max_length=64, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "api_key", "idempotency_key"],
                name="stored_answer_once",
            ),
        ]

    def __str__(self) -> str:
        return self.idempotency_key
