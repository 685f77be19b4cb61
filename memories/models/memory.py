from datetime import datetime
from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import Sensitivity
from memories.vocabulary import (
    LIVING,
    ArchivedFor,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ScopeType,
    SourceRank,
    WriteAction,
    WriteMode,
)


class Memory(ContentRow):
    """Something learnt, or proposed to be. Its texts live in immutable versions; `content` is the current one."""

    PREFIX: ClassVar[str] = "mem"

    type = models.CharField(max_length=12, choices=choices(MemoryType))
    kind = models.CharField(max_length=12, choices=choices(MemoryKind), default=MemoryKind.FACT)
    action = models.CharField(max_length=8, choices=choices(WriteAction), default=WriteAction.ADD)
    target = scoped_fk("memories.Memory", null=True)
    target_version = models.PositiveIntegerField(null=True, blank=True)
    content = models.TextField()
    content_hash = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    scope_type = models.CharField(max_length=12, choices=choices(ScopeType), default=ScopeType.PROJECT)
    scope_id = models.UUIDField(null=True, blank=True)
    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(null=True, blank=True)
    origin = models.CharField(max_length=16, choices=choices(Origin))
    source_rank = models.CharField(max_length=24, choices=choices(SourceRank))
    sensitivity = models.CharField(max_length=12, choices=choices(Sensitivity), default=Sensitivity.WORK)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    write_mode = models.CharField(max_length=12, choices=choices(WriteMode), default=WriteMode.APPEND)
    change_reason = models.CharField(max_length=500, default="", blank=True)
    knowledge_status = models.CharField(
        max_length=12,
        choices=choices(KnowledgeStatus),
        default=KnowledgeStatus.INFERRED,
    )
    status = models.CharField(max_length=20, choices=choices(MemoryStatus), default=MemoryStatus.CANDIDATE)
    reason_code = models.CharField(max_length=64, default="", blank=True)
    evidence_gap = models.CharField(max_length=500, default="", blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    observed_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField()
    proposed_by = scoped_fk("governance.Actor")
    # What the text says, whatever its spacing, case and punctuation; empty where nothing may be told apart by it.
    dedupe_key = models.CharField(max_length=80, default="", blank=True)
    archived_for = models.CharField(max_length=16, choices=choices(ArchivedFor), default="", blank=True)
    superseded_by = scoped_fk("memories.Memory", null=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_confirmed_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)
    # Emptied by the database whenever the memory says or rests on something new, so that nothing is passed over.
    consolidated_at = models.DateTimeField(null=True, blank=True)
    tokens = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("type", MemoryType, name="memory_type_known"),
            one_of("kind", MemoryKind, name="memory_kind_known"),
            one_of("action", WriteAction, name="memory_action_known"),
            one_of("scope_type", ScopeType, name="memory_scope_known"),
            one_of("origin", Origin, name="memory_origin_known"),
            one_of("source_rank", SourceRank, name="memory_rank_known"),
            one_of("sensitivity", Sensitivity, name="memory_sensitivity_known"),
            one_of("write_mode", WriteMode, name="memory_write_mode_known"),
            one_of("knowledge_status", KnowledgeStatus, name="memory_knowledge_known"),
            one_of("status", MemoryStatus, name="memory_status_known"),
            models.CheckConstraint(
                condition=~models.Q(status=MemoryStatus.REJECTED) | ~models.Q(reason_code=""),
                name="memory_rejected_says_why",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__gte=0, importance__lte=1),
                name="memory_importance_share",
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__isnull=True) | models.Q(confidence__gte=0, confidence__lte=1),
                name="memory_confidence_share",
            ),
            models.CheckConstraint(
                condition=models.Q(scope_type__in=["thread", "task"], scope_id__isnull=False)
                | ~models.Q(scope_type__in=["thread", "task"]),
                name="memory_scope_has_id",
            ),
            models.CheckConstraint(
                condition=models.Q(valid_to__isnull=True)
                | models.Q(valid_from__isnull=True)
                | models.Q(valid_to__gte=models.F("valid_from")),
                name="memory_validity_forward",
            ),
            models.CheckConstraint(
                condition=models.Q(archived_for__in=["", *ArchivedFor]), name="memory_archived_for_known"
            ),
            # One living statement of a thing in each place and audience, however many write it at once.
            models.UniqueConstraint(
                fields=["project", "scope_type", "scope_id", "audience", "audience_role", "owner", "dedupe_key"],
                condition=~models.Q(dedupe_key="") & models.Q(status__in=[str(status) for status in LIVING]),
                nulls_distinct=False,
                name="memory_said_once",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "status", "-created_at"], name="memory_by_status"),
            models.Index(fields=["project", "proposed_by", "-created_at"], name="memory_by_proposer"),
            models.Index(fields=["project", "dedupe_key"], name="memory_by_text"),
            models.Index(
                fields=["project", "created_at"],
                condition=models.Q(status=MemoryStatus.ACTIVE.value, consolidated_at=None),
                name="memory_to_consolidate",
            ),
            models.Index(
                fields=["project", "expires_at"],
                condition=models.Q(status=MemoryStatus.ACTIVE.value, expires_at__isnull=False),
                name="memory_by_end",
            ),
            # What holds of one thread or task: asked by a merge, a split and the thread's page.
            models.Index(
                fields=["project", "scope_id", "-created_at"],
                condition=models.Q(scope_id__isnull=False),
                name="memory_by_place",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.status}"

    @property
    def ref(self) -> str:
        """The ref that opens this version."""
        return f"memory://{self.public_id}@{self.version}"

    @property
    def first_ref(self) -> str:
        """The ref that opens what was proposed: under it a proposal waits in the inbox."""
        return f"memory://{self.public_id}@1"

    @property
    def said_at(self) -> datetime:
        """When it was said, as far as that is known; else when it was proposed."""
        return self.observed_at or self.created_at


class MemoryVersion(ContentRow):
    """One immutable text of a memory, with why it was written and its token counts."""

    PREFIX: ClassVar[str] = "mvr"

    memory = scoped_fk("memories.Memory")
    version = models.PositiveIntegerField()
    content = models.TextField()
    change_reason = models.CharField(max_length=500, default="", blank=True)
    author = scoped_fk("governance.Actor")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "memory", "version"], name="memory_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.version}"
