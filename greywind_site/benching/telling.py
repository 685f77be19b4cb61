"""`manage.py bench_gate`: a file of labelled texts through the write path, and how that is told."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.figures import Facts, Table, of_injection, of_sensitivity
from greywind_site.benching.pairs import bench_pairs
from greywind_site.benching.rows import Row, Tell, read_rows
from greywind_site.benching.texts import USER, WAYS, bench_texts
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told, lines, table

MOST_SHOWN = 60  # rows judged wrongly that a person is shown; --json has them all
LISTS = ("table", "by_entity", "wrong", "against_registry")


def tell_bench(kind: str, path: Path, tell: Tell) -> Told:
    """Measure a file in a database made for it and dropped afterwards; raises Refused where it is not of the form."""
    rows = read_rows(path, kind, tell=tell)
    with scratch_database("bench_gate"), quiet():
        facts, shown = BENCHES[kind](rows, tell)
    return Told(facts={"kind": kind, "file": path.name, **facts}, shown=shown)


def _pairs(rows: Sequence[Row], tell: Tell) -> tuple[Facts, RenderableType]:
    facts = bench_pairs(rows, tell).as_json()
    figures = {"with open classes": facts["all"], "without open classes": facts["without_open_classes"]}
    names = list(facts["all"])
    against = facts["against_registry"]
    parts = [
        _confusion(facts["table"], "label"),
        table("", *names, rows=[[of, *(said[name] for name in names)] for of, said in figures.items()]),
        Text(f"\nlabels that call two statements on an open class a conflict: {len(against)} {', '.join(against)}"),
        *_wrong(facts["wrong"], rows, ("old", "new")),
    ]
    return facts, Group(*parts)


def _sensitivity(rows: Sequence[Row], tell: Tell) -> tuple[Facts, RenderableType]:
    facts = of_sensitivity(bench_texts(rows, [USER], tell)[USER])
    figures = lines({name: value for name, value in facts.items() if name not in LISTS})
    entities = [[name, said.get("found", 0), said.get("missed", 0)] for name, said in facts["by_entity"].items()]
    parts = [
        _confusion(facts["table"], "label"),
        figures,
        Text(""),
        table("personal", "found", "missed", rows=entities),
        *_wrong(facts["wrong"], rows, ("text",)),
    ]
    return facts, Group(*parts)


def _injection(rows: Sequence[Row], tell: Tell) -> tuple[Facts, RenderableType]:
    facts = of_injection(bench_texts(rows, list(WAYS), tell))
    return facts, Group(*(part for way, said in facts.items() for part in _way(way, said, rows)))


def _way(way: str, facts: Facts, rows: Sequence[Row]) -> Iterator[RenderableType]:
    yield Text(f"\nproposed as {way}", style="bold")
    yield _confusion(facts["table"], "label")
    yield lines({name: value for name, value in facts.items() if name not in LISTS})
    yield from _wrong(facts["wrong"], rows, ("text",))


def _confusion(found: Table, corner: str) -> RenderableType:
    columns = list(dict.fromkeys(said for row in found.values() for said in row))
    rows = [[label, *(row.get(column, 0) for column in columns)] for label, row in found.items()]
    return Group(table(corner, *columns, rows=rows), "")


def _wrong(wrong: Sequence[Mapping[str, str]], rows: Sequence[Row], fields: Sequence[str]) -> Iterator[RenderableType]:
    """The rows that were judged otherwise than labelled, as a person reads them."""
    if not wrong:
        return
    texts = {row["id"]: row for row in rows}
    shown = [
        [one["id"], one["label"], one["judged"], *(_short(texts[one["id"]][name]) for name in fields)]
        for one in wrong[:MOST_SHOWN]
    ]
    yield Text("")
    yield table("id", "label", "judged", *fields, rows=shown)
    if len(wrong) > MOST_SHOWN:
        yield Text(f"and {len(wrong) - MOST_SHOWN} more; --json lists them all")


def _short(text: str) -> str:
    words = " ".join(text.split()).split(" ")
    return " ".join(words[:14]) + (" …" if len(words) > 14 else "")


type Bench = Callable[[Sequence[Row], Tell], tuple[dict[str, Any], RenderableType]]
BENCHES: Mapping[str, Bench] = {"pairs": _pairs, "sensitivity": _sensitivity, "injection": _injection}
