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
    speaker = models.CharField(max_length=64, default="", db_default="", blank=True)
    text = models.TextField()
    # Distinct and in order; `counts` stands beside them, and `length` is their sum: what ranking by rarity needs.
    terms = ArrayField(models.TextField(), default=list)
    counts = ArrayField(models.SmallIntegerField(), default=list, db_default=[])
    length = models.PositiveIntegerField(default=0, db_default=0)
    # What the index holds of a term: a hash of project and term, so that other projects' rows lie elsewhere in it.
    keys = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    # By which rules the terms were made; 0 is before there were keys. Other rules than today's are made anew.
    lexemes_version = models.PositiveSmallIntegerField(default=0, db_default=0)
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
        indexes = [
            GinIndex(fields=["keys"], name="passage_keys", fastupdate=False),
            GinIndex(
                fields=["terms"],
                name="passage_terms_without_keys",
                condition=models.Q(lexemes_version=0),
                fastupdate=False,
            ),
            # Counted without a visit to the rows: how many are in reach, how long they are, which are to be made anew.
            models.Index(
                fields=["project", "audience", "audience_role", "owner"],
                include=["length", "lexemes_version"],
                condition=models.Q(live=True),
                name="passage_reach",
            ),
        ]

    def __str__(self) -> str:
        return self.ref


class PassageTally(ContentRow):
    """How many passages one audience of a project has, and how many terms they hold: counted now and then.

    A search of a large scope needs both roughly, and counting them each time would cost more than the search.
    `oldest` is the version of the rules by which the terms of the least up to date were made.
    """

    PREFIX: ClassVar[str] = "tly"

    passages = models.PositiveIntegerField()
    terms = models.PositiveBigIntegerField()
    oldest = models.PositiveSmallIntegerField()
    counted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "audience", "audience_role", "owner"],
                nulls_distinct=False,
                name="passage_tally_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.audience}: {self.passages}"


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
