from typing import ClassVar

from django.db import models
from django.utils import timezone

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.vocabulary import AttemptState, SessionState

LIVE = (SessionState.ACTIVE, SessionState.IDLE, SessionState.INTERRUPTED)


class Session(ContentRow):
    """One living window of one role (and task) on one thread: the logical session.

    `head_seq` is the seq of the last event; only the event table's trigger moves it.
    """

    PREFIX: ClassVar[str] = "ses"

    thread = scoped_fk("threads.Thread")
    role = models.CharField(max_length=64)
    task = scoped_fk("threads.Task", null=True)
    state = models.CharField(max_length=16, choices=choices(SessionState), default=SessionState.ACTIVE)
    opened_by = scoped_fk("governance.Actor")
    title = models.CharField(max_length=300, default="", blank=True)
    head_seq = models.PositiveIntegerField(default=0)
    resume_point = models.TextField(default="", blank=True)
    interruptions = models.JSONField(default=list, blank=True)
    screen_context = models.JSONField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    last_event_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", SessionState, name="session_state_known"),
            models.UniqueConstraint(
                fields=["project", "thread", "role", "task", "owner"],
                condition=models.Q(state__in=[str(state) for state in LIVE]),
                nulls_distinct=False,
                name="session_one_live",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.role} {self.state}"


class ProviderSession(ContentRow):
    """The harness's or SDK's own session. It belongs to one harness: another harness cannot resume it."""

    PREFIX: ClassVar[str] = "psn"

    session = scoped_fk("agent_sessions.Session")
    harness = models.CharField(max_length=64)
    external_id = models.CharField(max_length=200)
    alive = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "session", "harness", "external_id"],
                name="provider_session_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.harness} {self.external_id}"


class Attempt(ContentRow):
    """One process run inside a session. It keeps the contract revisions that it started with."""

    PREFIX: ClassVar[str] = "att"

    session = scoped_fk("agent_sessions.Session")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=choices(AttemptState), default=AttemptState.RUNNING)
    actor = scoped_fk("governance.Actor")
    provider_session = scoped_fk("agent_sessions.ProviderSession", null=True)
    persona_revision = scoped_fk("governance.Revision", null=True)
    role_revision = scoped_fk("governance.Revision", null=True)
    policy_revision = scoped_fk("governance.Revision", null=True)
    self_profile_revision = scoped_fk("governance.Revision", null=True)
    lease_until = models.DateTimeField()
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", AttemptState, name="attempt_state_known"),
            models.UniqueConstraint(fields=["project", "session", "number"], name="attempt_number_once"),
            models.UniqueConstraint(
                fields=["project", "session"],
                condition=models.Q(state=AttemptState.RUNNING),
                name="attempt_one_running",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"
