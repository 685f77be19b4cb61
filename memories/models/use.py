from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from memories.vocabulary import FeedbackKind, MemoryStatus, ReadThrough


class Feedback(ContentRow):
    """What somebody who used a memory says of it."""

    PREFIX: ClassVar[str] = "fbk"

    memory = scoped_fk("memories.Memory")
    actor = scoped_fk("governance.Actor")
    kind = models.CharField(max_length=12, choices=choices(FeedbackKind))
    packet_id = models.UUIDField(null=True, blank=True)
    note = models.CharField(max_length=1000, default="", blank=True)

    class Meta:
        constraints = [
            one_of("kind", FeedbackKind, name="feedback_kind_known"),
            models.UniqueConstraint(
                fields=["project", "memory", "actor", "kind", "packet_id"],
                nulls_distinct=False,
                name="feedback_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.kind}"


class MemoryMove(ContentRow):
    """One step of a memory from a state to another, and the code of its reason where it has one."""

    PREFIX: ClassVar[str] = "mmv"

    memory = scoped_fk("memories.Memory")
    here = models.CharField(max_length=20, choices=choices(MemoryStatus))
    there = models.CharField(max_length=20, choices=choices(MemoryStatus))
    code = models.CharField(max_length=64, default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            one_of("here", MemoryStatus, name="memory_move_here_known"),
            one_of("there", MemoryStatus, name="memory_move_there_known"),
        ]
        indexes = [models.Index(fields=["project", "memory", "at"], name="memory_move_in_order")]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.here} to {self.there}"


class MemoryRead(ContentRow):
    """Somebody read a memory by itself. Packets that carried it are in Injection."""

    PREFIX: ClassVar[str] = "mrd"

    memory = scoped_fk("memories.Memory")
    actor = scoped_fk("governance.Actor")
    through = models.CharField(max_length=8, choices=choices(ReadThrough))

    class Meta:
        constraints = [one_of("through", ReadThrough, name="memory_read_through_known")]
        indexes = [models.Index(fields=["project", "memory", "-created_at"], name="memory_read_newest")]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.through}"
