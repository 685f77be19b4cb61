"""Searching on purpose: the same way as a compile finds, for whoever asks, and what it says of each hit."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.ids import public_id
from governance.scope import project_scope
from memories.embeddings.queries import AskedVectors, query_vectors
from memories.ranking.asking import requests
from memories.retrieval import Found, Hit, Limits, Scope, retrieve
from memories.vocabulary import SourceType
from threads.lexemes import spans

A_FEW = 20  # hits, up to which only likely ones are meant


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWish:
    """What is searched for, and in what: one thread, one kind of source, what was said in a while."""

    q: str
    most: int
    thread_id: uuid.UUID | None = None
    source: SourceType | None = None
    since: datetime | None = None
    until: datetime | None = None


def asked_vectors(q: str) -> AskedVectors:
    """Return the vectors of a query's requests. It may take a model's time: never inside a transaction."""
    return query_vectors(requests(q))


def search(acting: Acting, wish: SearchWish, *, now: datetime) -> Found:
    """Return what is found for whoever acts, in a transaction of its own."""
    vectors = asked_vectors(wish.q)
    with project_scope(acting, read_only=True):
        return searched(wish, vectors, now=now)


def searched(wish: SearchWish, vectors: AskedVectors, *, now: datetime) -> Found:
    """Return what is found in the open scope."""
    scope = Scope(
        thread_id=wish.thread_id,
        now=now,
        only_thread=wish.thread_id,
        sources=(wish.source.value,) if wish.source else None,
        since=wish.since,
        until=wish.until,
    )
    return retrieve(wish.q, scope=scope, limits=Limits(most=wish.most, through=wish.most > A_FEW), vectors=vectors)


def search_out(found: Found, wish: SearchWish) -> dict[str, Any]:
    """Return the answer to a search."""
    return {
        "results": [_hit_out(hit) for hit in found.hits],
        "abstained": not found.hits,
        "searched": {
            "thread_id": public_id("thr", wish.thread_id) if wish.thread_id else None,
            "source": wish.source,
            "since": wish.since,
            "until": wish.until,
            "considered": found.considered,
            "by_source": dict(found.looked_at),
            "terms": list(found.asked),
            "models": list(found.models),
            "without": dict(found.missing),
        },
    }


def _hit_out(hit: Hit) -> dict[str, Any]:
    return {
        "ref": hit.ref,
        "source_type": hit.source_type,
        "content": hit.text,
        "score": hit.score,
        "likely": hit.likely,
        "reason": hit.reason,
        "legs": dict(hit.legs),
        "found_by": list(hit.found_by),
        "matched": list(hit.matched),
        "marks": spans(hit.text, frozenset(hit.matched)),
        "origin": hit.origin,
        "knowledge_status": hit.knowledge_status,
        "confidence": hit.confidence,
        "as_of": hit.as_of,
    }
