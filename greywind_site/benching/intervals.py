"""How far a share of few cases can be trusted."""

from math import sqrt

NORMAL = 1.96  # standard deviations of a 95 % interval


def wilson(hits: int, cases: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, 0 to 1; the whole range where there are no cases."""
    if not cases:
        return 0.0, 1.0
    share, squared = hits / cases, NORMAL**2
    middle = (share + squared / (2 * cases)) / (1 + squared / cases)
    spread = NORMAL * sqrt(share * (1 - share) / cases + squared / (4 * cases**2)) / (1 + squared / cases)
    return max(0.0, middle - spread), min(1.0, middle + spread)
