"""A set asked through the product: what each question gets, what is abstained from, what a packet would hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from governance.scope import project_scope
from greywind_site.benching.retrieval_elsewhere import ELSEWHERE
from greywind_site.benching.retrieval_figures import measures, summary
from greywind_site.benching.retrieval_pools import Shelf, nearest, textbook_bm25
from greywind_site.benching.retrieval_searches import strangers
from greywind_site.benching.retrieval_sets import Question, RetrievalSet
from greywind_site.benching.retrieval_world import Placed
from greywind_site.benching.rows import Tell, told_along
from memories.embeddings.embedder import Embedder
from memories.embeddings.queries import query_vectors
from memories.ranking.asking import requests
from memories.retrieval import Found, Limits, Scope, retrieve
from sessions.context.tokens import STORED_ENCODING, exact_counter

MOST = 100  # hits asked for: what a packet of 4,000 tokens may hold
KEPT = 10  # ids of a question that are written, of those that were judged
BUDGETS = (1000, 2000, 4000)
type Rankings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the product returned to one question, as ids of the set; `otherwise` is the order had it not abstained."""

    question: Question
    returned: Sequence[str]
    otherwise: Sequence[str]
    seconds: float

    @property
    def abstained(self) -> bool:
        """Whether nothing was returned."""
        return not self.returned

    @property
    def judged(self) -> list[str]:
        """What was returned, without what nobody judged."""
        return [ref for ref in self.returned if ref not in self.question.ignored]


def answer(found: RetrievalSet, placed: Placed, question: Question) -> tuple[Answered, Found]:
    """Ask the product one question, in the thread that it names, as the agent."""
    scope = Scope(
        thread_id=placed.threads[question.thread],
        only_thread=placed.threads[question.thread],
        now=found.asked_at[question.thread],
    )
    start = perf_counter()
    vectors = query_vectors(requests(question.text))
    with project_scope(placed.agent, read_only=True):
        got = retrieve(question.text, scope=scope, limits=Limits(most=MOST, through=True), vectors=vectors)
    seconds = perf_counter() - start
    returned = [placed.items[hit.ref].id for hit in got.hits]
    otherwise = returned or [placed.items[lost.ref].id for lost in got.lost]
    return Answered(question=question, returned=returned, otherwise=otherwise, seconds=seconds), got


def answers(found: RetrievalSet, placed: Placed, questions: Sequence[Question], tell: Tell) -> Iterator[Answered]:
    """Ask every question in turn."""
    for row in told_along([{"question": one} for one in questions], tell, counted="questions"):
        yield answer(found, placed, row["question"])[0]


def figures(found: RetrievalSet, told: Sequence[Answered]) -> dict[str, object]:
    """Return the usual measures of what was returned, and what abstaining cost of them."""
    kept = summary((one.question, measures(one.returned, one.question)) for one in told)
    whole = summary((one.question, measures(one.otherwise, one.question)) for one in told)
    own = [one for one in told if one.question.counts]
    false = [one for one in told if not one.question.counts]
    return {
        "set": found.name,
        "figures": kept,
        "abstaining": {
            "questions abstained from": _share(own),
            "recall@5 that it costs": round(whole["overall"]["recall@5"] - kept["overall"]["recall@5"], 4),
            "false premises abstained from": _share(false),
        },
        "milliseconds": {
            "p50": round(1000 * float(np.percentile([one.seconds for one in told], 50)), 1),
            "p95": round(1000 * float(np.percentile([one.seconds for one in told], 95)), 1),
        },
    }


def abstentions(found: RetrievalSet, placed: Placed, tell: Tell) -> dict[str, object]:
    """Return how often the product abstains from questions of another thread, and from what is about nothing here."""
    strange = list(answers(found, placed, [question for _, question in strangers(found)], tell))
    threads = sorted(found.threads)
    nothing = [
        Question(id=f"elsewhere-{n}", thread=threads[n % len(threads)], text=text, category="", relevant=frozenset())
        for n, text in enumerate(ELSEWHERE)
    ]
    elsewhere = list(answers(found, placed, nothing, tell))
    return {
        "of another thread": {"asked": len(strange), "abstained": _share(strange)},
        "about nothing here": {"asked": len(elsewhere), "abstained": _share(elsewhere)},
    }


def within_tokens(
    found: RetrievalSet, told: Sequence[Answered], shelves: Mapping[str, Shelf], embedders: Sequence[Embedder]
) -> dict[str, dict[str, float]]:
    """Return by system the share of the evidence within so many tokens: the product, each leg alone, recency."""
    own = [one for one in told if one.question.counts]
    systems: dict[str, Rankings] = {"product": {one.question.id: one.returned for one in own}}
    systems["recency"] = {one.question.id: _latest(shelves[one.question.thread]) for one in own}
    systems["bm25"] = {one.question.id: textbook_bm25(shelves[one.question.thread], one.question.text) for one in own}
    for embedder in embedders:
        asked = {one.question.id: nearest(shelves[one.question.thread], one.question.text, embedder) for one in own}
        systems[embedder.name] = asked
    tokens = _tokens(found)
    return {name: _evidence(own, rankings, tokens) for name, rankings in systems.items()}


def _evidence(told: Sequence[Answered], rankings: Rankings, tokens: Mapping[str, int]) -> dict[str, float]:
    shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for one in told:
        judged = [ref for ref in rankings[one.question.id] if ref not in one.question.ignored]
        used = np.cumsum([tokens[ref] for ref in judged])
        for budget in BUDGETS:
            fitting = judged[: int(np.searchsorted(used, budget, side="right"))]
            shares[budget].append(len(one.question.relevant.intersection(fitting)) / len(one.question.relevant))
    return {str(budget): round(float(np.mean(each)), 4) for budget, each in shares.items()}


def _tokens(found: RetrievalSet) -> dict[str, int]:
    count = exact_counter(STORED_ENCODING).count
    return {item.id: count(f"{item.speaker}: {item.text}\n") for items in found.threads.values() for item in items}


def _latest(shelf: Shelf) -> list[str]:
    return [item.id for item in sorted(shelf.items, key=lambda item: item.at, reverse=True)]


def _share(told: Sequence[Answered]) -> float | None:
    return round(sum(one.abstained for one in told) / len(told), 4) if told else None
