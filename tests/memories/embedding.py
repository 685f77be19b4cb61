"""Short ways to write passages, and embedders that do as they are told."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import override_settings

from governance.scope import project_scope
from memories.embeddings.embedder import Vectors
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.nearest import Place, dense_legs
from memories.embeddings.queries import query_vectors
from memories.embeddings.registry import Model
from memories.models import Embedding
from memories.passages import PassageWish, index
from memories.vocabulary import KnowledgeStatus, Origin, SourceType
from tests.cast import Member

HASHED = HashedTerms.name


def wish(member: Member, text: str, *, ref: str | None = None, **more: Any) -> PassageWish:
    """Return what is to be found again, in the member's project."""
    full: dict[str, Any] = {
        "source_type": SourceType.EVENT,
        "origin": Origin.USER_EXPLICIT,
        "knowledge_status": KnowledgeStatus.CONFIRMED,
    }
    return PassageWish(
        project_id=member.acting.project_id,
        ref=ref or f"event://{text if len(text) < 99 else hash(text)}",
        text=text,
        **(full | more),
    )


def write(member: Member, *texts: str, **more: Any) -> None:
    """Store passages, committed."""
    with project_scope(member.acting):
        index([wish(member, text, **more) for text in texts])


def states(member: Member) -> list[str]:
    """Return the states of all vectors that the member may see."""
    with project_scope(member.acting):
        return sorted(Embedding.objects.values_list("state", flat=True))


def nearest(member: Member, question: str, *, most: int = 10, **place: Any) -> list[tuple[str, str]]:
    """Return what the dense leg finds for a question, best first: text and path."""
    legs, params = dense_legs(query_vectors([question]), Place(most=most, **place))
    statement = f"SELECT p.text, d.path FROM {legs[0].call} d JOIN memories_passage p ON p.id = d.passage_id"
    with project_scope(member.acting), connection.cursor() as cursor:
        cursor.execute(statement + " ORDER BY d.cosine DESC", params)
        return [(row[0], row[1]) for row in cursor.fetchall()]


@contextmanager
def embedding_settings(**changed: Any) -> Iterator[None]:
    """Run with other settings of embeddings."""
    told = settings.GREYWIND
    other = told.embeddings.model_copy(update=changed)
    with override_settings(GREYWIND=told.model_copy(update={"embeddings": other})):
        yield


class Told(HashedTerms):
    """Fails as it is told: `fault` is raised for every text that `on` is part of."""

    def __init__(self, fault: Exception, on: str = "") -> None:
        self.fault: Exception | None = fault
        self.on, self.calls = on, 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.fault is not None and any(self.on in text for text in texts):
            raise self.fault
        return super().embed_passages(texts)


def stands_for(embedder: Any) -> Any:
    """Return what takes the place of `embedder_of`."""
    return lambda _model: embedder


def model_of(name: str = HASHED, *, space: str = "other", dims: int = 256) -> Model:
    """Return a model that is made of hashed terms, whatever it is called."""
    return Model(name=name, dims=dims, space=space, make=HashedTerms)
