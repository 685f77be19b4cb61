from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from threads.vocabulary import VisionSource


class Vision(ContentRow):
    """One immutable version of a thread's original intent. `origin_ref` opens the words it was taken from.

    What came of a proposal names it, and who decided it last; its author is then the proposer.
    """

    PREFIX: ClassVar[str] = "vis"

    thread = scoped_fk("threads.Thread")
    version = models.PositiveIntegerField()
    source = models.CharField(max_length=16, choices=choices(VisionSource))
    origin_goal = models.TextField()
    origin_ref = models.CharField(max_length=200, default="", blank=True)
    done_when = ArrayField(models.TextField(), default=list, blank=True)
    non_goals = ArrayField(models.TextField(), default=list, blank=True)
    user_priorities = ArrayField(models.TextField(), default=list, blank=True)
    quality_bar = models.TextField(default="", blank=True)
    author = scoped_fk("governance.Actor")
    # Read only with their row: no index.
    proposal = scoped_fk("governance.Proposal", null=True, db_index=False)
    decided_by = scoped_fk("governance.Actor", null=True, db_index=False)

    class Meta:
        constraints = [
            one_of("source", VisionSource, name="vision_source_known"),
            models.CheckConstraint(
                condition=Q(source="proposal", proposal__isnull=False, decided_by__isnull=False)
                | (~Q(source="proposal") & Q(proposal__isnull=True, decided_by__isnull=True)),
                name="vision_names_its_proposal",
            ),
            models.UniqueConstraint(fields=["project", "thread", "version"], name="vision_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.thread_id} v{self.version}"
