"""`manage.py bench_scale`: a large store and a small one, made, searched and dropped, and how that is told."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections
from django.utils import timezone
from psycopg.conninfo import make_conninfo
from rich.console import Group
from rich.text import Text

from governance.models import User
from greywind_site.benching.rows import Tell
from greywind_site.benching.scale_runs import (
    PERTURBATIONS,
    Ratio,
    Recall,
    after_deletes,
    in_turns,
    on_owner,
    ratio,
    recall_of,
    run_on,
    searches,
    words_as_app,
    words_as_owner,
)
from greywind_site.benching.scale_store import MODEL, Maker, Numbers, Shelf, graph_last
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told, table
from memories.embeddings.registry import known_models

SCOPE = 1_000  # in which the large store and the small one are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is made. The store holds the largest scope once, one of a tenth of it, and scopes of 1,000."""

    passages: int = 200_000
    largest: int = 100_000
    small: int = 10_000
    questions: int = 40
    scope: int = SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What was found right after something happened."""

    after: str
    scopes: Sequence[Recall]


def tell_scale(sizes: Sizes, tell: Tell) -> Told:
    """Measure, in two databases made for it and dropped afterwards."""
    with quiet(), scratch_database("bench_scale_small") as small_name:
        small, small_maker = _store(_small(sizes), tell)
        asked = small_maker.vectors(sizes.questions)
        texts = [small_maker.text(5) for _ in range(sizes.questions)]
        at_small = searches(small[-1], small_maker, asked, texts)
        with scratch_database("bench_scale") as name:
            shelves, maker = _store(sizes_of_shelves(sizes), tell)
            by_scope = [shelves[0], shelves[1], shelves[-1]]
            moments = list(_moments(by_scope, maker, sizes, tell))
            at_large = searches(shelves[-1], maker, asked, texts)
            tell("ratios")
            with _link(name) as large, _link(small_name) as little, _link(name, owner=True) as owner:
                count = sizes.questions
                whole = in_turns(run_on(large, shelves[-1], at_large), run_on(little, small[-1], at_small), count)
                words = in_turns(
                    words_as_app(large, shelves[-1], at_large), words_as_owner(owner, shelves[-1], at_large), count
                )
    ratios = [
        ratio(f"a search in a scope of {sizes.scope}: store of {sizes.passages} / of {sizes.small}", *whole),
        ratio("by words: application role / owner", *words),
    ]
    return _told(sizes, moments, ratios)


def _small(sizes: Sizes) -> list[int]:
    return [sizes.scope] * max(sizes.small // sizes.scope, 1)


def sizes_of_shelves(sizes: Sizes) -> list[int]:
    """Return how many passages each scope of the large store holds, the largest first and the smallest last."""
    tenth = max(sizes.largest // 10, 1)
    rest = max(sizes.passages - sizes.largest, tenth + sizes.scope)
    tenths = max((rest - 10 * sizes.scope) // tenth, 1)
    ones = max((rest - tenths * tenth) // sizes.scope, 1)
    return [sizes.largest, *[tenth] * tenths, *[sizes.scope] * ones]


def _store(wanted: Sequence[int], tell: Tell) -> tuple[list[Shelf], Maker]:
    """Fill the database that every connection points at."""
    maker = Maker(known_models()[MODEL], now=timezone.now())
    owner: User = User.objects.create_user(username="bench-scale")
    shelves = []
    with graph_last():
        for number, size in enumerate(wanted):
            shelves.append(maker.shelf(f"scale {number}", owner, size))
            tell(f"{sum(wanted[: number + 1])} of {sum(wanted)} passages")
        tell("drawing the graph")
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT recount_passages()")
    return shelves, maker


def _moments(shelves: Sequence[Shelf], maker: Maker, sizes: Sizes, tell: Tell) -> Iterator[Moment]:
    asked = maker.vectors(sizes.questions)
    yield moment("before ANALYZE", shelves, asked, maker=maker, tell=tell)
    on_owner("ANALYZE")(None)
    yield moment("after ANALYZE", shelves, asked, maker=maker, tell=tell)
    database = str(connections["default"].settings_dict["NAME"])
    for name, step in PERTURBATIONS:
        with _link(database) as link:  # a cold backend each time, so that no setting outlives its turn
            step(link)
            yield moment(name, shelves, asked, maker=maker, tell=tell, link=link)
    left, delete = after_deletes(shelves)
    delete(None)
    yield moment("10 % deleted", left, asked, maker=maker, tell=tell)
    on_owner("VACUUM ANALYZE memories_embedding")(None)
    yield moment("10 % deleted, and VACUUM", left, asked, maker=maker, tell=tell)


def moment(
    after: str, shelves: Sequence[Shelf], asked: Numbers, *, maker: Maker, tell: Tell, link: Any = None
) -> Moment:
    """Return what is found right after something happened."""
    scopes = [recall_of(shelf, asked, maker, link=link) for shelf in shelves]
    tell(f"{after}: " + "; ".join(f"{s.size}: {s.recall:.3f} by {', '.join(s.paths)}" for s in scopes))
    return Moment(after=after, scopes=scopes)


@contextmanager
def _link(database: str, *, owner: bool = False) -> Iterator[psycopg.Connection[Any]]:
    told = settings.GREYWIND.owner_database() if owner else settings.GREYWIND.app_database()
    with psycopg.connect(make_conninfo(**(told or {}) | {"dbname": database}), autocommit=True) as link:
        yield link


def _told(sizes: Sizes, moments: Sequence[Moment], ratios: Sequence[Ratio]) -> Told:
    rows = [
        [moment.after, of.size, f"{of.recall:.4f}", of.rows, ", ".join(of.paths), f"{of.median_ms:.1f}"]
        for moment in moments
        for of in moment.scopes
    ]
    paths = {tuple(tuple(of.paths) for of in moment.scopes) for moment in moments}
    told = [
        [one.what, f"{one.ratio:.2f}", f"{one.low:.2f}-{one.high:.2f}", f"{one.ours_ms:.1f}", f"{one.other_ms:.1f}"]
        for one in ratios
    ]
    facts = {
        **asdict(sizes),
        "moments": [asdict(moment) for moment in moments],
        "one_path_each": len(paths) == 1,
        "ratios": [asdict(one) for one in ratios],
    }
    shown = Group(
        table("after", "scope", "recall@10", "least rows", "path", "ms", rows=rows),
        Text(f"\nthe path of each scope {'never changed' if len(paths) == 1 else 'CHANGED'}\n"),
        table("ratio of medians", "ratio", "95 %", "ms", "ms", rows=told),
    )
    return Told(facts=facts, shown=shown)
