from typing import ClassVar

from django.db import models

from governance.models.base import ProjectRow, choices, one_of, scoped_fk
from governance.vocabulary import MembershipLevel, ProposalKind, ProposalState, Risk


class Proposal(ProjectRow):
    """A change that somebody asked for: of a contract, of who may read a memory and how sensitive it counts, or of what
    is wanted of a thread. What it says stands in its texts, one for each version.

    Proposals are the project's: whoever may read the project may read what is proposed for it and what was decided.
    `version` is that of the newest text; only the table of texts moves it.
    """

    PREFIX: ClassVar[str] = "prp"

    kind = models.CharField(max_length=16, choices=choices(ProposalKind))
    slug = models.CharField(max_length=64)
    contract = scoped_fk("governance.Contract", null=True)
    subject = scoped_fk("governance.Actor", null=True)
    state = models.CharField(max_length=20, choices=choices(ProposalState), default=ProposalState.DRAFT)
    version = models.PositiveIntegerField(default=0)
    proposer = scoped_fk("governance.Actor")
    reverts = scoped_fk("governance.Revision", null=True)
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("kind", ProposalKind, name="proposal_kind_known"),
            one_of("state", ProposalState, name="proposal_state_known"),
        ]
        indexes = [
            models.Index(fields=["project", "-created_at", "-id"], name="proposal_newest"),
            models.Index(fields=["project", "proposer", "-created_at", "-id"], name="proposal_of_proposer"),
            # What was asked for of one contract, memory or thread: read by every page of that thread.
            models.Index(fields=["project", "kind", "slug"], name="proposal_of_matter"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.slug} {self.state}"

    @property
    def ref(self) -> str:
        return f"proposal://{self.public_id}"


class ProposalText(ProjectRow):
    """One version of what a proposal says: immutable, so that what was seen is what was decided.

    `base` is the revision that it changes; None where the contract is new, and for what becomes no revision. `level`
    and `risk` follow from the fields that differ from what it changes; the database knows the same table and refuses
    less. Token counts are o200k_base.
    """

    PREFIX: ClassVar[str] = "ptx"

    proposal = scoped_fk("governance.Proposal")
    version = models.PositiveIntegerField()
    base = scoped_fk("governance.Revision", null=True)
    body = models.JSONField()
    body_hash = models.CharField(max_length=80)
    title = models.CharField(max_length=300)
    rationale = models.TextField(default="", blank=True)
    risk = models.CharField(max_length=8, choices=choices(Risk))
    level = models.CharField(max_length=12, choices=choices(MembershipLevel))
    author = scoped_fk("governance.Actor")
    tokens_before = models.PositiveIntegerField(null=True, blank=True)
    tokens_after = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("risk", Risk, name="proposal_text_risk_known"),
            one_of("level", [MembershipLevel.MAINTAINER, MembershipLevel.OWNER], name="proposal_text_level_known"),
            models.UniqueConstraint(fields=["project", "proposal", "version"], name="proposal_text_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.proposal_id} v{self.version}"


class Comment(ProjectRow):
    """What somebody said about a version of a proposal; append-only."""

    PREFIX: ClassVar[str] = "cmt"

    proposal = scoped_fk("governance.Proposal")
    version = models.PositiveIntegerField()
    author = scoped_fk("governance.Actor")
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["project", "proposal", "created_at"], name="comment_of_proposal")]

    def __str__(self) -> str:
        return f"{self.proposal_id} v{self.version}"
