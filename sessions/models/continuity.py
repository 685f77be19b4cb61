from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from governance.models.base import ContentRow, scoped_fk


class WorkSummary(ContentRow):
    """One immutable version of a session's progress, with the events it covers and the version it came from."""

    PREFIX: ClassVar[str] = "sum"

    session = scoped_fk("agent_sessions.Session")
    version = models.PositiveIntegerField()
    parent = scoped_fk("agent_sessions.WorkSummary", null=True)
    from_seq = models.PositiveIntegerField()
    to_seq = models.PositiveIntegerField()
    trigger = models.CharField(max_length=64)
    author = scoped_fk("governance.Actor")
    sections = models.JSONField()
    tokens_o200k = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "session", "version"], name="summary_version_once"),
            models.CheckConstraint(
                condition=models.Q(to_seq__gte=models.F("from_seq")),
                name="summary_covers_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.version}"


class Handoff(ContentRow):
    """The minimum that the next session needs. Empty lists are said, not left out."""

    PREFIX: ClassVar[str] = "hnd"

    thread = scoped_fk("threads.Thread")
    from_session = scoped_fk("agent_sessions.Session")
    to_session = scoped_fk("agent_sessions.Session", null=True)
    summary = models.TextField()
    unfinished_items = ArrayField(models.TextField(), default=list)
    risks = ArrayField(models.TextField(), default=list)
    resume_suggestion = models.TextField()
    next_actor = models.CharField(max_length=64, default="", blank=True)
    covers_to_seq = models.PositiveIntegerField(default=0)
    pins = models.JSONField(default=dict)
    author = scoped_fk("governance.Actor")

    class Meta:
        indexes = [models.Index(fields=["project", "thread", "-created_at"], name="handoff_latest")]

    def __str__(self) -> str:
        return f"{self.public_id} from {self.from_session_id}"
