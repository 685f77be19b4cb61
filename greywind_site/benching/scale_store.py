"""A store of generated passages and clustered vectors, as large as asked for, written past the verbs by COPY."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connections
from numpy.typing import NDArray
from psycopg import Cursor, sql

from governance.actors import Acting, acting_as
from governance.ids import new_id
from governance.models import User
from governance.projects import create_project
from greywind_site.operating.erasing import OWNER
from memories.embeddings.embedder import literal
from memories.embeddings.registry import Model
from memories.models import Embedding, Passage
from memories.passages import searched_by

MODEL = "use-multilingual-v3"
CLUSTERS = 200  # of all vectors: texts of one matter lie together, whoever wrote them
SPREAD = 0.7  # length of what sets a vector apart from its cluster's centre, which has length one
WORDS, WORDS_EACH = 4_000, 14
BLOCK = 5_000
type Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One project: its passages' ids, in order, and their vectors."""

    acting: Acting
    ids: Sequence[uuid.UUID]
    vectors: NDArray[np.float16]


class Maker:
    """Generates the same store for the same sizes."""

    def __init__(self, model: Model, *, now: datetime, seed: int = 7) -> None:
        self.model, self.now = model, now
        self.dice = np.random.default_rng(seed)
        self.centres = _unit(self.dice.standard_normal((CLUSTERS, model.dims), dtype=np.float32))
        self.words = [_word(number) for number in range(WORDS)]
        self.chances = 1 / np.arange(1, WORDS + 1)
        self.chances /= self.chances.sum()

    def vectors(self, count: int) -> Numbers:
        """Return vectors of length one, each beside one of the centres."""
        noise = _unit(self.dice.standard_normal((count, self.model.dims), dtype=np.float32)) * SPREAD
        return _unit(self.centres[self.dice.integers(CLUSTERS, size=count)] + noise)

    def text(self, words: int = WORDS_EACH) -> str:
        """Return words, common ones often and rare ones seldom, as in any language."""
        return " ".join(self.words[place] for place in self.dice.choice(WORDS, size=words, p=self.chances))

    def shelf(self, name: str, owner: User, size: int) -> Shelf:
        """Make a project and fill it."""
        _, founder = create_project(name, owner=owner, now=self.now)
        vectors = self.vectors(size).astype(np.float16)
        return self.fill(acting_as(founder), (self.text() for _ in range(size)), vectors)

    def fill(self, acting: Acting, texts: Iterable[str], vectors: NDArray[np.float16]) -> Shelf:
        """Write passages with these vectors, one a text, into the project of an actor."""
        ids, told = [new_id() for _ in vectors], iter(texts)
        with connections[OWNER].cursor() as cursor:
            raw: Cursor[Any] = cursor.cursor
            for start in range(0, len(ids), BLOCK):
                block, rows = ids[start : start + BLOCK], vectors[start:].astype(np.float32)
                bring_in(raw, Passage, self._passages(acting.project_id, block, told))
                bring_in(raw, Embedding, self._embeddings(acting.project_id, block, rows))
        return Shelf(acting=acting, ids=ids, vectors=vectors)

    def _passages(self, project: uuid.UUID, ids: Sequence[uuid.UUID], texts: Iterator[str]) -> Iterator[dict[str, Any]]:
        for pk, text in zip(ids, texts, strict=False):
            told = {"id": pk, "project_id": project, "ref": f"event://{pk}", "text": text, "speaker": ""}
            yield told | _PASSAGE | {"created_at": self.now} | searched_by(text, speaker="", project_id=project)

    def _embeddings(self, project: uuid.UUID, ids: Sequence[uuid.UUID], rows: Numbers) -> Iterator[dict[str, Any]]:
        model = {"model": self.model.name, "version": self.model.version, "dims": self.model.dims}
        when = dict.fromkeys(("created_at", "said_at", "due_at", "ready_at"), self.now)
        for pk, row in zip(ids, rows, strict=False):
            told = {"id": new_id(), "project_id": project, "passage_id": pk, "vector": literal(row)}
            yield told | model | when | _EMBEDDING


_PASSAGE = {
    "audience": "project",
    "source_type": "event",
    "origin": "user_explicit",
    "sensitivity": "work",
    "knowledge_status": "inferred",
    "live": True,
}
_EMBEDDING = {
    "audience": "project",
    "source_type": "event",
    "confined": False,
    "live": True,
    "state": "ready",
    "attempts": 0,
    "error": "",
}


@contextmanager
def graph_last() -> Iterator[None]:
    """Draw the model's graph when all vectors of the block are there: so it is drawn once, and many times faster."""
    found = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'memories_embedding' AND indexdef LIKE %s"
    with connections[OWNER].cursor() as cursor:
        cursor.execute(found, [f"%hnsw%{MODEL}%"])
        name, definition = cursor.fetchone()
        cursor.execute(f"DROP INDEX {name}")
        yield
        for step in ("SET maintenance_work_mem = '1GB'", definition, "RESET maintenance_work_mem"):
            cursor.execute(step)


def analysed() -> None:
    """Let the database know what it holds, as it would a while after so much was written."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ANALYZE")
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT recount_passages()")


def bring_in(cursor: Cursor[Any], model: Any, rows: Iterable[dict[str, Any]]) -> None:
    """Bring rows in: COPY refuses a table with row-level security, so they go by way of one without."""
    rows = iter(rows)
    first = next(rows)
    table, columns = sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, first))  # noqa: SLF001
    cursor.execute(sql.SQL("CREATE TEMP TABLE brought AS SELECT {} FROM {} WITH NO DATA").format(columns, table))
    with cursor.copy(sql.SQL("COPY brought ({}) FROM STDIN").format(columns)) as copy:
        for row in (first, *rows):
            copy.write_row(list(row.values()))
    cursor.execute(sql.SQL("INSERT INTO {} ({}) SELECT {} FROM brought").format(table, columns, columns))
    cursor.execute("DROP TABLE brought")


def _unit(rows: Numbers) -> Numbers:
    lengths: Numbers = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def _word(number: int) -> str:
    """Return a word of four or five letters that no stemmer shortens."""
    syllables = ["".join(pair) for pair in zip("bdfgklmnprtvz", "aouaouaouaoua", strict=True)]
    count = len(syllables)
    return syllables[number % count] + syllables[number // count % count] + syllables[number // count**2 % count] + "k"
