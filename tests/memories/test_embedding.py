"""Vectors of passages: waited for as they are written, made by whoever comes, gone with what they are of."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from governance.scope import project_scope
from governance.vocabulary import Audience
from memories.embeddings import registry, working
from memories.embeddings.embedder import Refused, Unreachable, Vectors
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.working import MOST_ATTEMPTS, ask_for_lacking, embed_due
from memories.models import Embedding, Passage
from tests.cast import Cast, Member, make_cast
from tests.memories.embedding import HASHED, Told, embedding_settings, model_of, nearest, stands_for, states, write

GAUGE, BERTH = "the tide gauge stands at pier four", "潮位计在四号码头"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def told(monkeypatch: pytest.MonkeyPatch, fault: Exception, *, on: str = "") -> Told:
    """Let every model fail as told."""
    embedder = Told(fault, on)
    monkeypatch.setattr(working, "embedder_of", stands_for(embedder))
    return embedder


def change(member: Member, **changed: Any) -> None:
    """Change every passage that the member may see."""
    with project_scope(member.acting):
        Passage.objects.update(**changed)


def due_again(member: Member) -> None:
    """Let the time pass until everything is due."""
    with project_scope(member.acting), connection.cursor() as cursor:
        cursor.execute("UPDATE memories_embedding SET due_at = now()")


def test_a_passage_waits_for_its_vector_and_gets_it(cast: Cast) -> None:
    write(cast.dev, GAUGE, BERTH)
    assert states(cast.dev) == ["pending", "pending"]
    assert embed_due()["ready"] == 2
    assert nearest(cast.dev, "where does the tide gauge stand?")[0] == (GAUGE, "scan")


def test_the_same_text_written_again_keeps_its_vector(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    write(cast.dev, GAUGE)
    assert states(cast.dev) == ["ready"]


def test_another_text_has_no_vector_until_it_is_made_anew(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    write(cast.dev, BERTH, ref=f"event://{GAUGE}")
    assert (states(cast.dev), nearest(cast.dev, GAUGE)) == (["pending"], [])
    embed_due()
    assert nearest(cast.dev, BERTH)[0][0] == BERTH


def test_what_is_dead_is_in_no_leg_in_the_same_transaction_and_comes_back_whole(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    with project_scope(cast.dev.acting):
        Passage.objects.update(live=False)
        assert nearest(cast.dev, GAUGE) == []
    change(cast.dev, live=True)
    assert len(nearest(cast.dev, GAUGE)) == 1


def test_what_is_dead_is_not_embedded(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    change(cast.dev, live=False)
    assert embed_due().total() == 0


def test_a_vector_goes_with_its_passage(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    with project_scope(cast.dev.acting):
        Passage.objects.all().delete()
        assert not Embedding.objects.exists()


def test_a_passage_that_is_made_private_takes_its_vector_along(cast: Cast) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    change(cast.dev, audience=Audience.PRIVATE, owner_id=cast.dev.actor.pk)
    assert (nearest(cast.tester, GAUGE), len(nearest(cast.dev, GAUGE))) == ([], 1)


def test_where_nobody_answers_the_rows_wait_as_before(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cast.dev, GAUGE, BERTH)
    embedder = told(monkeypatch, Unreachable("away"))
    assert embed_due() == {"postponed": 2}
    with project_scope(cast.dev.acting):
        assert set(Embedding.objects.values_list("state", "attempts", "error")) == {("pending", 0, "unreachable")}
    embedder.fault = None
    assert embed_due()["ready"] == 2


def test_one_text_that_is_refused_does_not_stop_the_others(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cast.dev, *(f"line {number}" for number in range(9)), "poison")
    told(monkeypatch, Refused("no"), on="poison")
    done = embed_due()
    assert (done["ready"], done["again"], done["failed"]) == (9, 1, 0)


def test_a_text_that_is_always_refused_is_given_up(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cast.dev, "poison")
    embedder = told(monkeypatch, ValueError("what a model says of a text is told to nobody"))
    for _ in range(MOST_ATTEMPTS + 2):
        embed_due()
        due_again(cast.dev)
    assert embedder.calls == MOST_ATTEMPTS
    with project_scope(cast.dev.acting):
        assert Embedding.objects.values_list("state", "error").get() == ("failed", "ValueError")


def test_a_text_whose_worker_never_comes_back_is_given_up(cast: Cast) -> None:
    write(cast.dev, "poison")
    with project_scope(cast.dev.acting):
        Embedding.objects.update(attempts=MOST_ATTEMPTS)
    assert embed_due()["failed"] == 1


def test_what_was_tried_before_is_tried_alone(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cast.dev, *(f"line {number}" for number in range(3)))
    with project_scope(cast.dev.acting):
        Embedding.objects.update(attempts=1)
    embedder = told(monkeypatch, Refused("never"), on="nothing")
    assert (embed_due()["ready"], embedder.calls) == (3, 3)


def test_a_blank_text_has_no_vector_and_says_so(cast: Cast) -> None:
    write(cast.dev, " \u2003 ")
    assert embed_due()["failed"] == 1


def test_a_vector_of_a_text_that_has_changed_meanwhile_is_not_stored(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(HashedTerms):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            if texts == [GAUGE]:
                change(cast.dev, text=BERTH)
            return super().embed_passages(texts)

    monkeypatch.setattr(working, "embedder_of", stands_for(Slow()))
    write(cast.dev, GAUGE)
    assert embed_due()["moved"] == 1
    assert nearest(cast.dev, BERTH)[0][0] == BERTH


def test_vectors_of_another_length_are_refused_aloud_and_nothing_is_stored(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Short(HashedTerms):
        dims = 8

    monkeypatch.setattr(working, "embedder_of", stands_for(Short()))
    write(cast.dev, GAUGE)
    assert embed_due() == {"postponed": 1}
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    with project_scope(cast.dev.acting):
        assert Embedding.objects.values_list("state", "error").get() == ("pending", "misfit")


@pytest.mark.parametrize("vector", ["[1,0]", "[0,0,0]", "[3,4,0]"])
def test_the_database_keeps_no_vector_of_another_length_or_without_direction(cast: Cast, vector: str) -> None:
    write(cast.dev, GAUGE)
    wrong = "UPDATE memories_embedding SET dims = 3, state = 'ready', vector = %s::halfvec"
    with (
        project_scope(cast.dev.acting),
        connection.cursor() as cursor,
        pytest.raises(IntegrityError),
        transaction.atomic(),
    ):
        cursor.execute(wrong, [vector])


def test_a_new_version_is_made_in_the_background_and_the_old_one_served_meanwhile(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    monkeypatch.setattr(registry, "RECIPE", 2)
    assert ask_for_lacking() == 1
    assert (states(cast.dev), len(nearest(cast.dev, GAUGE))) == (["pending", "ready"], 1)
    embed_due()
    assert (states(cast.dev), len(nearest(cast.dev, GAUGE))) == (["ready"], 1)


def test_a_model_that_is_leaving_is_served_until_the_new_one_has_the_passage(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(cast.dev, GAUGE)
    embed_due()
    monkeypatch.setitem(registry._OFFLINE, "newer", model_of("newer"))
    with embedding_settings(models=["newer"], leaving=[HASHED]):
        ask_for_lacking()
        with project_scope(cast.dev.acting):
            assert set(Embedding.objects.values_list("model", "state")) == {(HASHED, "ready"), ("newer", "pending")}
        embed_due()
        with project_scope(cast.dev.acting):
            assert set(Embedding.objects.values_list("model", "state")) == {("newer", "ready")}


def test_passages_of_before_get_their_vectors_too(cast: Cast) -> None:
    with embedding_settings(models=[]):
        write(cast.dev, GAUGE, BERTH)
    write(cast.dev, "now")
    assert (ask_for_lacking(), embed_due()["ready"], ask_for_lacking()) == (2, 3, 0)


def test_what_is_written_now_comes_before_what_is_old(cast: Cast) -> None:
    with embedding_settings(models=[]):
        write(cast.dev, GAUGE)
    change(cast.dev, created_at="2026-01-01T00:00Z")
    ask_for_lacking()
    write(cast.dev, "now")
    embed_due(most=1)
    with project_scope(cast.dev.acting):
        assert Embedding.objects.get(state="ready").passage.text == "now"


def test_private_passages_and_those_of_a_role_are_embedded_too(cast: Cast) -> None:
    write(cast.dev, GAUGE, reach={"audience": "private", "owner_id": cast.dev.actor.pk})
    write(cast.dev, BERTH, reach={"audience": "role", "audience_role": "dev"})
    assert embed_due()["ready"] == 2
