"""How a run of the benchmark is told: tables for a person, the same facts as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.text import Text

from greywind_site.benching.compile_kinds import MEANING, Run
from greywind_site.benching.compile_runs import Figures, Ratio
from greywind_site.operating.command import Told, table


def told(done: Run) -> Told:
    """Return a run as it is told; it is no good news where the machine did not hold still, or a plan changed."""
    statements = [
        [name, cost.transactions, cost.statements, cost.pages, len(set(cost.plans.values()))]
        for name, cost in done.costs.items()
    ]
    shown = Group(
        table(
            "call", "p50 ms", "p95", "p99", "n", "bytes", "answers", "digest", rows=[_row(one) for one in done.figures]
        ),
        Text(""),
        table("ratio", "median", "95 %", "goal", "met", rows=[_ratio_row(one) for one in done.ratios]),
        Text(""),
        table("request", "transactions", "statements", "pages touched", "plans", rows=statements),
        Text("".join(f"\n{line}" for line in _lines(done))),
    )
    facts = {
        **{name: value for name, value in asdict(done).items() if name != "ratios"},
        "ratios": [asdict(one) | {"holds": one.holds} for one in done.ratios],
        "steady": done.steady,
        "meaning": MEANING,
    }
    return Told(facts=facts, shown=shown, ok=done.steady and not done.flips)


def _row(one: Figures) -> list[Any]:
    times = [f"{value:.2f}" for value in (one.p50_ms, one.p95_ms, one.p99_ms)]
    return [one.name, *times, one.n, one.bytes, one.answers, one.digest]


def _ratio_row(one: Ratio) -> list[Any]:
    bounds = [f"≥ {one.least:g}" if one.least is not None else "", f"≤ {one.most:g}" if one.most is not None else ""]
    told = " ".join(filter(None, bounds)) or None
    return [one.name, f"{one.ratio:.2f}", f"{one.low:.2f}-{one.high:.2f}", told, one.holds]


def _lines(done: Run) -> Iterator[str]:
    before, after = done.idle_us
    yield from (f"{name}: {meaning}" for name, meaning in MEANING.items())
    yield f"load average {done.load[0]} before, {done.load[1]} after; SELECT 1 {before} µs before, {after} µs after"
    yield "the machine held still" if done.steady else "THE MACHINE DID NOT HOLD STILL: measure again"
    yield f"plans that changed during the run: {', '.join(done.flips) or 'none'}"
    yield "tokenised {} bytes of {} in a compile (medians)".format(*done.tokenised)
    yield ", ".join(f"{name} {value}" for name, value in done.machine.items())
