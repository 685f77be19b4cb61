from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, scoped_fk

MOST_CLAIMS = 20  # of one text; a change keeps behind its own, from this ordinal on, those that it took the place of


class Claim(ContentRow):
    """What a memory says of whom, in a form that another memory's claim can be held against.

    `subject_key`, `attribute` and `value` are normalised; the texts are as they were said. `open_class` marks a subject
    that is a kind of person or thing, not one of them. `when_text` is the phrase from which the validity was taken.
    """

    PREFIX: ClassVar[str] = "clm"

    memory = scoped_fk("memories.Memory")
    ordinal = models.PositiveSmallIntegerField(default=0)
    subject_kind = models.CharField(max_length=64, default="", blank=True)
    subject_key = models.CharField(max_length=300)
    subject_text = models.CharField(max_length=500, default="", blank=True)
    open_class = models.BooleanField(default=False)
    attribute = models.CharField(max_length=200)
    value = models.CharField(max_length=500)
    value_text = models.CharField(max_length=1000, default="", blank=True)
    unit = models.CharField(max_length=64, default="", blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    when_text = models.CharField(max_length=200, default="", blank=True)
    inferred = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "memory", "ordinal"], name="claim_once"),
        ]
        indexes = [models.Index(fields=["project", "subject_key", "attribute"], name="claim_by_key")]

    def __str__(self) -> str:
        return f"{self.subject_key} {self.attribute}"
