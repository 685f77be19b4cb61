"""Many who write and many who embed, at once: nothing is lost, nothing is made twice."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from governance.scope import project_scope
from memories.embeddings import working
from memories.embeddings.embedder import Unreachable, Vectors
from memories.embeddings.hashed import HashedTerms
from memories.embeddings.working import embed_due
from memories.models import Embedding, Passage
from tests.cast import Cast, make_cast
from tests.memories.embedding import Told, nearest, stands_for, write

WRITERS, EACH = 8, 10


@pytest.fixture
def cast(transactional_db: None) -> Iterator[Cast]:
    return make_cast()


def written_at_once(cast: Cast) -> None:
    """Let eight write at once, while others try to embed."""

    def one(number: int) -> None:
        try:
            for place in range(EACH):
                write(cast.dev, f"writer{number} place{place}")
                if place % 5 == 0:
                    embed_due(seconds=0.01)
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(one, range(WRITERS)))


def test_eight_writers_and_nobody_who_embeds_lose_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    away = Told(Unreachable("away"))
    monkeypatch.setattr(working, "embedder_of", stands_for(away))
    written_at_once(cast)
    with project_scope(cast.dev.acting):
        assert (Passage.objects.count(), Embedding.objects.filter(state="pending").count()) == (WRITERS * EACH,) * 2
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM memories_passage WHERE terms && ARRAY['writer3']")
            assert cursor.fetchone()[0] == EACH
    away.fault = None
    assert embed_due()["ready"] == WRITERS * EACH
    assert nearest(cast.dev, "writer3 place7", most=1)[0][0] == "writer3 place7"


def test_many_who_embed_take_different_rows(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Listening(HashedTerms):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            seen.extend(texts)
            return super().embed_passages(texts)

    monkeypatch.setattr(working, "embedder_of", stands_for(Listening()))
    monkeypatch.setattr(working, "BATCH", 4)
    write(cast.dev, *(f"text{number}" for number in range(60)))

    def one(_: int) -> int:
        try:
            return embed_due()["ready"]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(one, range(4))) == 60
    assert len(seen) == len(set(seen)) == 60
