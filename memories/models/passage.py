from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import Sensitivity
from memories.vocabulary import KnowledgeStatus, SourceType


class Passage(ContentRow):
    """The searchable copy of something worth finding again: its text, the ref it copies, and its search terms."""

    PREFIX: ClassVar[str] = "psg"

    source_type = models.CharField(max_length=12, choices=choices(SourceType))
    ref = models.CharField(max_length=200)
    thread = scoped_fk("threads.Thread", null=True)
    memory = scoped_fk("memories.Memory", null=True)
    text = models.TextField()
    terms = ArrayField(models.TextField(), default=list)
    origin = models.CharField(max_length=24, default="agent_inferred")
    sensitivity = models.CharField(max_length=12, choices=choices(Sensitivity), default=Sensitivity.WORK)
    knowledge_status = models.CharField(
        max_length=12,
        choices=choices(KnowledgeStatus),
        default=KnowledgeStatus.INFERRED,
    )
    confidence = models.FloatField(null=True, blank=True)
    as_of = models.DateTimeField(null=True, blank=True)
    live = models.BooleanField(default=True)

    class Meta:
        constraints = [
            one_of("source_type", SourceType, name="passage_source_known"),
            models.UniqueConstraint(fields=["project", "ref"], name="passage_ref_once"),
        ]
        # Read only by the scoped search function: under row-level security a term filter could not use it.
        # Without the list of pending entries: every search would read it through, after each long import for minutes.
        indexes = [GinIndex(fields=["terms"], name="passage_terms", fastupdate=False)]

    def __str__(self) -> str:
        return self.ref


class Injection(ContentRow):
    """A packet carried this memory. Written by whoever recorded the packet."""

    PREFIX: ClassVar[str] = "inj"

    memory = scoped_fk("memories.Memory")
    packet_id = models.UUIDField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "memory", "packet_id"], name="injection_once"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} in {self.packet_id}"
