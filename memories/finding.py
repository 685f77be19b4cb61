"""Finding: what the legs of a search bring together, in one statement, each passage with every leg's score."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from governance.rows import array_text, fetch, text_array
from governance.scope import project_here
from memories.at_hand import FIRST, VERSION, Passage, passages_of, version_in
from memories.embeddings.nearest import Leg, Place, dense_legs
from memories.embeddings.queries import AskedVectors
from memories.lexical import K1, B, asked_terms, bm25, keys_asked, rarities
from memories.ranking.candidate import Candidate, ScopeStats
from memories.vocabulary import SourceType

POOL = 64  # passages of each leg: hits are few, and each row brings its terms along
PRAISE, BLAME, MOST_USE = 0.2, 0.4, 1.0  # what a reader's word counts, and how much all of them at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where to look from, inside what may be read: the thread in hand, and the time.

    A memory that holds on another thread than the one in hand is not found; what was said there may be.
    `shared` leaves out what is private, and `roles` what belongs to a role that is not among them (None: any role
    that may be read): a search in a window that others read along must not count what they may not read.
    `only_thread`, `sources` and `since` (inclusive) to `until` (exclusive) narrow it; `skip_refs` are known anyway.
    `silent` are sessions whose agents' own words are not brought along; what a user said there may be found.
    Without `other_tasks`, memories that hold on another task than `of_task` are left out.
    """

    thread_id: uuid.UUID | None
    now: datetime
    skip_refs: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    shared: bool = False
    roles: tuple[str, ...] | None = None
    only_thread: uuid.UUID | None = None
    sources: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    of_task: uuid.UUID | None = None
    other_tasks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is looked for: its terms, the telling ones first, and its vectors, where a model was there to make them."""

    terms: Sequence[str]
    vectors: AskedVectors = field(default_factory=AskedVectors)

    @property
    def models(self) -> list[str]:
        return [model.name for model in self.vectors.vectors]


class Located(NamedTuple):
    """A candidate, which memory it copies if it does, who may read it, and the legs that found it by themselves."""

    candidate: Candidate
    memory_id: uuid.UUID | None
    audience: str
    audience_role: str | None
    owner_id: uuid.UUID | None
    legs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What was found, in no order, the scope's own figures, and how much each term of the question tells there."""

    located: Sequence[Located]
    stats: ScopeStats
    weights: Mapping[str, float]

    def bm25(self, one: Candidate) -> float:
        """Return the score of the lexical leg, which it would have had too if another leg had found it alone."""
        return bm25(one, self.weights, mean_length=self.stats.mean_length)


def question_of(requests: Sequence[str], vectors: AskedVectors | None = None) -> Question:
    """Return what is looked for when these are asked, together with the vectors that were made of them."""
    terms = dict.fromkeys(term for request in requests for term in asked_terms(request))
    return Question(terms=tuple(terms), vectors=vectors or AskedVectors())


LEXICAL = (
    "find_passages(%(keys)s::bigint[], %(terms)s::text[], %(most)s::integer, %(k1)s::float8, %(b)s::float8,"
    " %(near)s::uuid, %(only_in)s::uuid, %(kinds)s::text[], %(since)s::timestamptz, %(until)s::timestamptz,"
    " %(shared)s::boolean, %(held_roles)s::text[], %(known_refs)s::text[])"
)
# The scope stands in the transaction; without one nothing is found. What is asked for by other than the legs' own
# conditions is asked of every row: a dense leg knows nothing of what is known anyway.
STATEMENT = """
WITH lexical AS MATERIALIZED (SELECT * FROM {lexical}){dense}
SELECT {version}, {use} AS use_score, w.found IS NOT NULL AS by_words, {figures}{scores}
FROM memories_passage p LEFT JOIN lexical w ON w.found = p.id{beside}
WHERE p.id = ANY (ARRAY(SELECT l.found FROM lexical l{union})) AND p.live
  AND NOT p.ref = ANY (%(known_refs)s::text[])
  AND NOT (p.speaker IN ('assistant', 'tool') AND split_part(p.ref, '/', 3) = ANY (%(silent)s::text[]))
  AND (%(other_tasks)s OR p.memory_id IS NULL OR NOT EXISTS (
    SELECT FROM memories_memory m WHERE m.project_id = p.project_id AND m.id = p.memory_id
    AND m.scope_type = 'task' AND m.scope_id IS DISTINCT FROM %(of_task)s::uuid))
"""
USE = """(
  SELECT coalesce(sum(CASE f.kind WHEN 'useful' THEN %(praise)s::float8 ELSE -%(blame)s::float8 END), 0)
  FROM memories_feedback f WHERE f.memory_id = p.memory_id AND f.project_id = p.project_id)"""
# The scope's own figures are the same for all rows: they stand in the first.
FIGURE = "CASE WHEN row_number() OVER () = 1 THEN (SELECT l.{figure} FROM lexical l LIMIT 1) END"
FIGURES = ("passages", "mean_length", "spread")
LENGTH = Candidate._fields.index("length")
FIRST_FIGURE = FIRST + 2  # behind what readers said of it, and whether words found it
FIRST_SCORE = FIRST_FIGURE + len(FIGURES)
OF_MEMORIES = [SourceType.FACT, SourceType.DECISION, SourceType.LESSON, SourceType.SOP]
SHARING = """
SELECT p.memory_id
FROM find_passages(%s::bigint[], %s::text[], %s::integer, %s::float8, %s::float8, NULL, NULL, %s::text[], NULL, NULL,
                   false, NULL, '{}') AS f
JOIN memories_passage p ON p.id = f.found WHERE p.memory_id IS NOT NULL
"""
DENSE = ", dense_{n} AS MATERIALIZED (SELECT * FROM {call})"
ALSO = " UNION ALL SELECT d.passage_id FROM dense_{n} d"
BESIDE = " LEFT JOIN dense_{n} d{n} ON d{n}.passage_id = p.id"
# What a leg found itself it has compared already.
COMPARED = ", coalesce(d{n}.cosine, {cosine}), d{n}.passage_id IS NOT NULL"


def find(question: Question, scope: Scope, *, pool: int = POOL) -> Pool:
    """Return at most `pool` passages of each leg in the open scope, each with the scores of all legs.

    One statement, and one more for those whose words are new to the process.
    """
    legs, params = dense_legs(question.vectors, _place(scope, pool))
    params = {**params, **_lexical(question, scope, pool)}
    rows = fetch(_statement(legs), params, binary=True)
    versions, models = [version_in(row) for row in rows], [leg.model for leg in legs]
    passages = passages_of(versions)
    stats = _stats(rows, passages.values(), question)
    read = zip(rows, map(passages.get, versions), strict=True)
    located = [_located(row, passage, models) for row, passage in read if passage is not None]
    return Pool(located=located, stats=stats, weights=rarities(question.terms, stats.spread, passages=stats.passages))


def memories_sharing(text: str, *, most: int) -> list[uuid.UUID]:
    """Return the ids of the memories in use, at most `most`, whose words a text shares most, in the open scope."""
    asked = asked_terms(text)
    values = [keys_asked(project_here(), asked), list(asked), most, K1, B, OF_MEMORIES]
    return [row[0] for row in fetch(SHARING, values)] if asked else []


def _lexical(question: Question, scope: Scope, pool: int) -> dict[str, Any]:
    return {
        "keys": array_text(map(str, keys_asked(project_here(), question.terms))),
        "terms": text_array(question.terms),
        "most": pool,
        "k1": K1,
        "b": B,
        "near": scope.thread_id,
        "only_in": scope.only_thread,
        "kinds": None if scope.sources is None else list(scope.sources),
        "since": scope.since,
        "until": scope.until,
        "shared": scope.shared,
        "held_roles": None if scope.roles is None else list(scope.roles),
        "known_refs": text_array(sorted(scope.skip_refs)),
        "silent": text_array(sorted(scope.silent)),
        "of_task": scope.of_task,
        "other_tasks": scope.other_tasks,
        "praise": PRAISE,
        "blame": BLAME,
    }


def _place(scope: Scope, pool: int) -> Place:
    return Place(
        most=pool,
        near=scope.thread_id,
        only_in=scope.only_thread,
        kinds=scope.sources,
        since=scope.since,
        until=scope.until,
        shared=scope.shared,
        held_roles=scope.roles,
    )


def _statement(legs: Sequence[Leg]) -> str:
    """Put the statement together from literals; a model brings its number along, and its name as a parameter."""
    return STATEMENT.format(
        lexical=LEXICAL,
        version=VERSION,
        use=USE,
        figures=", ".join(FIGURE.format(figure=figure) for figure in FIGURES),
        dense="".join(DENSE.format(n=leg.number, call=leg.call) for leg in legs),
        beside="".join(BESIDE.format(n=leg.number) for leg in legs),
        union="".join(ALSO.format(n=leg.number) for leg in legs),
        scores="".join(COMPARED.format(n=leg.number, cosine=leg.cosine_of("p")) for leg in legs),
    )


def _stats(rows: Sequence[tuple[Any, ...]], passages: Collection[Passage], question: Question) -> ScopeStats:
    told, mean, spread = rows[0][FIRST_FIGURE:FIRST_SCORE] if rows else (None, None, None)
    if spread is None:  # nothing shares a word with the question: what was found has to stand for the scope
        mean = sum(one.begins[LENGTH] for one in passages) / max(len(passages), 1)
        return ScopeStats(passages=len(passages), mean_length=mean, spread=dict.fromkeys(question.terms, 0))
    held = {term: round(count) for term, count in zip(question.terms, spread, strict=True)}
    return ScopeStats(passages=round(told), mean_length=float(mean), spread=held)


def _located(row: tuple[Any, ...], passage: Passage, models: Sequence[str]) -> Located:
    (use, by_words), scores = row[FIRST:FIRST_FIGURE], row[FIRST_SCORE:]
    use_score = max(-MOST_USE, min(MOST_USE, use))
    cosines = dict(zip(models, scores[::2], strict=True))
    found_by = [model for model, found in zip(models, scores[1::2], strict=True) if found]
    candidate = Candidate._make((*passage.begins, use_score, cosines))
    legs = ("lexical", *found_by) if by_words else tuple(found_by)
    return Located._make((candidate, *passage[1:], legs))
