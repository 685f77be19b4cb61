from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Value
from django.utils import timezone

from governance.models.base import ContentRow, choices, one_of, scoped_fk, some_of
from sessions.vocabulary import AttemptState, Loss, Recovery, SessionState

LIVE = (SessionState.ACTIVE, SessionState.IDLE, SessionState.INTERRUPTED)


class Session(ContentRow):
    """One living window of one role (and task) on one thread: the logical session.

    `head_seq` is the seq of the last event; only the event table's trigger moves it. `seal` is the hash of the whole
    transcript as it was closed. `resume_failure` says of the latest attempt to pick it up that it failed, and why.
    `read_tokens` is what its reads of refs have brought in so far. `unheard` says that the words of its users are not
    counted: they are from before talk was kept, or an erasure took the count away. `cold_at` is when the last of its
    texts came to rest in a cold segment.
    """

    PREFIX: ClassVar[str] = "ses"

    thread = scoped_fk("threads.Thread", db_index=False)
    role = models.CharField(max_length=64)
    task = scoped_fk("threads.Task", null=True)
    state = models.CharField(max_length=16, choices=choices(SessionState), default=SessionState.ACTIVE)
    opened_by = scoped_fk("governance.Actor", db_index=False)
    title = models.CharField(max_length=300, default="", blank=True)
    head_seq = models.PositiveIntegerField(default=0)
    resume_point = models.TextField(default="", blank=True)
    interruptions = models.JSONField(default=list, blank=True)
    screen_context = models.JSONField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    last_event_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    seal = models.CharField(max_length=80, default="", db_default="", blank=True)
    resume_failure = models.JSONField(null=True, blank=True)
    read_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    unheard = models.BooleanField(default=False, db_default=False)
    cold_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # The sessions of a thread, over or not: read on every compile and by the thread's page, and from the latest
            # on for the state of a project.
            models.Index(fields=["project", "thread", "-created_at"], name="session_latest"),
            # The sweeps' questions, over all projects: what is quiet, and what has been left for long.
            models.Index(
                fields=["state", "last_event_at"],
                condition=models.Q(state__in=["active", "idle", "interrupted"]),
                name="session_quiet",
            ),
            # What a sweep has still to hear, the latest first; mostly empty.
            models.Index(fields=["-last_event_at"], condition=models.Q(unheard=True), name="session_unheard"),
            # Sealed transcripts that are still warm, the oldest first: those of the last weeks alone.
            models.Index(
                fields=["closed_at"],
                condition=models.Q(cold_at=None, closed_at__isnull=False, head_seq__gt=0),
                name="session_cooling",
            ),
        ]
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
    """One process run inside a session. It keeps the contract revisions that it started with.

    `recovery` says how it picked the session up, '' of an older one, and `missing` what could not be brought back.
    """

    PREFIX: ClassVar[str] = "att"

    session = scoped_fk("agent_sessions.Session")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=choices(AttemptState), default=AttemptState.RUNNING)
    actor = scoped_fk("governance.Actor", db_index=False)
    provider_session = scoped_fk("agent_sessions.ProviderSession", null=True)
    persona_revision = scoped_fk("governance.Revision", null=True)
    role_revision = scoped_fk("governance.Revision", null=True)
    policy_revision = scoped_fk("governance.Revision", null=True)
    self_profile_revision = scoped_fk("governance.Revision", null=True)
    lease_until = models.DateTimeField()
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    recovery = models.CharField(max_length=12, choices=choices(Recovery), default="", db_default="", blank=True)
    missing = ArrayField(
        models.CharField(max_length=24, choices=choices(Loss)), default=list, db_default=Value("{}"), blank=True
    )

    class Meta:
        indexes = [
            # The sweep's question: who has given no sign of life for longer than its lease.
            models.Index(fields=["lease_until"], condition=models.Q(state="running"), name="attempt_lapsing"),
            # When an actor was last at work, and in which sessions.
            models.Index(fields=["project", "actor", "-lease_until"], name="attempt_by_actor"),
        ]
        constraints = [
            one_of("state", AttemptState, name="attempt_state_known"),
            one_of("recovery", Recovery, name="attempt_recovery_known", blank=True),
            some_of("missing", Loss, name="attempt_missing_known"),
            models.UniqueConstraint(fields=["project", "session", "number"], name="attempt_number_once"),
            models.UniqueConstraint(
                fields=["project", "session"],
                condition=models.Q(state=AttemptState.RUNNING),
                name="attempt_one_running",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"
