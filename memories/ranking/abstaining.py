"""Whether anything in the scope is about the question: a learnt answer from how the whole search went. Pure."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np
import regex

from memories.ranking.asking import Asked
from memories.ranking.features import Column, Pool, cosines_of
from memories.ranking.weights import Deciding, Weights
from threads.lexemes import terms

SHORT = 8  # terms of a question; that one has fewer says nothing, that it has many makes every likeness smaller
WORDS = 3  # longer than a character, from which on a question that is said word for word is told from a greeting
TELLING = 0.1  # of a scope's passages, up to which a word tells what is looked for; a greeting stands in more of them
FEW = 3  # best ones that are averaged
ALIKE, ACROSS = "alike", ":across"  # signals of scripts: they tell where a scope holds more than one
SMALL = 100  # passages of a scope, below which a question has little there that it could stand out from
_ASKS = regex.compile(r"[?？]")
_HAN = regex.compile(r"\p{Han}")
_NAME = regex.compile(r"(?<=[\p{L}\p{N}'’,;:)] )\p{Lu}[\p{Ll}\p{M}]+")  # not at the beginning of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is told of a search whatever its order: signals, and cosines by model.

    `said` is how much of the question the best says word for word; `looked_up` that it asks nothing and is one or two
    words, which stand in one passage.
    """

    signals: Mapping[str, float]
    cosines: Mapping[str, Column]
    foreign: bool
    small: bool
    said: float
    looked_up: bool


def standing_of(pool: Pool, columns: Mapping[str, Column]) -> Standing:
    """Return what is told of a search with at least one candidate, before it is ranked."""
    cosines = {model: cosines_of(pool, model) for model in pool.asked.models}
    words = {term for weights in pool.weights for term in weights if len(term) > 1}
    told = {
        "terms": float(np.log1p(max(SHORT, sum(map(len, pool.weights))))),
        "addressed": float(columns["speaker"].max()),
        "han": float(_asks_in_han(pool.asked)),  # its terms are shorter, and more of them are shared
        ALIKE: _alike(pool),
        **_lexical(pool, columns["coverage"]),
    }
    for model, column in cosines.items():
        told |= _dense(column, model)
        told[f"{model}{ACROSS}"] = told[f"{model}:greatest"] * (1.0 - told[ALIKE])
    return Standing(
        signals=told,
        cosines=cosines,
        foreign=told[ALIKE] < 0.5,
        small=pool.scope.passages < SMALL,
        said=told["coverage"] if len(words) >= WORDS else 0.0,
        looked_up=_is_looked_up(words, pool),
    )


def signals_of(standing: Standing, columns: Mapping[str, Column], scores: Column) -> dict[str, float]:
    """Return all signals of a ranked search; dense ones are NaN where nothing has a vector."""
    best = np.argsort(-scores, kind="stable")
    few = best[:FEW]
    told = {
        **standing.signals,
        "best": float(scores[best[0]]),
        "lead": float(scores[best[0]] - scores[best[min(5, len(best) - 1)]]),
        "coverage_of_best": float(columns["coverage"][few].mean()),
    }
    for model, column in standing.cosines.items():
        known = column[few][~np.isnan(column[few])]
        told[f"{model}:of_best"] = float(known.mean()) if len(known) else float("nan")
    return told


def is_dense(signal: str) -> bool:
    """Return whether a signal is of a model, which tells the same across scripts; words are not shared there."""
    return ":" in signal and not of_scripts(signal)


def of_scripts(signal: str) -> bool:
    """Return whether a signal compares the question's script with those that were found."""
    return signal == ALIKE or signal.endswith(ACROSS)


def relevance(told: Mapping[str, float], deciding: Deciding) -> float:
    """Return how far the scope is about the question, in log odds above the threshold: below 0 it is not."""
    total = deciding.constant - deciding.threshold
    for name, weight in deciding.weights.items():
        value = told.get(name, np.nan)
        total += weight * (deciding.neutral[name] if np.isnan(value) else value)
    return float(total)


def about_it(standing: Standing, told: Mapping[str, float], weights: Weights) -> float:
    """Return the relevance of a search; never below 0 where the question is said more wholly than strange ones are, or
    is no question but words that are looked up.
    """
    found = relevance(told, weights.decides(foreign=standing.foreign, small=standing.small))
    return max(found, 0.0) if standing.looked_up or standing.said > weights.sure else found


def _is_looked_up(words: Set[str], pool: Pool) -> bool:
    if not 0 < len(words) < WORDS or _ASKS.search(pool.asked.text):
        return False
    return any(words <= held for held in pool.held) and _tells(words, pool)


def _tells(words: Set[str], pool: Pool) -> bool:
    """Return whether one of the words is rare enough here to tell what is looked for."""
    return min(pool.scope.spread.get(word, 0) for word in words) <= max(2, TELLING * pool.scope.passages)


def _lexical(pool: Pool, coverage: Column) -> dict[str, float]:
    weights = {term: weight for each in pool.weights for term, weight in each.items()}
    unknown = [weight for term, weight in weights.items() if not pool.scope.spread.get(term)]
    return {
        "coverage": float(coverage.max()),
        "plain": max(_plain(pool, frozenset(weights)) for weights in pool.weights),
        "unknown": sum(unknown) / max(sum(weights.values()), 1e-9),
        "strangers": float(_names_strangers(pool)),
    }


def _plain(pool: Pool, asked: frozenset[str]) -> float:
    """Return the greatest share of a request's terms that one candidate holds, common or rare."""
    return max([len(asked & held) for held in pool.held]) / max(len(asked), 1)


def _names_strangers(pool: Pool) -> bool:
    """Return whether the question names somebody or something of whom nothing was ever said here."""
    named = (term for one in pool.asked.requests for name in _NAME.findall(one) for term in terms(name))
    return any(pool.scope.spread.get(term) == 0 for term in named)


def _alike(pool: Pool) -> float:
    """Return the share of the candidates that are written in the question's script."""
    told = sum([_in_han(one.text) for one in pool.candidates]) / len(pool.candidates)
    return told if _asks_in_han(pool.asked) else 1.0 - told


def _asks_in_han(asked: Asked) -> bool:
    return any(map(_in_han, asked.requests))


def _in_han(text: str) -> bool:
    return not text.isascii() and bool(_HAN.search(text))


def _dense(cosines: Column, model: str) -> dict[str, float]:
    known = cosines[~np.isnan(cosines)]
    if not len(known):
        return {f"{model}:greatest": float("nan"), f"{model}:edge": float("nan")}
    return {
        f"{model}:greatest": float(known.max()),
        f"{model}:edge": float((known.max() - known.mean()) / (known.std() + 1e-6)),
    }
