from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of
from governance.vocabulary import JobState


class Job(ContentRow):
    """Work that waits for a worker. `subject` names what it is about, as a public id; one is open for each at a time.

    A worker holds it by `holder` until `lease_until`; whoever holds it no longer changes nothing. What is asked for
    while it runs is `asked_again`, and runs once more. `error` is a code, never words of the content.
    """

    PREFIX: ClassVar[str] = "job"

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=120)
    state = models.CharField(max_length=12, choices=choices(JobState), default=JobState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_again = models.BooleanField(default=False)
    due_at = models.DateTimeField()
    holder = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    done_parts = models.PositiveIntegerField(default=0)
    all_parts = models.PositiveIntegerField(null=True, blank=True)
    error = models.CharField(max_length=80, default="", blank=True)
    trace = models.CharField(max_length=80, default="", blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", JobState, name="job_state_known"),
            models.CheckConstraint(
                condition=models.Q(state="running", holder__isnull=False, lease_until__isnull=False)
                | models.Q(~models.Q(state="running"), holder=None, lease_until=None),
                name="job_held_while_running",
            ),
            models.UniqueConstraint(
                fields=["project", "kind", "subject"],
                condition=~models.Q(state="done"),
                name="job_open_once",
            ),
        ]
        indexes = [
            # The workers' question, asked every few seconds over all projects: what has not been tried comes first.
            models.Index(
                fields=["attempts", "due_at"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="job_due",
            ),
            # The page, and the sweep that forgets what was done long ago.
            models.Index(fields=["project", "state", "-created_at"], name="job_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} {self.state}"
