from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import Destination
from threads.vocabulary import ThreadState, ThreadType


class Thread(ContentRow):
    """A long-lived line of work. Provisional until its first event or packet, and swept if it stays empty."""

    PREFIX: ClassVar[str] = "thr"

    title = models.CharField(max_length=300)
    title_is_human = models.BooleanField(default=False)
    type = models.CharField(max_length=12, choices=choices(ThreadType), default=ThreadType.WORK)
    state = models.CharField(max_length=8, choices=choices(ThreadState), default=ThreadState.OPEN)
    provisional = models.BooleanField(default=True)
    summary = models.TextField(default="", blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    keywords = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    recent_goals = ArrayField(models.TextField(), default=list, blank=True)
    version = models.PositiveIntegerField(default=1)
    last_active_at = models.DateTimeField(default=timezone.now)
    created_by = scoped_fk("governance.Actor")

    class Meta:
        constraints = [
            one_of("type", ThreadType, name="thread_type_known"),
            one_of("state", ThreadState, name="thread_state_known"),
        ]
        indexes = [
            # The resolver and the thread list read the most recently active threads of a project.
            models.Index(fields=["project", "state", "-last_active_at"], name="thread_recent"),
            # The sweep of empty threads reads only these few.
            models.Index(
                fields=["created_at"],
                condition=models.Q(provisional=True),
                name="thread_provisional",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Binding(ContentRow):
    """Ties a channel (and page) of the outside world to a thread, and says who reads along there."""

    PREFIX: ClassVar[str] = "bnd"

    thread = scoped_fk("threads.Thread")
    channel = models.CharField(max_length=200)
    page = models.CharField(max_length=500, default="", blank=True)
    destination = models.CharField(max_length=8, choices=choices(Destination), default=Destination.PROJECT)

    class Meta:
        constraints = [
            one_of("destination", Destination, name="binding_destination_known"),
            # The owner is part of it: a private binding must not be discoverable by a clash.
            models.UniqueConstraint(
                fields=["project", "owner", "channel", "page"],
                nulls_distinct=False,
                name="binding_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.page}"


class ThreadUse(ContentRow):
    """When an actor last worked on a thread in a role: what "continue" means for that actor."""

    PREFIX: ClassVar[str] = "use"

    thread = scoped_fk("threads.Thread")
    actor = scoped_fk("governance.Actor")
    role = models.CharField(max_length=64)
    last_used_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "thread", "actor", "role"], name="thread_use_once"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.role} {self.thread_id}"
