from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from threads.vocabulary import LineageKind, LineageState


class Lineage(ContentRow):
    """Work of `source` goes on in `target`: which, since when, and on whose word; undone at most once.

    `act` is the same for the rows of one merge or split: one for each target, and beside it one for each narrower
    circle of readers that had something there. `whole` says that the source took no more work after it. `moved` holds
    the ids of what went along, by kind, and `before` the versions, moments and lengths of lists that an undoing puts
    back: no words.
    """

    PREFIX: ClassVar[str] = "lin"

    kind = models.CharField(max_length=8, choices=choices(LineageKind))
    state = models.CharField(max_length=8, choices=choices(LineageState), default=LineageState.STANDING)
    act = models.UUIDField()
    source = scoped_fk("threads.Thread")
    target = scoped_fk("threads.Thread")
    whole = models.BooleanField(default=True)
    reason = models.TextField(default="", blank=True)
    author = scoped_fk("governance.Actor")
    moved = models.JSONField(default=dict)
    before = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = scoped_fk("governance.Actor", null=True)
    undone_because = models.TextField(default="", blank=True)

    class Meta:
        constraints = [
            one_of("kind", LineageKind, name="lineage_kind_known"),
            one_of("state", LineageState, name="lineage_state_known"),
            models.CheckConstraint(condition=~models.Q(source=models.F("target")), name="lineage_leads_elsewhere"),
            models.CheckConstraint(
                condition=~models.Q(state=LineageState.UNDONE)
                | models.Q(undone_at__isnull=False, undone_by__isnull=False),
                name="lineage_undone_by_somebody",
            ),
            # A thread is merged into one other, however many try at once.
            models.UniqueConstraint(
                fields=["project", "source", "audience", "audience_role", "owner"],
                condition=models.Q(kind=LineageKind.MERGE, state=LineageState.STANDING),
                nulls_distinct=False,
                name="lineage_one_merge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.source_id} into {self.target_id}, {self.state}"
