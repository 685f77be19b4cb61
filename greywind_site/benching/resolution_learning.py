"""How far ahead a thread's talk must be: learnt from sessions held back one after the other, threads left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from greywind_site.benching.intervals import wilson
from greywind_site.benching.resolution_sets import Line, read_sets
from greywind_site.benching.rows import Tell
from greywind_site.operating.command import Told, table
from threads.match_values import MatchNumbers
from threads.talk import Talk, heard
from threads.talk_rules import singled_out
from threads.talk_values import talk_of
from threads.wording import counted

BACKS = 8  # sessions before the end that are asked, each by what was said before it
MOST_WRONG = 0.05  # of a set's inputs
LEADS = [step / 20 for step in range(61)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One session's first turns: whether the nearest thread was theirs, and the least lead at which it is missed."""

    of: str
    thread: str
    right: bool
    lead: float


def tell_leads(folders: Sequence[Path], tell: Tell) -> Told:
    """Learn the lead from the sets, without a database: the rules are pure. The figures are of threads left out."""
    cases = [case for back in range(BACKS) for case in _cases(folders, back, tell)]
    learnt = least_lead(cases)
    figures = left_out(cases)
    rows = [[name, *said.values()] for name, said in figures.items()]
    shown = table("set", *next(iter(figures.values())), rows=rows, title=f"lead learnt from all: {learnt}")
    return Told(facts={"lead": learnt, "left_out": figures}, shown=shown)


def least_lead(cases: Sequence[Case]) -> float:
    """Return the least lead at which no set has more than MOST_WRONG of its inputs sent to a wrong thread."""
    sizes = Counter(case.of for case in cases)
    for lead in LEADS:
        wrong = Counter(case.of for case in cases if not case.right and case.lead >= lead)
        if all(wrong[name] <= MOST_WRONG * size for name, size in sizes.items()):
            return lead
    return LEADS[-1]


def left_out(cases: Sequence[Case]) -> dict[str, dict[str, Any]]:
    """Return set → inputs, right and wrong with intervals, each thread judged by a lead learnt from the others."""
    judged = [(case, case.lead >= lead) for lead, mine in _apart(cases) for case in mine]
    figures = {}
    for name in dict.fromkeys(case.of for case in cases):
        of = [(case, found) for case, found in judged if case.of == name]
        right = sum(case.right and found for case, found in of)
        wrong = sum(not case.right and found for case, found in of)
        figures[name] = {"inputs": len(of), "right": _share(right, len(of)), "wrong": _share(wrong, len(of))}
    return figures


def _apart(cases: Sequence[Case]) -> Iterator[tuple[float, list[Case]]]:
    for name in dict.fromkeys(case.thread for case in cases):
        yield least_lead([case for case in cases if case.thread != name]), [c for c in cases if c.thread == name]


def _cases(folders: Sequence[Path], back: int, tell: Tell) -> Iterator[Case]:
    lines = read_sets(folders, back=back)
    talks = {line.name: _talk(line) for line in lines}
    known = replace(MatchNumbers(), talk_lead=0.0)
    for line in lines:
        verdict = heard("\n".join(line.asked), talks)
        if verdict is None:
            continue
        told = singled_out(verdict, known)
        lead = verdict.lead if told else -1.0
        yield Case(of=line.of, thread=line.name, right=told == line.name, lead=lead)
    tell(f"{back + 1} of {BACKS} sessions asked")


def _talk(line: Line) -> Talk:
    return talk_of(counted(_said(line)))


def _said(line: Line) -> Iterable[str]:
    return (turn.text for turns in line.stored for turn in turns if turn.by_user)


def _share(count: int, cases: int) -> str:
    low, high = wilson(count, cases)
    return f"{count} = {count / cases:.1%} ({low:.0%} to {high:.0%})"
