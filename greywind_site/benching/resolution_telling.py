"""How `manage.py bench_resolution` is told: outcomes by set and reading with intervals, and one thread explained."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.intervals import wilson
from greywind_site.benching.resolution import Answer, Outcome, Reading, bench_resolution
from greywind_site.benching.resolution_sets import read_sets
from greywind_site.benching.rows import Tell
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import USAGE, Refused, Told, lines, table

HEADINGS: Mapping[Reading, str] = {
    Reading.TOGETHER: "the first user turns of the session held back, as one input (the main figure)",
    Reading.EACH: "each of these turns alone",
    Reading.IN_TURN: "one turn after the other, until one finds a thread",
    Reading.ABSENT: "as one input, while their own thread is put away: right is impossible, any thread is wrong",
}


def tell_resolution(folders: Sequence[Path], tell: Tell, *, back: int, out: Path | None, explain: str | None) -> Told:
    """Measure the sets in a database made for it and dropped afterwards; raises Refused where one is not of the form.

    With `explain`, what is shown is that thread alone; all are asked all the same.
    """
    threads = read_sets(folders, back=back)
    if explain is not None and explain not in {line.name for line in threads}:
        raise Refused(f"no thread {explain} in these sets", returncode=USAGE)
    with scratch_database("bench_resolution"), quiet():
        answers = bench_resolution(threads, tell)
    if out is not None:
        out.write_text("".join(f"{json.dumps(_row(one), ensure_ascii=False)}\n" for one in answers), encoding="utf-8")
    shown = Group(*_explained(answers, explain)) if explain else Group(*_tables(answers))
    return Told(facts={"back": back, "readings": figures(answers)}, shown=shown)


def figures(answers: Sequence[Answer]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return reading → set → inputs, and for each outcome its count, share and 95 % interval."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for reading in Reading:
        asked = [one for one in answers if one.reading is reading]
        sets = dict.fromkeys(one.line.of for one in asked)
        found[reading] = {name: _shares([one.outcome for one in asked if one.line.of == name]) for name in sets}
    return found


def _shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    counts, cases = Counter(outcomes), len(outcomes)
    shares: dict[str, Any] = {"inputs": cases}
    for outcome in Outcome:
        low, high = wilson(counts[outcome], cases)
        share = round(counts[outcome] / cases, 4)
        shares[outcome] = {"count": counts[outcome], "share": share, "low": round(low, 4), "high": round(high, 4)}
    return shares


def _tables(answers: Sequence[Answer]) -> Iterator[RenderableType]:
    for reading, sets in figures(answers).items():
        yield Text(f"\n{HEADINGS[Reading(reading)]}", style="bold")
        rows = [[name, said["inputs"], *(_cell(said[outcome]) for outcome in Outcome)] for name, said in sets.items()]
        yield table("set", "inputs", *Outcome, rows=rows)
    wrong = [one for one in answers if one.reading is Reading.TOGETHER and one.outcome is Outcome.WRONG]
    if wrong:
        yield Text(f"\nwrong as one input: {', '.join(one.line.name for one in wrong)} (--explain THREAD says why)")


def _cell(said: Mapping[str, Any]) -> str:
    return f"{said['count']} = {said['share']:.1%} ({said['low']:.0%} to {said['high']:.0%})"


def _explained(answers: Sequence[Answer], name: str) -> Iterator[RenderableType]:
    for one in answers:
        if one.line.name != name:
            continue
        yield Text(f"\n{one.reading}: {one.outcome}", style="bold")
        yield lines({"input": one.text, "speech": one.match.speech, "rule": one.match.rule})
        rows = [[each.title, each.score, each.reason, each.rejected] for each in one.match.candidates]
        yield table("candidate", "score", "reason", "turned down", rows=rows)


def _row(one: Answer) -> dict[str, Any]:
    """Return what is written of one answer; the words asked stay in their set."""
    match = one.match
    return {
        "set": one.line.of,
        "thread": one.line.name,
        "reading": one.reading,
        "outcome": one.outcome,
        "rule": match.rule,
        "speech": match.speech,
        "confidence": match.confidence,
        "candidates": [asdict(each) for each in match.candidates],
    }
