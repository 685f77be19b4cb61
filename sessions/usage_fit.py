"""What a provider's own counts teach: the weight of a token and of each script, and what its harness adds.

A count is explained as weights times what was counted here, plus a constant. Reports come from agents and may be wrong
or hostile, so the fit follows the majority of them (least absolute deviations, then least squares without what is far
off), is held towards the shipped factor where the reports do not say, is judged on reports that it has not seen, and
is raised until what it would have counted too low is well within the profile's margin. A pure function.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessions.context.scripts import Mix, Script
from sessions.context.tokens import LEAST_FACTOR, MOST_FACTOR, Weights
from sessions.vocabulary import Learning

type Floats = NDArray[np.float64]

LEAST_USAGES = 30
"""Reports below which nothing is learnt."""
MOST_USAGES = 400
"""The newest reports, which a fit looks at."""
SMALL = 500.0
"""Tokens added to a prompt's own when errors are made relative: a short one must not outweigh the long ones."""
MOST_OUTLIERS = 0.3
MOST_ERROR = 0.05
"""Share of reports that may be far off, and mean error, above which the reports do not agree."""
MARGIN_USED = (
    1 / 3
)  # of the margin that what was counted too low may take: what comes will be off by more than what came
FAR, NEAR = 4.0, 0.005  # deviations that make an outlier, and the least that one deviation counts for
HELD = 1e-4  # pull towards the shipped factor, as a share of the reports' own weight
SEEN = 0.003  # share of all characters below which a script counts as not seen
MOST_WEIGHT = 2.0  # tokens that one character may add
FOLDS = 5
ROUNDS, TINY = 60, 1e-9
# Tokens that a character of a script costs at most in usual text: what stands in for a script that no report held.
DENSITY = {
    Script.CAPITALS: 0.4,
    Script.LETTERS: 0.25,
    Script.DIGITS: 0.5,
    Script.PUNCTUATION: 0.6,
    Script.SPACES: 0.2,
    Script.BREAKS: 0.6,
    Script.HAN: 0.8,
    Script.MARKS: 0.8,
    Script.OTHER: 0.8,
}


@dataclass(frozen=True, slots=True)
class Usage:
    """One report: the prompt as counted here, its mix, and all input tokens as the provider counted them.

    `told` are those of them that the harness said were its own; None where it said nothing.
    """

    counted: int
    mix: Mix
    reported: int
    told: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the profile says: its factor (1 for an exact vocabulary), its margin as a share of the input, and bounds."""

    factor: float
    exact: bool
    margin: float
    most_harness: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What was learnt. `weights` is None for an exact vocabulary, `harness` (tokens) where every report told its own.

    `error` is the mean, `spread` the median deviation and `undercount` the highest shortfall on reports that the fit
    had not seen, as shares of a prompt, after `lift` was added for safety.
    """

    state: Learning
    weights: Weights | None
    harness: int | None
    lift: float
    usages: int
    outliers: int
    error: float
    spread: float
    undercount: float


def plausible(usage: Usage, *, window: int) -> bool:
    """Say whether any vocabulary and harness could have counted so."""
    own = usage.reported - (usage.told or 0)
    return LEAST_FACTOR * usage.counted <= own <= MOST_FACTOR * usage.counted + window


def learn(usages: Sequence[Usage], known: Known) -> Fit | None:
    """Return what plausible reports teach, or None while there are fewer than LEAST_USAGES. Deterministic."""
    if len(usages) < LEAST_USAGES:
        return None
    columns, reported = _columns(usages), np.array([u.reported - (u.told or 0) for u in usages], np.float64)
    scale = 1 / (columns[:, 0] + SMALL)
    start = _start(known)
    inside = _inside(columns, reported, scale=scale, start=start, known=known)
    columns, reported, scale = columns[inside], reported[inside], scale[inside]
    found = _solve(columns, reported, scale, start, known=known)
    harness = None
    if columns[:, -1].any():
        harness = _harness(float(found[-1]), reported - columns @ found, known.most_harness)
    unseen = _unseen(columns, reported, scale=scale, start=start, known=known)
    return _judged(found, unseen, known=known, seen=columns, harness=harness, of=len(usages))


def _columns(usages: Sequence[Usage]) -> Floats:
    return np.array([[u.counted, *u.mix, 0.0 if u.told is not None else 1.0] for u in usages], np.float64)


def _start(known: Known) -> Floats:
    return np.array([known.factor, *(0.0 for _ in Script), 0.0], np.float64)


def _inside(columns: Floats, reported: Floats, *, scale: Floats, start: Floats, known: Known) -> NDArray[np.bool_]:
    """Say which reports agree with the majority: those that least absolute deviations leave near."""
    found, weights = start, scale
    for _ in range(15):
        found = _solve(columns, reported, weights, start, known=known)
        off = np.abs(reported - columns @ found) * scale
        weights = scale / np.sqrt(np.maximum(off, NEAR / 2))
    near: NDArray[np.bool_] = off <= FAR * max(1.4826 * float(np.median(off)), NEAR)
    return near


def _solve(columns: Floats, reported: Floats, scale: Floats, start: Floats, *, known: Known) -> Floats:
    """Return the weighted least squares of `columns` to `reported` with no negative weight, held towards `start`."""
    rows, aims = columns * scale[:, None], reported * scale
    sizes = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    sizes[sizes == 0] = 1.0
    rows = rows / sizes
    square = rows.T @ rows + HELD * np.eye(len(start))
    aim = rows.T @ aims + HELD * start * sizes
    least, most = _bounds(sizes, known)
    solved: Floats = _bounded(square, aim, least, most) / sizes
    return solved


def _bounded(square: Floats, aim: Floats, least: Floats, most: Floats) -> Floats:
    """Return what minimises the quadratic between the bounds: weights at a bound are held there while that is best."""
    found, held = np.clip(np.zeros(len(aim)), least, most), least >= most
    for _ in range(ROUNDS):
        free = ~held
        found[free] = np.linalg.solve(square[np.ix_(free, free)], (aim - square[:, held] @ found[held])[free])
        beyond = np.where(free, np.maximum(least - found, found - most), 0.0)
        if beyond.max() > TINY:
            held[beyond.argmax()] = True
        else:
            slope = square @ found - aim
            pull = np.where(held & (least < most), np.where(found <= least, -slope, slope), 0.0)
            if pull.max() <= TINY:
                break
            held[pull.argmax()] = False
        found = np.clip(found, least, most)
    return np.clip(found, least, most)


def _bounds(sizes: Floats, known: Known) -> tuple[Floats, Floats]:
    """An exact vocabulary leaves nothing to learn but the constant."""
    scripts = len(Script)
    least = np.array([known.factor if known.exact else 0.0, *[0.0] * scripts, 0.0])
    most = np.array([MOST_FACTOR, *[MOST_WEIGHT] * scripts, known.most_harness])
    if known.exact:
        most[:-1] = least[:-1]
    return least * sizes, most * sizes


def _unseen(columns: Floats, reported: Floats, *, scale: Floats, start: Floats, known: Known) -> tuple[Floats, Floats]:
    """Return by how many tokens a fit without it misses each report (below 0: too low), and the prompt's own tokens."""
    missed, own_tokens = np.zeros(len(reported)), np.zeros(len(reported))
    fold = np.arange(len(reported)) % FOLDS
    for part in range(FOLDS):
        rest, own = fold != part, fold == part
        found = _solve(columns[rest], reported[rest], scale[rest], start, known=known)
        missed[own] = columns[own] @ found - reported[own]
        own_tokens[own] = np.maximum(reported[own] - found[-1] * columns[own, -1], 1.0)
    return missed, own_tokens


def _judged(
    found: Floats, unseen: tuple[Floats, Floats], *, known: Known, seen: Floats, harness: int | None, of: int
) -> Fit:
    missed, tokens = unseen
    low = np.maximum(-missed, 0.0) / (tokens + SMALL)
    lift = 0.0 if known.exact else max(float(np.quantile(low, 0.99)) - known.margin * MARGIN_USED, 0.0)
    lifted = (missed + lift * tokens) / np.maximum(tokens, SMALL)
    outliers, error = of - len(missed), float(np.abs(lifted).mean())
    agree = outliers <= MOST_OUTLIERS * of and error <= MOST_ERROR
    return Fit(
        state=Learning.LEARNT if agree else Learning.UNSTEADY,
        weights=None if known.exact else _weights(found, lift, known=known, seen=seen),
        harness=harness,
        lift=round(lift, 5),
        usages=of,
        outliers=outliers,
        error=round(error, 5),
        spread=round(float(np.median(np.abs(missed / np.maximum(tokens, SMALL)))), 5),
        undercount=round(max(float(((-missed - lift * tokens) / (tokens + SMALL)).max()), 0.0), 5),
    )


def _weights(found: Floats, lift: float, *, known: Known, seen: Floats) -> Weights:
    """Return the raised weights; a script that hardly any report held keeps what the shipped factor gives it."""
    mixes = seen[:, 1:-1].sum(axis=0)
    rare = mixes < SEEN * max(float(mixes.sum()), 1.0)
    token = float(found[0]) * (1 + lift)
    spare = max(known.factor - token, 0.0)
    scripts = [
        # Of a rare script the reports say little: no less than the shipped factor says, and nothing that stands out.
        min(max(float(weight), spare * DENSITY[script]), DENSITY[script]) if missing else float(weight) * (1 + lift)
        for script, weight, missing in zip(Script, found[1:-1], rare, strict=True)
    ]
    return Weights(round(token, 5), tuple(round(weight, 5) for weight in scripts))


def _harness(constant: float, residuals: Floats, most: int) -> int:
    """Return the constant part with what nine in ten reports stay within, in whole tens of tokens."""
    beyond = float(np.quantile(np.abs(residuals), 0.9))
    return min(-(-int(constant + beyond) // 10) * 10, most)
