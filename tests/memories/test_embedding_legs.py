"""The dense leg: whom it shows what, where it looks, and that it finds as much as there is by every path."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from governance.scope import project_scope
from memories.embeddings import registry
from memories.embeddings.working import embed_due
from memories.models import Memory
from memories.vocabulary import SourceType
from tests.cast import Cast, make_cast
from tests.memories.embedding import embedding_settings, nearest, write
from tests.memories.learning import Desk

GRAPH = "use-multilingual-v3"  # whose graph comes with the database
SCANS = "SELECT pg_stat_get_xact_numscans('memories_embedding_graph_512'::regclass)"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def texts(found: list[tuple[str, str]]) -> set[str]:
    return {text for text, _ in found}


def test_another_project_sees_nothing(cast: Cast) -> None:
    other = make_cast("beta")
    write(cast.dev, "tide")
    write(other.dev, "gauge")
    embed_due()
    assert (texts(nearest(other.dev, "tide")), texts(nearest(cast.dev, "gauge"))) == ({"gauge"}, {"tide"})


def test_private_and_role_passages_are_found_by_their_readers_alone(cast: Cast) -> None:
    write(cast.dev, "private", reach={"audience": "private", "owner_id": cast.dev.actor.pk})
    write(cast.dev, "role", reach={"audience": "role", "audience_role": "dev"})
    write(cast.dev, "all")
    embed_due()
    assert texts(nearest(cast.dev, "all")) == {"private", "role", "all"}
    assert texts(nearest(cast.tester, "all")) == {"all"}


def test_a_search_that_others_read_along_leaves_out_what_they_may_not(cast: Cast) -> None:
    write(cast.dev, "private", reach={"audience": "private", "owner_id": cast.dev.actor.pk})
    write(cast.dev, "role", reach={"audience": "role", "audience_role": "dev"})
    embed_due()
    assert texts(nearest(cast.dev, "x", shared=True)) == {"role"}
    assert texts(nearest(cast.dev, "x", held_roles=["chief"])) == {"private"}


def test_it_looks_in_one_thread_and_for_one_kind_and_time_where_asked(cast: Cast) -> None:
    here, there = Desk(cast.dev).session.thread_id, Desk(cast.dev).session.thread_id
    write(cast.dev, "here", thread_id=here, as_of=datetime(2026, 3, 1, tzinfo=UTC))
    write(cast.dev, "there", thread_id=there, source_type=SourceType.SUMMARY)
    embed_due()
    may = datetime(2026, 5, 1, tzinfo=UTC)
    ways: list[dict[str, Any]] = [{"only_in": here}, {"kinds": ["event"]}, {"until": may}, {"since": may}]
    assert [texts(nearest(cast.dev, "x", **way)) for way in ways] == [{"here"}, {"here"}, {"here"}, {"there"}]


def test_a_memory_of_another_thread_does_not_hold_here(cast: Cast) -> None:
    desk = Desk(cast.dev)
    memory: Memory = desk.learn("the gauge is read at noon").memory
    write(cast.dev, "held", thread_id=desk.session.thread_id, memory_id=memory.pk)
    write(cast.dev, "said", thread_id=desk.session.thread_id)
    embed_due()
    assert "held" not in texts(nearest(cast.dev, "held", near=Desk(cast.dev).session.thread_id))
    assert "held" in texts(nearest(cast.dev, "held", near=desk.session.thread_id))


def graph_scans() -> int:
    with connection.cursor() as cursor:
        cursor.execute(SCANS)
        return int(cursor.fetchone()[0])


@pytest.fixture
def graph(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """A project of thirty passages, whose vectors stand in a graph."""
    monkeypatch.setitem(registry._OFFLINE, GRAPH, _wide())
    with embedding_settings(models=[GRAPH]):
        write(cast.dev, *(" ".join(f"pier{number}" for number in range(count + 1)) for count in range(30)))
        embed_due()
    with connection.cursor() as cursor:
        cursor.execute("SELECT recount_passages()")
    return cast


def _wide() -> registry.Model:
    class Wide(registry.HashedTerms):
        dims = 512

    return registry.Model(name=GRAPH, dims=512, space="wide", make=Wide)


def test_a_large_scope_is_searched_by_the_graph_and_finds_the_same(graph: Cast) -> None:
    with embedding_settings(models=[GRAPH]):
        whole = nearest(graph.dev, "pier0 pier1 pier2")
        with embedding_settings(models=[GRAPH], exact_up_to=20), project_scope(graph.dev.acting):
            before = graph_scans()
            by_graph = nearest(graph.dev, "pier0 pier1 pier2")
            assert graph_scans() == before + 1
    assert (texts(whole), {path for _, path in by_graph}) == (texts(by_graph), {"graph"})


def test_where_the_graph_finds_too_little_all_is_compared(graph: Cast) -> None:
    write(graph.dev, "elsewhere")
    with embedding_settings(models=[GRAPH], exact_up_to=20):
        found = nearest(graph.dev, "pier0 pier1 pier2", most=30, kinds=["event"])
        more = nearest(graph.dev, "pier0 pier1 pier2", most=31)
    assert (len(found), {path for _, path in found}) == (30, {"graph"})
    assert (len(more), {path for _, path in more}) == (30, {"graph, then scan"})


def test_a_search_by_graph_leaves_no_setting_of_the_planner_behind(graph: Cast) -> None:
    with embedding_settings(models=[GRAPH], exact_up_to=20), project_scope(graph.dev.acting):
        nearest(graph.dev, "pier0 pier1 pier2")
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('enable_sort'), current_setting('enable_seqscan')")
            assert cursor.fetchone() == ("on", "on")
