"""Passages: the searchable copies, with their terms made once, as they are written."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.vocabulary import Sensitivity
from memories.embeddings.pending import await_vectors
from memories.embeddings.wording import cut
from memories.lexical import keys_of, terms_of
from memories.models import Passage
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from threads.lexemes import LEXEMES_VERSION

SPEAKER_CHARS = 64


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


SEARCHED_BY = ("terms", "counts", "length", "keys", "lexemes_version")


def searched_by(text: str, *, speaker: str, project_id: uuid.UUID) -> dict[str, Any]:
    """Return the columns that a passage is found by through its words.

    Who said it belongs to them: "what did the assistant propose" is a question people ask.
    """
    found = terms_of(f"{speaker} {text}")
    keys = keys_of(project_id, found)
    return dict(zip(SEARCHED_BY, (found.terms, found.counts, found.length, keys, LEXEMES_VERSION), strict=True))


def index(wishes: Sequence[PassageWish]) -> None:
    """Write passages in the open scope. A ref that is indexed already is written anew."""
    if not wishes:
        return
    Passage.objects.bulk_create(
        [_passage(wish) for wish in wishes],
        update_conflicts=True,
        unique_fields=["project", "ref"],
        update_fields=[
            "speaker",
            "text",
            *SEARCHED_BY,
            "origin",
            "thread",
            "sensitivity",
            "knowledge_status",
            "confidence",
            "as_of",
            "live",
        ],
    )
    for project_id in dict.fromkeys(wish.project_id for wish in wishes):
        await_vectors(project_id, [wish.ref for wish in wishes if wish.project_id == project_id])


def _passage(wish: PassageWish) -> Passage:
    speaker = cut(wish.speaker, SPEAKER_CHARS)
    return Passage(
        project_id=wish.project_id,
        source_type=wish.source_type,
        ref=wish.ref,
        speaker=speaker,
        text=wish.text,
        **searched_by(wish.text, speaker=speaker, project_id=wish.project_id),
        origin=wish.origin,
        knowledge_status=wish.knowledge_status,
        thread_id=wish.thread_id,
        memory_id=wish.memory_id,
        sensitivity=wish.sensitivity,
        confidence=wish.confidence,
        as_of=wish.as_of,
        **wish.reach,
    )
