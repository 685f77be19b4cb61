"""What the legs of a search hand to the ranking: passages with what every leg says of them, and their scope."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class Candidate(NamedTuple):
    """A passage that some leg found, with the scores of all models, of those too that did not find it.

    A tuple, since each search makes some hundred; the first OF_PASSAGE fields are the passage's own, whoever asks.
    `terms` are distinct and in order and `counts` stand beside them; `length` is the sum of all counts, `held` the
    same terms as a set. `session_key` and `seq` are its place in a transcript, None for what stands in none.
    `cosines` is by model name; None means that the passage has no vector yet, which is no judgement of it.
    """

    id: uuid.UUID
    ref: str
    source_type: str
    text: str
    speaker: str
    thread_id: uuid.UUID | None
    as_of: datetime | None
    created_at: datetime
    origin: str
    knowledge_status: str
    sensitivity: str
    confidence: float | None
    terms: Sequence[str]
    counts: Sequence[int]
    length: int
    session_key: str | None
    seq: int | None
    held: frozenset[str]
    use_score: float
    cosines: Mapping[str, float | None]


OF_PASSAGE = len(Candidate._fields) - 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeStats:
    """Statistics of the scope that was searched; `spread` says in how many of its passages each asked term stands."""

    passages: int
    mean_length: float
    spread: Mapping[str, int]
