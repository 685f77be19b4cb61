"""How far a share of few cases, or a median of few measurements, can be trusted."""

import random
from collections.abc import Sequence
from math import sqrt
from statistics import median

NORMAL = 1.96  # standard deviations of a 95 % interval
RESAMPLES, INTERVAL = 2_000, 0.95


def wilson(hits: int, cases: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, 0 to 1; the whole range where there are no cases."""
    if not cases:
        return 0.0, 1.0
    share, squared = hits / cases, NORMAL**2
    middle = (share + squared / (2 * cases)) / (1 + squared / cases)
    spread = NORMAL * sqrt(share * (1 - share) / cases + squared / (4 * cases**2)) / (1 + squared / cases)
    return max(0.0, middle - spread), min(1.0, middle + spread)


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """Return the bootstrap 95 % interval of the median; the same values give the same one."""
    dice = random.Random(len(values))  # noqa: S311 - resampling, no secret
    medians = sorted(median(dice.choices(values, k=len(values))) for _ in range(RESAMPLES))
    cut = round((1 - INTERVAL) / 2 * RESAMPLES)
    return medians[cut], medians[-1 - cut]


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which that share of some sorted values lies."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
