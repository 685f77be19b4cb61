"""The bench beside a peer: what needs no mem0, and where it is installed, the whole at a size of seconds."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from governance.actors import Acting
from governance.vocabulary import ActorKind
from greywind_site.benching import peer_mem0, peer_runs
from greywind_site.benching.peer import told
from greywind_site.benching.peer_mem0 import MISSING, PACKAGE, Plugged, rows_of
from greywind_site.benching.peer_runs import Found, Match, Sizes, fill, found_by, in_turns, match
from greywind_site.benching.peer_site import answering_by
from greywind_site.benching.scale_runs import ratio
from greywind_site.benching.scale_store import Shelf
from greywind_site.operating.command import Refused
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.registry import known_models

BOTH = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
MODEL = known_models()[HashedTerms.name]
FEW = Sizes(passages=60, scope=30, questions=2)


class Silent:
    """A peer that keeps what it is given, and finds nothing."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.asked: list[tuple[str, str]] = []

    @contextmanager
    def filling(self) -> Iterator[None]:
        yield

    def copy(self, _link: None, rows: Any) -> None:
        self.rows += rows

    def search(self, text: str, user: str) -> None:
        self.asked.append((text, user))

    def nearest(self, _row: Any, _user: str, _most: int) -> list[uuid.UUID]:
        return []


@pytest.fixture
def shelf() -> Shelf:
    acting = Acting(project_id=uuid.uuid4(), actor_id=uuid.uuid4(), kind=ActorKind.HUMAN)
    ids = [uuid.UUID(int=number) for number in range(20)]
    return Shelf(acting=acting, ids=ids, vectors=np.eye(20, dtype=np.float16))


def _match(low: float) -> Match:
    found = Found(recall=1.0, rows=10)
    times = ratio("theirs / ours", [low * 10] * 9, [10.0] * 9)
    return Match(embedder="hashed-terms", peer="with", ratio=times, ours=found, theirs=found)


@BOTH
def test_both_sides_hold_the_same_and_are_asked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_runs, "WARM_UP", 1)
    peer: Any = Silent()
    with answering_by(MODEL):
        store = fill(MODEL, FEW, peer=peer, tell=lambda _text: None)
        done = match(store, peer, kind="silent", questions=FEW.questions)
    assert (len(peer.rows), len(peer.asked), len({text for text, _ in peer.asked})) == (60, 3, 3)
    assert [row[0] for row in peer.rows[:30]] == store.shelf.ids
    assert (done.ours, done.theirs) == (Found(recall=1, rows=10), Found(recall=0, rows=0))


def test_whatever_is_as_near_as_the_last_of_the_nearest_counts(shelf: Shelf) -> None:
    row = np.eye(20, dtype=np.float32)[:1]  # nineteen are equally far
    assert found_by(lambda _row: shelf.ids[:10], row, shelf) == Found(recall=1, rows=10)


def test_what_is_not_near_is_missed(shelf: Shelf) -> None:
    row = (np.arange(20, dtype=np.float32) / 100)[None, :]
    assert found_by(lambda _row: shelf.ids[6:16], row, shelf) == Found(recall=0.6, rows=10)


def test_who_is_asked_first_changes() -> None:
    called: list[str] = []
    ours, theirs = in_turns(lambda text: called.append(f"o{text}"), lambda text: called.append(f"t{text}"), "ab")
    assert (called, len(ours), len(theirs)) == (["ta", "oa", "ob", "tb"], 2, 2)


def test_a_row_is_what_they_would_have_stored(shelf: Shelf) -> None:
    pk, vector, payload = next(rows_of(shelf, ["one"] * 20, now=timezone.now()))
    assert (pk, vector[:5]) == (shelf.ids[0], "[1,0,")
    assert json.loads(payload)["user_id"] == str(shelf.acting.project_id)


def test_our_embedder_answers_as_one_of_theirs() -> None:
    made = Plugged(HashedTerms()).embed("eine Frage", "search")
    assert made == HashedTerms().embed_queries(["eine Frage"])[0].tolist()


def test_the_figures_say_how_many_times_longer_it_takes() -> None:
    [facts] = told(FEW, [_match(3.0)]).facts["matches"]
    assert (facts["times_longer"], facts["low"], facts["ours"]["p50_ms"]) == (3.0, 3.0, 10_000)


def test_the_model_is_named_for_the_block_alone() -> None:
    before = settings.GREYWIND
    with answering_by(MODEL):
        assert settings.GREYWIND.embeddings.models == [MODEL.name]
    assert settings.GREYWIND is before


def test_without_mem0_one_line_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_mem0, "find_spec", lambda _name: None)
    with pytest.raises(Refused, match=MISSING):
        call_command("bench_peer")


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason=MISSING)
@BOTH
def test_mem0_is_filled_asked_and_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_runs, "WARM_UP", 1)
    out = StringIO()
    call_command("bench_peer", "--passages=60", "--scope=30", "--questions=4", "--json", stdout=out, stderr=StringIO())
    found = json.loads(out.getvalue())["matches"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname LIKE 'gw_bench_peer%'")
        assert cursor.fetchone() is None
    assert [(one["ours"]["recall_at_10"], one["theirs"]["recall_at_10"]) for one in found] == [(1, 1), (1, 1)]
