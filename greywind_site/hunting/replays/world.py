"""A project at work: threads in two languages with all that a packet may be made of, and the packets compiled there."""

import hashlib
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.ids import parse_id
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Phase, Risk
from greywind_site.hunting.scratch import Contracts, scratch_project
from memories.candidates import is_pending
from memories.known import conflict_of
from memories.models import Memory
from memories.vocabulary import KnowledgeStatus, MemoryKind, MemoryType, ScopeType
from memories.writes import MemoryWish, admit, propose
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.models import Session
from sessions.required import RequiredContentExceedsBudget
from sessions.runtime import prepare_context
from sessions.transcripts import NewEvent, append, event_ref
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.dag import TaskWish, create_task
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Task, Thread

NAME, ROLE = "replay hunt", "dev"
RULE = "Cite evidence for every claim. 每个结论都要有出处。"
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", {"name": "灰风", "speaking_style": "calm"}),
    (ContractKind.ROLE, ROLE, {"slug": ROLE, "duties": ["do the work"]}),
    (ContractKind.POLICY, "default", {"rules": [RULE], "injection_rules": []}),
)
MATTERS = ("parser", "invoice", "harbour", "garden", "ledger", "解析器", "发票", "港口", "花园", "账本")
DEEDS = ("keeps comments", "rounds half up", "retries twice", "保留注释", "四舍五入", "重试两次")
CAPS = (None, 12_000, 3_000, 1_800, 60)
PACKETS_OF_A_THREAD, MEMORIES_OF_A_THREAD = 40, 5


@dataclass(frozen=True, slots=True)
class Line:
    """One thread of the project, with its session and its task."""

    thread: uuid.UUID
    session: uuid.UUID
    task: uuid.UUID


@dataclass(frozen=True, slots=True)
class Recorded:
    """A packet as it was answered: the digest of all its bytes, and the refs of what it carried."""

    packet: uuid.UUID
    digest: str
    carried: frozenset[str]


@dataclass(kw_only=True)
class World:
    """Who works there, on what, and what was compiled. `dice` are seeded; `said` numbers what is said.

    `matters` are what lessons were learnt of.
    """

    owner: Acting
    dev: Acting
    dice: random.Random
    lines: list[Line] = field(default_factory=list)
    memories: list[uuid.UUID] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    matters: list[str] = field(default_factory=list)
    said: int = 0

    def sentence(self) -> str:
        """Return a sentence that was not said before."""
        self.said += 1
        dice = self.dice
        words = f"the {dice.choice(MATTERS)} {dice.choice(DEEDS)} when {dice.choice(MATTERS)} {dice.choice(DEEDS)}"
        return f"{words}, case {self.said}. 第 {self.said} 例。"

    def lesson(self) -> str:
        """Return a lesson of a matter of its own, which contradicts no other."""
        self.said += 1
        matter = f"{self.dice.choice(MATTERS)}{self.said}"
        self.matters.append(matter)
        return f"We learnt of {matter} that it {self.dice.choice(DEEDS)}; 关于 {matter} 的教训。"

    def question(self) -> str:
        """Return what an agent is asked: to go on, something new, or what was learnt."""
        learnt = f"what did we learn of {self.dice.choice(self.matters or ['it'])}?"
        return self.dice.choice(["继续", self.sentence(), learnt, learnt, learnt])

    def line(self) -> Line:
        """Return any thread."""
        return self.dice.choice(self.lines)


def make_world(packets: int, *, seed: int) -> World:
    """Make the project in the present database and compile that many packets in it."""
    now = timezone.now()
    owner = scratch_project(NAME, CONTRACTS, owner="replay-owner", now=now)
    with project_scope(owner):
        dev = acting_as(add_agent(owner, "replay-dev", roles=(ROLE,), now=now))
    world = World(owner=owner, dev=dev, dice=random.Random(seed))  # noqa: S311 - repeatable dice
    for number in range(max(packets // PACKETS_OF_A_THREAD, 2)):
        world.lines.append(_line(world, number, now=now))
    world.recorded = [compiled(world) for _ in range(packets)]
    return world


def say(world: World, session: Session, text: str, *, kind: EventKind = EventKind.MESSAGE, **more: Any) -> str:
    """Append an attested entry of the user in the open scope and return its ref."""
    world.said += 1
    entry = NewEvent(
        client_id=f"r{world.said}",
        role=EventRole.USER,
        kind=kind,
        text=text,
        attested_by=AttestedBy.HARNESS,
        meta=more,
    )
    done = append(world.dev, session.pk, [entry], now=timezone.now())
    return event_ref(session, done.appended[0].event.seq)


def learn(world: World, text: str, *, thread: uuid.UUID | None = None, **more: Any) -> Memory:
    """Bring a memory into use on the owner's word; one that contradicts another waits in their conflict."""
    now = timezone.now()
    place: dict[str, Any] = {"scope_type": ScopeType.THREAD, "scope_id": thread} if thread else {}
    told: dict[str, Any] = {
        "type": MemoryType.SEMANTIC,
        "kind": MemoryKind.LESSON,
        "knowledge_status": KnowledgeStatus.CONFIRMED,
    }
    with project_scope(world.owner):
        wish = MemoryWish(content=text, **(told | place | more))
        memory = propose(world.owner, wish, now=now)
        if is_pending(memory) and conflict_of(memory) is None:
            admit(world.owner, memory, reason=NAME, now=now)
    return memory


def compiled(world: World) -> Recorded:
    """Ask for context somewhere, in any phase, at any risk, within any cap; a refusal is a packet too."""
    dice, line = world.dice, world.line()
    ask = ContextAsk(
        user_input=InputFact(raw_text=world.question()),
        session_id=line.session,
        phase=dice.choice(list(Phase)),
        risk=dice.choice([Risk.LOW, Risk.MEDIUM]),
        max_input_tokens=dice.choices(CAPS, weights=(4, 3, 3, 2, 1))[0],
        dialect=dice.choice(list(Dialect)),
    )
    try:
        answer = prepare_context(ask, acting=world.dev, now=timezone.now())
    except RequiredContentExceedsBudget as refusal:
        return Recorded(_uuid(refusal.extra["packet_id"]), "", frozenset())
    return Recorded(_uuid(answer["packet_id"]), digest_of(answer), carried_in(answer))


def digest_of(answer: Mapping[str, Any]) -> str:
    """Return a digest of an answer's bytes. What other threads are called is theirs, and moves: it is left out."""
    resolution = answer["resolution"]
    named = [{**one, "title": ""} for one in resolution["candidates"]]
    whole = {**answer, "resolution": {**resolution, "candidates": named}}
    return hashlib.sha256(orjson.dumps(whole)).hexdigest()


def carried_in(answer: Mapping[str, Any]) -> frozenset[str]:
    """Return the refs of the sources whose words an answer holds."""
    layers: Sequence[Mapping[str, Any]] = answer["budget"]["layers"]
    return frozenset(item["ref"].partition("#")[0] for layer in layers for item in layer["items"])


def _line(world: World, number: int, *, now: datetime) -> Line:
    dev = world.dev
    with project_scope(dev):
        thread = create_thread(dev, ThreadWish(title=f"{world.dice.choice(MATTERS)} {number}"), now=now)
        task: Task = create_task(dev, thread, TaskWish(title=world.sentence(), next_steps=[world.sentence()]), now=now)
    ask = ContextAsk(user_input=InputFact(raw_text=world.sentence()), thread_id=thread.pk)
    window = prepare_context(ask, acting=dev, now=now)["session"]["id"]
    line = Line(thread.pk, parse_id("ses", window, pointer="/id"), task.pk)
    _fill(world, line, thread)
    return line


def _fill(world: World, line: Line, thread: Thread) -> None:
    with project_scope(world.dev):
        session = Session.objects.select_related("thread").get(pk=line.session)
        for _ in range(world.dice.randint(2, 12)):
            say(world, session, world.sentence() * world.dice.choice([1, 1, 1, 20]))
        say(world, session, world.sentence(), kind=EventKind.CONSTRAINT)
    for _ in range(MEMORIES_OF_A_THREAD):
        own = world.dice.choice([thread.pk, None])
        world.memories.append(learn(world, world.lesson(), thread=own).pk)


def _uuid(packet: str) -> uuid.UUID:
    return parse_id("pkt", packet, pointer="/packet_id")
