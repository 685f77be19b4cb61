"""The policy in force as a page says it, and why an agent may read a memory or not: each step with its rule."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import regex

from governance.actors import Acting
from governance.contracts import active_revision
from governance.ids import parse_id, public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Actor, Revision
from governance.policies import (
    Decision,
    PacketWish,
    PolicyRules,
    injection_steps,
    packet_window,
)
from governance.policy_rules import Ceiling, Handling, fitting_rule
from governance.proposal_reading import DEFAULT_POLICY, deciders
from governance.visibility import Placement, may_read
from governance.vocabulary import (
    ActorKind,
    Audience,
    ContractKind,
    Destination,
    MembershipLevel,
    Phase,
    Risk,
    Sensitivity,
)
from memories.lifecycle import SEARCHABLE
from memories.models import Memory
from memories.vocabulary import KnowledgeStatus, MemoryStatus, SourceRank

MEMORY = regex.compile(r"\s*(?:memory://)?(mem_[0-9a-f]{32})(?:@\d{1,9})?\s*")
EXCERPT = regex.compile(r"\X{0,60}")
MOST_OFFERED = 30


@dataclass(frozen=True, slots=True)
class Cell:
    """What may enter at one phase and risk, and which rule says so: its number from 1, 0 for the default."""

    phase: Phase
    risk: Risk
    ceiling: Ceiling
    rule: int

    @property
    def certainty(self) -> KnowledgeStatus | str:
        status = self.ceiling.lowest_knowledge_status
        return KnowledgeStatus(status) if status in list(KnowledgeStatus) else status


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPage:
    """The policy in force, in the values that its rules are judged by."""

    revision: Revision | None
    decider: str
    rules: PolicyRules
    lines: Sequence[str]
    cells: Sequence[Sequence[Cell]]
    weights: Sequence[tuple[SourceRank | str, float]]
    sensitivities: Sequence[tuple[Sensitivity, Handling, Handling]]
    owners: int

    @property
    def approvals(self) -> Sequence[str]:
        """What always needs an approval, in order."""
        return sorted(made_visible(name) for name in self.rules.approval_required_for)

    @property
    def two_for_one(self) -> bool:
        """Whether the policy asks for two deciders where only one owner is there: then one decides."""
        return bool(self.rules.two_deciders_for) and self.owners < 2


def policy_page() -> PolicyPage:
    """Read the policy of the open scope's project."""
    revision = active_revision(ContractKind.POLICY, DEFAULT_POLICY)
    rules = PolicyRules.of(revision.body if revision else None)
    return PolicyPage(
        revision=revision,
        decider=made_visible(revision.decided_by.name) if revision and revision.decided_by else "",
        rules=rules,
        lines=[made_visible(line) for line in (revision.body.get("rules", []) if revision else [])],
        cells=[[_cell(rules, phase, risk) for risk in Risk] for phase in Phase],
        weights=[(_source(name), weight) for name, weight in rules.source_weights.items()],
        sensitivities=[(level, rules.writing[level], rules.disclosing[level]) for level in Sensitivity],
        owners=len(deciders(MembershipLevel.OWNER)),
    )


def _cell(rules: PolicyRules, phase: Phase, risk: Risk) -> Cell:
    return Cell(phase, risk, rules.ceiling(phase, risk), _rule_of(rules, phase, risk))


def _rule_of(rules: PolicyRules, phase: Phase, risk: Risk) -> int:
    """Return the number, from 1, of the injection rule that a phase and risk follow; 0 for the default."""
    found = fitting_rule(rules.injection_rules, phase=phase, risk=risk)
    return 0 if found is None else found + 1


def _source(name: str) -> SourceRank | str:
    return SourceRank(name) if name in list(SourceRank) else made_visible(name)


def agents_of() -> list[Actor]:
    """Return the agents of the open scope's project, by name."""
    return list(Actor.objects.filter(kind=ActorKind.AGENT).order_by("name"))


def offered_memories() -> list[tuple[str, str]]:
    """Return the refs and the first words of the memories changed last, of those that the open scope may read."""
    rows = Memory.objects.filter(status=SEARCHABLE).order_by("-updated_at", "-id").values_list("id", "content")
    return [(f"memory://{public_id('mem', pk)}", _excerpt(text)) for pk, text in rows[:MOST_OFFERED]]


def _excerpt(text: str) -> str:
    found = EXCERPT.match(made_visible(" ".join(text.split())))
    return found.group() if found else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A memory by the values that decide who reads it; of a stored one, or made up. `owner` is a public actor id."""

    project_id: uuid.UUID
    audience: Audience
    role: str | None
    owner: str | None
    sensitivity: Sensitivity
    knowledge_status: str
    status: MemoryStatus = MemoryStatus.ACTIVE
    title: str = ""
    ref: str = ""

    @property
    def language(self) -> str:
        return language_of(self.title)


def find_memory(acting: Acting, text: str) -> Subject | None:
    """Return the memory that a ref or an id names, as the open scope may read it; None for every other text.

    One that is not there, another project's, one that the reader may not read and no ref at all are all alike.
    """
    form = MEMORY.fullmatch(text)
    pk = parse_id("mem", form.group(1), pointer="?memory") if form else None
    names = ("id", "audience", "audience_role", "owner_id", "sensitivity", "knowledge_status", "status", "content")
    # The same statement is sent whatever the text: not even the work tells the cases apart.
    row = Memory.objects.filter(pk=pk or acting.project_id).values(*names).first()
    return _subject(acting, row) if row else None


def _subject(acting: Acting, row: Mapping[str, Any]) -> Subject:
    return Subject(
        project_id=acting.project_id,
        audience=Audience(row["audience"]),
        role=row["audience_role"],
        owner=public_id("act", row["owner_id"]) if row["owner_id"] else None,
        sensitivity=Sensitivity(row["sensitivity"]),
        knowledge_status=row["knowledge_status"],
        status=MemoryStatus(row["status"]),
        title=_excerpt(row["content"]),
        ref=f"memory://{public_id('mem', row['id'])}",
    )


class Ask(StrEnum):
    """Where the packet goes that the question is about."""

    OWN = "own"
    PRIVATE = "private"
    CHANNEL = "channel"
    EXTERNAL = "external"


DESTINATIONS = {
    Ask.OWN: None,
    Ask.PRIVATE: Destination.PRIVATE,
    Ask.CHANNEL: Destination.PROJECT,
    Ask.EXTERNAL: Destination.EXTERNAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """May this agent, in this role, at this phase and risk, read this in a packet that goes there?"""

    agent: Actor
    role: str
    phase: Phase
    risk: Risk
    to: Ask


class Point(StrEnum):
    """The steps of an answer that no policy decides, each with what it found."""

    AGENT_ACTIVE = "agent_active"
    AGENT_OFF = "agent_off"
    ROLE_HELD = "role_held"
    ROLE_NOT_HELD = "role_not_held"
    MAY_READ = "may_read"
    MAY_NOT_READ = "may_not_read"
    IN_USE = "in_use"
    NOT_IN_USE = "not_in_use"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an answer: a point, or a decision of the policies with the rule that it follows (0: the default;
    None: it follows no rule of the policy).
    """

    holds: bool
    point: Point | None = None
    decision: Decision | None = None
    rule: int | None = None


def answer(question: Question, subject: Subject, rules: PolicyRules) -> Sequence[Step]:
    """Return every step, in order, by the very functions that row-level security, search and compiler are held to."""
    agent = question.agent
    ceiling = rules.ceiling(question.phase, question.risk)
    wish = PacketWish(
        actor=agent.public_id,
        role=question.role,
        destination=DESTINATIONS[question.to],
        thread_owner=agent.public_id if question.to is Ask.PRIVATE else None,
    )
    rule = _rule_of(rules, question.phase, question.risk)
    audience, *others = injection_steps(subject, packet_window(wish, ceiling), status=subject.knowledge_status)
    return [
        _point(agent.active, Point.AGENT_ACTIVE, Point.AGENT_OFF),
        _point(question.role in agent.roles, Point.ROLE_HELD, Point.ROLE_NOT_HELD),
        _point(may_read(_acting(agent), _placement(subject)), Point.MAY_READ, Point.MAY_NOT_READ),
        _point(subject.status == SEARCHABLE, Point.IN_USE, Point.NOT_IN_USE),
        Step(audience.allowed, decision=audience),
        *(Step(one.allowed, decision=one, rule=rule) for one in others),
    ]


def _point(holds: bool, yes: Point, no: Point) -> Step:
    return Step(holds, point=yes if holds else no)


def _acting(agent: Actor) -> Acting:
    return Acting(project_id=agent.project_id, actor_id=agent.pk, kind=ActorKind(agent.kind), roles=tuple(agent.roles))


def _placement(subject: Subject) -> Placement:
    owner = parse_id("act", subject.owner, pointer="?owner") if subject.owner else None
    return Placement(
        project_id=subject.project_id, audience=subject.audience, audience_role=subject.role, owner_id=owner
    )
