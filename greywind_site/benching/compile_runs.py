"""Blocks of calls of several kinds in random order, and the ratios between kinds that they give."""

import hashlib
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from greywind_site.benching.intervals import bootstrap, quantile

HASH = re.compile(rb'"packet_hash":"([^"]+)"')  # of an answer: its ids and times are others each time, this is not


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured: `call` makes the n-th call and returns its answer, `before` puts things right for a block."""

    call: Callable[[int], bytes]
    before: Callable[[], object] = bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One kind of call: milliseconds, calls, the bytes of its last answer, and a digest of what its answers say.

    `answers` counts the different ones: a kind that asks one thing has one answer.
    """

    name: str
    p50_ms: float
    p95_ms: float
    p99_ms: float
    n: int
    bytes: int
    digest: str
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A ratio with its 95 % interval, and the bounds that the whole interval has to keep to, where there are some."""

    name: str
    ratio: float
    low: float
    high: float
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the goal is met for certain; None where there is none."""
        if self.least is None and self.most is None:
            return None
        return (self.least is None or self.low >= self.least) and (self.most is None or self.high <= self.most)


@dataclass(frozen=True, slots=True)
class Measured:
    """All calls of a run: seconds by kind and block, and what they answered."""

    seconds: Mapping[str, Sequence[Sequence[float]]]
    answers: Mapping[str, Mapping[str, int]]

    def figures(self) -> list[Figures]:
        """Return what is known of each kind."""
        return [self._figures(name) for name in self.seconds]

    def ratio(self, one: str, other: str, *, most: float | None = None) -> Ratio:
        """Return how many times longer one kind takes than another: the median of the blocks' ratios of medians."""
        pairs = zip(self.seconds[one], self.seconds[other], strict=True)
        return ratio_of(f"{one} / {other}", [median(mine) / median(theirs) for mine, theirs in pairs], most=most)

    def _figures(self, name: str) -> Figures:
        times = sorted(1000 * second for block in self.seconds[name] for second in block)
        p50, p95, p99 = (round(quantile(times, share), 3) for share in (0.5, 0.95, 0.99))
        told = self.answers[name]
        digest = hashlib.sha256("".join(sorted(told)).encode()).hexdigest()[:12]
        sizes = list(told.values())
        return Figures(
            name=name,
            p50_ms=p50,
            p95_ms=p95,
            p99_ms=p99,
            n=len(times),
            bytes=sizes[-1],
            digest=digest,
            answers=len(told),
        )


def ratio_of(name: str, ratios: Sequence[float], *, least: float | None = None, most: float | None = None) -> Ratio:
    """Return the median of some ratios with its interval."""
    low, high = bootstrap(ratios)
    told = [round(value, 3) for value in (median(ratios), low, high)]
    return Ratio(name=name, ratio=told[0], low=told[1], high=told[2], least=least, most=most)


def warm_up(kinds: Mapping[str, Kind], calls: int) -> None:
    """Make some calls of each kind for nothing: pools fill, plans are made, caches fill."""
    for kind in kinds.values():
        _times(kind, range(-calls, 0), {})


def measured(kinds: Mapping[str, Kind], *, blocks: int, calls: int, tell: Callable[[str], None]) -> Measured:
    """Call each kind in blocks, whose order is drawn anew each time."""
    seconds: dict[str, list[list[float]]] = {name: [] for name in kinds}
    answers: dict[str, dict[str, int]] = {name: {} for name in kinds}
    dice = random.Random(blocks)  # noqa: S311 - an order, no secret
    for block in range(blocks):
        turns = range(block * calls, (block + 1) * calls)
        for name in dice.sample(list(kinds), k=len(kinds)):
            seconds[name].append(_times(kinds[name], turns, answers[name]))
        tell(f"block {block + 1} of {blocks}")
    return Measured(seconds, answers)


def _times(kind: Kind, turns: Sequence[int], answers: dict[str, int]) -> list[float]:
    kind.before()
    taken = []
    for turn in turns:
        began = time.perf_counter()
        content = kind.call(turn)
        taken.append(time.perf_counter() - began)
        found = HASH.search(content)
        answers[hashlib.sha256(found.group(1) if found else content).hexdigest()] = len(content)
    return taken
