"""Rows of vectors that are held: taken for a while, filled, or given back. No model is asked here.

A row is held by moving its `due_at`: nobody else takes it until then, and what comes later than that, or after the
text has changed, is not stored.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

from governance.actors import Acting, system_of
from governance.scope import project_scope
from memories.embeddings.registry import Model, leaving_models, written_models
from memories.embeddings.wording import passage_text

GROUPS = 32  # audiences that one batch is gathered from
LEASE = timedelta(minutes=5)  # longer than the slowest batch; a worker that died holds its rows for so long
MOST_ATTEMPTS = 5  # on one text, after which it is given up and shown
BACKOFF = timedelta(seconds=20)  # times two for each attempt
DUE = "SELECT project_id, audience, audience_role, owner_id, acting FROM due_embeddings(%s, %s, %s)"
MISSING = "SELECT project_id, audience, audience_role, owner_id, acting FROM unembedded_passages(%s, %s, %s)"
CLAIM = """
WITH wanted AS MATERIALIZED (
    SELECT w.id FROM memories_embedding w
    WHERE w.state = 'pending' AND w.live AND w.due_at <= clock_timestamp() AND (w.attempts = 0) = %(fresh)s
      AND (w.model, w.version) IN (SELECT u.model, u.version FROM unnest(%(models)s::text[], %(versions)s::text[])
                                   AS u (model, version))
      AND w.audience = %(audience)s AND w.audience_role IS NOT DISTINCT FROM %(role)s
      AND w.owner_id IS NOT DISTINCT FROM %(owner)s::uuid
    ORDER BY w.due_at DESC LIMIT %(most)s FOR UPDATE SKIP LOCKED
), held AS (
  UPDATE memories_embedding e SET attempts = e.attempts + 1, due_at = clock_timestamp() + %(lease)s
  FROM wanted w WHERE e.id = w.id
  RETURNING e.id, e.project_id, e.passage_id, e.model, e.attempts, e.due_at)
SELECT h.id, h.passage_id, h.model, h.attempts, h.due_at, p.speaker, p.text
FROM held h JOIN memories_passage p ON p.project_id = h.project_id AND p.id = h.passage_id
"""
STORE = """
UPDATE memories_embedding e SET vector = n.vector::halfvec, state = 'ready', error = '', ready_at = clock_timestamp()
FROM unnest(%s::uuid[], %s::timestamptz[], %s::text[]) AS n (id, held_until, vector)
WHERE e.id = n.id AND e.due_at = n.held_until AND e.state = 'pending' RETURNING e.passage_id
"""
# What the new vector takes the place of: one of an older version, and those of models that are leaving.
REPLACED = """
DELETE FROM memories_embedding o WHERE o.passage_id = ANY (%(passages)s::uuid[]) AND (
  (o.model = %(model)s AND o.version <> %(version)s)
  OR (o.model = ANY (%(leaving)s::text[]) AND NOT EXISTS (
    SELECT FROM unnest(%(models)s::text[], %(versions)s::text[]) AS u (model, version)
    WHERE NOT EXISTS (
      SELECT FROM memories_embedding e WHERE e.project_id = o.project_id AND e.passage_id = o.passage_id
      AND e.model = u.model AND e.version = u.version AND e.state = 'ready'))))
"""
# `blamed` says whether the text itself counts as tried; what nobody can embed now is due again soon.
GIVE_BACK = """
UPDATE memories_embedding e SET error = %(error)s,
  attempts = e.attempts - CASE WHEN %(blamed)s THEN 0 ELSE 1 END,
  state = CASE WHEN %(blamed)s AND (%(hopeless)s OR e.attempts >= %(most)s) THEN 'failed' ELSE 'pending' END,
  due_at = clock_timestamp() + CASE WHEN %(blamed)s THEN %(backoff)s * power(2, e.attempts) ELSE interval '0' END
FROM unnest(%(ids)s::uuid[], %(held)s::timestamptz[]) AS n (id, held_until)
WHERE e.id = n.id AND e.due_at = n.held_until AND e.state = 'pending'
"""
type Tally = Counter[str]
log = structlog.get_logger("greywind.embeddings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One vector to be made, and until when it is ours."""

    id: uuid.UUID
    passage_id: uuid.UUID
    model: str
    attempts: int
    held_until: datetime
    text: str
    acting: Acting


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Who reads some passages, and in whose name they are worked on."""

    acting: Acting
    audience: str
    role: str | None
    owner: uuid.UUID | None


def claim(models: Sequence[Model], most: int, trace_id: str) -> list[Held]:
    """Take rows that nobody has tried yet, or else one that somebody has: it may have ended the process that did."""
    due = groups(DUE, [[model.name for model in models], [model.version for model in models], most], trace_id)
    return _taken(due[:GROUPS], models, most, fresh=True) or _taken(due, models, 1, fresh=False)


def _taken(due: Sequence[Group], models: Sequence[Model], most: int, *, fresh: bool) -> list[Held]:
    held: list[Held] = []
    for group in due:
        wanted: dict[str, Any] = {
            "models": [model.name for model in models],
            "versions": [model.version for model in models],
            "lease": LEASE,
            "fresh": fresh,
            "audience": group.audience,
            "role": group.role,
            "owner": group.owner,
            "most": most - len(held),
        }
        with project_scope(group.acting), connection.cursor() as cursor:
            cursor.execute(CLAIM, wanted)
            held += [_held(row, group.acting) for row in cursor.fetchall()]
        if len(held) >= most:
            break
    return held


def _held(row: tuple[Any, ...], acting: Acting) -> Held:
    pk, passage, model, attempts, until, speaker, text = row
    return Held(
        id=pk,
        passage_id=passage,
        model=model,
        attempts=attempts,
        held_until=until,
        text=passage_text(speaker=speaker, text=text),
        acting=acting,
    )


def groups(statement: str, values: Sequence[Any], trace_id: str) -> list[Group]:
    """Return whose rows a door names, newest first; it gives ids only, and no scope is needed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, list(values))
        return [
            Group(
                acting=system_of(project, actor, role=role, trace_id=trace_id),
                audience=audience,
                role=role,
                owner=owner,
            )
            for project, audience, role, owner, actor in cursor.fetchall()
        ]


def store(held: Sequence[Held], vectors: Sequence[str], model: Model) -> Tally:
    """Store vectors, and drop those that they take the place of; what is not ours any more is left alone."""
    done: Tally = Counter(tried=len(held))
    made = dict(zip([one.id for one in held], vectors, strict=True))
    for acting in dict.fromkeys(one.acting for one in held):
        mine = [one for one in held if one.acting == acting]
        try:
            with project_scope(acting), connection.cursor() as cursor:
                values: list[Any] = [
                    [one.id for one in mine],
                    [one.held_until for one in mine],
                    [made[one.id] for one in mine],
                ]
                cursor.execute(STORE, values)
                stored = [row[0] for row in cursor.fetchall()]
                _replace(cursor, stored, model)
        except DatabaseError as fault:  # the rows are due again when their time is up
            log.warning("vectors_not_stored", model=model.name, rows=len(mine), cause=type(fault).__name__)
            continue
        done += Counter(ready=len(stored), moved=len(mine) - len(stored))
    return done


def _replace(cursor: CursorWrapper, passages: Sequence[uuid.UUID], model: Model) -> None:
    written = written_models()
    values: dict[str, Any] = {
        "passages": list(passages),
        "model": model.name,
        "version": model.version,
        "leaving": [each.name for each in leaving_models()],
        "models": [each.name for each in written],
        "versions": [each.version for each in written],
    }
    cursor.execute(REPLACED, values)


def give_back(held: Sequence[Held], error: str, *, blamed: bool, hopeless: bool = False) -> Tally:
    """Give rows back: `blamed` says whether their texts count as tried, `hopeless` that trying again is no use."""
    for acting in dict.fromkeys(one.acting for one in held):
        mine = [one for one in held if one.acting == acting]
        values: dict[str, Any] = {
            "error": error,
            "blamed": blamed,
            "hopeless": hopeless,
            "most": MOST_ATTEMPTS,
            "backoff": BACKOFF,
            "ids": [one.id for one in mine],
            "held": [one.held_until for one in mine],
        }
        with project_scope(acting), connection.cursor() as cursor:
            cursor.execute(GIVE_BACK, values)
    if not blamed:
        return Counter(postponed=len(held))
    given_up = sum(hopeless or one.attempts >= MOST_ATTEMPTS for one in held)
    return Counter(tried=len(held), failed=given_up, again=len(held) - given_up)
