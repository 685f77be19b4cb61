from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import Risk
from memories.vocabulary import ConflictState, KnowledgeStatus, SettlementVerb, SideRole

UNSETTLED = (ConflictState.OPEN, ConflictState.SNOOZED)


class Conflict(ContentRow):
    """Memories that cannot all hold, until somebody settles which does.

    `key` names what they disagree on: one unsettled conflict for each, in one audience. `wakes_on_evidence` says that
    a snoozed one opens as soon as another side joins.
    """

    PREFIX: ClassVar[str] = "cfl"

    state = models.CharField(max_length=8, choices=choices(ConflictState), default=ConflictState.OPEN)
    key = models.CharField(max_length=80)
    subject_text = models.CharField(max_length=500, default="", blank=True)
    attribute = models.CharField(max_length=200, default="", blank=True)
    risk = models.CharField(max_length=8, choices=choices(Risk), default=Risk.LOW)
    suggestion = models.CharField(max_length=16, choices=choices(SettlementVerb), default="", blank=True)
    suggestion_reason = models.CharField(max_length=64, default="", blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    wakes_on_evidence = models.BooleanField(default=False)
    cooldown_until = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField()
    opened_by = scoped_fk("governance.Actor")

    class Meta:
        constraints = [
            one_of("state", ConflictState, name="conflict_state_known"),
            one_of("risk", Risk, name="conflict_risk_known"),
            models.CheckConstraint(
                condition=models.Q(suggestion__in=["", *SettlementVerb]), name="conflict_suggestion_known"
            ),
            models.UniqueConstraint(
                fields=["project", "audience", "audience_role", "owner", "key"],
                condition=models.Q(state__in=[str(state) for state in UNSETTLED]),
                nulls_distinct=False,
                name="conflict_open_once",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "-created_at"], name="conflict_by_state"),
            models.Index(fields=["project", "key"], name="conflict_by_key"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"


class ConflictSide(ContentRow):
    """One memory of a conflict, in the order in which they came.

    `knowledge_before` is how far it was relied on before the dispute.
    """

    PREFIX: ClassVar[str] = "csd"

    conflict = scoped_fk("memories.Conflict")
    memory = scoped_fk("memories.Memory")
    role = models.CharField(max_length=4, choices=choices(SideRole))
    knowledge_before = models.CharField(max_length=12, choices=choices(KnowledgeStatus))
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [
            one_of("role", SideRole, name="side_role_known"),
            one_of("knowledge_before", KnowledgeStatus, name="side_knowledge_known"),
            models.UniqueConstraint(fields=["project", "conflict", "memory"], name="side_once"),
        ]
        indexes = [models.Index(fields=["project", "memory"], name="side_by_memory")]

    def __str__(self) -> str:
        return f"{self.conflict_id} {self.memory_id}"


class Settlement(ContentRow):
    """What was decided about a conflict, bound to what its decider saw; an undone one stays, and says who undid it.

    `effects` lists what it did to each memory, so that it can be undone: ids and states, no text.
    """

    PREFIX: ClassVar[str] = "stl"

    conflict = scoped_fk("memories.Conflict")
    verb = models.CharField(max_length=16, choices=choices(SettlementVerb))
    decider = scoped_fk("governance.Actor")
    by_policy = models.BooleanField(default=False)
    seen_version = models.PositiveIntegerField()
    seen_hash = models.CharField(max_length=80)
    text = models.TextField(default="", blank=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    merged = scoped_fk("memories.Memory", null=True)
    effects = models.JSONField(default=list)
    undone_by = scoped_fk("governance.Actor", null=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("verb", SettlementVerb, name="settlement_verb_known"),
            models.UniqueConstraint(fields=["project", "conflict", "seen_version"], name="settlement_once"),
        ]

    def __str__(self) -> str:
        return f"{self.conflict_id} {self.verb}"
