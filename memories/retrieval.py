"""Finding again: the passages in scope that share the query's terms, ranked, with the reason in words."""

import math
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from governance.rows import fetch
from governance.vocabulary import Audience
from memories.outdated import without_outdated
from threads.lexemes import terms

POOL = 64  # passages that share most terms, which are ranked; hits are few, and each row brings its terms along
MOST_TERMS = 24  # of a query that are searched for: what a long one is about, it says at its beginning
HALF_LIFE_DAYS = 30.0  # age at which recency has lost half of its say
RECENCY_SHARE = 0.15  # of the score; the rest is shared terms
FLOOR = 0.12  # weighted share of the query's terms below which a passage is about something else
WEIGHED = 4  # times as many as are returned: so many of the best are held against what corrects them
SAME = 0.8  # overlap of terms at which two passages say the same; the lower one is left out

FIND = """
SELECT p.id, p.source_type, p.ref, p.thread_id, p.memory_id, p.text, p.terms, p.origin, p.sensitivity,
       p.knowledge_status, p.confidence, p.as_of, p.created_at, p.audience, p.audience_role, p.owner_id
FROM search_passages(%s::text[], %s::integer) AS found JOIN memories_passage p ON p.id = found.id
"""
COLUMNS = [
    "id",
    "source_type",
    "ref",
    "thread_id",
    "memory_id",
    "text",
    "terms",
    "origin",
    "sensitivity",
    "knowledge_status",
    "confidence",
    "as_of",
    "created_at",
    "audience",
    "audience_role",
    "owner_id",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where to look from: the thread in hand, whose passages count a little more, and the time.

    `shared` leaves out what is private, and `roles` what belongs to a role that is not among them (None: any role
    that may be read): a search in a window that others read along must not count what they may not read.
    """

    thread_id: uuid.UUID | None
    now: datetime
    skip_refs: frozenset[str] = frozenset()
    shared: bool = False
    roles: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most hits to return."""

    most: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One found passage. `score` and `likeness` are in [0, 1]; `reason` says in words why it is here."""

    ref: str
    source_type: str
    memory_id: uuid.UUID | None
    text: str
    score: float
    likeness: float
    reason: str
    origin: str
    sensitivity: str
    knowledge_status: str
    confidence: float | None
    as_of: datetime | None
    audience: str
    audience_role: str | None
    owner_id: uuid.UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a retrieval looked at and returned. `eligible` are those above the floor, before the count limit."""

    hits: list[Hit]
    considered: int
    eligible: int


def retrieve(query: str, *, scope: Scope, limits: Limits) -> Found:
    """Return the best passages for a query in the open scope; none when nothing is about it.

    Two passages that say the same count once. One statement, whatever the number of passages.
    """
    asked = _asked(query)
    if not asked:
        return Found(hits=[], considered=0, eligible=0)
    rows = [row for row in _rows(asked) if _in_reach(row, scope)]
    rarity = _rarity(asked, rows)
    ranked = sorted((_hit(row, asked, rarity, scope) for row in rows), key=lambda pair: (-pair[0].score, pair[0].ref))
    eligible = [(hit, held) for hit, held in ranked if hit.likeness >= FLOOR]
    holding = without_outdated(eligible[: WEIGHED * limits.most])
    return Found(hits=_distinct(holding, limits.most), considered=len(rows), eligible=len(eligible))


@lru_cache(512)
def _asked(query: str) -> Sequence[str]:
    """Return the distinct terms of a query. Turns that only say "go on" ask the same of their thread every time."""
    return tuple(dict.fromkeys(terms(query)))


def _in_reach(row: dict[str, Any], scope: Scope) -> bool:
    match row["audience"]:
        case Audience.PRIVATE if scope.shared:
            return False
        case Audience.ROLE if scope.roles is not None and row["audience_role"] not in scope.roles:
            return False
        case _:
            return row["ref"] not in scope.skip_refs and not _holds_elsewhere(row, scope)


def _holds_elsewhere(row: dict[str, Any], scope: Scope) -> bool:
    """Return whether a memory holds on another thread than the one in hand; what was said there may be found."""
    if row["memory_id"] is None or row["thread_id"] is None or scope.thread_id is None:
        return False
    return bool(row["thread_id"] != scope.thread_id)


def _rows(asked: Sequence[str]) -> list[dict[str, Any]]:
    # Single Chinese characters stand in nearly every passage: they rank what the longer terms found, and search
    # only where there is nothing longer.
    telling = ([term for term in asked if len(term) > 1] or list(asked))[:MOST_TERMS]
    return [dict(zip(COLUMNS, row, strict=True)) for row in fetch(FIND, [telling, POOL])]


def _rarity(asked: Sequence[str], rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return how much each term tells: a rare one more than a common one, a word more than a single character."""
    spread = Counter(term for row in rows for term in set(row["terms"]) & set(asked))
    total = len(rows) + 1
    return {term: math.log(1 + total / (1 + spread[term])) * min(len(term), 4) for term in asked}


def _hit(
    row: dict[str, Any], asked: Sequence[str], rarity: dict[str, float], scope: Scope
) -> tuple[Hit, frozenset[str]]:
    held = frozenset(row["terms"])
    shared = [term for term in asked if term in held]
    whole = sum(rarity.values())
    likeness = sum(rarity[term] for term in shared) / whole if whole else 0.0
    age = max((scope.now - (row["as_of"] or row["created_at"])).total_seconds() / 86400, 0.0)
    recency = 0.5 ** (age / HALF_LIFE_DAYS)
    score = (1 - RECENCY_SHARE) * likeness + RECENCY_SHARE * recency * likeness
    hit = Hit(
        score=round(score, 6),
        likeness=likeness,
        reason=_reason(row, shared, rarity, scope),
        text=row["text"],
        **{name: row[name] for name in _KEPT},
    )
    return hit, held


_KEPT = [
    "ref",
    "source_type",
    "memory_id",
    "origin",
    "sensitivity",
    "knowledge_status",
    "confidence",
    "as_of",
    "audience",
    "audience_role",
    "owner_id",
]


def _reason(row: dict[str, Any], shared: Sequence[str], rarity: dict[str, float], scope: Scope) -> str:
    telling = sorted(shared, key=lambda term: (-rarity[term], term))[:4]
    place = "in this thread" if row["thread_id"] and row["thread_id"] == scope.thread_id else "in this project"
    return f"shares {', '.join(telling)}; {place}"


def _distinct(ranked: Sequence[tuple[Hit, frozenset[str]]], most: int) -> list[Hit]:
    kept: list[tuple[Hit, frozenset[str]]] = []
    for hit, held in ranked:
        if len(kept) == most:
            break
        if not any(_say_the_same(held, other) for _, other in kept):
            kept.append((hit, held))
    return [hit for hit, _ in kept]


def _say_the_same(held: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two passages share nearly all terms; with another number or version they say another thing."""
    if len(held & other) < SAME * min(len(held), len(other)):
        return False
    extra = (held - other, other - held)
    return not all(any(char.isdigit() for term in left for char in term) for left in extra)
