"""How talk is weighed, and how far ahead a thread must be in it: learnt from sessions asked one after the other.

The last session of each thread is never learnt from: it is what `bench_resolution` itself asks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from greywind_site.benching.intervals import wilson
from greywind_site.benching.resolution_sets import Line, read_sets
from greywind_site.benching.rows import Tell
from greywind_site.operating.command import Told, table
from threads.match_values import MatchNumbers
from threads.talk import Talk, TalkWeights, Verdict, heard
from threads.talk_rules import singled_out
from threads.talk_values import talk_of
from threads.wording import counted

BACKS = range(1, 9)  # sessions before the last that are asked, each by what was said before it
MOST_WRONG = 0.05  # of a set's inputs
MOST_STRAY = 0.2  # of the inputs whose own thread is put away, in the mean of the sets: those are named another one
LEADS = [step / 20 for step in range(61)]
GRID = [TalkWeights(manner=one, sharpness=two) for one, two in product((1.0, 1.5, 2.0, 3.0), (1.0, 1.25, 1.5, 2.0))]
SILENT = -1.0  # the lead of a verdict that names nobody

type Cases = Mapping[TalkWeights, Sequence[Case]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One session's first turns: whether the nearest thread was theirs, and the least lead at which it is missed.

    `stray` is that lead while their own thread is put away: whoever is named then is the wrong one.
    """

    of: str
    thread: str
    right: bool
    lead: float
    stray: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What is learnt, and of how many inputs it finds the thread, in the mean of the sets."""

    weights: TalkWeights
    lead: float
    right: float


def tell_leads(folders: Sequence[Path], tell: Tell) -> Told:
    """Learn from the sets, without a database: the rules are pure. The figures are of threads left out."""
    cases = _asked(folders, tell)
    learnt = learn(cases)
    figures = left_out(cases)
    rows = [[name, *said.values()] for name, said in figures.items()]
    weights = learnt.weights
    title = f"learnt from all: manner {weights.manner}, sharpness {weights.sharpness}, lead {learnt.lead}"
    facts = {"manner": weights.manner, "sharpness": weights.sharpness, "lead": learnt.lead, "left_out": figures}
    return Told(facts=facts, shown=table("set", *next(iter(figures.values())), rows=rows, title=title))


def learn(cases: Cases) -> Learnt:
    """Return the weights by which most threads are found, each with the least lead that is allowed; ties: the first."""
    return max((_by(weights, asked) for weights, asked in cases.items()), key=lambda one: one.right)


def _by(weights: TalkWeights, cases: Sequence[Case]) -> Learnt:
    lead = least_lead(cases)
    return Learnt(weights=weights, lead=lead, right=_mean(cases, lambda case: case.right and case.lead >= lead))


def least_lead(cases: Sequence[Case]) -> float:
    """Return the least lead at which no set has too many inputs sent to a wrong thread, nor too many strays."""
    return next((lead for lead in LEADS if _is_allowed(cases, lead)), LEADS[-1])


def left_out(cases: Cases) -> dict[str, dict[str, Any]]:
    """Return set → inputs, right, wrong and stray with intervals, each thread judged by what the others taught."""
    judged = [one for thread in _threads(cases) for one in _judged(cases, thread)]
    figures = {}
    for name in dict.fromkeys(case.of for case, _ in judged):
        of = [(case, lead) for case, lead in judged if case.of == name]
        counts = {
            "right": sum(case.right and case.lead >= lead for case, lead in of),
            "wrong": sum(not case.right and case.lead >= lead for case, lead in of),
            "stray": sum(case.stray >= lead for case, lead in of),
        }
        figures[name] = {"inputs": len(of)} | {what: _share(count, len(of)) for what, count in counts.items()}
    return figures


def _threads(cases: Cases) -> Iterable[str]:
    return dict.fromkeys(case.thread for case in next(iter(cases.values())))


def _judged(cases: Cases, thread: str) -> Iterator[tuple[Case, float]]:
    """Yield the cases of one thread, each with the lead, under the weights and the lead learnt from all others."""
    others = {weights: [case for case in asked if case.thread != thread] for weights, asked in cases.items()}
    learnt = learn(others)
    yield from ((case, learnt.lead) for case in cases[learnt.weights] if case.thread == thread)


def _is_allowed(cases: Sequence[Case], lead: float) -> bool:
    wrong = _by_set(cases, lambda case: not case.right and case.lead >= lead)
    return max(wrong.values()) <= MOST_WRONG and _mean(cases, lambda case: case.stray >= lead) <= MOST_STRAY


def _mean(cases: Sequence[Case], holds: Callable[[Case], bool]) -> float:
    shares = _by_set(cases, holds)
    return sum(shares.values()) / len(shares)


def _by_set(cases: Sequence[Case], holds: Callable[[Case], bool]) -> dict[str, float]:
    sizes = Counter(case.of for case in cases)
    counts = Counter(case.of for case in cases if holds(case))
    return {name: counts[name] / size for name, size in sizes.items()}


def _asked(folders: Sequence[Path], tell: Tell) -> Cases:
    cases: dict[TalkWeights, list[Case]] = {weights: [] for weights in GRID}
    for back in BACKS:
        lines = read_sets(folders, back=back)
        talks = {line.name: _talk(line) for line in lines}
        for weights, line in product(GRID, lines):
            cases[weights].append(_case(line, talks, weights))
        tell(f"{back} of {len(BACKS)} sessions asked")
    return cases


def _case(line: Line, talks: Mapping[str, Talk], weights: TalkWeights) -> Case:
    text = "\n".join(line.asked)
    verdict = heard(text, talks, weights)
    apart = heard(text, {name: talk for name, talk in talks.items() if name != line.name}, weights)
    right = verdict is not None and verdict.standings[0].thread_id == line.name
    return Case(of=line.of, thread=line.name, right=right, lead=_lead(verdict), stray=_lead(apart))


def _lead(verdict: Verdict | None) -> float:
    """Return the lead by which somebody is named, whatever lead is asked for."""
    told = singled_out(verdict, replace(MatchNumbers(), talk_lead=0.0))
    return verdict.lead if verdict is not None and told is not None else SILENT


def _talk(line: Line) -> Talk:
    return talk_of(counted(_said(line)))


def _said(line: Line) -> Iterable[str]:
    return (turn.text for turns in line.stored for turn in turns if turn.by_user)


def _share(count: int, cases: int) -> str:
    low, high = wilson(count, cases)
    return f"{count} = {count / cases:.1%} ({low:.0%} to {high:.0%})"
