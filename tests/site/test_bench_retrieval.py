"""Sets of questions: how they are read, what is learnt from them, and that the bench asks the product."""

import json
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from greywind_site.benching import retrieval_learning, retrieval_telling
from greywind_site.benching.retrieval_figures import measures, recall
from greywind_site.benching.retrieval_learning import learn, weights_of
from greywind_site.benching.retrieval_pools import part_of, search, shelves_of
from greywind_site.benching.retrieval_run import Answered
from greywind_site.benching.retrieval_searches import Kind, searches
from greywind_site.benching.retrieval_sets import Question, RetrievalSet, read_set
from greywind_site.benching.retrieval_vectors import KeptVectors
from greywind_site.operating.command import Refused
from memories.embeddings.embedder import Vectors
from memories.embeddings.hashed import HashedTerms
from memories.ranking.weights import Learnt

SAID = {
    "boat": [
        "The kettle is on the boat now",
        "Did anybody buy the anchor?",
        "Yes, a red anchor in Norden",
        "船要刷成绿色",
    ],
    "farm": ["The ferns get water on Sundays", "Who feeds the geese?", "Marta feeds the geese at six", "鹅在池塘边"],
}
ASKED = [
    ("q1", "boat", "Where is the kettle?", 0),
    ("q2", "boat", "Which anchor was bought?", 2),
    ("q3", "farm", "Who feeds the geese?", 2),
    ("q4", "farm", "鹅在哪里？", 3),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = [
        {
            "id": f"{thread}/{n}",
            "thread": thread,
            "session": thread,
            "ts": f"2024-05-0{n + 1}T10:00:00",
            "speaker": "Jo",
            "text": text,
        }
        for thread, texts in SAID.items()
        for n, text in enumerate(texts)
    ]
    questions = [
        {"id": name, "thread": thread, "text": text, "relevant_ids": [f"{thread}/{row}"], "category": "fact"}
        for name, thread, text, row in ASKED
    ]
    for name, rows in (("corpus", items), ("queries", questions)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def tiny(folder: Path) -> RetrievalSet:
    return read_set(folder)


def test_a_set_is_read_thread_by_thread(tiny: RetrievalSet) -> None:
    assert [item.place for item in tiny.threads["boat"]] == [1, 2, 3, 4]
    assert tiny.asked_at["boat"] > tiny.threads["boat"][-1].at


def test_a_row_without_a_text_is_named(folder: Path) -> None:
    (folder / "queries.jsonl").write_text('{"id": "q1", "thread": "boat"}\n', encoding="utf-8")
    with pytest.raises(Refused, match=r"queries.jsonl, line 1: text"):
        read_set(folder)


def test_a_question_to_an_unknown_thread_is_named(folder: Path) -> None:
    (folder / "queries.jsonl").write_text('{"id": "q1", "thread": "moon", "text": "?"}\n', encoding="utf-8")
    with pytest.raises(Refused, match="moon"):
        read_set(folder)


def test_what_was_noted_of_the_evidence_answers_for_it(folder: Path) -> None:
    noted = {"id": "n1", "thread": "boat", "text": "The kettle is on the boat", "source_ids": ["boat/0"]}
    (folder / "observations.jsonl").write_text(json.dumps(noted) + "\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "thread": "boat", "text": "kettle?", "relevant_ids": [of]}) + "\n"
            for name, of in (("q1", "boat/0"), ("q2", "boat/1"))
        ),
        encoding="utf-8",
    )
    questions = read_set(folder, corpus="observations").questions
    assert {one.id: set(one.relevant) for one in questions} == {"q1": {"n1"}}


def test_what_nobody_judged_is_taken_out_before_counting() -> None:
    question = Question(id="q", thread="t", text="?", category="fact", relevant=frozenset("b"), ignored=frozenset("a"))
    assert recall(["a", "b", "c"], question, most=1) == 1.0


def test_measures_of_a_ranking_without_evidence_are_zero() -> None:
    question = Question(id="q", thread="t", text="?", category="fact", relevant=frozenset("x"))
    assert set(measures(["a", "b"], question).values()) == {0.0}


def test_a_search_brings_what_shares_words_or_meaning(tiny: RetrievalSet) -> None:
    models = [HashedTerms()]
    shelf = shelves_of(tiny, models)["boat"]
    found, asked, stats = search(shelf, "Where is the kettle?", now=tiny.asked_at["boat"], embedders=models)
    assert {one.ref for one in found} == {item.id for item in tiny.threads["boat"]}
    assert (asked.requests, stats.spread["kettl"]) == (("Where is the kettle?",), 1)


def test_a_part_of_a_thread_is_searched_as_if_it_were_all(tiny: RetrievalSet) -> None:
    part = part_of(shelves_of(tiny, [HashedTerms()])["boat"], 1, 2)
    found, _, stats = search(part, "Where is the anchor?", now=tiny.asked_at["boat"], embedders=[HashedTerms()])
    assert ({one.ref for one in found}, stats.passages) == ({"boat/1", "boat/2"}, 2)


def test_parts_of_threads_hold_what_is_asked_of_them(tiny: RetrievalSet) -> None:
    seen = list(searches(tiny, shelves_of(tiny, []), []))
    parts = [one for one in seen if one.few and one.kind is Kind.OWN]
    assert len(parts) == len(ASKED)
    assert all(one.question.relevant for one in parts)


def test_a_search_of_which_nothing_found_is_judged_teaches_no_floor(
    tiny: RetrievalSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval_learning, "LARGE", 1)
    unjudged = replace(tiny.questions[0], ignored=frozenset(item.id for item in tiny.threads["boat"]))
    some = replace(tiny, questions=[unjudged, *tiny.questions[1:]])
    seen = list(searches(some, shelves_of(some, [HashedTerms()]), [HashedTerms()]))
    assert weights_of(seen, ["hashed-terms"]).floor > 0


def test_what_decides_is_chosen_by_script_and_size(tiny: RetrievalSet) -> None:
    weights = weights_of(list(searches(tiny, shelves_of(tiny, [HashedTerms()]), [HashedTerms()])), ["hashed-terms"])
    assert [weights.decides(foreign=foreign, small=True) for foreign in (True, False)] == [weights.beginning] * 2
    assert weights.decides(foreign=True, small=False) == weights.across


def test_small_scopes_are_mixed_with_what_was_said_elsewhere(tiny: RetrievalSet) -> None:
    shelves = shelves_of(tiny, [])
    mixed = [one for one in searches(tiny, shelves, [], beside=[shelves]) if one.among]
    assert {one.kind for one in mixed if one.standing} >= {Kind.OWN, Kind.ELSEWHERE}
    assert all(one.few and one.group == f"{tiny.name}, a part, among others" for one in mixed)


def test_what_nobody_judged_is_not_written(tiny: RetrievalSet) -> None:
    question = replace(tiny.questions[0], ignored=frozenset({"boat/3"}))
    told = Answered(question=question, returned=["boat/3", "boat/0"], otherwise=[], seconds=0.0)
    assert told.judged == ["boat/0"]


def test_what_is_learnt_is_a_file_of_weights(tiny: RetrievalSet) -> None:
    heard: list[str] = []
    told = learn([tiny], [HashedTerms()], today=date(2026, 1, 2), tell=heard.append)
    learnt = Learnt.model_validate(told["file"])
    assert [list(each.models) for each in learnt.weights] == [[], ["hashed-terms"]]
    assert told["figures"]["hashed-terms"][tiny.name]["recall@5"] == 1.0


def test_learning_twice_learns_the_same(tiny: RetrievalSet) -> None:
    once, again = (learn([tiny], [], today=date(2026, 1, 2), tell=lambda _: None)["file"] for _ in range(2))
    assert once == again


class Counting(HashedTerms):
    """Tells how many texts it was given."""

    given = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.given += len(texts)
        return super().embed_passages(texts)


def test_vectors_are_made_once_for_each_text(tmp_path: Path) -> None:
    model = Counting()
    for _ in range(2):
        file = tmp_path / "m.sqlite3"
        with closing(KeptVectors(lambda: model, name="m", dims=256, space="s", file=file)) as kept:
            assert kept.embed_passages(["kettle", "anchor", "kettle"]).shape == (3, 256)
    assert model.given == 2


@pytest.fixture
def here(db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(retrieval_telling, "scratch_database", lambda _: nullcontext())
    monkeypatch.setattr(retrieval_telling, "vectors_folder", lambda: tmp_path / "vectors")


def told(name: str, *args: str) -> Any:
    out = StringIO()
    call_command(name, *args, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_a_set_is_asked_through_the_product(here: None, folder: Path) -> None:
    out = folder / "ranked.jsonl"
    facts = told("bench_retrieval", str(folder), "--out", str(out))
    ranked = {row["query_id"]: row["ranked_ids"] for row in map(json.loads, out.read_text().splitlines())}
    assert ranked.keys() == {name for name, *_ in ASKED}
    assert ranked["q1"][0] == "boat/0"
    assert facts["evidence within tokens"].keys() == {"product", "recency", "bm25", "hashed-terms"}
    assert facts["abstained where nothing is about it"]["about nothing here"]["asked"] == 100


def test_one_question_is_explained(here: None, folder: Path) -> None:
    facts = told("bench_retrieval", str(folder), "--explain", "q1")
    assert facts["hits"][0]["id"] == "boat/0"
    assert "kettl" in facts["hits"][0]["reason"]


def test_a_question_that_is_not_there_is_named(here: None, folder: Path) -> None:
    with pytest.raises(Refused, match="q99"):
        told("bench_retrieval", str(folder), "--explain", "q99")


def test_weights_are_learnt_into_the_file_that_is_named(here: None, folder: Path) -> None:
    out = folder / "weights.json"
    told("learn_retrieval", str(folder), "--out", str(out))
    assert Learnt.model_validate_json(out.read_text()).sets == {folder.name: len(ASKED)}
