"""Searches without a database: the pools that the product's legs would bring, made from a set in memory.

Learning looks at thousands of searches, many times; what it learns is measured through the product afterwards.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from greywind_site.benching.retrieval_sets import Item, RetrievalSet
from memories.embeddings.embedder import Embedder, Vectors
from memories.embeddings.wording import asked_text, passage_text
from memories.lexical import Terms, asked_terms, bm25, rarities, terms_of
from memories.ranking.asking import Asked, requests
from memories.ranking.candidate import Candidate, ScopeStats
from memories.vocabulary import KnowledgeStatus, Origin, SourceType

POOL = 64  # of each leg, as in the product


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The items of one thread, indexed as the product does it. `vectors` by model, a row per item."""

    items: Sequence[Item]
    terms: Sequence[Terms]
    holders: Mapping[str, Sequence[int]]
    vectors: Mapping[str, Vectors]

    @property
    def mean_length(self) -> float:
        """The mean number of terms of an item."""
        return float(np.mean([each.length for each in self.terms]))


type Shelves = Mapping[str, Shelf]


def shelves_of(found: RetrievalSet, embedders: Sequence[Embedder]) -> Shelves:
    """Return a shelf for each thread of a set."""
    return {thread: _shelf(items, embedders) for thread, items in found.threads.items()}


def part_of(shelf: Shelf, first: int, size: int) -> Shelf:
    """Return a shelf with `size` items in a row alone, from `first` on."""
    rows = slice(first, first + size)
    vectors = {model: each[rows] for model, each in shelf.vectors.items()}
    return _indexed(shelf.items[rows], shelf.terms[rows], vectors)


def joined(one: Shelf, other: Shelf) -> Shelf:
    """Return a shelf with the items of both."""
    vectors = {model: np.concatenate([each, other.vectors[model]]) for model, each in one.vectors.items()}
    return _indexed([*one.items, *other.items], [*one.terms, *other.terms], vectors)


def search(
    shelf: Shelf, text: str, *, now: datetime, embedders: Sequence[Embedder]
) -> tuple[list[Candidate], Asked, ScopeStats]:
    """Return what the legs find for a question: the union of the best of each, with every leg's score."""
    asked = Asked(text=text, requests=requests(text), now=now, models=tuple(one.name for one in embedders))
    looked_up = tuple(dict.fromkeys(term for one in asked.requests for term in asked_terms(one)))
    stats = ScopeStats(
        passages=len(shelf.items),
        mean_length=shelf.mean_length,
        spread={term: len(shelf.holders.get(term, ())) for term in looked_up},
    )
    lexical = _lexical(shelf, stats)
    dense = {one.name: _nearest(shelf, asked, one) for one in embedders}
    pool = {int(row) for row in _best(lexical) if lexical[row] > 0} | {
        int(row) for each in dense.values() for row in _best(each)
    }
    found = [_candidate(shelf, row, dense) for row in sorted(pool)]
    return found, asked, stats


def _shelf(items: Sequence[Item], embedders: Sequence[Embedder]) -> Shelf:
    texts = [passage_text(speaker=item.speaker, text=item.text) for item in items]
    terms = [terms_of(f"{item.speaker} {item.text}") for item in items]
    vectors = {one.name: one.embed_passages(texts) for one in embedders}
    return _indexed(items, terms, vectors)


def _indexed(items: Sequence[Item], terms: Sequence[Terms], vectors: Mapping[str, Vectors]) -> Shelf:
    holders: dict[str, list[int]] = defaultdict(list)
    for row, each in enumerate(terms):
        for term in each.terms:
            holders[term].append(row)
    return Shelf(items=items, terms=terms, holders=dict(holders), vectors=vectors)


def _lexical(shelf: Shelf, stats: ScopeStats) -> NDArray[np.float64]:
    weights = rarities(list(stats.spread), stats.spread, passages=stats.passages)
    rows = Counter(row for term in stats.spread for row in shelf.holders.get(term, ()))
    scores = np.zeros(len(shelf.items))
    for row in rows:
        scores[row] = bm25(shelf.terms[row], weights, mean_length=stats.mean_length)
    return scores


def _nearest(shelf: Shelf, asked: Asked, embedder: Embedder) -> NDArray[np.float64]:
    vectors = embedder.embed_queries([asked_text(one) for one in asked.requests])
    return np.asarray((shelf.vectors[embedder.name] @ vectors.T).max(axis=1), dtype=np.float64)


def _best(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(-scores, kind="stable")[:POOL]


def _candidate(shelf: Shelf, row: int, dense: Mapping[str, NDArray[np.float64]]) -> Candidate:
    item, terms = shelf.items[row], shelf.terms[row]
    return Candidate(
        id=uuid.uuid5(uuid.NAMESPACE_OID, item.id),
        ref=item.id,
        source_type=SourceType.EVENT,
        text=item.text,
        speaker=item.speaker,
        thread_id=uuid.uuid5(uuid.NAMESPACE_OID, item.thread),
        session_key=item.session,
        seq=item.place,
        as_of=item.at,
        created_at=item.at,
        origin=Origin.USER_EXPLICIT,
        knowledge_status=KnowledgeStatus.INFERRED,
        sensitivity="work",
        confidence=None,
        use_score=0.0,
        terms=terms.terms,
        counts=terms.counts,
        length=terms.length,
        held=frozenset(terms.terms),
        cosines={model: float(each[row]) for model, each in dense.items()},
    )


def textbook_bm25(shelf: Shelf, text: str) -> list[str]:
    """Return the ids that share a term with the whole text, best first, by BM25 as textbooks have it (1.2, 0.75)."""
    asked = terms_of(text)
    spread = {term: len(shelf.holders.get(term, ())) for term in asked.terms}
    weights = rarities(asked.terms, spread, passages=len(shelf.items))
    lengths = np.array([each.length for each in shelf.terms]) / max(shelf.mean_length, 1.0)
    scores = np.zeros(len(shelf.items))
    for term, weight in weights.items():
        for row in shelf.holders.get(term, ()):
            held = shelf.terms[row]
            times = held.counts[held.terms.index(term)]
            scores[row] += weight * times / (times + 1.2 * (0.25 + 0.75 * lengths[row]))
    return [shelf.items[row].id for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def nearest(shelf: Shelf, text: str, embedder: Embedder) -> list[str]:
    """Return all ids, nearest to the whole text first."""
    vector = embedder.embed_queries([asked_text(text)])[0]
    order = np.argsort(-(shelf.vectors[embedder.name] @ vector), kind="stable")
    return [shelf.items[row].id for row in order]
