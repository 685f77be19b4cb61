"""Finding again: what was asked, what the legs bring, how it is ranked, and what of it is worth returning."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import NamedTuple

from memories.embeddings.queries import AskedVectors
from memories.finding import Located, Pool, Scope, find, question_of
from memories.outdated import without_outdated
from memories.ranking.asking import Asked, requests
from memories.ranking.diversity import told_already
from memories.ranking.fusion import Ranked, rank
from memories.vocabulary import LostBy

__all__ = ["Found", "Hit", "Limits", "Lost", "Scope", "retrieve"]

WEIGHED = 4  # times as many as are returned: so many of the best are held against what corrects them


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most hits to return. `through`: whoever asks looks them through, and gets what is unlikely too, last."""

    most: int = 5
    through: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One found passage, with its score in the ranking. `reason` says in words why, `matched` which terms it shares.

    `legs` holds the score of every leg that has one, by name, and `found_by` those that found it by themselves.
    `likely` is how sure the ranking is that it is about what was asked; `confidence` is what the memory itself says.
    """

    ref: str
    source_type: str
    memory_id: uuid.UUID | None
    text: str
    score: float
    reason: str
    origin: str
    sensitivity: str
    knowledge_status: str
    confidence: float | None
    as_of: datetime | None
    audience: str
    audience_role: str | None
    owner_id: uuid.UUID | None
    likely: float | None = None
    matched: tuple[str, ...] = ()
    legs: Mapping[str, float] = field(default_factory=dict)
    found_by: tuple[str, ...] = ()


class Lost(NamedTuple):
    """A passage that was looked at and is no hit: by which rule, who may read it, and the ref of what was better.

    A tuple, since a search makes one of nearly all that it looked at.
    """

    ref: str
    rule: LostBy
    audience: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a retrieval looked at and returned. `eligible` are those that are about it, before the count limit.

    `lost` says of every candidate that is no hit why; `asked` are the terms that were looked up, `models` those whose
    vectors were compared, `missing` by model why they were not. `looked_at` counts the candidates by source.
    """

    hits: list[Hit]
    considered: int
    eligible: int
    abstained: bool = True
    lost: tuple[Lost, ...] = ()
    asked: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    looked_at: Mapping[str, int] = field(default_factory=dict)


def retrieve(
    query: str, *, scope: Scope, limits: Limits, vectors: AskedVectors | None = None, phase: str = ""
) -> Found:
    """Return the best passages for a query in the open scope; none when nothing is about it.

    Two passages that say the same count once. One statement or two, whatever the number of passages. `vectors` are
    those of the query's requests, made before the scope was opened; without them the words alone are looked up.
    """
    said = vectors.requests if vectors and vectors.requests else requests(query)
    asked = Asked(text=query, requests=said, now=scope.now, phase=phase, models=_models(vectors))
    question = question_of(asked.requests, vectors)
    if not question.terms and not question.models:
        return Found(hits=[], considered=0, eligible=0)
    pool = find(question, scope)
    ranking = rank([one.candidate for one in pool.located], asked, pool.stats, here=scope.thread_id)
    located = {one.candidate.ref: one for one in pool.located}
    floor = ranking.deep if limits.through else ranking.floor
    least = inf if ranking.abstained else floor
    about = [_Told(one, located[one.candidate.ref]) for one in ranking.ranked if one.confidence >= least]
    unlike = [located[one.candidate.ref] for one in ranking.ranked if one.confidence < least]
    lost = [Lost(one.candidate.ref, LostBy.UNLIKE, one.audience) for one in unlike]
    hits = [_hit(one, pool, reason=ranking.why(one.ranked)) for one in _best(about, most=limits.most, lost=lost)]
    return Found(
        hits=hits,
        considered=len(pool.located),
        eligible=len(about),
        abstained=not hits,
        lost=tuple(lost),
        asked=tuple(question.terms),
        models=tuple(question.models),
        missing=question.vectors.missing,
        looked_at=dict(sorted(Counter(one.candidate.source_type for one in pool.located).items())),
    )


def _models(vectors: AskedVectors | None) -> tuple[str, ...]:
    return tuple(model.name for model in vectors.vectors) if vectors else ()


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """A ranked candidate as it is held against what corrects it."""

    ranked: Ranked
    located: Located

    @property
    def ref(self) -> str:
        return self.ranked.candidate.ref

    @property
    def text(self) -> str:
        return self.ranked.candidate.text

    @property
    def memory_id(self) -> uuid.UUID | None:
        return self.located.memory_id

    @property
    def as_of(self) -> datetime | None:
        return self.ranked.candidate.as_of

    @property
    def knowledge_status(self) -> str:
        return self.ranked.candidate.knowledge_status

    def lost(self, rule: LostBy, *, by: str = "") -> Lost:
        return Lost(self.ref, rule, self.located.audience, by)


def _best(about: Sequence[_Told], *, most: int, lost: list[Lost]) -> list[_Told]:
    """Return those that become hits, best first, and note of the others why they are none."""
    weighed = about[: WEIGHED * most]
    better = told_already([one.ranked.candidate for one in weighed])
    holding = [one for one, _ in without_outdated([(one, one.ranked.candidate.held) for one in weighed])]
    lost.extend(one.lost(LostBy.CORRECTED) for one in weighed if one not in holding)
    kept = _distinct(holding, {one.ref: other for one, other in zip(weighed, better, strict=True)}, most, lost)
    lost.extend(one.lost(LostBy.OVER_LIMIT) for one in about[WEIGHED * most :])
    return kept


def _distinct(holding: Sequence[_Told], better: Mapping[str, str | None], most: int, lost: list[Lost]) -> list[_Told]:
    kept: dict[str, _Told] = {}
    for one in holding:
        said = better[one.ref]
        if said is not None and said in kept:
            lost.append(one.lost(LostBy.SAID_ALREADY, by=said))
        elif len(kept) == most:
            lost.append(one.lost(LostBy.OVER_LIMIT))
        else:
            kept[one.ref] = one
    return list(kept.values())


def _hit(told: _Told, pool: Pool, *, reason: str) -> Hit:
    ranked, located, weights = told.ranked, told.located, pool.weights
    candidate = ranked.candidate
    matched = tuple(sorted(weights.keys() & candidate.held, key=lambda term: (-weights[term], term)))
    cosines = {model: round(score, 4) for model, score in candidate.cosines.items() if score is not None}
    return Hit(
        ref=candidate.ref,
        source_type=candidate.source_type,
        memory_id=located.memory_id,
        text=candidate.text,
        score=round(ranked.score, 6),
        reason=reason,
        origin=candidate.origin,
        sensitivity=candidate.sensitivity,
        knowledge_status=candidate.knowledge_status,
        confidence=candidate.confidence,
        as_of=candidate.as_of,
        audience=located.audience,
        audience_role=located.audience_role,
        owner_id=located.owner_id,
        likely=ranked.confidence,
        matched=matched,
        legs={"lexical": round(pool.bm25(candidate), 4), **cosines},
        found_by=located.legs,
    )
