"""Makes rows by walking the real verbs, so that a test's rows are rows that the product could have written.

`seed` makes one row of everything in a project. Each text that it stores carries the project's canary. Handoffs,
work summaries, lineage and inbox items have no verb yet: those rows are written as their future writers will.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from governance.decisions import DecisionWish, decide
from governance.models import ApiKey, Contract, InboxItem, Proposal, Revision, StoredAnswer
from governance.models.base import reach_of
from governance.proposal_reading import sight
from governance.proposals import ProposalWish, comment
from governance.proposals import propose as propose_contract
from governance.replays import claim
from governance.schemas import body_hash
from governance.scope import project_scope
from governance.vocabulary import Audience, ContractKind, DecisionVerb, InboxKind, ProofKind
from memories.models import (
    Claim,
    Conflict,
    ConflictSide,
    Consolidation,
    Feedback,
    Injection,
    Memory,
    MemoryParent,
    MemoryRead,
    Offer,
    Settlement,
)
from memories.renewing import count_passages
from memories.vocabulary import FeedbackKind, MemoryType, OfferState, ReadThrough, SettlementVerb, SideRole
from memories.writes import EvidenceWish, MemoryWish, admit, propose
from sessions.asking import ContextAsk
from sessions.consolidation_due import ask_for_summary
from sessions.context.material import InputFact
from sessions.context.vocabulary import SummarySection
from sessions.lifecycle import Opening, OpenWish, ProviderWish, open_or_resume
from sessions.models import Artifact, ContextPacket, Handoff, LearntFigures, Session, SummaryRefusal, WorkSummary
from sessions.models.segment import packed
from sessions.outcomes import OutcomeWish, store_outcome
from sessions.runtime import prepare_context
from sessions.summaries.checking import Fault
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole, Learning
from tests.cast import Cast, Member
from threads.dag import TaskWish, create_task, move_task, set_dependencies
from threads.lifecycle import BindingWish, ThreadWish, create_thread
from threads.models import Binding, Lineage, Task, TaskEdge, Thread, Vision
from threads.visions import VisionWish, write_vision
from threads.vocabulary import LineageKind, TaskState, VisionSource

LARGE = "row 17 of the report says that the tide tables are off by one hour\n" * 400


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One row of everything in one project, made by `maker`. Every text in it holds `canary`."""

    canary: str
    maker: Member
    thread: Thread
    binding: Binding
    vision: Vision
    task: Task
    blocked: Task
    part: Thread
    edge: TaskEdge
    opening: Opening
    artifact: Artifact
    constraint_ref: str
    memory: Memory
    candidate: Memory
    packet: ContextPacket
    outcome_id: str
    handoff: Handoff
    summary: WorkSummary
    inbox: InboxItem
    answer: StoredAnswer
    proposal: Proposal | None

    @property
    def session(self) -> Session:
        return self.opening.session


def seed(cast: Cast, *, canary: str, maker: Member | None = None, private: bool = False) -> World:
    """Make one row of everything in a project's own scope, by its dev unless told otherwise."""
    by = maker or cast.dev
    now = timezone.now()
    thread, binding = make_thread(by, canary=canary, private=private, now=now)
    opening = make_session(by, thread, now=now)
    made = make_events(by, opening.session, canary=canary, now=now)
    rows = make_intent(by, thread, canary=canary, now=now) | make_memories(
        by, cast.owner, canary=canary, evidence=made["first_ref"], private=private, now=now
    )
    packet, outcome = make_packet(by, opening.session, canary=canary, now=now)
    make_learnt(by, packet, now=now)
    if private:
        make_contract(by, canary=canary, now=now)
    rows["proposal"] = None if private else make_proposal(by, cast.owner, canary=canary, now=now)
    rows |= make_engine_rows(
        by, opening.session, memory=rows["memory"], candidate=rows["candidate"], packet=packet, canary=canary, now=now
    )
    return World(
        canary=canary,
        maker=by,
        thread=thread,
        binding=binding,
        opening=opening,
        packet=packet,
        outcome_id=outcome,
        artifact=made["artifact"],
        constraint_ref=made["constraint_ref"],
        **rows,
    )


def make_thread(by: Member, *, canary: str, private: bool = False, now: datetime) -> tuple[Thread, Binding]:
    """Make a thread with one binding."""
    tie = BindingWish(channel=f"feishu:{canary}", page="p")
    wish = ThreadWish(title=f"tides {canary}", summary=f"tide tables {canary}", private=private, bindings=[tie])
    with project_scope(by.acting):
        thread = create_thread(by.acting, wish, now=now)
        return thread, Binding.objects.get(thread=thread)


def make_session(by: Member, thread: Thread, *, role: str = "dev", now: datetime) -> Opening:
    """Open a session with a provider session and a running attempt."""
    wish = OpenWish(role=role, provider=ProviderWish(harness="codex", external_id="px-1"))
    with project_scope(by.acting):
        return open_or_resume(by.acting, thread, wish, now=now)


def make_events(by: Member, session: Session, *, canary: str, now: datetime) -> dict[str, Any]:
    """Append a request, a large tool result and a constraint; all vouched for by the harness."""
    spoken = [
        (EventRole.USER, EventKind.MESSAGE, f"repair the tide tables of {canary} before the spring"),
        (EventRole.TOOL, EventKind.TOOL_RESULT, f"{canary}\n{LARGE}"),
        (EventRole.USER, EventKind.CONSTRAINT, f"never round the heights of {canary}"),
    ]
    events = [
        NewEvent(client_id=f"c-{n}", role=role, kind=kind, text=text, attested_by=AttestedBy.HARNESS)
        for n, (role, kind, text) in enumerate(spoken)
    ]
    with project_scope(by.acting):
        done = append(by.acting, session.pk, events, now=now)
        session.refresh_from_db()
        artifact = Artifact.objects.get(pk=done.appended[1].event.artifact_id)
    at = f"event://{session.public_id}"
    return {"artifact": artifact, "first_ref": f"{at}/1", "constraint_ref": f"{at}/3"}


def make_intent(by: Member, thread: Thread, *, canary: str, now: datetime) -> dict[str, Any]:
    """Write the next vision, a task under review, a second one that waits for it, and an empty part split off."""
    with project_scope(by.acting):
        base = Vision.objects.filter(thread=thread).order_by("-version").first()
        wish = VisionWish(origin_goal=f"right tides for {canary}", done_when=[f"checked {canary}"])
        vision = write_vision(thread, wish, acting=by.acting, source=VisionSource.AGENT, base=base)
        task = create_task(by.acting, thread, TaskWish(title=f"check {canary}"), now=now)
        blocked = create_task(by.acting, thread, TaskWish(title=f"publish {canary}"), now=now)
        set_dependencies(blocked, [task.pk])
        edge = TaskEdge.objects.get(task=blocked)
        part = create_thread(by.acting, ThreadWish(title=canary, private=thread.owner_id is not None), now=now)
        home = {"project_id": thread.project_id, "created_at": now, **reach_of(thread)}
        told = {"reason": canary, "author_id": by.actor.pk, "act": part.pk, "whole": False}
        Lineage.objects.create(kind=LineageKind.SPLIT, source=thread, target=part, **told, **home)
        for state in (TaskState.READY, TaskState.DOING, TaskState.REVIEW):
            move_task(task, state, reason="walked there")
    return {"vision": vision, "task": task, "blocked": blocked, "edge": edge, "part": part}


def make_memories(
    by: Member, human: Member, *, canary: str, evidence: str, private: bool = False, now: datetime
) -> dict[str, Any]:
    """Propose two memories, and admit the first on a human's word where a human may see it."""
    # What a user said is used once a human has seen it, what a tool gave waits for one in any case.
    cited = {
        f"The tide tables of {canary} begin at noon.": EvidenceWish(ref=evidence, quote=f"tide tables of {canary}"),
        f"The tide office of {canary} moved.": EvidenceWish(ref=f"{evidence.rpartition('/')[0]}/2", quote=canary),
    }
    reason = f"because of {canary}"
    with project_scope(by.acting):
        wishes = [
            MemoryWish(content=text, type=MemoryType.SEMANTIC, private=private, evidence=[ref], change_reason=reason)
            for text, ref in cited.items()
        ]
        memory, candidate = (propose(by.acting, wish, now=now) for wish in wishes)
        MemoryParent.objects.create(project_id=memory.project_id, memory=candidate, parent=memory, reason=reason)
    if not private:  # nobody else could let in what its writer alone reads
        with project_scope(human.acting):
            admit(human.acting, Memory.objects.get(pk=memory.pk), reason="seen", now=now)
    with project_scope(by.acting):
        memory.refresh_from_db()
    make_dispute(by, memory, candidate, canary=canary, now=now)
    return {"memory": memory, "candidate": candidate}


def make_dispute(by: Member, memory: Memory, candidate: Memory, *, canary: str, now: datetime) -> None:
    """Write a claim, a settled conflict of two memories, what was said of one, who read it, and a consolidation.

    What can be searched by then is counted.
    """
    home = {"project_id": memory.project_id, "created_at": now}
    reach = {"audience": memory.audience, "owner_id": memory.owner_id}
    claim = {"ordinal": 90, "subject_key": canary, "subject_text": canary, "attribute": "begin", "value": "noon"}
    with project_scope(by.acting):
        Claim.objects.create(memory=memory, **claim, **home)
        conflict = Conflict.objects.create(
            key=canary, subject_text=canary, opened_by_id=by.actor.pk, updated_at=now, **home, **reach
        )
        side = {"conflict": conflict, "knowledge_before": "inferred", "joined_at": now, **home}
        ConflictSide.objects.create(memory=memory, role=SideRole.OLD, **side)
        ConflictSide.objects.create(memory=candidate, role=SideRole.NEW, **side)
        decided = {"verb": SettlementVerb.KEEP_OLD, "seen_version": 1, "seen_hash": "sha256:0", "text": canary}
        Settlement.objects.create(conflict=conflict, decider_id=by.actor.pk, **decided, **home)
        Conflict.objects.filter(pk=conflict.pk).update(state="settled")
        Feedback.objects.create(memory=memory, actor_id=by.actor.pk, kind=FeedbackKind.USEFUL, note=canary, **home)
        MemoryRead.objects.create(memory=memory, actor_id=by.actor.pk, through=ReadThrough.API, **home)
        Consolidation.objects.create(work=canary[:24], counts={"seen": 1}, **home, **reach)
        count_passages()
        asked = {"memory_version": 1, "asked_by_id": by.actor.pk, "human_id": by.actor.owned_by_id or by.actor.pk}
        offer = Offer.objects.create(memory=memory, content=canary, reason=canary, **asked, **home)
        Offer.objects.filter(pk=offer.pk).update(state=OfferState.DECLINED)


def make_packet(by: Member, session: Session, *, canary: str, now: datetime) -> tuple[ContextPacket, str]:
    """Compile a context in the session and report on it; returns the packet and the outcome's public id."""
    spoken = InputFact(
        raw_text=f"when do the tide tables of {canary} begin?",
        input_type="text",
        timestamp=None,
        attached_context=None,
    )
    answer = prepare_context(ContextAsk(user_input=spoken, session_id=session.pk), acting=by.acting, now=now)
    with project_scope(by.acting):
        packet = ContextPacket.objects.latest("created_at")
        assert packet.public_id == answer["packet_id"]
    wish = OutcomeWish(result="done", usage={"input_tokens": 3}, cited_refs=[f"event://{canary}/1"])
    return packet, store_outcome(by.acting, packet.pk, wish, now=now)["id"]


def make_learnt(by: Member, packet: ContextPacket, *, now: datetime) -> None:
    """Make a version of what reported usage taught about the packet's profile, unless there is one."""
    moments = {"since": now, "until": now, "created_at": now}
    shares = {"error": 0.01, "spread": 0.01, "undercount": 0.01}
    with project_scope(by.acting):
        LearntFigures.objects.get_or_create(
            project_id=packet.project_id,
            slug=packet.receipt["profile"][0],
            version=1,
            defaults={
                "encoding": "o200k_base",
                "state": Learning.UNSTEADY,
                "figures": {"weights": None, "harness": None, "lift": 0.0},
                "usages": 30,
                **moments,
                **shares,
            },
        )


def make_engine_rows(
    by: Member,
    session: Session,
    *,
    memory: Memory,
    candidate: Memory,
    packet: ContextPacket,
    canary: str,
    now: datetime,
) -> dict[str, Any]:
    """Write the rows whose engines come later."""
    home = {"project_id": session.project_id, "created_at": now}
    made = {"session": session, "author_id": by.actor.pk, **home}
    with project_scope(by.acting):
        key = ApiKey.objects.get(actor=by.actor)
        claim(replace(by.acting, key_id=key.pk), f"key-{canary}", f"sha256:{canary}")
        if not Injection.objects.filter(memory=memory).exists():
            reach = {"audience": memory.audience, "owner_id": memory.owner_id}
            Injection.objects.create(memory=memory, packet_id=packet.pk, at=now, **home, **reach)
        ask_for_summary(by.acting, session)
        _segment(session, canary=canary, now=now)
        return {
            "handoff": _handoff(session, canary=canary, author=by, now=now),
            "summary": _summary(made, canary=canary),
            "inbox": InboxItem.objects.get(kind=InboxKind.CANDIDATE, ref=f"memory://{candidate.public_id}@1"),
            "answer": StoredAnswer.objects.get(idempotency_key=f"key-{canary}"),
        }


def _summary(made: dict[str, Any], *, canary: str) -> WorkSummary:
    """Write the first version of a work summary, of which an earlier draft had been refused."""
    ends = {"to_seq": 3, "trigger": "asked", **made}
    problems = [{"fault": Fault.NO_REF, "section": SummarySection.CONCLUSIONS}]
    SummaryRefusal.objects.create(after_version=0, problems=problems, **ends)
    return WorkSummary.objects.create(
        version=1, from_seq=1, sections={SummarySection.CONCLUSIONS: [canary]}, tokens_o200k=3, **ends
    )


def _segment(session: Session, *, canary: str, now: datetime) -> None:
    """Store a cold segment; the session is not over, so that its entries keep their texts."""
    segment = packed([(1, canary)])
    segment.project_id, segment.session, segment.created_at = session.project_id, session, now
    segment.save(force_insert=True)


def make_contract(by: Member, *, canary: str, now: datetime) -> Revision:
    """Write a persona that is its maker's alone, as a draft."""
    reach = {"audience": Audience.PRIVATE, "owner_id": by.actor.pk}
    home = {"project_id": by.actor.project_id, "created_at": now, **reach}
    with project_scope(by.acting):
        contract = Contract.objects.create(kind=ContractKind.PERSONA, slug=canary, **home)
        body = {"name": canary}
        return Revision.objects.create(
            contract=contract, number=1, body=body, body_hash=body_hash(body), proposed_by_id=by.actor.pk, **home
        )


def make_proposal(by: Member, human: Member, *, canary: str, now: datetime) -> Proposal:
    """Propose two roles; the first waits, with a comment of its proposer, and a human sent the second one back.

    What is proposed is the whole project's, so there is no private one.
    """
    with project_scope(by.acting):
        made = [_proposed_role(by, canary, slug, now=now) for slug in (canary, f"{canary}-again")]
        comment(by.acting, made[0], f"{canary} needs it", now=now)
    with project_scope(human.acting):
        seen = sight(made[1])
        wish = DecisionWish(
            verb=DecisionVerb.REQUEST_CHANGES,
            expected_version=1,
            seen_hash=seen.seen_hash,
            text=f"say more of {canary}",
            proof=ProofKind.PASSWORD,
        )
        decide(human.acting, made[1], wish, now=now)
    return made[0]


def _proposed_role(by: Member, canary: str, slug: str, *, now: datetime) -> Proposal:
    body = {"slug": slug, "duties": [f"keep the tides of {canary}"]}
    wish = ProposalWish(kind=ContractKind.ROLE, slug=slug, body=body, title=f"a keeper of {canary}")
    return propose_contract(by.acting, wish, now=now)


def _handoff(session: Session, *, canary: str, author: Member, now: datetime) -> Handoff:
    return Handoff.objects.create(
        project_id=session.project_id,
        created_at=now,
        thread_id=session.thread_id,
        from_session=session,
        summary=f"the tables of {canary} are half done",
        unfinished_items=[f"spring {canary}"],
        resume_suggestion=f"go on with {canary}",
        author_id=author.actor.pk,
    )
