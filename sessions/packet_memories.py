"""The memories among what a packet's search brought: where each stands now, and what was said of it in the packet."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef
from django.db.models.functions import JSONObject

from governance.invisible import made_visible
from memories.evidence import memory_ids
from memories.models import Feedback, Injection, Memory
from memories.reading import Words, worded
from memories.vocabulary import FeedbackKind, MemoryStatus

MOST_SAID = 20  # of one memory in one packet


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLine:
    """What somebody said of a memory that the packet carried."""

    kind: FeedbackKind
    actor: str
    note: Words | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLine:
    """A memory as it stands now. `carried` says whether the packet's prompt held it; `said` is newest first."""

    id: str
    status: MemoryStatus
    carried: bool
    said: Sequence[SaidLine]


def memory_lines(packet_id: uuid.UUID, refs: Iterable[str]) -> Mapping[str, MemoryLine]:
    """Return the memories of some refs that the reader may read now, by ref without its version, in one statement."""
    carried = Exists(Injection.objects.filter(memory=OuterRef("pk"), packet_id=packet_id))
    rows = Memory.objects.filter(pk__in=memory_ids(refs), erased_at=None)
    rows = rows.annotate(carried=carried, said=_said_in(packet_id)).only("status")
    return {
        f"memory://{row.public_id}": MemoryLine(
            id=row.public_id,
            status=MemoryStatus(row.status),
            carried=row.carried,
            said=[_said_line(one) for one in row.said],
        )
        for row in rows
    }


def _said_in(packet_id: uuid.UUID) -> ArraySubquery:
    said = JSONObject(kind="kind", actor="actor__name", note="note", at="created_at")
    rows = Feedback.objects.filter(memory=OuterRef("pk"), packet_id=packet_id).order_by("-created_at", "-id")
    return ArraySubquery(rows.values(said=said)[:MOST_SAID])


def _said_line(row: Mapping[str, Any]) -> SaidLine:
    return SaidLine(
        kind=FeedbackKind(row["kind"]),
        actor=made_visible(row["actor"]),
        note=worded(row["note"]) if row["note"] else None,
        at=datetime.fromisoformat(row["at"]),
    )
