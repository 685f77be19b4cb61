"""Labelled pairs, free-worded and in both languages: how well the relation of two statements is told."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from memories.claims import Relation, Statement, relate
from memories.claims.evaluation import LABELS, OBSERVED, Report, evaluate_pairs

DATA = Path(__file__).parent / "data"
# "apart" was written by somebody who had not seen the other two, before the mechanism was bettered on parts of it.
FILES = {name: DATA / f"pairs_{name}.jsonl" for name in ("tuned", "held", "apart")}


@cache
def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in FILES[name].read_text(encoding="utf-8").splitlines()]


@cache
def report(name: str) -> Report:
    return evaluate_pairs(rows(name))


@pytest.mark.parametrize("name", FILES)
def test_each_file_holds_all_classes_in_both_languages(name: str) -> None:
    found = {(row["label"], row["lang"]) for row in rows(name)}
    assert found == {(label, lang) for label in LABELS for lang in ("en", "zh")}


def test_the_pairs_range_over_a_hundred_attributes() -> None:
    named: Iterator[str] = (f"{row['lang']} {row['attribute']}" for name in ("tuned", "held") for row in rows(name))
    assert len(set(named)) >= 100


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_merged_wrongly(name: str) -> None:
    assert report(name).everything.figures()["wrong_merges"] == 0


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("tuned", 0.95, 0.9), ("held", 0.92, 0.82), ("apart", 0.93, 0.70)]
)
def test_conflicts_are_told_from_the_rest(name: str, precision: float, recall: float) -> None:
    figures = report(name).everything.figures()
    assert (figures["conflict_precision"] or 0) >= precision
    assert (figures["conflict_recall"] or 0) >= recall


@pytest.mark.parametrize("name", FILES)
def test_the_relation_does_not_depend_on_the_order_of_the_two(name: str) -> None:
    turned = evaluate_pairs({**row, "old": row["new"], "new": row["old"]} for row in rows(name))
    assert turned.everything.figures()["wrong_merges"] == 0


def test_a_label_on_an_open_class_is_listed_and_counted_apart() -> None:
    row = {"id": "x", "old": "我同事35岁", "new": "我同事37岁", "label": "conflict"}
    found = evaluate_pairs([row])
    assert (found.against_registry, found.named_subjects.figures()["pairs"]) == (["x"], 0)


def test_another_judge_can_stand_in() -> None:
    row = {"id": "x", "old": "a", "new": "b", "label": "duplicate"}
    shown = evaluate_pairs([row], judge=lambda *_: Relation.CONFLICT).as_json()
    assert shown["table"]["duplicate"]["conflict"] == 1
    assert shown["wrong"] == [{"id": "x", "label": "duplicate", "judged": "conflict"}]


LOOKALIKES = [json.loads(line) for line in (DATA / "kept_apart.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("pair", LOOKALIKES, ids=lambda pair: pair["old"])
def test_a_look_alike_is_never_the_same(pair: dict[str, str]) -> None:
    ways = [(pair["old"], pair["new"]), (pair["new"], pair["old"])]
    judged = [relate(*(Statement(text=text, observed_at=OBSERVED) for text in way)).relation for way in ways]
    assert Relation.DUPLICATE not in judged


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "memory-pairs-zh" / "pairs.jsonl"


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared pairs are not beside this checkout: nothing was measured")
def test_the_shared_pairs_are_told_apart() -> None:
    found = evaluate_pairs(json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines())
    named = found.named_subjects.figures()
    assert found.everything.figures()["wrong_merges"] == 0
    assert (named["conflict_precision"] or 0) >= 0.98
    assert (named["conflict_recall"] or 0) >= 0.95
    assert (found.everything.figures()["duplicate_recall"] or 0) >= 0.90
