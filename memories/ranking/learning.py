"""Weights from examples: a listwise choice over each search's candidates, and a yes or no over searches. Pure numpy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Goal = Callable[[Array], tuple[float, Array]]

HISTORY = 8
MOST_STEPS = 200
SMALLEST_STEP = 1e-8
CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One search: a row of features for each candidate, which of them are right (at least one), and what it counts."""

    rows: Array
    right: NDArray[np.bool_]
    weight: float = 1.0


def learn_choice(choices: Sequence[Choice], *, decay: float) -> Array:
    """Return the weights under which the right candidates are the likeliest; `decay` keeps them small."""
    rows = np.concatenate([choice.rows for choice in choices])
    sizes = np.array([len(choice.right) for choice in choices])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(choices)), sizes)
    aims = np.concatenate([choice.right / choice.right.sum() for choice in choices])
    counts = np.array([choice.weight for choice in choices])[owner]
    whole = sum(choice.weight for choice in choices)

    def goal(weights: Array) -> tuple[float, Array]:
        scores = rows @ weights
        raised = scores - np.maximum.reduceat(scores, starts)[owner]
        likely = np.exp(raised)
        sums = np.add.reduceat(likely, starts)[owner]
        loss = -(counts * aims * (raised - np.log(sums))).sum() / whole
        slope = -rows.T @ (counts * (aims - likely / sums)) / whole
        return float(loss + decay / 2 * weights @ weights), slope + decay * weights

    return _least(goal, np.zeros(rows.shape[1]))


def learn_yes(rows: Array, yes: NDArray[np.bool_], weights: Array, *, decay: float) -> tuple[Array, float]:
    """Return the weights and the constant of a logistic answer: of the features as they are."""
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    even = np.column_stack([(rows - middle) / spread, np.ones(len(rows))])
    held = np.append(np.full(rows.shape[1], decay), 0.0)
    whole = weights.sum()

    def goal(found: Array) -> tuple[float, Array]:
        scores = even @ found
        loss = (weights * (np.logaddexp(0, scores) - yes * scores)).sum() / whole
        slope = even.T @ (weights * (1 / (1 + np.exp(-scores)) - yes)) / whole
        return float(loss + (held * found**2).sum() / 2), slope + held * found

    found = _least(goal, np.zeros(even.shape[1]))
    raw = found[:-1] / spread
    return raw, float(found[-1] - middle @ raw)


def _least(goal: Goal, start: Array) -> Array:
    """Return where a smooth convex goal is least (limited-memory quasi-Newton with backtracking)."""
    at, (value, slope) = start, goal(start)
    pairs: list[tuple[Array, Array]] = []
    for _ in range(MOST_STEPS):
        if float(np.linalg.norm(slope)) < CLOSE:
            break
        way = -_bent(slope, pairs)
        step = 1.0 if pairs else 1.0 / max(1.0, float(np.linalg.norm(slope)))
        while (found := goal(at + step * way))[0] > value + 1e-4 * step * float(slope @ way) and step > SMALLEST_STEP:
            step /= 2
        if step <= SMALLEST_STEP:
            break
        moved, turned = step * way, found[1] - slope
        if float(moved @ turned) > 1e-12:
            pairs = [*pairs, (moved, turned)][-HISTORY:]
        at, (value, slope) = at + moved, found
    return at


def _bent(slope: Array, pairs: Sequence[tuple[Array, Array]]) -> Array:
    """Return the slope as the steps so far bend it (the two loops of L-BFGS)."""
    bent, shares = slope.copy(), []
    for moved, turned in reversed(pairs):
        share = float(moved @ bent) / float(moved @ turned)
        shares.append(share)
        bent -= share * turned
    if pairs:
        moved, turned = pairs[-1]
        bent *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        bent += moved * (share - float(turned @ bent) / float(moved @ turned))
    return bent
