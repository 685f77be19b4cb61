from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.vocabulary import AttestedBy, EventKind, EventRole

ERASED = "erased"  # the key of `meta` that marks an entry whose content was erased


class Event(ContentRow):
    """One transcript entry: append-only, numbered without gaps inside its session.

    `text` is what a packet shows; an oversized tool result is head, tail and a ref here and whole in `artifact`.
    The token columns count `seams.block_body(text)` and its newline. `occurred_at` is null when nobody said.
    """

    PREFIX: ClassVar[str] = "evt"

    # No index of its own: the planner would take it for the tail of a session, and sort the whole session each time.
    session = scoped_fk("agent_sessions.Session", db_index=False)
    seq = models.PositiveIntegerField()
    client_id = models.CharField(max_length=200)
    attempt = scoped_fk("agent_sessions.Attempt", null=True)
    actor = scoped_fk("governance.Actor")
    role = models.CharField(max_length=12, choices=choices(EventRole))
    kind = models.CharField(max_length=24, choices=choices(EventKind))
    text = models.TextField(blank=True)
    tool = models.CharField(max_length=200, default="", blank=True)
    failed = models.BooleanField(null=True, blank=True)
    attested_by = models.CharField(max_length=12, choices=choices(AttestedBy), default=AttestedBy.AGENT)
    artifact = scoped_fk("agent_sessions.Artifact", null=True)
    tokens_o200k = models.PositiveIntegerField()
    tokens_cl100k = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=80)
    meta = models.JSONField(default=dict, blank=True)
    occurred_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("role", EventRole, name="event_role_known"),
            one_of("kind", EventKind, name="event_kind_known"),
            one_of("attested_by", AttestedBy, name="event_attested_known"),
            models.UniqueConstraint(fields=["project", "session", "seq"], name="event_seq_once"),
            models.UniqueConstraint(fields=["project", "session", "client_id"], name="event_client_id_once"),
            models.CheckConstraint(condition=models.Q(seq__gte=1), name="event_seq_from_one"),
        ]
        indexes = [
            # Standing constraints are gathered on every compile; they are few among many events.
            models.Index(
                fields=["project", "session", "seq"],
                condition=models.Q(kind__in=["constraint", "correction"]),
                name="event_constraints",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.seq} {self.kind}"

    @property
    def erased(self) -> bool:
        """Whether its content was erased: that it was said stays, what was said does not."""
        return ERASED in self.meta and not self.text
