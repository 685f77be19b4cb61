"""What rankings are worth: shares of the evidence among the first, and their means over a set."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log2

from greywind_site.benching.retrieval_sets import Question

type Measures = Mapping[str, float]


def recall(ranked: Sequence[str], question: Question, *, most: int) -> float:
    """Return the share of the evidence among the first `most`, what nobody judged taken out before."""
    judged = [ref for ref in ranked if ref not in question.ignored]
    return len(question.relevant.intersection(judged[:most])) / len(question.relevant) if question.relevant else 0.0


def measures(ranked: Sequence[str], question: Question) -> Measures:
    """Return the usual measures of one ranking of distinct ids."""
    judged = [ref for ref in ranked if ref not in question.ignored]
    hits = [place for place, ref in enumerate(judged) if ref in question.relevant]
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(question.relevant))))
    return {
        "recall@1": recall(ranked, question, most=1),
        "recall@5": recall(ranked, question, most=5),
        "recall@10": recall(ranked, question, most=10),
        "hit@5": float(any(place < 5 for place in hits)),
        "mrr": 1 / (hits[0] + 1) if hits else 0.0,
        "ndcg@10": sum(1 / log2(place + 2) for place in hits if place < 10) / ideal if ideal else 0.0,
    }


def summary(judged: Iterable[tuple[Question, Measures]]) -> dict[str, dict[str, float]]:
    """Return the means of all questions that count, and of each category, with how many they are."""
    told = list(judged)
    groups: dict[str, list[Measures]] = defaultdict(list)
    for question, each in told:
        groups[question.category].append(each)
    whole = [each for question, each in told if question.counts] or [each for _, each in told]
    return {"overall": means(whole), **{name: means(groups[name]) for name in sorted(groups)}}


def means(told: Sequence[Measures]) -> dict[str, float]:
    """Return the mean of each measure, and `n`."""
    names = told[0] if told else ()
    return {name: round(sum(each[name] for each in told) / len(told), 4) for name in names} | {"n": len(told)}
