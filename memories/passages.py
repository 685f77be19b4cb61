"""Passages: the searchable copies, with their terms made once, as they are written."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.vocabulary import Sensitivity
from memories.models import Passage
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from threads.lexemes import terms


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageWish:
    """What is to be found again. `reach` holds the audience columns of the row that it copies."""

    project_id: uuid.UUID
    source_type: SourceType
    ref: str
    text: str
    origin: Origin
    knowledge_status: KnowledgeStatus
    speaker: str = ""
    thread_id: uuid.UUID | None = None
    memory_id: uuid.UUID | None = None
    sensitivity: Sensitivity = Sensitivity.WORK
    confidence: float | None = None
    as_of: datetime | None = None
    reach: Mapping[str, Any] = field(default_factory=dict)


def index(wishes: Sequence[PassageWish]) -> None:
    """Write passages in the open scope. A ref that is indexed already is written anew."""
    if not wishes:
        return
    Passage.objects.bulk_create(
        [_passage(wish) for wish in wishes],
        update_conflicts=True,
        unique_fields=["project", "ref"],
        update_fields=[
            "text",
            "terms",
            "origin",
            "thread",
            "sensitivity",
            "knowledge_status",
            "confidence",
            "as_of",
            "live",
        ],
    )


def _passage(wish: PassageWish) -> Passage:
    return Passage(
        project_id=wish.project_id,
        source_type=wish.source_type,
        ref=wish.ref,
        text=wish.text,
        # Who said it belongs to what is searched: "what did the assistant propose" is a question people ask.
        terms=sorted(set(terms(f"{wish.speaker} {wish.text}"))),
        origin=wish.origin,
        knowledge_status=wish.knowledge_status,
        thread_id=wish.thread_id,
        memory_id=wish.memory_id,
        sensitivity=wish.sensitivity,
        confidence=wish.confidence,
        as_of=wish.as_of,
        **wish.reach,
    )
