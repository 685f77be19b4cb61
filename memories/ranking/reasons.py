"""Why a hit is here, in words that a person can check. Pure."""

import uuid
from collections.abc import Mapping

from memories.ranking.features import Column, Pool

MOST_WORDS = 4
CLOSE_IN_MEANING = "close in meaning"
CLOSE = 0.8  # of the pool's span of likeness, from which on a meaning is called close


def reason_of(pool: Pool, row: int, columns: Mapping[str, Column], *, here: uuid.UUID | None) -> str:
    """Return the reason of one candidate: shared words, meaning, who and when, and where it stands."""
    one = pool.candidates[row]
    parts = [_shared(pool, row), _meaning(pool, row, columns)]
    parts.append(f"said by {one.speaker}" if columns["speaker"][row] else "")
    parts.append("of the time that was asked for" if columns["of_that_time"][row] else "")
    parts.append("in this thread" if one.thread_id and one.thread_id == here else "in this project")
    return "; ".join(filter(None, parts))


def _shared(pool: Pool, row: int) -> str:
    weights = {term: weight for each in pool.weights for term, weight in each.items()}
    telling = sorted(weights.keys() & pool.held[row], key=lambda term: (-weights[term] * min(len(term), 4), term))
    return f"shares {', '.join(telling[:MOST_WORDS])}" if telling else ""


def _meaning(pool: Pool, row: int, columns: Mapping[str, Column]) -> str:
    close = [model for model in pool.asked.models if columns[model][row] >= CLOSE]
    return CLOSE_IN_MEANING if close else ""
