from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of
from governance.vocabulary import InboxKind, InboxState, Risk


class InboxItem(ContentRow):
    """A matter that waits for a human, written by whichever app opened it. `ref` names the matter itself."""

    PREFIX: ClassVar[str] = "inb"

    kind = models.CharField(max_length=16, choices=choices(InboxKind))
    state = models.CharField(max_length=8, choices=choices(InboxState), default=InboxState.OPEN)
    risk = models.CharField(max_length=8, choices=choices(Risk), default=Risk.LOW)
    ref = models.CharField(max_length=200)
    title = models.CharField(max_length=300)
    snoozed_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("kind", InboxKind, name="inbox_kind_known"),
            one_of("state", InboxState, name="inbox_state_known"),
            models.UniqueConstraint(fields=["project", "kind", "ref"], name="inbox_matter_once"),
        ]

    def __str__(self) -> str:
        return self.title
