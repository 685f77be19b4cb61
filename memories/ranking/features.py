"""What is looked at in each candidate of a search: one row of numbers per candidate, scaled within the pool. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import regex
from numpy.typing import NDArray

from memories.lexical import asked_terms, bm25, rarities
from memories.ranking.asking import Asked
from memories.ranking.candidate import Candidate, ScopeStats
from memories.ranking.times import asks_when, inside, span_of, tells_time
from threads.lexemes import fold

type Column = NDArray[np.float64]

PLACED = ("lexical", "session", "bridge")
"""Features, beside the dense ones, of which the place counts as well: how many candidates are better, not how much."""

TRUSTED = 2.0  # one by this is the share of a question from which on shared words are trusted in full
SPAN = 0.25  # of cosines in a pool, below which they are alike: a pool of one or two has no scale of its own
BRIDGES = 4  # of the best candidates of a request, whose further words may lead to the answer
ROLES = frozenset({"user", "assistant", "system", "tool", "human", "agent", "dialogue", "用户", "助手"})
_ENDS_ASKING = regex.compile(r"[?？][\s\"'”’」』)）]*(?:\[[^\]]*\]\s*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The candidates of one search with what their features are made from.

    `weights` is one mapping a request, of its terms; `held` the terms of each candidate.
    """

    candidates: Sequence[Candidate]
    asked: Asked
    scope: ScopeStats
    weights: Sequence[Mapping[str, float]]
    held: Sequence[frozenset[str]]


def pool_of(candidates: Sequence[Candidate], asked: Asked, scope: ScopeStats) -> Pool:
    """Gather a pool. Terms that the search did not look up (`scope.spread` has none of them) weigh nothing."""
    looked_up = [[term for term in asked_terms(one) if term in scope.spread] for one in asked.requests]
    weights = [rarities(each, scope.spread, passages=scope.passages) for each in looked_up]
    held = [one.held for one in candidates]
    return Pool(candidates=candidates, asked=asked, scope=scope, weights=weights, held=held)


def features_of(pool: Pool) -> dict[str, Column]:
    """Return each feature's column, 0 to 1 where they are scaled; those of a model of the question bear its name.

    A passage without a vector stands in the middle of those that have one: that is no judgement of it.
    """
    lexical = [_lexical(pool, weights) for weights in pool.weights]
    coverage = _greatest([_covered(each, w) for each, w in zip(lexical, pool.weights, strict=True)], pool)
    dense = {model: dense_of(pool, model) for model in pool.asked.models}
    meaning = np.mean(list(dense.values()), axis=0) if dense else np.zeros(len(pool.candidates))
    shared = _greatest([scaled(each) for each in lexical], pool)
    # Where even the best shares little of the question (another language, other words), shared words tell little.
    trust = min(1.0, TRUSTED * float(coverage.max(initial=0.0)))
    leads = [_bridge(pool, asked, scaled(each) + meaning) for asked, each in zip(pool.weights, lexical, strict=True)]
    columns = {
        "lexical": shared * trust,
        "coverage": coverage,
        **dense,
        **_beside(pool, (shared + meaning) / 2),
        **_told_of(pool),
        "bridge": _greatest(leads, pool) * trust,
    }
    return columns | {f"{name} place": placed(columns[name]) for name in (*PLACED, *dense)}


def placed(column: Column) -> Column:
    """Return 1 for the best, 1/2 for the next and so on; equal ones share a place."""
    return np.asarray(1 / (1 + np.searchsorted(np.sort(-column), -column, side="left")), dtype=np.float64)


def scaled(column: Column, *, span: float = 0.0) -> Column:
    """Return a column between 0 and 1, its greatest; `span` is the least distance that its least is from there.

    Zeros where nothing is above 0.
    """
    if not len(column) or column.max() <= 0:
        return np.zeros(len(column))
    least = min(float(column.min()), float(column.max()) - span) if span else 0.0
    return np.asarray((column - least) / (column.max() - least))


def dense_of(pool: Pool, model: str) -> Column:
    """Return the scaled cosines of a model, the mean in the place of those that are not there yet."""
    given = cosines_of(pool, model)
    known = given[~np.isnan(given)]
    if not len(known):
        return np.zeros(len(given))
    return scaled(np.where(np.isnan(given), known.mean(), given), span=SPAN)


def cosines_of(pool: Pool, model: str) -> Column:
    """Return a model's cosines as they are, NaN for what has none."""
    found = (one.cosines.get(model) for one in pool.candidates)
    return np.array([np.nan if cosine is None else cosine for cosine in found], dtype=np.float64)


def _greatest(columns: Sequence[Column], pool: Pool) -> Column:
    return np.max(columns, axis=0) if columns else np.zeros(len(pool.candidates))


def _lexical(pool: Pool, weights: Mapping[str, float]) -> Column:
    mean = pool.scope.mean_length
    return np.array([bm25(one, weights, mean_length=mean) for one in pool.candidates], dtype=np.float64)


def _covered(lexical: Column, weights: Mapping[str, float]) -> Column:
    return lexical / max(sum(weights.values()), 1e-9)


def _beside(pool: Pool, base: Column) -> dict[str, Column]:
    """What stands beside a candidate in its transcript, where it was found too: an answer stands by its question."""
    told = enumerate(pool.candidates)
    turns = [(row, one.session_key, one.seq) for row, one in told if one.seq is not None]
    rows = {(session, seq): row for row, session, seq in turns}

    def at(distance: int) -> Column:
        column = np.zeros(len(base))
        for row, session, seq in turns:
            beside = rows.get((session, seq + distance))
            if beside is not None:
                column[row] = base[beside]
        return column

    return {
        "before": at(-1),
        "after": at(1),
        "near": np.maximum(at(-2), at(2)),
        "session": _session(pool, base),
    }


def _session(pool: Pool, base: Column) -> Column:
    """Return for each candidate the best of the others of its session."""
    together: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(pool.candidates):
        if one.session_key is not None:
            together[one.session_key].append(row)
    best = np.zeros(len(base))
    for rows in together.values():
        first, second = [*sorted(base[rows], reverse=True), 0.0][:2]
        best[rows] = [second if base[row] == first else first for row in rows]
    return best


def _told_of(pool: Pool) -> dict[str, Column]:
    asked, candidates = pool.asked, pool.candidates
    when = any(asks_when(one) for one in asked.requests)
    span = span_of(asked.text, asked.now)
    typical = max(pool.scope.mean_length, 1.0)
    lengths, none = np.array([one.length for one in candidates]), np.zeros(len(candidates))

    def each(tell: Callable[[Candidate], bool]) -> Column:
        return np.array([tell(one) for one in candidates], dtype=np.float64)

    return {
        "speaker": each(speaks_of(asked)),
        "length": np.log((1 + lengths) / (1 + typical)),
        "asking": each(lambda one: ends_asking(one.text)),
        "telling_time": each(lambda one: tells_time(one.text)) if when else none,
        "of_that_time": each(lambda one: inside(span, one.as_of or one.created_at)) if span else none,
    }


def ends_asking(text: str) -> bool:
    """Return whether a text ends with a question, as few of those that are found do."""
    return ("?" in text or "？" in text) and bool(_ENDS_ASKING.search(text))


def speaks_of(asked: Asked) -> Callable[[Candidate], bool]:
    """Return whether a candidate's speaker is a person whom the question names; a role ("user") is nobody's name."""
    text = fold(" ".join(asked.requests))
    known: dict[str, bool] = {}

    def named(one: Candidate) -> bool:
        if one.speaker not in known:
            name = fold(one.speaker).strip()
            shape = rf"(?<![a-z]){regex.escape(name)}(?![a-z])"
            known[one.speaker] = bool(name) and name not in ROLES and bool(regex.search(shape, text))
        return known[one.speaker]

    return named


def _bridge(pool: Pool, asked: Mapping[str, float], base: Column) -> Column:
    """Return how far each candidate shares what the best candidates say beyond the request.

    "The phone number of the one who is a doctor": the first hit tells who that is, another one has the number.
    """
    held = pool.held
    good = base.tolist()
    best = sorted(range(len(held)), key=lambda row: (-good[row], pool.candidates[row].ref))[:BRIDGES]
    further = frozenset().union(*(held[row] for row in best)) - asked.keys()
    found = [sorted(each & further) for each in held]
    spread = Counter(chain.from_iterable(found))
    rarity = rarities(sorted(further), spread, passages=len(held))
    leads = dict.fromkeys(further, 0.0)
    for place, row in enumerate(best, 1):
        for term in found[row]:
            leads[term] += rarity[term] / place
    led = np.array([sum([leads[term] for term in each]) for each in found], dtype=np.float64)
    for place, row in enumerate(best, 1):
        led[row] -= sum(rarity[term] / place for term in found[row])  # nothing leads to itself
    return scaled(led.clip(min=0.0) / np.sqrt([max(one.length, 1) for one in pool.candidates]))
