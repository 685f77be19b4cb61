from typing import ClassVar

from django.db import models

from governance.models.base import ProjectRow, choices, one_of, scoped_fk
from governance.vocabulary import DecisionReason, DecisionVerb


class Decision(ProjectRow):
    """What one human said of one version of a proposal, bound to what they saw; append-only.

    `self_approved` says that the decider wrote the proposal, or owns the agent that did, and that nobody else of
    their level was there.
    """

    PREFIX: ClassVar[str] = "dec"

    proposal = scoped_fk("governance.Proposal")
    version = models.PositiveIntegerField()
    base = scoped_fk("governance.Revision", null=True)
    seen_hash = models.CharField(max_length=80)
    verb = models.CharField(max_length=16, choices=choices(DecisionVerb))
    reason_code = models.CharField(max_length=16, choices=choices(DecisionReason), default="", blank=True)
    text = models.TextField(default="", blank=True)
    decider = scoped_fk("governance.Actor")
    self_approved = models.BooleanField(default=False)

    class Meta:
        constraints = [
            one_of("verb", DecisionVerb, name="decision_verb_known"),
            one_of("reason_code", DecisionReason, name="decision_reason_known", blank=True),
            models.UniqueConstraint(fields=["project", "proposal", "version", "decider"], name="decision_once"),
        ]

    def __str__(self) -> str:
        return f"{self.proposal_id} v{self.version} {self.verb}"
