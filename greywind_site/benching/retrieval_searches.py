"""The searches that a ranking is learnt from: questions to their own thread, to another's, and about nothing.

All of them once to whole threads, and a sample to what a thread held when it was short: alone, and among what people
said elsewhere in another language, as a project holds it.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from math import exp, log

import numpy as np
import regex
from numpy.typing import NDArray

from greywind_site.benching.retrieval_elsewhere import ELSEWHERE
from greywind_site.benching.retrieval_pools import Shelf, Shelves, joined, part_of, search
from greywind_site.benching.retrieval_sets import Question, RetrievalSet
from memories.embeddings.embedder import Embedder
from memories.ranking.abstaining import SMALL, Standing, signals_of, standing_of
from memories.ranking.features import Column, features_of, pool_of
from memories.ranking.fusion import scores_of

FOLDS = 6
STRANGE = 200  # questions of a set that are asked another of its threads
FEW = 300  # questions of a set that are asked a part of their thread
AMONG = 200  # questions of a set that are asked a part of their thread among what was said elsewhere
type Array = NDArray[np.float64]
_HAN = regex.compile(r"\p{Han}")


class Kind(StrEnum):
    """What is asked of a thread."""

    OWN = "own"
    FALSE_PREMISE = "false premise"
    STRANGE = "of another thread"
    ELSEWHERE = "about nothing here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One search with its columns. `fold` is of the thread that is asked, `folds` of all that have to do with it.

    `few` says that a part of the thread was asked, as small as all of it once was, and `among` that something of
    another set stood beside it. `rows`, `right` and `refs` are of the candidates that are judged; without any candidate
    there is no `standing`.
    """

    set: str
    kind: Kind
    few: bool
    among: bool
    fold: int
    folds: frozenset[int]
    question: Question
    refs: Sequence[str]
    names: Sequence[str]
    rows: Array
    right: NDArray[np.bool_]
    standing: Standing | None = field(repr=False)
    columns: Mapping[str, Column] = field(repr=False)

    @property
    def group(self) -> str:
        """What it is counted with: searches of a set, whole and small ones apart."""
        return f"{self.set}{', a part' if self.few else ''}{', among others' if self.among else ''}"

    @property
    def teaches(self) -> bool:
        """Whether the ranking is learnt from it."""
        return self.kind is Kind.OWN and not self.few and bool(self.right.any())

    @property
    def is_foreign(self) -> bool:
        """Whether the question is written in another script than what was found."""
        return self.standing is not None and self.standing.foreign

    @property
    def is_small(self) -> bool:
        """Whether the scope is small."""
        return self.standing is not None and self.standing.small

    @property
    def models(self) -> Sequence[str]:
        """The models that were searched by."""
        return list(self.standing.cosines) if self.standing else []

    def scores(self, features: Mapping[str, float]) -> Array:
        """Return the scores of what is judged."""
        return np.asarray(self.rows @ np.array([features[name] for name in self.names]))

    def signals(self, features: Mapping[str, float]) -> Mapping[str, float]:
        """Return what is told of the whole search, judged or not."""
        if self.standing is None:
            raise ValueError("nothing was found, and nothing can be told of it")
        return signals_of(self.standing, self.columns, scores_of(self.columns, features))


def servings(embedders: Sequence[Embedder]) -> list[Sequence[Embedder]]:
    """Return every choice of models that may be there, none at all first."""
    return [chosen for size in range(len(embedders) + 1) for chosen in combinations(embedders, size)]


def searches(
    found: RetrievalSet, shelves: Shelves, served: Sequence[Embedder], *, beside: Sequence[Shelves] = ()
) -> Iterator[Seen]:
    """Run every search of a set: the same ones in the same order every time.

    `beside` are the shelves of sets in another language, which small scopes are mixed with.
    """
    for wish in [*_of_all(found, shelves), *_of_few(found, shelves), *_of_mixed(found, shelves, beside)]:
        yield _seen(found, wish, served)


def in_han(shelves: Shelves) -> bool:
    """Return whether most of what lies on the shelves is written in Chinese characters."""
    told = [bool(_HAN.search(item.text)) for shelf in shelves.values() for item in shelf.items]
    return 2 * sum(told) > len(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """A search to run: what is asked of what, and the folds of all that it has to do with."""

    question: Question
    shelf: Shelf
    kind: Kind
    folds: Sequence[int]
    few: bool = False
    among: bool = False


def _of_all(found: RetrievalSet, shelves: Shelves) -> Iterator[_Wish]:
    """Ask whole threads."""
    folds = {thread: number % FOLDS for number, thread in enumerate(sorted(shelves))}
    for question in found.questions:
        kind = Kind.OWN if question.counts else Kind.FALSE_PREMISE
        yield _Wish(question=question, shelf=shelves[question.thread], kind=kind, folds=[folds[question.thread]])
    for home, question in strangers(found):
        asked = [folds[question.thread], folds[home]]
        yield _Wish(question=question, shelf=shelves[question.thread], kind=Kind.STRANGE, folds=asked)
    for number, question in enumerate(_about_nothing(sorted(shelves))):
        # Neither the thread nor the text was seen by the weights that judge it.
        asked = [folds[question.thread], number // len(shelves) % FOLDS]
        yield _Wish(question=question, shelf=shelves[question.thread], kind=Kind.ELSEWHERE, folds=asked)


def _of_few(found: RetrievalSet, shelves: Shelves) -> Iterator[_Wish]:
    """Ask parts of threads what whole ones are asked; what is asked of its own thread has evidence in the part."""
    chance = random.Random(f"{found.name}, a part")  # noqa: S311 - a sample that is the same every time, and no secret
    for wish in _sampled(_of_all(found, shelves), FEW, chance):
        yield _part_of(wish, chance)


def _of_mixed(found: RetrievalSet, shelves: Shelves, beside: Sequence[Shelves]) -> Iterator[_Wish]:
    """Ask parts of threads among a part of a thread of another set: a small project speaks more than one language."""
    if not beside:
        return
    chance = random.Random(f"{found.name}, among others")  # noqa: S311 - a sample that is the same every time
    for wish in _sampled(_of_all(found, shelves), AMONG, chance):
        part = _part_of(wish, chance)
        others = chance.choice(beside)
        room = SMALL - 1 - len(part.shelf.items)
        if room > 0:
            other = _some_of(others[chance.choice(sorted(others))], room, chance)
            yield replace(part, shelf=joined(part.shelf, other), among=True)


def _sampled(wishes: Iterable[_Wish], most: int, chance: random.Random) -> list[_Wish]:
    """Return at most that many of the searches of an own thread, and all others but those of false premises."""
    whole = [wish for wish in wishes if wish.kind is not Kind.FALSE_PREMISE]
    own = [wish for wish in whole if wish.kind is Kind.OWN]
    return [*chance.sample(own, min(most, len(own))), *(wish for wish in whole if wish.kind is not Kind.OWN)]


def _some_of(shelf: Shelf, most: int, chance: random.Random) -> Shelf:
    size = min(len(shelf.items), round(exp(chance.uniform(0.0, log(most)))))
    return part_of(shelf, chance.randrange(len(shelf.items) - size + 1), size)


def _part_of(wish: _Wish, chance: random.Random) -> _Wish:
    """Return the search of a few items in a row: of its own thread those around one that is right."""
    items = wish.shelf.items
    size = min(len(items), round(exp(chance.uniform(0.0, log(SMALL - 1)))))
    right = [row for row, item in enumerate(items) if wish.kind is Kind.OWN and item.id in wish.question.relevant]
    first = chance.choice(right) - chance.randrange(size) if right else chance.randrange(len(items))
    part = part_of(wish.shelf, max(0, min(first, len(items) - size)), size)
    held = wish.question.relevant.intersection(item.id for item in part.items)
    return replace(wish, shelf=part, question=replace(wish.question, relevant=held), few=True)


def strangers(found: RetrievalSet) -> list[tuple[str, Question]]:
    """Return questions to a thread that is not theirs, each with the name of its own.

    Only where people speak by name: questions of "my colleague" have an answer on many threads.
    """
    speakers = {item.speaker for items in found.threads.values() for item in items} - {"", "user", "assistant"}
    if len(found.threads) < 2 or not speakers:
        return []
    chance = random.Random(found.name)  # noqa: S311 - a sample that is the same every time, and no secret
    counting = [one for one in found.questions if one.counts]
    threads = sorted(found.threads)
    chosen = chance.sample(counting, min(STRANGE, len(counting)))
    others = [chance.choice([each for each in threads if each != one.thread]) for one in chosen]
    return [(one.thread, replace(one, thread=other)) for one, other in zip(chosen, others, strict=True)]


def _about_nothing(threads: Sequence[str]) -> list[Question]:
    nothing: frozenset[str] = frozenset()
    return [
        Question(
            id=f"elsewhere-{n}", thread=threads[n % len(threads)], text=text, category="elsewhere", relevant=nothing
        )
        for n, text in enumerate(ELSEWHERE)
    ]


def _seen(found: RetrievalSet, wish: _Wish, served: Sequence[Embedder]) -> Seen:
    question = wish.question
    now = found.asked_at[question.thread]
    pool = pool_of(*search(wish.shelf, question.text, now=now, embedders=served))
    columns = features_of(pool)
    judged = [row for row, one in enumerate(pool.candidates) if one.ref not in question.ignored]
    refs = [pool.candidates[row].ref for row in judged]
    own = wish.kind in {Kind.OWN, Kind.FALSE_PREMISE}
    return Seen(
        set=found.name,
        kind=wish.kind,
        few=wish.few,
        among=wish.among,
        fold=wish.folds[0],
        folds=frozenset(wish.folds),
        question=question,
        refs=refs,
        names=list(columns),
        rows=np.column_stack(list(columns.values()))[judged],
        right=np.array([own and ref in question.relevant for ref in refs], dtype=bool),
        standing=standing_of(pool, columns) if pool.candidates else None,
        columns=columns,
    )
