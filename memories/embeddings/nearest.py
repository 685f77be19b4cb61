"""The dense leg in SQL: for each model one call that is a table, to be joined into the one statement of a search."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from governance.rows import array_text
from memories.embeddings.queries import AskedVectors
from memories.embeddings.registry import Model

CALL = (
    "nearest_passages(%(model_{n})s, %(space_{n})s, %(dims_{n})s::integer, %(asked_{n})s::halfvec[],"
    " %(dense_most)s::integer, %(dense_near)s::uuid, %(dense_only_in)s::uuid, %(dense_kinds)s::text[],"
    " %(dense_since)s::timestamptz, %(dense_until)s::timestamptz, %(dense_shared)s::boolean,"
    " %(dense_held_roles)s::text[], %(dense_bounded)s::integer)"
)
# Of a passage that another leg found: the greatest cosine over all requests, null while it has no vector.
COSINE = (
    "(SELECT max(-(v.vector <#> q))::real FROM memories_embedding v, unnest(%(asked_{n})s::halfvec[]) AS q"
    " WHERE v.project_id = {passage}.project_id AND v.passage_id = {passage}.id AND v.model = %(model_{n})s"
    " AND v.state = 'ready' AND v.dims = %(dims_{n})s::integer AND starts_with(v.version, %(space_{n})s))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a dense leg looks, inside what may be read: as in the lexical one. `most` is how many each leg returns."""

    most: int
    near: uuid.UUID | None = None
    only_in: uuid.UUID | None = None
    kinds: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    shared: bool = False
    held_roles: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One model's part of a statement. `call` is a table of (passage_id, cosine, path, seen), best first; `path` says
    how it was searched and `seen` how many vectors were compared.
    """

    model: str
    call: str
    number: int

    def cosine_of(self, passage: str) -> str:
        """Return the expression that gives the cosine of a row of memories_passage by its alias."""
        return COSINE.format(n=self.number, passage=passage)


def dense_legs(asked: AskedVectors, place: Place) -> tuple[Sequence[Leg], Mapping[str, Any]]:
    """Return the legs of all models that have vectors of the question, and the parameters of their SQL, by name."""
    params: dict[str, Any] = {
        "dense_most": place.most,
        "dense_near": place.near,
        "dense_only_in": place.only_in,
        "dense_kinds": None if place.kinds is None else list(place.kinds),
        "dense_since": place.since,
        "dense_until": place.until,
        "dense_shared": place.shared,
        "dense_held_roles": None if place.held_roles is None else list(place.held_roles),
        "dense_bounded": settings.GREYWIND.embeddings.exact_up_to,
    }
    legs = []
    for number, (model, vectors) in enumerate(asked.vectors.items()):
        legs.append(Leg(model=model.name, call=CALL.format(n=number), number=number))
        params |= _of_model(number, model, vectors)
    return legs, params if legs else {}


def _of_model(number: int, model: Model, vectors: Sequence[str]) -> dict[str, Any]:
    return {
        f"model_{number}": model.name,
        f"space_{number}": model.comparable,
        f"dims_{number}": model.dims,
        f"asked_{number}": array_text([f'"{vector}"' for vector in vectors]),
    }
