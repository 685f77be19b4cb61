"""All reads of one compile, in one snapshot: rows in, plain facts out."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.ids import public_id
from governance.models import Project, Revision
from governance.policies import PacketWish, PolicyRules, effective_risk, packet_window
from governance.vocabulary import Destination, Phase, Risk
from memories.embeddings.queries import AskedVectors
from memories.retrieval import Limits, Scope
from sessions.asking import Holding
from sessions.attempts import self_profile_of
from sessions.beginnings import words_from
from sessions.context.material import Eligibility, EventFact, InputFact, Material
from sessions.facts import (
    constraint_fact,
    contract_fact,
    event_facts,
    handoff_fact,
    profile_fact,
    session_fact,
    summary_fact,
    thread_fact,
    vision_fact,
)
from sessions.fallen import Fallen, fallen_in, material_without
from sessions.lifecycle import Opening
from sessions.models import Session
from sessions.profiles import CONSERVATIVE, Chosen, choose, looked_up
from sessions.project_state import Stand, facts_of, stands_for
from sessions.reading import Heads, heads_of, tail_of
from sessions.recalling import Goal, Recalled, RecallWish, goal_of, kept_in, matter_of, recall
from sessions.vocabulary import EventKind
from threads.models import Task, Thread
from threads.vocabulary import TaskState

REVISIONS = ("persona", "role", "policy", "self_profile")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileWish:
    """What the request says about the compile itself. `profile` None means the project's."""

    role: str
    phase: Phase | None
    risk: Risk | None
    user_input: InputFact
    matter: str | None  # what the input is about by itself
    screen_context: Mapping[str, Any] | None = None
    destination: Destination | None = None
    on_behalf_of: uuid.UUID | None = None
    skip_client_id: str | None = None
    profile: str | None = None
    vectors: AskedVectors | None = None  # of what is looked for: a transaction must not wait for a model


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The material of one compile, and the rows behind it that the record will name."""

    material: Material
    chosen: Chosen
    recalled: Recalled
    project: Project
    heads: Heads
    event_seqs: tuple[int, ...]
    task: Task | None
    role_limit: int | None
    fallen: Fallen = field(default_factory=Fallen)
    stands: Sequence[Stand] | None = None
    holding: Holding = field(default_factory=Holding)


def gather(acting: Acting, thread: Thread, opening: Opening, wish: CompileWish, *, now: datetime) -> Gathered:
    """Read all that a compile may look at, in the open scope: as many statements for much as for little.

    Raises VectorsWanted where those of what is looked for, which may be known here only, are not at hand.
    """
    session, attempt = opening.session, opening.attempt
    ids = {pk: kind for kind in REVISIONS if (pk := getattr(attempt, f"{kind}_revision_id"))}
    asked: dict[str, Any] = {"profile": wish.profile, "fallback": CONSERVATIVE, "since": attempt.started_at}
    heads = heads_of(session, revisions=list(ids), **asked)
    revisions = _revisions({ids[row.pk]: row for row in heads.revisions}, wish.on_behalf_of)
    chosen = _chosen(acting, wish.profile or heads.project.default_profile, heads, since=attempt.started_at)
    counts = chosen.profile.counts
    task = _task_in_hand(session, heads.tasks)
    events = event_facts(session, tail_of(session, most=counts.dialogue_items, without=wish.skip_client_id))
    phase = wish.phase or (Phase(task.phase) if task else Phase.EXECUTE)
    risk = effective_risk(wish.risk, Risk(task.risk) if task else None)
    policy = revisions.get("policy")
    eligibility = _eligibility(acting, thread, wish, policy, phase=phase, risk=risk)
    scope = _search_scope(thread, task, eligibility, events=events, heads=heads, now=now)
    asked_for = _recall_wish(wish, thread, heads.vision, goal=goal_of(phase, task, eligibility))
    recalled = recall(asked_for, kept_in(heads.last), scope=scope, limits=Limits(most=counts.memories_max * 2))
    summary, handoff = summary_fact(heads.summary), handoff_fact(heads.handoff)
    stands = stands_for(session, revisions["role"], eligibility)
    facts = facts_of(stands)
    said = [*(event.text for event in events), *(hit.content for hit in recalled.facts)]
    fallen = fallen_in(summary, handoff, *(fact.summary for fact in facts or ()), said=said)
    material = Material(
        persona=contract_fact(revisions["persona"]),
        role=contract_fact(revisions["role"]),
        policy=contract_fact(policy) if policy else None,
        self_profile=profile_fact(revisions["self_profile"]) if "self_profile" in revisions else None,
        vision=vision_fact(heads.vision),
        thread=thread_fact(thread, heads.tasks, task),
        session=session_fact(session, wish.screen_context),
        summary=summary,
        handoff=handoff,
        user_input=wish.user_input,
        eligibility=eligibility,
        constraints=tuple(constraint_fact(row) for row in heads.standing),
        retired=tuple(heads.retired),
        events=events,
        hits=tuple(recalled.facts),
        project_state=facts,
        phase=phase,
        risk=risk,
        trace_id=acting.trace_id,
        now=now.isoformat(),
    )
    return Gathered(
        material=material_without(material, fallen),
        chosen=chosen,
        recalled=recalled,
        project=heads.project,
        heads=heads,
        event_seqs=tuple(row.seq for row in events),
        task=task,
        role_limit=revisions["role"].body.get("max_input_tokens"),
        fallen=fallen,
        stands=stands,
    )


def _chosen(acting: Acting, named: str, heads: Heads, *, since: datetime) -> Chosen:
    return looked_up(choose(named, heads.profiles), named, project_id=acting.project_id, since=since)


def _revisions(found: dict[str, Revision], behalf: uuid.UUID | None) -> dict[str, Revision]:
    pinned = found.get("self_profile")
    if behalf is not None and (pinned is None or pinned.contract.subject_id != behalf):
        # The attempt was started for somebody else, whose profile is nobody else's.
        found.pop("self_profile", None)
        own = self_profile_of(behalf)
        found |= {"self_profile": own} if own else {}
    return found


def _task_in_hand(session: Session, tasks: Sequence[Task]) -> Task | None:
    """Return the session's task, or where it has none, the only one that is being done on the thread."""
    if session.task_id is not None:
        return next((row for row in tasks if row.pk == session.task_id), None)
    doing = [row for row in tasks if row.state == TaskState.DOING]
    return doing[0] if len(doing) == 1 else None


def _recall_wish(wish: CompileWish, thread: Thread, vision: Mapping[str, Any] | None, *, goal: Goal) -> RecallWish:
    return RecallWish(matter=wish.matter, otherwise=matter_of(thread, vision), goal=goal, vectors=wish.vectors)


def _search_scope(
    thread: Thread,
    task: Task | None,
    eligibility: Eligibility,
    *,
    events: Sequence[EventFact],
    heads: Heads,
    now: datetime,
) -> Scope:
    # What not everyone there may read is not even counted: the packet's own readers see its figures.
    return Scope(
        thread_id=thread.pk,
        now=now,
        skip_refs=_shown(events, heads),
        shared=eligibility.private_owner is None,
        roles=eligibility.roles,
        of_task=task.pk if task else None,
        other_tasks=False,
        silent=frozenset(heads.windows),  # what their agents say comes by handoffs alone
    )


def _shown(events: Sequence[EventFact], heads: Heads) -> frozenset[str]:
    """Return the refs that stand in the packet anyway and need no finding: the dialogue, and the vision's origin.

    What the last packet's dialogue had given up can be found again. Of the dialogue only messages have a passage.
    """
    first = words_from(heads.last)
    dialogue = {event.ref for event in events if event.seq >= first and event.kind == EventKind.MESSAGE}
    return frozenset(dialogue | {heads.vision["origin_ref"]} if heads.vision else dialogue)


def _eligibility(
    acting: Acting, thread: Thread, wish: CompileWish, policy: Revision | None, *, phase: Phase, risk: Risk
) -> Eligibility:
    """Return what may enter: the policies say it of the window that this packet goes to."""
    asked = PacketWish(
        actor=public_id("act", acting.actor_id),
        role=wish.role,
        destination=wish.destination,
        thread_owner=public_id("act", thread.owner_id) if thread.owner_id else None,
        on_behalf=wish.on_behalf_of is not None,
    )
    ceiling = PolicyRules.of(policy.body if policy else None).ceiling(phase, risk)
    return Eligibility(**asdict(packet_window(asked, ceiling)))
