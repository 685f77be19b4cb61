"""Candidates to rank, made without a database."""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from memories.lexical import asked_terms, terms_of
from memories.ranking.asking import Asked, requests
from memories.ranking.candidate import Candidate, ScopeStats

NOW = datetime(2026, 3, 18, 9, tzinfo=UTC)
MODEL = "use-multilingual-v3"


def asked(text: str) -> Asked:
    return Asked(text=text, requests=requests(text), now=NOW, models=(MODEL,))


def candidate(
    number: int, text: str, *, cosine: float | None = 0.4, session: str | None = None, seq: int | None = None
) -> Candidate:
    held = terms_of(text)
    return Candidate(
        id=uuid.UUID(int=number + 1),
        ref=f"r{number}",
        source_type="event",
        text=text,
        speaker="",
        thread_id=None,
        session_key=session,
        seq=seq,
        as_of=NOW,
        created_at=NOW,
        origin="agent_inferred",
        knowledge_status="inferred",
        sensitivity="work",
        confidence=None,
        use_score=0.0,
        terms=held.terms,
        counts=held.counts,
        length=held.length,
        held=frozenset(held.terms),
        cosines={MODEL: cosine},
    )


def pool_for(found: Sequence[Candidate], question: str) -> ScopeStats:
    spread = Counter(term for one in found for term in one.terms)
    looked_up = {term: spread[term] for one in requests(question) for term in asked_terms(one)}
    mean = sum(one.length for one in found) / len(found)
    return ScopeStats(passages=len(found), mean_length=mean, spread=looked_up)
