"""`manage.py bench_retrieval` and `learn_retrieval`: sets through the product, what is learnt, and how that is told."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.retrieval_learning import learn
from greywind_site.benching.retrieval_pools import shelves_of
from greywind_site.benching.retrieval_run import KEPT, Answered, abstentions, answer, answers, figures, within_tokens
from greywind_site.benching.retrieval_sets import RetrievalSet, read_set
from greywind_site.benching.retrieval_world import Placed, kept_vectors, place
from greywind_site.benching.rows import Tell
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import USAGE, Refused, Told, table
from memories.ranking.weights import FILE
from memories.retrieval import Found

OBSERVATIONS = "observations"


def tell_bench(folder: Path, tell: Tell, *, corpus: str, out: Path | None) -> Told:
    """Ask every question of a set through the product, write the rankings and return the figures."""
    found = read_set(folder, corpus=corpus)
    with scratch_database("bench_retrieval"), quiet(), kept_vectors(vectors_folder()) as embedders:
        placed = place(found, now=timezone.now())
        told = list(answers(found, placed, found.questions, tell))
        shelves = shelves_of(found, embedders)
        facts = {
            **figures(found, told),
            "models": [one.name for one in embedders],
            "abstained where nothing is about it": abstentions(found, placed, tell),
            "evidence within tokens": within_tokens(found, told, shelves, embedders),
        }
    if out is not None:
        _write(out, told)
    return Told(facts=facts, shown=_shown(facts))


def tell_explained(folder: Path, question_id: str, *, corpus: str) -> Told:
    """Ask one question through the product and return why each candidate came or did not."""
    found = read_set(folder, corpus=corpus)
    question = next((one for one in found.questions if one.id == question_id), None)
    if question is None:
        raise Refused(f"{question_id} is no question of {found.name}", returncode=USAGE)
    # Only its own thread is laid out: the others are nothing to it.
    alone = RetrievalSet(
        name=found.name,
        threads={question.thread: found.threads[question.thread]},
        questions=[question],
        asked_at=found.asked_at,
    )
    with scratch_database("bench_retrieval"), quiet(), kept_vectors(vectors_folder()):
        placed = place(alone, now=timezone.now())
        told, got = answer(alone, placed, question)
    return _explained(told, got, placed)


def tell_learnt(folders: Sequence[Path], tell: Tell, *, out: Path | None, today: date) -> Told:
    """Learn the weights from sets, a folder's observations as a set of their own, and write the file."""
    sets = [read_set(folder) for folder in folders]
    noted = [folder for folder in folders if (folder / f"{OBSERVATIONS}.jsonl").exists()]
    sets += [read_set(folder, corpus=OBSERVATIONS) for folder in noted]
    with kept_vectors(vectors_folder()) as embedders:
        learnt = learn(sets, embedders, today=today, tell=tell)
    path = out or FILE
    path.write_text(json.dumps(learnt["file"], indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return Told(facts={"file": str(path), "figures": learnt["figures"]}, shown=_learnt(learnt["figures"], path))


def vectors_folder() -> Path:
    """Return where vectors are kept between runs."""
    return Path(settings.GREYWIND.instance.folder) / "cache" / "bench_retrieval"


def _write(out: Path, told: Sequence[Answered]) -> None:
    rows = [{"query_id": one.question.id, "ranked_ids": one.judged[:KEPT]} for one in told]
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _shown(facts: Mapping[str, Any]) -> RenderableType:
    by_category = facts["figures"]
    measured = list(by_category["overall"])
    within = facts["evidence within tokens"]
    budgets = list(next(iter(within.values())))
    return Group(
        table("category", *measured, rows=[[name, *each.values()] for name, each in by_category.items()]),
        Text(""),
        table("evidence within tokens", *budgets, rows=[[name, *each.values()] for name, each in within.items()]),
        Text(""),
        *(Text(f"{name}: {value}") for name, value in facts["abstaining"].items()),
        *(
            Text(f"{name}: {said['abstained']} of {said['asked']} abstained from")
            for name, said in facts["abstained where nothing is about it"].items()
        ),
        Text(f"milliseconds a search: {facts['milliseconds']}; models: {', '.join(facts['models']) or 'none'}"),
    )


def _explained(told: Answered, got: Found, placed: Placed) -> Told:
    question = told.question
    hits = [
        {"id": placed.items[hit.ref].id, "score": hit.score, "likely": hit.likely, "legs": dict(hit.legs)}
        | {"found by": list(hit.found_by), "reason": hit.reason, "text": hit.text}
        for hit in got.hits
    ]
    lost = [{"id": placed.items[one.ref].id, "rule": str(one.rule)} for one in got.lost]
    facts = {"question": question.text, "relevant": sorted(question.relevant), "abstained": got.abstained}
    facts |= {"asked": list(got.asked), "hits": hits, "lost": lost}
    rows = [
        [
            one["id"],
            "*" if one["id"] in question.relevant else "",
            one["score"],
            one["likely"],
            one["legs"],
            one["reason"],
        ]
        for one in hits
    ]
    missed = [one for one in lost if one["id"] in question.relevant]
    return Told(
        facts=facts,
        shown=Group(
            Text(question.text),
            table("id", "evidence", "score", "likely", "legs", "reason", rows=rows),
            *(Text(f"evidence that is no hit: {one['id']} ({one['rule']})") for one in missed),
        ),
    )


def _learnt(figures: Mapping[str, Any], path: Path) -> RenderableType:
    parts: list[RenderableType] = []
    for name, sets in figures.items():
        rows = [[of, what, value] for of, told in sets.items() for what, value in told.items()]
        parts += [Text(f"\n{name}, threads left out", style="bold"), table("set", "figure", "mean", rows=rows)]
    return Group(*parts, Text(f"\nwritten to {path}"))
