"""The living window: sessions and attempts, their transcript, and the packets compiled for them."""

from sessions.models.artifact import Artifact
from sessions.models.continuity import Handoff, SummaryRefusal, WorkSummary
from sessions.models.event import Event
from sessions.models.packet import ContextPacket, PacketOutcome
from sessions.models.profile import BudgetProfile, LearntFigures, UsageReport
from sessions.models.segment import ColdSegment
from sessions.models.session import Attempt, ProviderSession, Session

__all__ = [
    "Artifact",
    "Attempt",
    "BudgetProfile",
    "ColdSegment",
    "ContextPacket",
    "Event",
    "Handoff",
    "LearntFigures",
    "PacketOutcome",
    "ProviderSession",
    "Session",
    "SummaryRefusal",
    "UsageReport",
    "WorkSummary",
]
