from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Value

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.vocabulary import HandoffOccasion


class WorkSummary(ContentRow):
    """One immutable version of a session's progress, with the events it covers and the version it came from."""

    PREFIX: ClassVar[str] = "sum"

    session = scoped_fk("agent_sessions.Session", db_index=False)
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


class SummaryRefusal(ContentRow):
    """A version that the validators refused: `after_version` stays current, and is stale from then on.

    `problems` are fault and section of each, and none of its words.
    """

    PREFIX: ClassVar[str] = "smr"

    session = scoped_fk("agent_sessions.Session")
    after_version = models.PositiveIntegerField()
    to_seq = models.PositiveIntegerField()
    trigger = models.CharField(max_length=64)
    author = scoped_fk("governance.Actor")
    problems = models.JSONField()

    class Meta:
        # Each compile asks whether the current version was to be replaced and could not be.
        indexes = [models.Index(fields=["session", "after_version", "created_at"], name="refusal_after_version")]

    def __str__(self) -> str:
        return f"{self.session_id} after v{self.after_version}"


class Handoff(ContentRow):
    """The minimum that the next session needs. Empty lists are said, not left out.

    `account` is what, why, trade_offs, open and next. `pins` are the versions that it relies on, by the ref of each
    thing. `next_actor` is the role that goes on; `to_session` is set where it is known which session that is. `erased`
    says that its words were taken out.
    """

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
    task = scoped_fk("threads.Task", null=True)
    account = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    occasion = models.CharField(
        max_length=12, choices=choices(HandoffOccasion), default=HandoffOccasion.ASKED, db_default="asked"
    )
    author = scoped_fk("governance.Actor")
    erased = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [models.Index(fields=["project", "thread", "-created_at"], name="handoff_latest")]
        constraints = [
            one_of("occasion", HandoffOccasion, name="handoff_occasion_known"),
            models.CheckConstraint(
                condition=models.Q(erased=False) | models.Q(summary=""), name="handoff_erased_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} from {self.from_session_id}"
