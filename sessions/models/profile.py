from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from governance.ids import new_id
from governance.models.base import ProjectRow, choices, one_of, scoped_fk
from sessions.vocabulary import Learning, UsageFate


class BudgetProfileQuerySet(models.QuerySet["BudgetProfile"]):
    def newest(self) -> "BudgetProfileQuerySet":
        """Return each profile in its newest version, by name. Older ones stay for the packets made with them."""
        return self.order_by("slug", "-version").distinct("slug")


class BudgetProfile(models.Model):
    """A version of a shipped profile of a model in a harness. Belongs to no project; numbers live here, not in code."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.CharField(max_length=128)
    version = models.PositiveIntegerField(default=1)
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = BudgetProfileQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slug", "version"], name="profile_version_once")]

    def __str__(self) -> str:
        return f"{self.slug} v{self.version}"


class UsageReport(ProjectRow):
    """What a provider counted for one packet, beside what was counted here: figures alone, never a word of a text.

    Only packets that the whole project may read are reported on here, so that what is learnt tells nobody of others.
    """

    PREFIX: ClassVar[str] = "use"

    packet = scoped_fk("agent_sessions.ContextPacket", db_index=False)
    actor = scoped_fk("governance.Actor", db_index=False)
    slug = models.CharField(max_length=128)
    encoding = models.CharField(max_length=32)
    fate = models.CharField(max_length=16, choices=choices(UsageFate))
    counted = models.PositiveIntegerField(help_text="tokens of the prompt in `encoding`")
    mix = ArrayField(
        models.PositiveIntegerField(), help_text="characters of the prompt by script, in the order of Script"
    )
    reported = models.PositiveIntegerField(help_text="input tokens as the provider counted them")
    harness_told = models.PositiveIntegerField(null=True, blank=True, help_text="of these, the harness's own, if told")

    class Meta:
        constraints = [
            # Saying it twice teaches nothing more.
            models.UniqueConstraint(fields=["project", "packet", "actor"], name="usage_once_a_reporter"),
            one_of("fate", UsageFate, name="usage_fate"),
        ]
        # The newest reports on one profile are what is learnt from, each time.
        indexes = [models.Index(fields=["project", "slug", "-created_at"], name="usage_by_profile")]

    def __str__(self) -> str:
        return f"{self.slug}: {self.counted} counted, {self.reported} reported"


class LearntFigures(ProjectRow):
    """What reported usage taught about a profile, as one immutable version; a packet names the one it went by.

    `figures` are those of `sessions.context.learnt.Learnt`; errors are shares of a prompt's tokens.
    """

    PREFIX: ClassVar[str] = "lrn"

    slug = models.CharField(max_length=128)
    version = models.PositiveIntegerField()
    encoding = models.CharField(max_length=32)
    state = models.CharField(max_length=16, choices=choices(Learning))
    figures = models.JSONField()
    usages = models.PositiveIntegerField()
    outliers = models.PositiveIntegerField(default=0)
    reporters = models.PositiveIntegerField(default=1)
    error = models.FloatField()
    spread = models.FloatField()
    undercount = models.FloatField()
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            # Also the index by which a compile finds the newest.
            models.UniqueConstraint(fields=["project", "slug", "version"], name="learnt_version_once"),
            one_of("state", Learning, name="learnt_state"),
        ]

    def __str__(self) -> str:
        return f"{self.slug} learnt v{self.version}"
