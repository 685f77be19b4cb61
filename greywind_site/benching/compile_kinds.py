"""What the benchmark of a compile measures: its kinds of calls, its sizes, and what a run comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from greywind_site.benching.compile_runs import Figures, Ratio

MOST_DRIFT = 0.25  # of the idle loop: a run in which the machine changed that much says nothing
PROBE, ASKS, ON, BARE_ASKS, BARE_ON = "GET /readyz", "asks", "goes on", "asks, bare driver", "goes on, bare driver"
ANEW, SHORT_ASKS, SHORT_ON, LONG_ASKS, LONG_ON = (
    "asks anew",
    "short, asks",
    "short, goes on",
    "long, asks",
    "long, goes on",
)
MEANING: Mapping[str, str] = {
    PROBE: "the same server's probe",
    ASKS: "POST /context with a question of its own, whose vector is at hand: searched and ranked anew",
    ANEW: "the same with a question that was never asked, whose vector is made first",
    ON: "POST /context with “继续”: what the last packet found serves again",
    BARE_ASKS: "the statements of one such request, and its commit, by the bare driver",
    BARE_ON: "the same of one that goes on",
    SHORT_ASKS: "as above, in a project with a long and a short session: in the short one",
    SHORT_ON: "as above, in the short one",
    LONG_ASKS: "as above, in the long one",
    LONG_ON: "as above, in the long one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is made, and how often each kind of call is made."""

    events: int = 100_000
    short: int = 100
    memories: int = 1_000
    blocks: int = 9
    calls: int = 300
    warm_up: int = 30
    turns: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one request costs the database: statements, transactions, pages touched, and the plans by statement."""

    statements: int
    transactions: int
    pages: int
    plans: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that a run gave."""

    sizes: Sizes
    figures: Sequence[Figures]
    ratios: Sequence[Ratio]
    costs: Mapping[str, Cost]
    flips: Sequence[str]
    idle_us: tuple[float, float]
    load: tuple[float, float]
    tokenised: tuple[int, int]
    machine: Mapping[str, str]

    @property
    def steady(self) -> bool:
        """Whether the machine was the same before and after."""
        before, after = self.idle_us
        return abs(after - before) <= MOST_DRIFT * before
