from typing import ClassVar

from django.db import models

from governance.models.base import ProjectRow, choices, one_of, scoped_fk
from memories.vocabulary import OfferState


class Offer(ProjectRow):
    """A private memory that somebody wants the project to share. Nobody reads it but whoever asked and their human.

    `content` is the text of `memory_version`, kept only while an agent waits for its human's answer: the human may not
    read the agent's own memory. It is empty after that; what was agreed to stands in the proposal.
    """

    PREFIX: ClassVar[str] = "ofr"

    memory = scoped_fk("memories.Memory")
    memory_version = models.PositiveIntegerField()
    asked_by = scoped_fk("governance.Actor")
    human = scoped_fk("governance.Actor")
    state = models.CharField(max_length=12, choices=choices(OfferState), default=OfferState.ASKED)
    content = models.TextField(default="", blank=True)
    about = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, default="", blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    proposal = scoped_fk("governance.Proposal", null=True)

    class Meta:
        constraints = [
            one_of("state", OfferState, name="offer_state_known"),
            models.UniqueConstraint(
                fields=["project", "memory"], condition=models.Q(state=OfferState.ASKED.value), name="offer_asked_once"
            ),
            models.CheckConstraint(
                condition=models.Q(state=OfferState.AGREED, proposal__isnull=False)
                | ~models.Q(state=OfferState.AGREED) & models.Q(proposal__isnull=True),
                name="offer_agreed_is_proposed",
            ),
        ]
        indexes = [models.Index(fields=["project", "human", "state"], name="offer_of_human")]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"
