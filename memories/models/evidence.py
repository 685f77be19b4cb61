from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, scoped_fk


class MemoryEvidence(ContentRow):
    """A resolvable ref behind a memory, with the hash of what was quoted when it was written."""

    PREFIX: ClassVar[str] = "evi"

    memory = scoped_fk("memories.Memory")
    ordinal = models.PositiveSmallIntegerField()
    ref = models.CharField(max_length=300)
    quote = models.TextField(default="", blank=True)
    quote_hash = models.CharField(max_length=80, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "memory", "ordinal"], name="memory_evidence_once"),
        ]
        indexes = [models.Index(fields=["project", "ref"], name="memory_evidence_by_ref")]

    def __str__(self) -> str:
        return self.ref


class MemoryParent(ContentRow):
    """Lineage: `memory` was made from `parent`, and why."""

    PREFIX: ClassVar[str] = "par"

    memory = scoped_fk("memories.Memory")
    parent = scoped_fk("memories.Memory")
    reason = models.CharField(max_length=500, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "memory", "parent"], name="memory_parent_once"),
            models.CheckConstraint(
                condition=~models.Q(memory=models.F("parent")),
                name="memory_parent_no_loop",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} from {self.parent_id}"


class GateVerdict(ContentRow):
    """What one gate said of one memory. The database lets a memory pass only where these rows say so."""

    PREFIX: ClassVar[str] = "ver"

    memory = scoped_fk("memories.Memory")
    gate = models.CharField(max_length=24)
    passed = models.BooleanField()
    reason_code = models.CharField(max_length=64, default="", blank=True)
    explanation = models.CharField(max_length=500, default="", blank=True)
    decided_by = scoped_fk("governance.Actor", null=True)

    class Meta:
        constraints = [
            # What a gate refused, a human may let pass: both are kept.
            models.UniqueConstraint(fields=["project", "memory", "gate", "passed"], name="gate_verdict_once"),
            models.CheckConstraint(
                condition=models.Q(passed=True) | ~models.Q(reason_code=""),
                name="gate_refusal_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gate} {'passed' if self.passed else self.reason_code}"
