"""What became of a packet, as its reader tells it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import NotThere
from governance.scope import project_scope, record
from memories.feedback import note_cited
from sessions.compile_figures import count_usage
from sessions.models import ContextPacket, PacketOutcome
from sessions.usage_reports import check_usage
from sessions.usages import take_usage
from sessions.vocabulary import VerificationState

MOST_FIGURES = 40  # of one report of usage
LONGEST_FIGURE = 100  # characters of a figure's name


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeWish:
    """A report on a packet. `usage` is what the provider counted, in its own words."""

    result: str | None = None
    verification: VerificationState = VerificationState.UNVERIFIED
    usage: Mapping[str, Any]
    cited_refs: Sequence[str] = ()


def store_outcome(acting: Acting, packet_id: uuid.UUID | None, wish: OutcomeWish, *, now: datetime) -> dict[str, Any]:
    """Store a report on a packet; raises NotThere for a packet that is not here, Invalid for a useless usage report.

    A memory that the packet carried and the report cites is found useful by that. `usage` says what became of the
    provider's count: taken, implausible, or None where there was nothing to compare it with; `usage_not_understood`
    are the names in it that say nothing here.
    """
    unread = check_usage(wish.usage)
    with project_scope(acting):
        rows = ContextPacket.objects.select_related("session")
        packet = rows.filter(pk=packet_id).first() if packet_id else None
        if packet is None:
            raise NotThere.there("{packet_id}")
        row = PacketOutcome.objects.create(
            project_id=acting.project_id,
            packet=packet,
            actor_id=acting.actor_id,
            result=wish.result or "",
            verification=wish.verification,
            usage=dict(wish.usage),
            cited_refs=list(wish.cited_refs),
            created_at=now,
        )
        cited = note_cited(acting, packet.pk, wish.cited_refs)
        fate = take_usage(acting, packet, wish.usage, now=now)
        detail = {"verification": wish.verification.value, "memories_cited": cited, "usage": fate and fate.value}
        record("context.outcome", packet.public_id, detail=detail)
        count_usage(wish.usage)
        return {
            "id": row.public_id,
            "packet_id": packet.public_id,
            "result": row.result,
            "verification": row.verification,
            "usage": fate and fate.value,
            "usage_not_understood": list(unread),
        }
