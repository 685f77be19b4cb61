"""Projects to compile in, written past the verbs by COPY: memories with their vectors, and sessions of any length."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connections

from governance.actors import Acting
from governance.ids import new_id
from governance.rows import json_text
from governance.scope import project_scope
from greywind_site.benching.compile_texts import TITLE, entry, memory
from greywind_site.benching.scale_store import Maker, bring_in
from greywind_site.benching.world import ROLE, World, key_of, make_world
from greywind_site.operating.erasing import OWNER
from memories.embeddings.embedder import literal
from memories.embeddings.registry import Model, embedder_of, written_models
from memories.models import Embedding, Memory, Passage
from memories.passages import searched_by
from memories.vocabulary import KnowledgeStatus, MemoryStatus, MemoryType, Origin, SourceRank, SourceType
from sessions.context.seams import body_tokens
from sessions.context.tokens import exact_counter
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Event, Session, WorkSummary
from sessions.transcripts import NewEvent, append, event_ref
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.dag import TaskWish, create_task
from threads.lifecycle import ThreadWish, create_thread

SPOKEN = 2  # events that the verbs write: they give the thread its vision and its goal; COPY writes the rest
TASKS = (
    "Sort the importer's faults · 归类导入器的错误",
    "Count damaged rows · 统计损坏的行",
    "Write the report · 写报告",
)
BLOCK = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A thread that is worked on, the session in it, and how many events that holds."""

    thread: str
    session: uuid.UUID
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """One project: its agent and that agent's key, and the threads that it works on."""

    agent: Acting
    secret: str
    works: Sequence[Place]


def workplace(mark: str, *, events: Sequence[int], memories: int, now: datetime) -> Workplace:
    """Make a project with that many memories, and a thread for each of the lengths in `events`."""
    world = make_world(now=now, mark=mark)
    agent = world.first.agent
    _learn(world, memories, now=now)
    works = [_work(agent, count, now=now) for count in events]
    return Workplace(agent=agent, secret=key_of(world.first, now=now), works=works)


def _learn(world: World, count: int, *, now: datetime) -> None:
    """Write memories that are in use, as if they had passed their gates long ago, and their vectors."""
    acting = world.first.human
    rows = [_memory(acting, n, now=now - timedelta(minutes=count - n)) for n in range(count)]
    passages = [_passage_of_memory(row) for row in rows]
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ALTER TABLE memories_memory DISABLE TRIGGER state_machine")
        bring_in(cursor.cursor, Memory, map(stored, rows))
        cursor.execute("ALTER TABLE memories_memory ENABLE TRIGGER state_machine")
        bring_in(cursor.cursor, Passage, map(stored, passages))
        for model in written_models():
            vectors = embedder_of(model).embed_passages([row.content for row in rows])
            bring_in(cursor.cursor, Embedding, _vectors(model, passages, map(literal, vectors)))


def _memory(acting: Acting, n: int, *, now: datetime) -> Memory:
    text = memory(n)
    return Memory(
        project_id=acting.project_id,
        type=MemoryType.SEMANTIC,
        content=text,
        content_hash=f"bench-{n}",
        origin=Origin.USER_EXPLICIT,
        source_rank=SourceRank.USER_EXPLICIT,
        knowledge_status=KnowledgeStatus.CONFIRMED,
        status=MemoryStatus.ACTIVE,
        proposed_by_id=acting.actor_id,
        created_at=now,
        updated_at=now,
    )


def _passage_of_memory(row: Memory) -> Passage:
    return Passage(
        project_id=row.project_id,
        source_type=SourceType.FACT,
        ref=row.ref,
        memory_id=row.pk,
        text=row.content,
        origin=row.origin,
        knowledge_status=row.knowledge_status,
        as_of=row.created_at,
        created_at=row.created_at,
        **searched_by(row.content, speaker="", project_id=row.project_id),
    )


def _work(agent: Acting, count: int, *, now: datetime) -> Place:
    """Make a thread with a vision and tasks, and a session with that many events, each findable as it would be."""
    with project_scope(agent):
        thread = create_thread(agent, ThreadWish(title=f"{TITLE}, {count}"), now=now)
        session: Session = open_or_resume(agent, thread, OpenWish(role=ROLE), now=now).session
        for title in TASKS:
            create_task(agent, thread, TaskWish(title=title, next_steps=["look", "mend", "test"]), now=now)
        append(agent, session.pk, [_spoken(n) for n in range(min(SPOKEN, count))], now=now)
    with connections[OWNER].cursor() as cursor:
        for start in range(SPOKEN, count, BLOCK):
            rows = [_event(agent, session, n, now=now) for n in range(start, min(start + BLOCK, count))]
            bring_in(cursor.cursor, Event, map(stored, rows))
            _make_findable(cursor.cursor, session, rows, now=now)
    _summarise(agent, session, count)
    return Place(thread=thread.public_id, session=session.pk, events=count)


def _summarise(agent: Acting, session: Session, count: int) -> None:
    """Cover the session by a summary, as the worker would have: else each packet of it asked for one."""
    sections = {"done": [f"{title}: looked at, mended and tested." for title in TASKS]}
    with project_scope(agent):
        WorkSummary.objects.create(
            project_id=agent.project_id,
            session=session,
            version=1,
            from_seq=1,
            to_seq=count,
            trigger="benchmark",
            author_id=agent.actor_id,
            sections=sections,
            tokens_o200k=exact_counter("o200k_base").count(json_text(sections)),
        )


def _spoken(n: int) -> NewEvent:
    told = entry(n * 4)
    return NewEvent(
        client_id=f"e{n}",
        role=EventRole.USER,
        kind=EventKind.MESSAGE,
        text=told["text"],
        attested_by=AttestedBy.HARNESS,
    )


def _event(agent: Acting, session: Session, n: int, *, now: datetime) -> Event:
    told = {"kind": EventKind.MESSAGE, **entry(n)}
    return Event(
        project_id=agent.project_id,
        session_id=session.pk,
        seq=n + 1,
        client_id=f"e{n}",
        actor_id=agent.actor_id,
        attested_by=AttestedBy.HARNESS,
        tokens_o200k=body_tokens(told["text"], exact_counter("o200k_base")),
        tokens_cl100k=body_tokens(told["text"], exact_counter("cl100k_base")),
        content_hash=f"bench-{n}",
        created_at=now,
        **told,
    )


def _make_findable(cursor: Any, session: Session, rows: Sequence[Event], *, now: datetime) -> None:
    said = [row for row in rows if row.kind == EventKind.MESSAGE]
    passages = [_passage_of_event(session, row) for row in said]
    bring_in(cursor, Passage, map(stored, passages))
    for model in written_models():
        vectors = Maker(model, now=now, seed=rows[0].seq).vectors(len(passages))
        bring_in(cursor, Embedding, _vectors(model, passages, map(literal, vectors)))


def _passage_of_event(session: Session, row: Event) -> Passage:
    return Passage(
        project_id=row.project_id,
        source_type=SourceType.EVENT,
        ref=event_ref(session, row.seq),
        thread_id=session.thread_id,
        speaker=row.role,
        text=row.text,
        origin=Origin.USER_EXPLICIT if row.role == EventRole.USER else Origin.AGENT_INFERRED,
        knowledge_status=KnowledgeStatus.INFERRED,
        as_of=row.created_at,
        created_at=row.created_at,
        **searched_by(row.text, speaker=row.role, project_id=row.project_id),
    )


def _vectors(model: Model, passages: Sequence[Passage], vectors: Iterator[str]) -> Iterator[dict[str, Any]]:
    for passage, vector in zip(passages, vectors, strict=True):
        row = Embedding(
            id=new_id(),
            project_id=passage.project_id,
            passage_id=passage.pk,
            thread_id=passage.thread_id,
            source_type=passage.source_type,
            said_at=passage.created_at,
            model=model.name,
            version=model.version,
            dims=model.dims,
            state="ready",
            due_at=passage.created_at,
            ready_at=passage.created_at,
            created_at=passage.created_at,
        )
        yield stored(row) | {"vector": vector}


def stored(row: Any) -> dict[str, Any]:
    """Return a new row as COPY takes it: its columns, JSON as text."""
    told = {field.column: getattr(row, field.attname) for field in row._meta.concrete_fields}  # noqa: SLF001 - documented
    return {name: json_text(value) if isinstance(value, dict) else value for name, value in told.items()}
