from datetime import datetime
from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import InboxKind, InboxState, Risk


class InboxItem(ContentRow):
    """A matter that waits for a human, written by whichever app opened it. `ref` names the matter itself.

    `opened_by` is whoever brought it up, `assignee` who said that they look at it: a courtesy, not a lock. A snoozed
    item is open again once `snoozed_until` is over, or, where it `awaits_evidence`, when its app opens it once more.
    """

    PREFIX: ClassVar[str] = "inb"

    kind = models.CharField(max_length=16, choices=choices(InboxKind))
    state = models.CharField(max_length=8, choices=choices(InboxState), default=InboxState.OPEN)
    risk = models.CharField(max_length=8, choices=choices(Risk), default=Risk.LOW)
    ref = models.CharField(max_length=200)
    title = models.CharField(max_length=300)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    awaits_evidence = models.BooleanField(default=False, db_default=False)
    opened_by = scoped_fk("governance.Actor", null=True)
    assignee = scoped_fk("governance.Actor", null=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("kind", InboxKind, name="inbox_kind_known"),
            one_of("state", InboxState, name="inbox_state_known"),
            models.UniqueConstraint(fields=["project", "kind", "ref"], name="inbox_matter_once"),
        ]

    def __str__(self) -> str:
        return self.title

    def state_at(self, now: datetime) -> InboxState:
        """Return where it stands at a moment: a snooze whose time is over has ended, whatever the row still says."""
        over = self.snoozed_until is not None and self.snoozed_until <= now
        return InboxState.OPEN if self.state == InboxState.SNOOZED and over else InboxState(self.state)
