"""The living window: sessions and attempts, their transcript, and the packets compiled for them."""

from sessions.models.artifact import Artifact
from sessions.models.continuity import Handoff, WorkSummary
from sessions.models.event import Event
from sessions.models.packet import BudgetProfile, ContextPacket, PacketOutcome
from sessions.models.session import Attempt, ProviderSession, Session

__all__ = [
    "Artifact",
    "Attempt",
    "BudgetProfile",
    "ContextPacket",
    "Event",
    "Handoff",
    "PacketOutcome",
    "ProviderSession",
    "Session",
    "WorkSummary",
]
