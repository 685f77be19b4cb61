"""What is written after the packets: renames, revisions, corrections, disputes, new versions of everything."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from governance.contracts import active_revision
from governance.decisions import DecisionWish, decide
from governance.errors import Refusal
from governance.ids import public_id
from governance.models.base import reach_of
from governance.proposal_reading import sight
from governance.proposals import ProposalWish, propose
from governance.scope import project_scope, record
from governance.vocabulary import ContractKind, DecisionVerb, ProofKind
from greywind_site.hunting.replays.world import NAME, ROLE, Line, World, compiled, learn, say
from memories.conflict_reading import find_conflict
from memories.conflicts import SettleWish, settle
from memories.conflicts import sight as look
from memories.feedback import FeedbackWish, give_feedback
from memories.models import Conflict, Memory
from memories.retiring import archive, revoke
from memories.vocabulary import ConflictState, FeedbackKind, MemoryStatus, SettlementVerb, WriteAction
from memories.writes import ClaimWish
from sessions.context.vocabulary import SummarySection
from sessions.models import Handoff, Session, WorkSummary
from sessions.reading import constraints_of
from sessions.vocabulary import EventKind
from threads.dag import change_task
from threads.lifecycle import rename_thread
from threads.models import Task, Thread
from threads.vision_edits import revise_vision, take_up
from threads.visions import VisionWish


def write_on(world: World, writes: int) -> tuple[Counter[str], Counter[str]]:
    """Write that many things; returns how many of each kind were stored, and by which codes others were refused."""
    kinds, weights = list(WRITES), [WEIGHTS[name] for name in WRITES]
    done, refused = Counter[str](), Counter[str]()
    while done.total() < writes:
        kind = world.dice.choices(kinds, weights=weights)[0]
        try:
            WRITES[kind](world)
        except Refusal as refusal:  # two dice met: what it was about has moved, or says so already
            refused[refusal.code] += 1
        else:
            done[kind] += 1
    return done, refused


def take_away(world: World, most: int) -> list[uuid.UUID]:
    """Revoke some of the memories that packets carried, on the owner's word; returns their ids."""
    with project_scope(world.owner):
        carried = {ref for one in world.recorded for ref in one.carried if ref.startswith("memory://")}
        there = Memory.objects.filter(pk__in=world.memories, status=MemoryStatus.ACTIVE).order_by("pk")
        chosen = [row for row in there if any(ref.startswith(f"memory://{row.public_id}@") for ref in carried)][:most]
        for row in chosen:
            revoke(world.owner, row, reason=NAME, now=timezone.now())
    return [row.pk for row in chosen]


def _say(world: World) -> None:
    with project_scope(world.dev):
        say(world, _session(world.line()), world.sentence())


def _rename(world: World) -> None:
    with project_scope(world.owner):
        thread = Thread.objects.get(pk=world.line().thread)
        rename_thread(world.owner, thread, world.sentence()[:50], seen=thread.version)


def _envision(world: World) -> None:
    with project_scope(world.owner):
        taken = take_up(world.owner, Thread.objects.get(pk=world.line().thread))
        wish = VisionWish(origin_goal=world.sentence(), non_goals=[world.sentence()])
        revise_vision(world.owner, taken, wish, seen=taken.version, now=timezone.now())


def _demand(world: World) -> None:
    with project_scope(world.dev):
        say(world, _session(world.line()), world.sentence(), kind=EventKind.CONSTRAINT)


def _retire(world: World) -> None:
    """Take a demand back: more of them are made than are taken back, and none is ever without one."""
    line = world.line()
    with project_scope(world.dev):
        standing = constraints_of(Thread.objects.get(pk=line.thread))
        if len(standing) > 1:
            say(world, _session(line), world.sentence(), kind=EventKind.CORRECTION, retires=standing[0].ref)


def _plan(world: World) -> None:
    with project_scope(world.dev):
        task = Task.objects.get(pk=world.line().task)
        change_task(task, {"title": world.sentence(), "next_steps": [world.sentence()]})


def _learn(world: World) -> None:
    world.memories.append(learn(world, world.lesson()).pk)


def _correct(world: World) -> None:
    """Let a memory say something else: a new one takes its place, or it gets another version."""
    old = _memory(world)
    new = learn(
        world,
        world.lesson(),
        action=WriteAction.UPDATE,
        target_id=old.pk,
        expected_version=old.version,
        change_reason=NAME,
    )
    world.memories.append(new.pk)


def _dispute(world: World) -> None:
    """Say two things of one matter that cannot both hold."""
    matter = f"limit{world.said}"
    for value in ("10", "20"):
        claim = ClaimWish(subject=matter, attribute="retries", value=value)
        text = f"We learnt of {matter} that it retries {value} times."
        world.memories.append(learn(world, text, claims=[claim]).pk)
        world.matters.append(matter)


def _settle(world: World) -> None:
    """Decide one of the open conflicts."""
    with project_scope(world.owner):
        waiting = Conflict.objects.filter(state=ConflictState.OPEN).order_by("created_at", "id").first()
        if waiting is not None:
            now = timezone.now()
            seen = look(find_conflict(waiting.pk), now=now)
            verb = world.dice.choice([SettlementVerb.TAKE_NEW, SettlementVerb.KEEP_OLD, SettlementVerb.NEITHER])
            bound: dict[str, Any] = {"expected_version": seen.conflict.version, "seen_hash": seen.seen_hash}
            settle(world.owner, seen.conflict, SettleWish(verb=verb, proof=ProofKind.PASSWORD, **bound), now=now)


def _hear(world: World) -> None:
    memory = _memory(world)
    with project_scope(world.dev):
        give_feedback(world.dev, memory, FeedbackWish(kind=world.dice.choice(list(FeedbackKind))))


def _archive(world: World) -> None:
    memory = _memory(world)
    with project_scope(world.owner):
        archive(world.owner, memory, reason=NAME, now=timezone.now())


def _summarise(world: World) -> None:
    with project_scope(world.dev):
        session = _session(world.line())
        last = WorkSummary.objects.filter(session=session).order_by("-version").first()
        cited = f"memory://{_public(world)}@1"
        sections = {SummarySection.CONCLUSIONS.value: [f"{world.sentence()} {cited}"], SummarySection.DISSENT.value: []}
        row = WorkSummary.objects.create(
            project_id=session.project_id,
            session=session,
            version=last.version + 1 if last else 1,
            parent=last,
            from_seq=1,
            to_seq=max(session.head_seq, 1),
            trigger=NAME,
            author_id=world.dev.actor_id,
            sections=sections,
            tokens_o200k=1,
            **reach_of(session),
        )
        record("summary.publish", row.public_id, detail={"version": row.version})


def _hand_over(world: World) -> None:
    with project_scope(world.dev):
        session = _session(world.line())
        row = Handoff.objects.create(
            project_id=session.project_id,
            thread_id=session.thread_id,
            from_session=session,
            summary=world.sentence(),
            unfinished_items=[world.sentence()],
            resume_suggestion=world.sentence(),
            author_id=world.dev.actor_id,
            **reach_of(session),
        )
        record("handoff.write", row.public_id)


def _revise(world: World) -> None:
    """Put a new revision of a contract in force, by proposal and decision."""
    kind, slug = world.dice.choice([(ContractKind.ROLE, ROLE), (ContractKind.PERSONA, "default")])
    with project_scope(world.owner):
        base = active_revision(kind, slug)
        body = dict(base.body) if base else {}
        field = "duties" if kind is ContractKind.ROLE else "behavior_rules"
        body[field] = [world.sentence()]
        wish = ProposalWish(kind=kind, slug=slug, body=body, title=NAME, base=base.number if base else 0)
        proposal = propose(world.owner, wish, now=timezone.now())
        seen = sight(proposal)
        bound: dict[str, Any] = {"expected_version": proposal.version, "seen_hash": seen.seen_hash}
        yes = DecisionWish(verb=DecisionVerb.APPROVE, text="so", proof=ProofKind.PASSWORD, **bound)
        decide(world.owner, proposal, yes, now=timezone.now())


def _ask(world: World) -> None:
    world.recorded.append(compiled(world))


WRITES: Mapping[str, Callable[[World], None]] = {
    "said": _say,
    "renamed": _rename,
    "envisioned": _envision,
    "demanded": _demand,
    "retired": _retire,
    "planned": _plan,
    "learnt": _learn,
    "corrected": _correct,
    "disputed": _dispute,
    "settled": _settle,
    "heard": _hear,
    "archived": _archive,
    "summarised": _summarise,
    "handed over": _hand_over,
    "revised": _revise,
    "asked": _ask,
}
WEIGHTS: Mapping[str, int] = {
    "said": 60,
    "renamed": 8,
    "envisioned": 4,
    "demanded": 2,
    "retired": 2,
    "planned": 4,
    "learnt": 4,
    "corrected": 5,
    "disputed": 1,
    "settled": 1,
    "heard": 2,
    "archived": 1,
    "summarised": 2,
    "handed over": 1,
    "revised": 1,
    "asked": 2,
}


def _session(line: Line) -> Session:
    return Session.objects.select_related("thread").get(pk=line.session)


def _memory(world: World) -> Memory:
    with project_scope(world.owner, read_only=True):
        there = Memory.objects.filter(pk__in=world.memories, status=MemoryStatus.ACTIVE)
        return world.dice.choice(list(there.order_by("pk")))


def _public(world: World) -> str:
    return public_id("mem", world.dice.choice(world.memories))
