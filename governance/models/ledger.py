from typing import ClassVar

from django.db import models
from django.utils import timezone

from governance.ids import new_id


class AuditEvent(models.Model):
    """One entry of the ledger: append-only, and chained per project by the database as it is inserted.

    `seq`, `at`, `prev` and `hash` are filled by the database; whatever a client sends for them is overwritten.
    """

    PREFIX: ClassVar[str] = "aud"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    project = models.ForeignKey("governance.Project", on_delete=models.PROTECT, related_name="+")
    seq = models.BigIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=64)
    on_behalf_of = models.CharField(max_length=64, default="")
    verb = models.CharField(max_length=64)
    target = models.CharField(max_length=200)
    reason = models.CharField(max_length=500, default="")
    before = models.CharField(max_length=80, default="")
    after = models.CharField(max_length=80, default="")
    trace = models.CharField(max_length=64, default="")
    detail = models.TextField(default="{}")
    prev = models.BinaryField(default=b"")
    hash = models.BinaryField(default=b"")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "seq"], name="audit_seq_once")]

    def __str__(self) -> str:
        return f"{self.seq} {self.verb} {self.target}"


class AuditHead(models.Model):
    """The end of one project's chain. Only the ledger's own role can read or move it."""

    project = models.OneToOneField(
        "governance.Project",
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="+",
    )
    seq = models.BigIntegerField()
    prev = models.BinaryField()
    hash = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.project_id} @{self.seq}"
