"""How often a part that ended by itself is started again: a few times within a window, each after a longer wait."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """The wait before each restart within the window; there are no more of them than waits."""

    # What a person's `kill` or a passing shortage of memory asks for, and no more: a part that cannot run says so soon.
    waits: Sequence[float] = (0.0, 1.0, 2.0, 4.0, 8.0)
    window: float = 600.0


PATIENCE = Patience()


class Restarts:
    """Counts the restarts of each part."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self.counts: Counter[str] = Counter()
        self._times: defaultdict[str, list[float]] = defaultdict(list)

    def next_wait(self, name: str, *, now: float) -> float | None:
        """Count a restart and return the seconds until it is due; None when the part ended too often."""
        times = self._times[name] = [at for at in self._times[name] if now - at < self.patience.window]
        if len(times) == len(self.patience.waits):
            return None
        times.append(now)
        self.counts[name] += 1
        return self.patience.waits[len(times) - 1]

    def in_words(self, name: str) -> str:
        """Say the place of the newest restart among those that the window allows."""
        return f"{len(self._times[name])} of {len(self.patience.waits)} times in {self.patience.window / 60:.0f} min"
