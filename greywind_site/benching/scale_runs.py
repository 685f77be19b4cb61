"""What is measured on a store: whether the nearest are found and by which path, whatever happens to the database, and
how long it takes beside a smaller store and beside the owner's own way.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from django.db import connection, connections

from governance.actors import Acting
from governance.scope import ENTER, project_scope
from greywind_site.benching.intervals import RESAMPLES
from greywind_site.benching.scale_store import Maker, Numbers, Shelf
from greywind_site.operating.erasing import OWNER
from memories.embeddings.embedder import literal
from memories.embeddings.nearest import Place, dense_legs
from memories.embeddings.queries import AskedVectors
from memories.finding import LEXICAL, Scope, find, question_of

NEAREST = 10
ROUNDS = 5
ROUNDING = 1e-5  # of a sum of 512 products of half precision
type Step = Callable[[Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Of one scope at one moment: the share of the exact nearest that was found, the least number of rows that came
    back, the paths that were taken, and the median milliseconds of one call.
    """

    size: int
    recall: float
    rows: int
    paths: Sequence[str]
    median_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How much longer one thing takes than another: the ratio of medians, and where 95 of 100 resamplings lie."""

    what: str
    ratio: float
    low: float
    high: float
    ours_ms: float
    other_ms: float


def recall_of(shelf: Shelf, asked: Numbers, maker: Maker, *, link: Any = None) -> Recall:
    """Compare what the dense leg finds with all vectors of the scope, compared one by one outside the database."""
    found, paths, times = [], set(), []
    statement, every = _dense(maker, asked)
    with _as_app(shelf.acting, link) as cursor:
        for params in every:
            start = time.perf_counter()
            cursor.execute(statement, params)
            rows = cursor.fetchall()
            times.append(1000 * (time.perf_counter() - start))
            found.append([row[0] for row in rows])
            paths |= {row[2] for row in rows}
    live = np.array([pk is not None for pk in shelf.ids])
    right = [_exact(shelf, live, row) for row in asked]
    shares = [len({*got} & best) / most for got, (best, most) in zip(found, right, strict=True)]
    least = min(len(got) for got in found)
    return Recall(
        size=int(live.sum()),
        recall=float(np.mean(shares)),
        rows=least,
        paths=sorted(paths),
        median_ms=float(np.median(times)),
    )


def _exact(shelf: Shelf, live: Any, row: Numbers) -> tuple[set[Any], int]:
    """Return what is among the exact nearest, and how many of it there are to be found. Two sums of the same products
    in another order differ in their last digits, so whatever is as near as the last of the nearest counts as one.
    """
    scores = shelf.vectors.astype(np.float32) @ np.asarray(row, dtype=np.float16).astype(np.float32)
    scores[~live] = -np.inf
    most = min(NEAREST, int(live.sum()))
    last = -np.partition(-scores, most - 1)[most - 1]
    return {shelf.ids[int(place)] for place in np.flatnonzero(live & (scores >= last - ROUNDING))}, most


def _dense(maker: Maker, asked: Numbers) -> tuple[str, list[Mapping[str, Any]]]:
    made = [dense_legs(AskedVectors(vectors={maker.model: (literal(row),)}), Place(most=NEAREST)) for row in asked]
    return f"SELECT passage_id, cosine, path FROM {made[0][0][0].call}", [params for _, params in made]  # noqa: S608 - ours


@contextmanager
def _as_app(acting: Acting, link: Any) -> Iterator[Any]:
    """A cursor of the application role in the scope of one actor, on our own connection or another."""
    if link is None:
        with project_scope(acting, read_only=True), connection.cursor() as cursor:
            yield cursor
        return
    with link.transaction(), link.cursor() as cursor:
        cursor.execute(ENTER, [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)])
        yield cursor


def on_app(statement: str) -> Step:
    """Return a step that the application's own session takes."""
    return lambda link: link.execute(statement)


def on_owner(*statements: str) -> Step:
    """Return a step that the owner takes."""

    def run(_link: Any) -> None:
        with connections[OWNER].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return run


def after_deletes(shelves: Sequence[Shelf], share: int = 10) -> tuple[list[Shelf], Step]:
    """Return the shelves without every tenth passage, and the step that deletes them."""
    gone = {pk for shelf in shelves for pk in shelf.ids[::share]}
    left = [
        Shelf(
            acting=s.acting,
            ids=[pk for pk in s.ids if pk not in gone],
            vectors=s.vectors[[pk not in gone for pk in s.ids]],
        )
        for s in shelves
    ]

    def run(_link: Any) -> None:
        with connections[OWNER].cursor() as cursor:
            cursor.execute("DELETE FROM memories_passage WHERE id = ANY (%s)", [list(gone)])

    return left, run


PERTURBATIONS: Sequence[tuple[str, Step]] = (
    ("generic plans", on_app("SET plan_cache_mode = force_generic_plan")),
    ("custom plans", on_app("SET plan_cache_mode = force_custom_plan")),
    ("cheap random reads", on_app("SET random_page_cost = 1.0")),
    ("dear random reads", on_app("SET random_page_cost = 40")),
    ("dear processor", on_app("SET cpu_operator_cost = 0.1")),
    ("cheap processor", on_app("SET cpu_operator_cost = 0.0001")),
    ("small cache told", on_app("SET effective_cache_size = '8MB'")),
    ("large cache told", on_app("SET effective_cache_size = '64GB'")),
    ("little memory", on_app("SET work_mem = '64kB'")),
    ("much memory", on_app("SET work_mem = '256MB'")),
    ("compiled expressions", on_app("SET jit_above_cost = 0")),
    ("parallel plans", on_app("SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0")),
    ("no nested loops", on_app("SET enable_nestloop = off")),
    ("no index scans", on_app("SET enable_indexscan = off")),
    ("coarse statistics", on_owner("SET default_statistics_target = 1", "ANALYZE memories_embedding")),
    ("fine statistics", on_owner("SET default_statistics_target = 1000", "ANALYZE memories_embedding")),
    ("a nullable column more", on_owner("ALTER TABLE memories_embedding ADD COLUMN spare integer")),
    ("a new scope index", on_owner("REINDEX INDEX embedding_of_scope")),
)


def ratio(what: str, ours: Sequence[float], other: Sequence[float]) -> Ratio:
    """Return the ratio of medians of two series of seconds that were measured in turns."""
    dice, pairs = np.random.default_rng(1), np.array([ours, other])
    places = dice.integers(pairs.shape[1], size=(RESAMPLES, pairs.shape[1]))
    medians = np.median(pairs[:, places], axis=2)
    low, high = np.percentile(medians[0] / medians[1], [2.5, 97.5])
    mine, theirs = np.median(pairs, axis=1)
    return Ratio(
        what=what,
        ratio=float(mine / theirs),
        low=float(low),
        high=float(high),
        ours_ms=1000 * float(mine),
        other_ms=1000 * float(theirs),
    )


def in_turns(one: Callable[[int], None], other: Callable[[int], None], count: int) -> tuple[list[float], list[float]]:
    """Return the seconds of both, measured in turns, each once before for nothing."""
    first: list[float] = []
    second: list[float] = []
    for number in range(count * ROUNDS):
        place = number % count
        for call, times in ((one, first), (other, second)):
            start = time.perf_counter()
            call(place)
            times.append(time.perf_counter() - start)
    return first[count:], second[count:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The statement of a whole search, as the product sends it, with its parameters."""

    statement: str
    params: Mapping[str, Any]


def searches(shelf: Shelf, maker: Maker, asked: Numbers, texts: Sequence[str]) -> list[Search]:
    """Return what the product sends to the database for these questions in a scope."""
    heard: list[Search] = []

    def listen(execute: Any, statement: str, *more: Any) -> Any:
        if "find_passages" in statement:
            heard.append(Search(statement=statement, params=more[0]))
        return execute(statement, *more)

    with connection.execute_wrapper(listen):
        for row, text in zip(asked, texts, strict=True):
            with project_scope(shelf.acting, read_only=True):
                vectors = AskedVectors(vectors={maker.model: (literal(row),)})
                find(question_of([text], vectors), Scope(thread_id=None, now=maker.now))
    return heard


def run_on(link: psycopg.Connection[Any], shelf: Shelf, made: Sequence[Search]) -> Callable[[int], None]:
    """Return a call that runs one of the searches on a connection, in the scope of a shelf."""

    def run(place: int) -> None:
        with _as_app(shelf.acting, link) as cursor:
            cursor.execute(made[place].statement, made[place].params)
            cursor.fetchall()

    return run


def words_as_app(link: psycopg.Connection[Any], shelf: Shelf, made: Sequence[Search]) -> Callable[[int], None]:
    """Return a call that runs the search by words through its door, as the application role."""
    by_words = [Search(statement=f"SELECT * FROM {LEXICAL}", params=each.params) for each in made]  # noqa: S608 - ours
    return run_on(link, shelf, by_words)


DEFINITION = "SELECT pg_get_functiondef('find_passages'::regproc)"


def words_as_owner(link: psycopg.Connection[Any], shelf: Shelf, made: Sequence[Search]) -> Callable[[int], None]:
    """Return a call that runs the same function as the owner of the tables, whom no policy holds back."""
    [definition] = link.execute(DEFINITION).fetchone() or [""]
    own = definition.replace("find_passages", "owners_find_passages", 1).replace("SECURITY DEFINER", "")
    link.execute(own.encode())
    call = f"SELECT * FROM owners_{LEXICAL}"  # noqa: S608 - ours
    return run_on(link, shelf, [Search(statement=call, params=each.params) for each in made])
