"""What an operator sees of vectors, and does about them."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from governance.scope import project_scope
from greywind_site.checks import check_models, check_vectors
from greywind_site.operating import examining, vectors
from greywind_site.operating.examining import Ill
from greywind_site.operating.facts import vectors as told_vectors
from memories.embeddings import registry
from memories.embeddings.embedder import Unreachable
from memories.models import Embedding
from tests.cast import Cast, make_cast
from tests.memories.embedding import HASHED, embedding_settings, states, write


@pytest.fixture
def cast(db: None) -> Cast:
    made = make_cast()
    write(made.dev, "the tide gauge", "潮位计")
    return made


def embed(*options: str) -> dict[str, Any]:
    told = StringIO()
    call_command("embed", *options, "--json", stdout=told, stderr=StringIO())
    read: dict[str, Any] = json.loads(told.getvalue())
    return read


def test_the_command_makes_what_waits_and_says_how_many(cast: Cast) -> None:
    told = embed("--wait")
    assert (told["ready"], told["models"][HASHED]["ready"], states(cast.dev)) == (2, 2, ["ready", "ready"])


def test_the_command_stops_at_its_limit(cast: Cast) -> None:
    assert embed("--limit", "1")["ready"] == 1
    assert states(cast.dev) == ["pending", "ready"]


def test_a_model_that_is_not_written_is_refused_by_name(cast: Cast) -> None:
    with pytest.raises(CommandError, match="--model: other is not written here; there are: hashed-terms"):
        embed("--model", "other")


def test_the_status_says_how_many_wait(cast: Cast) -> None:
    facts = told_vectors()
    assert facts is not None
    assert facts[HASHED] == {"pending": 2, "ready": 0, "failed": 0, "older": 0, "errors": {}}


def test_the_doctor_finds_a_model_well(cast: Cast) -> None:
    embed()
    assert examining.vectors() == "hashed-terms: 2 ready, 0 wait, 0 given up"


def test_the_doctor_names_a_model_that_makes_no_vector(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_model: object) -> None:
        raise Unreachable("far at example.org answered 503")

    monkeypatch.setattr(vectors, "embedder_of", away)
    with pytest.raises(Ill, match="answered 503"):
        examining.vectors()


def test_stored_vectors_of_another_length_than_set_are_an_error(cast: Cast) -> None:
    embed()
    with project_scope(cast.dev.acting):
        Embedding.objects.update(state="pending", vector=None, dims=7)
    [error] = check_vectors(databases=["default"])
    assert (error.id, "256 numbers" in error.msg, "of 7" in error.msg) == ("greywind.E003", True, True)
    with pytest.raises(Ill, match="of 7"):
        examining.vectors()


def test_a_model_that_this_machine_cannot_use_is_told_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "is_installed", lambda _package: False)
    with embedding_settings(models=["multilingual-e5-small"]):
        assert [warning.id for warning in check_models()] == ["greywind.W001"]
    assert check_models() == []


def test_many_vectors_without_a_graph_are_told(cast: Cast) -> None:
    embed()
    with embedding_settings(exact_up_to=1), pytest.raises(Ill, match="no graph"):
        examining.vectors()


def test_a_model_in_use_is_not_forgotten(cast: Cast) -> None:
    with pytest.raises(CommandError, match="is in use"):
        embed("--forget", HASHED)
