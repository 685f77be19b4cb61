"""What `bench_peer` measures: one store on both sides, questions asked of both in turns, and what each finds of it."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from governance.actors import Acting, acting_as
from governance.projects import create_project
from governance.scope import project_scope
from greywind_site.benching.peer_mem0 import Peer, peer_on, rows_of
from greywind_site.benching.peer_site import answering_by, site_for
from greywind_site.benching.rows import Tell
from greywind_site.benching.scale_runs import NEAREST, Ratio, ratio
from greywind_site.benching.scale_store import Maker, Numbers, Shelf, analysed, graph_last
from greywind_site.benching.world import World, make_world
from greywind_site.hunting.leaks.telling import counts_apart
from greywind_site.hunting.scratch import scratch_database
from memories.embeddings.embedder import literal
from memories.embeddings.nearest import Place, dense_legs
from memories.embeddings.queries import AskedVectors
from memories.embeddings.registry import Model, embedder_of

WARM_UP = 30  # questions that are asked of both before, for nothing: pools fill, plans are made
WORDS_ASKED = 6  # of a passage, in another order
CLOSE = 1e-3  # cosines that half precision does not tell apart
WITH_GRAPH, WITHOUT = "with its graph (its default)", "without a graph (hnsw off)"
type Finder = Callable[[Numbers], Sequence[uuid.UUID]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much both sides hold, in scopes of one size, and how many questions are asked of one of them."""

    passages: int = 200_000
    scope: int = 1_000
    questions: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The share of the exact nearest that came back, and the least number of rows that did."""

    recall: float
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Both sides on one store by one embedder: `ratio` says how many times longer theirs takes."""

    embedder: str
    peer: str
    ratio: Ratio
    ours: Found
    theirs: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What both sides hold of the project that is asked in."""

    world: World
    shelf: Shelf
    texts: Sequence[str]
    maker: Maker


def matches(model: Model, sizes: Sizes, tell: Tell) -> Iterator[Match]:
    """Fill both sides in a database that goes again, and measure: with their graph first, then without it."""
    with scratch_database("bench_peer") as name, answering_by(model), counts_apart(), _peer(name, model) as peer:
        store = fill(model, sizes, peer=peer, tell=tell)
        tell(f"{model.name}: asking, {WITH_GRAPH}")
        yield match(store, peer, kind=WITH_GRAPH, questions=sizes.questions)
        peer.drop_graph()
        tell(f"{model.name}: asking, {WITHOUT}")
        yield match(store, peer, kind=WITHOUT, questions=sizes.questions)


def _peer(database: str, model: Model) -> AbstractContextManager[Peer]:
    return peer_on(owner_of(database), embedder_of(model))


def owner_of(database: str) -> str:
    """Return the address of a database for the role that owns it, whom no policy holds back."""
    return make_conninfo(**(settings.GREYWIND.owner_database() or {}) | {"dbname": database})


def fill(model: Model, sizes: Sizes, *, peer: Peer, tell: Tell) -> Store:
    """Write the same rows with the same vectors on both sides; the first scope is the one that is asked in."""
    maker, embedder = Maker(model, now=timezone.now()), embedder_of(model)
    world = make_world(now=maker.now)
    count = max(sizes.passages // sizes.scope, 1)
    with _as_after_a_while(), peer.filling() as link:
        for number, acting in enumerate(_projects(world, count, maker)):
            texts = [maker.text() for _ in range(sizes.scope)]
            shelf = maker.fill(acting, texts, embedder.embed_passages(texts).astype(np.float16))
            peer.copy(link, rows_of(shelf, texts, now=maker.now))
            if not number:
                store = Store(world=world, shelf=shelf, texts=texts, maker=maker)
            if (number + 1) % 20 == 0:
                tell(f"{model.name}: {(number + 1) * sizes.scope} of {count * sizes.scope} passages")
        tell(f"{model.name}: drawing the graphs")
    return store


def _projects(world: World, count: int, maker: Maker) -> Iterator[Acting]:
    yield world.first.human
    owner = get_user_model().objects.create_user(username="bench-peer")
    for number in range(1, count):
        yield acting_as(create_project(f"peer {number}", owner=owner, now=maker.now)[1])


@contextmanager
def _as_after_a_while() -> Iterator[None]:
    with graph_last():
        yield
    analysed()


def match(store: Store, peer: Peer, *, kind: str, questions: int) -> Match:
    """Ask both sides the same new questions in turns, and look at what their vectors find."""
    user = str(store.shelf.acting.project_id)
    asked = questions_about(store, questions + WARM_UP)
    with site_for(store.world, now=store.maker.now) as site:
        ours, theirs = in_turns(site.ask, lambda text: peer.search(text, user), asked)
    rows = embedder_of(store.maker.model).embed_queries(asked[WARM_UP:])
    return Match(
        embedder=store.maker.model.name,
        peer=kind,
        ratio=ratio("theirs / ours", theirs[WARM_UP:], ours[WARM_UP:]),
        ours=found_by(lambda row: _ours(store, row), rows, store.shelf),
        theirs=found_by(lambda row: peer.nearest(row, user, NEAREST), rows, store.shelf),
    )


def questions_about(store: Store, count: int) -> list[str]:
    """Return questions that share words with a passage each; none is asked twice, so that nobody has it at hand."""
    dice = store.maker.dice
    told = [store.texts[place].split() for place in dice.integers(len(store.texts), size=count)]
    return [" ".join(dice.permutation(words)[:WORDS_ASKED].tolist()) for words in told]


def in_turns(
    ours: Callable[[str], object], theirs: Callable[[str], object], asked: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Return the seconds that each took for each question; who is asked first changes from one to the next."""
    times: dict[int, list[float]] = {0: [], 1: []}
    for number, text in enumerate(asked):
        for side in (0, 1) if number % 2 else (1, 0):
            start = perf_counter()
            (ours, theirs)[side](text)
            times[side].append(perf_counter() - start)
    return times[0], times[1]


def found_by(finder: Finder, rows: Numbers, shelf: Shelf) -> Found:
    """Compare what a side finds with the vectors of its scope, compared one by one outside the database.

    Texts that share as many words are equally near: whatever is as near as the last of the nearest counts.
    """
    places = {pk: place for place, pk in enumerate(shelf.ids)}
    shares, least = [], len(shelf.ids)
    for row in rows:
        scores = shelf.vectors.astype(np.float32) @ row.astype(np.float16).astype(np.float32)
        enough = np.sort(scores)[-NEAREST:][0] - CLOSE
        found = {*finder(row)}
        shares.append(sum(scores[places[pk]] >= enough for pk in found) / min(NEAREST, len(scores)))
        least = min(least, len(found))
    return Found(recall=float(np.mean(shares)), rows=least)


def _ours(store: Store, row: Numbers) -> list[uuid.UUID]:
    asked = AskedVectors(vectors={store.maker.model: (literal(row),)})
    legs, params = dense_legs(asked, Place(most=NEAREST))
    with project_scope(store.shelf.acting, read_only=True), connection.cursor() as cursor:
        cursor.execute(f"SELECT passage_id FROM {legs[0].call}", params)  # noqa: S608 - ours
        return [pk for (pk,) in cursor.fetchall()]
