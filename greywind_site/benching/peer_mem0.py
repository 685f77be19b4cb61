"""The peer that `bench_peer` measures against: mem0, as its documentation sets it up on PostgreSQL with pgvector.

What is chosen here, the rest being its defaults: the address of the database, the length of the vectors, and who
makes them. Its telemetry is off and no language model is asked, so that nothing leaves the machine. Its optional
spaCy is not installed: it then takes words as they are, and looks for no entities.
"""

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psycopg
from psycopg import sql

from greywind_site.benching.scale_store import Numbers, Shelf
from greywind_site.operating.command import FAILED, Refused
from memories.embeddings.embedder import Embedder, literal

PACKAGE = "mem0"
MISSING = "mem0 is not installed; run: uv run --extra bench manage.py bench_peer"
MOST = 5
FIRST = 60  # what Memory.search takes from its vectors where five are wanted
NO_KEY = "none"  # of the language model, which is never asked
MEMORY = "SET maintenance_work_mem = '1GB'"
GRAPH = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s AND indexdef LIKE '%%hnsw%%'"
type Row = tuple[uuid.UUID, str, str]


class Plugged:
    """An embedder of ours in the place of one of theirs."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of one text; theirs tells questions from memories by `memory_action`."""
        return self.embed_batch([text], memory_action or "search")[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """The same of several."""
        make = self.embedder.embed_queries if memory_action == "search" else self.embedder.embed_passages
        rows: list[list[float]] = make(texts).tolist()
        return rows


class Peer:
    """Their memory on a database, with its table."""

    def __init__(self, memory: Any, conninfo: str) -> None:
        self.memory, self.conninfo = memory, conninfo
        self.table = str(memory.collection_name)

    def search(self, text: str, user: str) -> list[Mapping[str, Any]]:
        """Return what their search answers to a user."""
        found: list[Mapping[str, Any]] = self.memory.search(text, filters={"user_id": user}, top_k=MOST)["results"]
        return found

    def nearest(self, row: Numbers, user: str, most: int) -> list[uuid.UUID]:
        """Return the nearest of what their search takes from its vectors."""
        filters = {"user_id": user}
        found = self.memory.vector_store.search(query="", vectors=row.tolist(), top_k=FIRST, filters=filters)
        return [uuid.UUID(one.id) for one in found[:most]]

    @contextmanager
    def filling(self) -> Iterator["psycopg.Connection[Any]"]:
        """Have their table made by themselves and give a connection to fill it; the graph is drawn at the end."""
        self.memory.vector_store.create_col()
        with psycopg.connect(self.conninfo, autocommit=True) as link:
            graph = self._without_graph(link)
            yield link
            for statement in (MEMORY, graph):
                link.execute(statement.encode())
            link.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(self.table)))

    def drop_graph(self) -> None:
        """Leave their table as it is made where `hnsw` is switched off."""
        with psycopg.connect(self.conninfo, autocommit=True) as link:
            self._without_graph(link)

    def _without_graph(self, link: "psycopg.Connection[Any]") -> str:
        name, definition = link.execute(GRAPH, [self.table]).fetchone() or ("", "")
        link.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        return str(definition)

    def copy(self, link: "psycopg.Connection[Any]", rows: Iterable[Row]) -> None:
        """Write rows into their table."""
        into = sql.SQL("COPY {} (id, vector, payload) FROM STDIN").format(sql.Identifier(self.table))
        with link.cursor() as cursor, cursor.copy(into) as copy:
            for row in rows:
                copy.write_row(row)


def rows_of(shelf: Shelf, texts: Iterable[str], *, now: datetime) -> Iterator[Row]:
    """Return a project's passages as they would have stored them, had a user of that name told them."""
    user = str(shelf.acting.project_id)
    for pk, text, row in zip(shelf.ids, texts, shelf.vectors.astype(np.float32), strict=True):
        yield pk, literal(row), json.dumps(_payload(text, user, now.isoformat()))


def _payload(text: str, user: str, at: str) -> dict[str, str]:
    told = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return {
        "user_id": user,
        "data": text,
        "hash": told,
        "created_at": at,
        "updated_at": at,
        "text_lemmatized": text,
    }


def check_installed() -> None:
    """Raise Refused, with what to run, where mem0 is not in this environment."""
    if find_spec(PACKAGE) is None:
        raise Refused(MISSING, returncode=FAILED)


@contextmanager
def silent() -> Iterator[None]:
    """Within the block mem0 may be imported: it tells nobody, and keeps its files in a folder that goes."""
    with TemporaryDirectory() as folder:
        told = {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}
        before = {name: os.environ.get(name) for name in told}
        os.environ.update(told)
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                os.environ |= {name: value} if value is not None else {}


@contextmanager
def peer_on(conninfo: str, embedder: Embedder) -> Iterator[Peer]:
    """Give their memory on a database; every connection of it is closed at the end."""
    store = {"connection_string": conninfo, "embedding_model_dims": embedder.dims}
    unasked = {"provider": "openai", "config": {"api_key": NO_KEY}}
    told = {"vector_store": {"provider": "pgvector", "config": store}, "llm": unasked, "embedder": unasked}
    memory = import_module(PACKAGE).Memory.from_config(told | {"history_db_path": ":memory:"})
    memory.embedding_model = Plugged(embedder)
    try:
        yield Peer(memory, conninfo)
    finally:
        memory.vector_store.connection_pool.close()
        memory.close()
