"""Learning the weights of a ranking from sets of questions, and what they are worth on threads they never saw."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from math import isnan, sqrt, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greywind_site.benching.retrieval_figures import recall
from greywind_site.benching.retrieval_pools import Shelves, shelves_of
from greywind_site.benching.retrieval_searches import FOLDS, Kind, Seen, in_han, searches, servings
from greywind_site.benching.retrieval_sets import RetrievalSet
from greywind_site.benching.rows import Tell
from memories.embeddings.embedder import Embedder
from memories.ranking.abstaining import about_it, is_dense, of_scripts
from memories.ranking.learning import Choice, learn_choice, learn_yes
from memories.ranking.weights import SATED, VERSION, Deciding, Sureness, Weights, digest_of

DECAY, DECIDING_DECAY = 0.001, 0.0003
WHOLE = 500  # questions from which on a set counts as much as a larger one
MOST_LOST = 0.008  # of recall, in no large set, that abstaining may cost where it is learnt
MOST_LOST_FEW = 0.01  # the same of small scopes, of the mean over the sets: few searches of each are asked
MOST_LOST_ACROSS = 0.004  # the same by what models say alone: what is left for other languages is rarer, and dearer
MOST_LOST_BELOW = 0.002  # of recall, of the mean over the sets, that a floor of likelihood may cost
LARGE = 150  # questions from which on a set has a say in that
FEW = 5
MANY = 25  # of the best: so many short messages are a thousand tokens
GOVERNED = {"recency": 0.1, "status": 0.3, "source": 0.1, "usefulness": 0.4, "phase": 0.2}
"""Strengths of what a memory knows of itself, in the unit of the learnt scores: never more than a leg that differs."""

type Array = NDArray[np.float64]
type Lost = Callable[[Sequence[str], Array, Array], float]
type Case = tuple[str, float, float]  # a question's group, its recall, and how far its scope is about it
type Figures = dict[str, dict[str, float]]


def learn(sets: Sequence[RetrievalSet], embedders: Sequence[Embedder], *, today: date, tell: Tell) -> dict[str, Any]:
    """Return the file of weights as JSON and, beside it, the figures that were reached on threads left out."""
    every = [(found, shelves_of(found, embedders)) for found in sets]
    learnt, figures = [], {}
    for served in servings(embedders):
        name = "+".join(one.name for one in served) or "terms alone"
        seen = [
            one
            for found, shelves in every
            for one in searches(found, shelves, served, beside=_in_another_language(shelves, every))
        ]
        tell(f"{name}: {len(seen)} searches")
        figures[name] = left_out(seen)
        learnt.append(weights_of(seen, [one.name for one in served]).model_dump(mode="json"))
    counts = {found.name: len(found.questions) for found in sets}
    file = {"version": VERSION, "learnt_on": today.isoformat(), "sets": counts, "governed": GOVERNED, "weights": learnt}
    return {"file": file | {"digest": digest_of(file)}, "figures": figures}


def _in_another_language(of: Shelves, every: Sequence[tuple[RetrievalSet, Shelves]]) -> list[Shelves]:
    return [shelves for _, shelves in every if in_han(shelves) != in_han(of)]


def left_out(seen: Sequence[Seen]) -> Figures:
    """Return the figures of each set where every thread is judged by weights that never saw it."""
    reached: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for fold in range(FOLDS):
        weights = weights_of([one for one in seen if fold not in one.folds], seen[0].models)
        for one in seen:
            if one.fold == fold:
                for name, value in _judged(one, weights):
                    reached[one.set][name].append(value)
    return {of: {name: round(float(np.mean(told)), 4) for name, told in by.items()} for of, by in reached.items()}


def weights_of(seen: Sequence[Seen], models: Sequence[str]) -> Weights:
    """Learn from all of these searches."""
    seen = [one for one in seen if one.standing]  # nothing is learnt where nothing was found
    teaching = [one for one in seen if one.teaches]
    choices = [
        Choice(rows=one.rows, right=one.right, weight=share)
        for one, share in zip(teaching, _shares([one.set for one in teaching]), strict=True)
    ]
    chosen = learn_choice(choices, decay=DECAY)
    features = _named(seen[0].names, chosen)
    meant = [one for one in seen if one.kind is not Kind.FALSE_PREMISE]
    whole, small = [one for one in meant if not one.few], [one for one in meant if one.few or one.is_small]
    found = Weights(
        models=models,
        features=features,
        deciding=_deciding(_native(whole), features, lost=_lost_by_any(MOST_LOST), of=_of_one_script),
        beginning=_deciding(small, features, lost=_lost_by_all(MOST_LOST_FEW)),
        across=_deciding(whole, features, lost=_lost_by_any(MOST_LOST_ACROSS), of=is_dense) if models else None,
        sureness=Sureness(behind=0.0, relevance=0.0, constant=0.0),
        sure=_sure(whole),
        floor=0.0,
        deep=0.0,
    )
    found = found.model_copy(update={"sureness": _sureness(seen, found)})
    floors = {name: _floor(meant, found, among=among) for name, among in (("floor", FEW), ("deep", MANY))}
    return found.model_copy(update=floors)


def _of_one_script(signal: str) -> bool:
    return not of_scripts(signal)


def _native(seen: Sequence[Seen]) -> Sequence[Seen]:
    """Return those that share a script with what they ask; all where none does."""
    native = [one for one in seen if not one.is_foreign]
    return native if any(one.kind is Kind.OWN for one in native) else seen


def _shares(of: Sequence[str]) -> list[float]:
    """Return what each search counts: a set of WHOLE counts as much as a larger one, a smaller one less."""
    counts = Counter(of)
    return [min(1.0, counts[name] / WHOLE) ** 0.5 / counts[name] for name in of]


def _deciding(
    seen: Sequence[Seen], features: Mapping[str, float], *, lost: Lost, of: Callable[[str], bool] = bool
) -> Deciding:
    """Learn when to abstain by the signals whose names are `of` those that are meant (all of them have a name).

    `lost` says where the threshold may lie at most.
    """
    told = [one.signals(features) for one in seen]
    names = sorted(filter(of, set().union(*told)))
    rows = np.array([[each.get(name, np.nan) for name in names] for each in told])
    about = np.array([one.kind is Kind.OWN for one in seen])
    neutral = np.nan_to_num(np.nanmean(rows[about], axis=0))
    rows = np.where(np.isnan(rows), neutral, rows)
    found = np.array([_recall(one, features) for one in seen])
    # A question whose evidence is not found loses nothing when nothing is returned.
    shares = np.array(_shares([f"{one.group} {one.kind}" for one in seen])) * np.where(about, 0.2 + found, 1.0)
    weights, constant = learn_yes(rows, about, shares, decay=DECIDING_DECAY)
    odds = rows @ weights + constant
    return Deciding(
        weights=_named(names, weights),
        neutral=_named(names, neutral),
        constant=round(constant, 4),
        threshold=round(lost([one.group for one in seen], np.where(about, found, np.nan), odds), 4),
    )


def _sure(seen: Sequence[Seen]) -> float:
    """Return how wholly a question was said, at most, where nothing is about it."""
    said = (one.standing.said for one in seen if one.standing and one.kind is not Kind.OWN)
    return round(max(said, default=1.0) + 0.005, 2)


def _lost_by_any(most: float) -> Lost:
    """Return what finds the greatest threshold at which no large set loses more than `most` of its recall."""

    def threshold(groups: Sequence[str], found: Array, odds: Array) -> float:
        own = _own(groups, found, odds)
        return min(_given_up([case for case in own if case[0] == name], most) for name in _large(own))

    return threshold


def _lost_by_all(most: float) -> Lost:
    """Return what finds the greatest threshold at which large sets lose no more than `most` of it in the mean."""

    def threshold(groups: Sequence[str], found: Array, odds: Array) -> float:
        own = _own(groups, found, odds)
        large = _large(own)
        return _given_up([case for case in own if case[0] in large], most)

    return threshold


def _own(groups: Sequence[str], found: Array, odds: Array) -> list[Case]:
    """Return the questions that have a recall, which the others have not."""
    cases = zip(groups, found.tolist(), odds.tolist(), strict=True)
    return [(name, recall, odd) for name, recall, odd in cases if not isnan(recall)]


def _large(own: Sequence[Case]) -> list[str]:
    """Return the groups with many questions; all where there is none."""
    counts = Counter(name for name, _, _ in own)
    return [name for name, count in counts.items() if count >= LARGE] or list(counts)


def _given_up(own: Sequence[Case], most: float) -> float:
    """Return the odds up to which, least first, `most` of the mean recall of the groups is given up."""
    counts = Counter(name for name, _, _ in own)
    return _where_spent([(odds, recall / counts[name] / len(counts)) for name, recall, odds in own], most)


def _where_spent(costs: Sequence[tuple[float, float]], most: float) -> float:
    """Return the value at which, least first, the costs beside them come to more than `most`; else the last."""
    order = sorted(costs)
    spent = np.cumsum([cost for _, cost in order])
    return order[min(int(np.searchsorted(spent, most, side="right")), len(order) - 1)][0]


def _floor(seen: Sequence[Seen], found: Weights, *, among: int) -> float:
    """Return the likelihood below which what is right among so many of the best may be left out at little loss."""
    own = [one for one in seen if one.kind is Kind.OWN]
    large = _large([(one.group, 0.0, 0.0) for one in own])
    counts = Counter(one.group for one in own)
    costs = [
        (likely, float(one.right[row]) / len(one.question.relevant) / counts[one.group] / len(large))
        for one in own
        if one.group in large and _about(one, found) >= 0
        for row, likely in _best_of(one, found, most=among)
    ]
    return _where_spent(costs, MOST_LOST_BELOW)


def _best_of(one: Seen, found: Weights, *, most: int) -> Iterator[tuple[int, float]]:
    """Yield the best rows of a search with their likelihood."""
    scores, about = one.scores(found.features), _about(one, found)
    best = np.argsort(-scores, kind="stable")[:most].tolist()
    behind = (scores[best[:1]] - scores[best]).tolist()  # of nothing where all that was found is not judged
    yield from zip(best, found.sureness.likelihoods(behind, relevance=about), strict=True)


def _sureness(seen: Sequence[Seen], found: Weights) -> Sureness:
    """Learn how sure a hit among the best is, from how far it lies behind and how far the scope is about it."""
    rows, right = [], []
    for one in seen:
        scores = one.scores(found.features)
        about = _about(one, found)
        for row in np.argsort(-scores, kind="stable")[:FEW]:
            rows.append([sqrt(float(scores.max() - scores[row])), tanh(about / SATED)])
            right.append(bool(one.right[row]))
    weights, constant = learn_yes(np.array(rows), np.array(right), np.ones(len(rows)), decay=DECIDING_DECAY)
    return Sureness(
        behind=round(float(weights[0]), 4), relevance=round(float(weights[1]), 4), constant=round(constant, 4)
    )


def _judged(one: Seen, weights: Weights) -> list[tuple[str, float]]:
    abstained = one.standing is None or _about(one, weights) < 0
    part = "among others, " if one.among else "a part, " if one.few else ""
    if one.kind is not Kind.OWN:
        return [(f"{part}{one.kind}: abstained", float(abstained))]
    found = _recall(one, weights.features)
    told = {"recall@5": found, "lost by abstaining": found * abstained, "abstained": float(abstained)}
    return [(part + name, value) for name, value in told.items()]


def _about(one: Seen, weights: Weights) -> float:
    if one.standing is None:
        raise ValueError("nothing was found, and nothing can be told of it")
    return about_it(one.standing, one.signals(weights.features), weights)


def _recall(one: Seen, features: Mapping[str, float]) -> float:
    order = np.argsort(-one.scores(features), kind="stable")
    return recall([one.refs[row] for row in order], one.question, most=FEW)


def _named(names: Sequence[str], values: Array) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}
