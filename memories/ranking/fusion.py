"""From a pool to a ranking: learnt weights, what the memories know of themselves, and abstention. Pure."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from memories.ranking.abstaining import about_it, signals_of, standing_of
from memories.ranking.asking import Asked
from memories.ranking.candidate import Candidate, ScopeStats
from memories.ranking.features import Column, Pool, features_of, pool_of
from memories.ranking.governed import governed
from memories.ranking.reasons import reason_of
from memories.ranking.weights import Learnt, learnt


class Ranked(NamedTuple):
    """One candidate in its place. `confidence` is 0 to 1, `row` its place in the pool."""

    candidate: Candidate
    score: float
    confidence: float
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All candidates, best first. `relevance` is in log odds above the threshold; `abstained` where it is below 0.

    `floor` is the confidence that makes a hit, `deep` where many are wanted; `signals` is what was decided by. Reasons
    are worked out when they are asked for: few of the ranked become hits.
    """

    ranked: Sequence[Ranked]
    abstained: bool
    relevance: float
    floor: float = 0.0
    deep: float = 0.0
    signals: Mapping[str, float] = field(default_factory=dict)
    why: Callable[[Ranked], str] = field(default=lambda _: "", repr=False)


def rank(
    found: Sequence[Candidate],
    asked: Asked,
    scope: ScopeStats,
    *,
    here: uuid.UUID | None = None,
    by: Learnt | None = None,
) -> Ranking:
    """Return the candidates of a search in their order; `here` is the thread in hand, for the reasons.

    Equal scores keep the order of refs, so that one pool has one ranking. A pool without candidates is abstained from.
    """
    if not found:
        return Ranking(ranked=[], abstained=True, relevance=float("-inf"))
    told = by or learnt()
    weights, standing = told.for_models(_compared(found, asked.models))
    candidates = sorted(_standing_in(found, standing), key=attrgetter("ref"))
    pool = pool_of(candidates, replace(asked, models=tuple(weights.models)), scope)
    columns = features_of(pool)
    learnt_scores = scores_of(columns, weights.features)
    whole = standing_of(pool, columns)
    signals = signals_of(whole, columns, learnt_scores)
    about = about_it(whole, signals, weights)
    scores = learnt_scores + _governed(pool, told.governed)
    likely = weights.sureness.likelihoods((scores.max() - scores).tolist(), relevance=about)
    return Ranking(
        ranked=_ranked(pool, scores, likely),
        abstained=about < 0,
        relevance=about,
        floor=weights.floor,
        deep=weights.deep,
        signals=signals,
        why=lambda one: reason_of(pool, one.row, columns, here=here),
    )


def _ranked(pool: Pool, scores: Column, likely: Sequence[float]) -> list[Ranked]:
    told = scores.tolist()
    return [
        Ranked(pool.candidates[row], told[row], likely[row], row) for row in np.argsort(-scores, kind="stable").tolist()
    ]


def scores_of(columns: Mapping[str, Column], weights: Mapping[str, float]) -> Column:
    """Return the weighted sum of features; every weight needs its column."""
    return np.asarray(sum(weight * columns[name] for name, weight in weights.items()), dtype=np.float64)


def _compared(found: Sequence[Candidate], models: Sequence[str]) -> list[str]:
    """Return the models that compared anything: where no passage has its vector yet, the words decide alone."""
    return [model for model in models if any(one.cosines.get(model) is not None for one in found)]


def _standing_in(found: Sequence[Candidate], standing: Mapping[str, str]) -> Sequence[Candidate]:
    if all(model == served for model, served in standing.items()):
        return found
    return [one._replace(cosines={name: one.cosines.get(other) for name, other in standing.items()}) for one in found]


def _governed(pool: Pool, strengths: Mapping[str, float]) -> Column:
    asked = pool.asked
    return np.array([governed(one, strengths, now=asked.now, phase=asked.phase) for one in pool.candidates])
