from typing import ClassVar

from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.vocabulary import VerificationState


class ContextPacket(ContentRow):
    """What one compile decided. Immutable sources are kept as refs, mutable ones and the request's texts as values."""

    PREFIX: ClassVar[str] = "pkt"

    # One row for every turn of every agent: each index is paid for then. Only what a page asks by has one.
    thread = scoped_fk("threads.Thread", db_index=False)
    session = scoped_fk("agent_sessions.Session", db_index=False)
    attempt = scoped_fk("agent_sessions.Attempt", db_index=False)
    actor = scoped_fk("governance.Actor", db_index=False)
    owner = scoped_fk("governance.Actor", null=True, db_index=False)
    role = models.CharField(max_length=64)
    trace = models.CharField(max_length=64)
    dialect = models.CharField(max_length=24)
    refused = models.BooleanField(default=False)
    packet_hash = models.CharField(max_length=80, default="", blank=True)
    input_cap = models.IntegerField()
    used = models.IntegerField()
    receipt = models.JSONField()
    decisions = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["project", "thread", "-created_at"], name="packet_by_thread"),
            # The last one of a session is read on every compile, wherever its work has gone since.
            models.Index(fields=["project", "session", "-created_at"], name="packet_by_session"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.used}/{self.input_cap}"


class PacketOutcome(ContentRow):
    """What became of a packet: reported usage, cited refs, result and verification."""

    PREFIX: ClassVar[str] = "out"

    packet = scoped_fk("agent_sessions.ContextPacket")
    actor = scoped_fk("governance.Actor")
    result = models.CharField(max_length=64, default="", blank=True)
    verification = models.CharField(
        max_length=16, choices=choices(VerificationState), default=VerificationState.UNVERIFIED
    )
    usage = models.JSONField(default=dict)
    cited_refs = models.JSONField(default=list)

    class Meta:
        constraints = [one_of("verification", VerificationState, name="outcome_verification_known")]

    def __str__(self) -> str:
        return f"{self.packet_id} {self.result}"
