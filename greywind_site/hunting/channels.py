"""A personal agent in a group channel: nothing that was told it alone may be in a packet that others read along.

The same agent is asked in its private channel too, where all of it must be at hand: an agent that remembers nothing
would keep every secret.
"""

import random
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Destination, Phase, Risk
from greywind_site.hunting.scratch import Contracts, scratch_project
from memories.vocabulary import MemoryKind, MemoryType, Origin
from memories.wishes import EvidenceWish, MemoryWish
from memories.writes import submit
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Session
from sessions.required import RequiredContentExceedsBudget
from sessions.runtime import prepare_context
from sessions.transcripts import NewEvent, append, event_ref
from sessions.vocabulary import AttestedBy, EventKind, EventRole
from threads.lifecycle import BindingWish, ThreadWish, create_thread

NAME, ROLE = "channel hunt", "dev"
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", {"name": "灰风"}),
    (ContractKind.ROLE, ROLE, {"slug": ROLE, "duties": ["do the work"]}),
    (ContractKind.POLICY, "default", {"review_mode": "low_risk_auto"}),
)
CANARY = "qzprivate"
"""Stands in everything that is private, and in nothing else."""
MATTERS = ("holiday", "salary", "dentist", "garden", "piano", "生日", "体检", "房租", "钢琴", "旅行")
ALONE, TOGETHER = "dm", ("group", "outside", "team")
CAPS = (None, 12_000, 3_000, 1_500)


@dataclass(kw_only=True)
class ChannelReport:
    """What was asked. `wrong` names each packet in which something private was, or in which it was missing."""

    packets: int
    seed: int
    channels: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    alone: int = 0
    told_alone: int = 0
    remembered: int = 0
    withheld: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.wrong

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values.

        Of the packets of its private thread that went to the agent `alone`, `told_alone` hold something private, and
        `remembered` a memory; `withheld` are packets of that thread that went to others.
        """
        counted: dict[str, Any] = {"channels": dict(self.channels), "refused": self.refused}
        asked = {"packets": self.packets, "seed": self.seed, "alone": self.alone, "told_alone": self.told_alone}
        counted |= {"remembered": self.remembered, "withheld": self.withheld}
        return {"ok": self.ok, **asked, **counted, "wrong": self.wrong}


@dataclass(frozen=True, slots=True)
class Personal:
    """A personal agent, its human, its private thread, and the dice that decide what it is asked."""

    owner: Acting
    agent: Acting
    thread: str
    dice: random.Random

    def asked(self, channel: str) -> dict[str, Any] | None:
        """Return what it is answered in a channel, None where its duties alone do not fit."""
        dice = self.dice
        ask = ContextAsk(
            user_input=InputFact(raw_text=dice.choice(("继续", f"what did I tell you of the {dice.choice(MATTERS)}?"))),
            channel=channel,
            phase=dice.choice(list(Phase)),
            risk=dice.choice((Risk.LOW, Risk.MEDIUM)),
            max_input_tokens=dice.choice(CAPS),
            dialect=dice.choice(list(Dialect)),
            on_behalf_of=self.owner.actor_id if channel != ALONE and dice.random() < 0.2 else None,
        )
        try:
            return prepare_context(ask, acting=self.agent, now=timezone.now())
        except RequiredContentExceedsBudget:
            return None


def hunt_channels(packets: int, *, seed: int) -> ChannelReport:
    """Ask that many times in channels that others read, and a tenth as often in the private one."""
    personal, report = make_personal(seed), ChannelReport(packets=packets, seed=seed)
    for number in range(packets):
        channel = personal.dice.choice(TOGETHER)
        _judge(personal, channel, number, report)
        if number % 10 == 0:
            _judge(personal, ALONE, number, report)
    if report.told_alone < report.alone:
        report.wrong.append(f"alone, only {report.told_alone} of {report.alone} packets held what was told alone")
    if not report.remembered:
        report.wrong.append("alone, no packet brought a private memory along")
    return report


def _judge(personal: Personal, channel: str, number: int, report: ChannelReport) -> None:
    answer = personal.asked(channel)
    report.channels[channel] += 1
    if answer is None:
        report.refused += 1
        return
    # The resolver names threads to the agent itself; what goes on to a model are the packet and its prompt.
    told = orjson.dumps({name: value for name, value in answer.items() if name != "resolution"}).decode()
    private = answer["resolution"]["thread_id"] == personal.thread
    if channel == ALONE:
        # A question may lead to another thread of the same channel, in which nobody was told anything.
        report.alone += private
        report.told_alone += CANARY in told
        report.remembered += any(CANARY in hit["content"] for hit in answer["packet"]["retrieved"])
        return
    report.withheld += private
    if CANARY in told:
        at = told.index(CANARY)
        report.wrong.append(f"packet {number} in {channel}: …{told[max(at - 60, 0) : at + 20]}…")


def make_personal(seed: int) -> Personal:
    """Make a project with a personal agent that was told things alone, in the present database."""
    now = timezone.now()
    owner = scratch_project(NAME, CONTRACTS, owner="channel-owner", now=now)
    with project_scope(owner):
        agent = acting_as(add_agent(owner, "personal", roles=(ROLE,), now=now))
    with project_scope(agent):
        create_thread(agent, ThreadWish(title="team work", bindings=[BindingWish(channel="team")]), now=now)
        ties = [
            BindingWish(channel=ALONE, destination=Destination.PRIVATE),
            BindingWish(channel="group", destination=Destination.PROJECT),
            BindingWish(channel="outside", destination=Destination.EXTERNAL),
        ]
        wish = ThreadWish(title=f"between us {CANARY}", summary=f"notes {CANARY}", private=True, bindings=ties)
        session = open_or_resume(agent, create_thread(agent, wish, now=now), OpenWish(role=ROLE), now=now).session
    _confide(agent, session)
    return Personal(owner, agent, session.thread.public_id, random.Random(seed))  # noqa: S311 - dice, no secret


def _confide(agent: Acting, session: Session) -> None:
    """Let the agent be told something alone of each matter, and remember it."""
    demand = _said(agent, session, f"Never tell anybody of the {CANARY}.", kind=EventKind.CONSTRAINT)
    for matter in MATTERS:
        text = f"Of the {matter} I tell you alone: {CANARY} {matter}. 关于{matter}，只告诉你一个人。"
        evidence = [EvidenceWish(ref=_said(agent, session, text)), EvidenceWish(ref=demand)]
        told: dict[str, Any] = {
            "type": MemoryType.SEMANTIC,
            "kind": MemoryKind.FACT,
            "origin": Origin.USER_EXPLICIT,
            "private": True,
        }
        with project_scope(agent):
            submit(
                agent,
                MemoryWish(content=f"The {matter}: {CANARY} {matter}", evidence=evidence, **told),
                now=timezone.now(),
            )


def _said(agent: Acting, session: Session, text: str, *, kind: EventKind = EventKind.MESSAGE) -> str:
    entry = NewEvent(
        client_id=uuid.uuid4().hex, role=EventRole.USER, kind=kind, text=text, attested_by=AttestedBy.HARNESS
    )
    with project_scope(agent):
        done = append(agent, session.pk, [entry], now=timezone.now())
    return event_ref(session, done.appended[0].event.seq)
