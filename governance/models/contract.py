from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import ContractKind, RevisionState


class Contract(ContentRow):
    """A persona, role, policy or self profile: a name whose text lives in immutable revisions."""

    PREFIX: ClassVar[str] = "ctr"

    kind = models.CharField(max_length=16, choices=choices(ContractKind))
    slug = models.CharField(max_length=64)
    subject = scoped_fk("governance.Actor", null=True)

    class Meta:
        constraints = [
            one_of("kind", ContractKind, name="contract_kind_known"),
            models.UniqueConstraint(fields=["project", "kind", "slug"], name="contract_slug_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.slug}"


class Revision(ContentRow):
    """One immutable text of a contract. At most one revision of a contract is active.

    `proposal` is the one that was approved; None for the first revision, which an owner installed.
    """

    PREFIX: ClassVar[str] = "rev"

    contract = scoped_fk("governance.Contract")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=choices(RevisionState), default=RevisionState.DRAFT)
    body = models.JSONField()
    body_hash = models.CharField(max_length=80)
    base = scoped_fk("governance.Revision", null=True)
    proposed_by = scoped_fk("governance.Actor")
    decided_by = scoped_fk("governance.Actor", null=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    proposal = scoped_fk("governance.Proposal", null=True)

    class Meta:
        constraints = [
            one_of("state", RevisionState, name="revision_state_known"),
            models.UniqueConstraint(fields=["project", "contract", "number"], name="revision_number_once"),
            models.UniqueConstraint(
                fields=["project", "contract"],
                condition=models.Q(state=RevisionState.ACTIVE),
                name="revision_one_active",
            ),
            models.UniqueConstraint(fields=["project", "proposal"], name="revision_one_a_proposal"),
            models.CheckConstraint(
                condition=models.Q(state=RevisionState.DRAFT) | models.Q(decided_by__isnull=False),
                name="revision_decided_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contract_id} r{self.number}"
