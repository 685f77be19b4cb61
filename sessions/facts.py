"""Rows to facts: one small function for each thing that a compile may look at."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from governance.ids import public_id
from governance.models import Revision
from governance.vocabulary import Audience, Phase, Risk, Sensitivity
from memories.retrieval import Hit
from sessions.context.material import (
    ConstraintFact,
    ContractFact,
    EventFact,
    HandoffFact,
    HitFact,
    OpenTask,
    Reach,
    SessionFact,
    SummaryFact,
    TaskFact,
    ThreadFact,
    VisionFact,
)
from sessions.models import Session
from sessions.reading import EventRow, Standing
from threads.models import Task, Thread
from threads.vocabulary import TaskState

type Row = Mapping[str, Any]


def contract_fact(revision: Revision) -> ContractFact:
    """Return a contract's revision as a fact."""
    return ContractFact(ref=f"revision://{revision.public_id}", revision=revision.number, body=revision.body)


def profile_fact(revision: Revision) -> ContractFact:
    """Return a self profile as a fact, for those whom its audience lets read it."""
    reach = Reach(
        audience=Audience(revision.audience),
        role=revision.audience_role,
        owner=public_id("act", revision.owner_id) if revision.owner_id else None,
    )
    return replace(contract_fact(revision), reach=reach)


def vision_fact(row: Row | None) -> VisionFact | None:
    """Return a version of the vision as a fact; one whose words were erased is none."""
    if row is None or not row["origin_goal"].strip():
        return None
    return VisionFact(
        ref=f"vision://{_id('thr', row['thread_id'])}@{row['version']}",
        version=row["version"],
        source=row["source"],
        origin_goal=row["origin_goal"],
        origin_ref=row["origin_ref"] or None,
        done_when=tuple(row["done_when"]),
        non_goals=tuple(row["non_goals"]),
        user_priorities=tuple(row["user_priorities"]),
        quality_bar=row["quality_bar"],
    )


def thread_fact(thread: Thread, tasks: Sequence[Task], task: Task | None) -> ThreadFact:
    """Return a thread as a fact; a small-talk thread too, since it still has a name and a type."""
    return ThreadFact(
        ref=f"thread://{thread.public_id}@{thread.version}",
        thread_id=thread.public_id,
        title=thread.title,
        type=thread.type,
        summary=thread.summary,
        tags=tuple(thread.tags),
        linked_task_ids=tuple(row.public_id for row in tasks),
        task=task_fact(task) if task else None,
        open_tasks=tuple(open_tasks(tasks)),
        private=thread.audience == Audience.PRIVATE,
    )


def open_tasks(tasks: Sequence[Task]) -> Iterator[OpenTask]:
    """Return those of a thread's tasks that are open, each with the open ones that it waits for."""
    still = {row.pk: row for row in tasks if row.state not in (TaskState.DONE, TaskState.CANCELLED)}
    for row in still.values():
        waits = tuple(public_id("tsk", other) for other in _after(row) if other in still)
        yield OpenTask(task_id=row.public_id, title=row.title, state=row.state, waits_for=waits)


def task_fact(task: Task) -> TaskFact:
    """Return a task as a fact."""
    return TaskFact(
        ref=f"task://{task.public_id}@{task.version}",
        task_id=task.public_id,
        title=task.title,
        state=task.state,
        phase=Phase(task.phase),
        risk=Risk(task.risk),
        depends_on=tuple(public_id("tsk", other) for other in _after(task)),
        next_steps=tuple(task.next_steps),
    )


def session_fact(session: Session, screen_context: Row | None) -> SessionFact:
    """Return a session as a fact; the request's screen stands before the last one that was stored."""
    return SessionFact(
        ref=f"session://{session.public_id}",
        session_id=session.public_id,
        state=session.state,
        resume_point=session.resume_point,
        interruptions=tuple(_interruption(entry) for entry in session.interruptions),
        screen_context=screen_context if screen_context is not None else session.screen_context,
    )


def summary_fact(row: Row | None) -> SummaryFact | None:
    """Return a version of the work summary as a fact; one that cannot be read is none.

    `refused` is the first version after it that the validators turned down, where there is one.
    """
    if row is None or not _is_readable(row["sections"]):
        return None
    refused = row.get("refused")
    return SummaryFact(
        ref=f"summary://{_id('sum', row['id'])}@{row['version']}",
        version=row["version"],
        covers=f"event://{_id('ses', row['session_id'])}/{row['from_seq']}-{row['to_seq']}",
        sections={name: tuple(items) for name, items in row["sections"].items()},
        stale_since=refused["created_at"] if refused else None,
        stale_because=tuple(sorted({one["fault"] for one in refused["problems"]})) if refused else (),
    )


def handoff_fact(row: Row | None) -> HandoffFact | None:
    """Return a handoff as a fact; one that does not say what it must is none."""
    if row is None or not (row["summary"].strip() and row["resume_suggestion"].strip()):
        return None
    return HandoffFact(
        ref=f"handoff://{_id('hnd', row['id'])}",
        from_session_id=_id("ses", row["from_session_id"]),
        to_session_id=_id("ses", row["to_session_id"]) if row["to_session_id"] else None,
        summary=row["summary"],
        unfinished_items=tuple(row["unfinished_items"]),
        risks=tuple(row["risks"]),
        resume_suggestion=row["resume_suggestion"],
        next_actor=row["next_actor"] or None,
    )


def constraint_fact(standing: Standing) -> ConstraintFact:
    """Return a standing demand as a fact."""
    return ConstraintFact(ref=standing.ref, text=standing.text)


def event_facts(session: Session, rows: Sequence[EventRow]) -> tuple[EventFact, ...]:
    """Return transcript entries as facts, each with the count that was stored with it."""
    place = f"event://{session.public_id}/"
    return tuple([_event_fact(place, row) for row in rows])


def hit_fact(hit: Hit) -> HitFact:
    """Return a found passage as a fact."""
    reach = Reach(
        audience=Audience(hit.audience),
        role=hit.audience_role,
        owner=public_id("act", hit.owner_id) if hit.owner_id else None,
        sensitivity=Sensitivity(hit.sensitivity),
    )
    return HitFact(
        ref=hit.ref,
        source_type=hit.source_type,
        source_id=hit.ref.partition("://")[2],
        relevance_reason=hit.reason,
        content=hit.text,
        score=hit.score,
        confidence=hit.confidence,
        knowledge_status=hit.knowledge_status,
        origin=hit.origin,
        as_of=hit.as_of.isoformat() if hit.as_of else None,
        reach=reach,
    )


def _is_readable(sections: Any) -> bool:
    return isinstance(sections, Mapping) and all(
        isinstance(lines, list) and all(isinstance(line, str) for line in lines) for lines in sections.values()
    )


def _after(task: Task) -> Sequence[uuid.UUID]:
    after: Sequence[uuid.UUID] = getattr(task, "after", ())
    return after


def _id(prefix: str, value: str) -> str:
    return public_id(prefix, uuid.UUID(value))


def _interruption(note: Row) -> str:
    return ": ".join(part for part in (note["kind"], note["reason"]) if part) + f" ({note['at']})"


def _event_fact(place: str, row: EventRow) -> EventFact:
    seq, role, kind, text, tool, failed, tokens, artifact, attested_by, occurred_at = row
    return EventFact(
        f"{place}{seq}",
        seq,
        role,
        kind,
        text,
        tokens,
        tool or None,
        failed,
        f"artifact://{public_id('art', artifact)}" if artifact else None,
        attested_by,
        occurred_at.isoformat() if occurred_at else None,
    )
