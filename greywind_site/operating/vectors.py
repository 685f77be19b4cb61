"""Vectors of passages as an operator sees them: how many there are and wait, whether their models are well."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from greywind_site.operating.command import FAILED, USAGE, Refused, Told, lines, new_trace
from greywind_site.operating.erasing import OWNER, has_owner
from memories.embeddings.embedder import EmbedderFault, check_shape
from memories.embeddings.registry import Model, embedder_of, known_models, served_models, written_models
from memories.embeddings.working import ask_for_lacking, embed_due
from memories.vocabulary import VectorState

ROUND_SECONDS = 5.0  # from one word of progress to the next
PAUSE_SECONDS = 2.0
NO_OWNER = "this changes the schema, or rows of every project, which needs the owner role; set DATABASE_OWNER_URL"
GRAPH = (
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON memories_embedding"
    " USING hnsw ((vector::halfvec({dims})) halfvec_ip_ops) WITH (m = 16, ef_construction = 128)"
    " WHERE model = {model} AND state = 'ready' AND live"
)
GRAPHS = "SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indrelid = 'memories_embedding'::regclass"
type Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """How many vectors there are of one model, version and state, in all projects, and when the first was due."""

    model: str
    version: str
    dims: int
    state: str
    error: str
    passages: int
    oldest: datetime


def stored_vectors() -> list[Stored]:
    """Return what is stored and waited for in all projects together: counts, and nothing of anybody's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT model, version, dims, state, error, passages, oldest FROM embedding_facts()")
        names = [column.name for column in cursor.description]
        return [Stored(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def vector_facts() -> dict[str, Any]:
    """Return by served model how many vectors are ready, waited for and given up, and of other versions or models."""
    stored = stored_vectors()
    facts: dict[str, Any] = {model.name: _facts_of(model, stored) for model in served_models()}
    others = sum(row.passages for row in stored if row.model not in facts)
    return facts | ({"of other models": others} if others else {})


def _facts_of(model: Model, stored: Sequence[Stored]) -> dict[str, Any]:
    mine = [row for row in stored if row.model == model.name]
    counts = Counter(dict.fromkeys(VectorState, 0))
    counts.update({state: sum(r.passages for r in mine if r.state == state and _is_now(r, model)) for state in counts})
    why = Counter({row.error: row.passages for row in mine if row.error and _is_now(row, model)})
    older = sum(row.passages for row in mine if not _is_now(row, model))
    return {**{str(state): counts[state] for state in VectorState}, "older": older, "errors": dict(why)}


def _is_now(row: Stored, model: Model) -> bool:
    return row.version == model.version


def in_words(facts: Mapping[str, Any]) -> str:
    """Return the facts in one line."""
    told = []
    for name, of in facts.items():
        if not isinstance(of, Mapping):
            told.append(f"{of} {name}")
            continue
        older = f", {of['older']} of an older version" if of["older"] else ""
        errors = "".join(f" ({word}: {count})" for word, count in of["errors"].items())
        told.append(f"{name}: {of['ready']} ready, {of['pending']} wait, {of['failed']} given up{older}{errors}")
    return "; ".join(told) or "no model is set"


def misfits(stored: Sequence[Stored]) -> list[str]:
    """Return one sentence for each length of stored vectors that is not the one of their model and version."""
    served = {(model.name, model.version): model.dims for model in served_models()}
    wrong = {
        (row.model, row.dims, served[row.model, row.version])
        for row in stored
        if served.get((row.model, row.version), row.dims) != row.dims
    }
    return [f"{name} is set to give {now} numbers, and vectors of {was} are stored" for name, was, now in sorted(wrong)]


def without_graph(stored: Sequence[Stored]) -> list[str]:
    """Return the served models that have many vectors and no graph to search them by."""
    many = Counter[str]()
    for row in stored:
        many[row.model] += row.passages
    most, drawn = settings.GREYWIND.embeddings.exact_up_to, _drawn()
    return [model.name for model in served_models() if many[model.name] > most and model.name not in drawn]


def ask_model(model: Model) -> None:
    """Let a model make one vector, as a search would; raises EmbedderFault."""
    rows = embedder_of(model).embed_queries(["潮位计 · tide gauge"])
    check_shape(rows, count=1, dims=model.dims, name=model.name)


def tell_embedding(*, only: str | None, limit: int | None, wait: bool, tell: Tell) -> Told:
    """Ask for every vector that is lacking and make what is due; with `wait` until nothing waits any more."""
    if only is not None and only not in {model.name for model in written_models()}:
        names = ", ".join(model.name for model in written_models()) or "none"
        raise Refused(f"--model: {only} is not written here; there are: {names}", returncode=USAGE)
    trace, asked = new_trace(), ask_for_lacking()
    tell(f"{asked} vectors asked for")
    done = _made(only, limit, trace, wait=wait, tell=tell)
    facts = vector_facts()
    lacking = sum(of["pending"] + of["failed"] for name, of in facts.items() if isinstance(of, Mapping))
    told = {"asked": asked, **{name: done[name] for name in ("ready", "failed", "again", "postponed")}, "models": facts}
    shown = lines({"made": done["ready"], "given up": done["failed"], "now": in_words(facts)})
    return Told(facts=told, shown=shown, ok=not done["postponed"] and (not wait or not lacking))


def _made(only: str | None, limit: int | None, trace: str, *, wait: bool, tell: Tell) -> Counter[str]:
    done: Counter[str] = Counter()
    while True:
        left = None if limit is None else limit - done["tried"]
        made = embed_due(seconds=ROUND_SECONDS, most=left, only=only, trace_id=trace)
        done += made
        pending = sum(row.passages for row in stored_vectors() if row.state == VectorState.PENDING)
        tell(f"{done['ready']} made, {pending} wait")
        if (limit is not None and done["tried"] >= limit) or not pending or made["postponed"]:
            return done
        if not made["tried"] and not wait:
            return done
        if not made["tried"]:
            time.sleep(PAUSE_SECONDS)  # others hold them, or they are tried again later


def draw_graphs(tell: Tell) -> Told:
    """Build the graph of every served model that has none, while reads and writes go on."""
    _need_owner()
    known = [model for model in served_models() if model.name not in _drawn()]
    for model in known:
        tell(f"drawing the graph of {model.name}")
        name = sql.Identifier(f"memories_embedding_graph_{blake2b(model.name.encode(), digest_size=6).hexdigest()}")
        statement = sql.SQL(GRAPH).format(name=name, dims=sql.Literal(model.dims), model=sql.Literal(model.name))
        with connections[OWNER].cursor() as cursor:
            cursor.execute(statement)
    names = [model.name for model in known]
    return Told(facts={"drawn": names}, shown=f"{', '.join(names) or 'nothing'} drawn")


def _drawn() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(GRAPHS)
        told = " ".join(row[0] or "" for row in cursor.fetchall())
    return {name for name in known_models() if f"'{name}'" in told}


def forget_model(name: str) -> Told:
    """Delete every vector of a model that is neither written nor searched by; raises Refused for one that is."""
    _need_owner()
    if name in {model.name for model in served_models()}:
        raise Refused(f"--forget: {name} is in use; take it out of GREYWIND_EMBEDDINGS first", returncode=USAGE)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("DELETE FROM memories_embedding WHERE model = %s", [name])
        gone = int(cursor.rowcount)
    return Told(facts={"model": name, "deleted": gone}, shown=f"{gone} vectors of {name} deleted")


def _need_owner() -> None:
    if not has_owner():
        raise Refused(NO_OWNER, returncode=FAILED)


def fault_of(model: Model) -> EmbedderFault | None:
    """Return what is wrong with a model, or None where it made a vector."""
    try:
        ask_model(model)
    except EmbedderFault as fault:
        return fault
    return None
