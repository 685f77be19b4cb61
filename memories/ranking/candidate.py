"""What the legs of a search hand to the ranking: one passage with every leg's score, and the scope it was found in."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage that some leg found, with the scores of all legs, of those too that did not find it.

    `terms` are distinct and `counts` stand beside them; `length` is the sum of all counts. `bm25` is 0 where no term
    is shared. `cosines` is by model name; None means that the passage has no vector yet, which is no judgement of it.
    `session_key` and `seq` are its place in a transcript, None for what stands in none.
    """

    id: uuid.UUID
    ref: str
    source_type: str
    text: str
    speaker: str
    thread_id: uuid.UUID | None
    session_key: str | None
    seq: int | None
    as_of: datetime | None
    created_at: datetime
    origin: str
    knowledge_status: str
    sensitivity: str
    confidence: float | None
    use_score: float
    terms: Sequence[str]
    counts: Sequence[int]
    length: int
    bm25: float
    cosines: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeStats:
    """Statistics of the scope that was searched; `spread` says in how many of its passages each asked term stands."""

    passages: int
    mean_length: float
    spread: Mapping[str, int]
