"""Rules that judge plain values: may this be written, enter a packet, leave the project; and why.

Nothing here reads a row, a setting or a clock. The compiler, the write gate, capsules and the page that explains all
call these functions, so that what is explained is what is done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from governance.policy_reasons import NOTHING_AGAINST, Decision, Reason, Verdict, allow, hold, refuse
from governance.policy_rules import (
    DEFAULT_CEILING,
    KNOWLEDGE,
    Ceiling,
    Handling,
    PolicyRules,
    ReviewMode,
    VisionEditors,
    effective_risk,
    injection_ceiling,
    retention_days,
    review_mode,
    writes_vision,
)
from governance.vocabulary import ActorKind, Audience, Destination, Risk, Sensitivity, rank

__all__ = [
    "DEFAULT_CEILING",
    "Ceiling",
    "Decision",
    "DisclosureCase",
    "PacketWindow",
    "PacketWish",
    "PolicyRules",
    "Reason",
    "ReviewMode",
    "Verdict",
    "VisionEditors",
    "WriteCase",
    "effective_risk",
    "injection_ceiling",
    "injection_steps",
    "judge_audience",
    "judge_certainty",
    "judge_disclosure",
    "judge_injection",
    "judge_placement",
    "judge_sensitivity",
    "judge_write",
    "packet_window",
    "retention_days",
    "review_mode",
    "write_risk",
    "writes_vision",
]

# A source of this weight is believed without a human; one of the second is a user's own word.
TRUSTED, USERS_WORD = 0.5, 0.9
# What tells an agent how to act: it is graver than a fact, whoever said it.
INSTRUCTIVE = frozenset({"procedural", "preference", "sop"})
_KNOWN = {status: place for place, status in enumerate(KNOWLEDGE)}
_MAY_READ = allow(Reason.EVERYBODY_THERE_MAY_READ)
_SENSITIVE = {level: place for place, level in enumerate(Sensitivity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteCase:
    """A memory that is to be written. `origin_rank` is a word of SourceRank; `type`, `kind` and `scope_type` are words
    of memory; `widens` says that it shares what was private, or makes it less sensitive.
    """

    origin_rank: str
    type: str = "semantic"
    kind: str = "fact"
    scope_type: str = "project"
    sensitivity: Sensitivity = Sensitivity.WORK
    audience: Audience = Audience.PROJECT
    touches_identity: bool = False
    actor_kind: ActorKind = ActorKind.AGENT
    action: str = "ADD"
    widens: bool = False


def write_risk(case: WriteCase, rules: PolicyRules) -> Risk:
    """Return how grave a write is: by what it touches, how sensitive it is, and who says it."""
    weight = rules.weight(case.origin_rank)
    instructs = bool(INSTRUCTIVE & {case.type, case.kind, case.scope_type})
    secret = case.sensitivity is Sensitivity.SECRET and case.audience is not Audience.PRIVATE
    if _is_identity(case) or case.widens or secret or (instructs and weight < TRUSTED):
        return Risk.HIGH
    by_a_human = weight >= USERS_WORD or case.actor_kind is ActorKind.HUMAN
    grave = weight < TRUSTED or (not by_a_human and (instructs or case.action == "DELETE"))
    return Risk.MEDIUM if grave else Risk.LOW


def judge_write(case: WriteCase, rules: PolicyRules) -> Decision:
    """Return whether a memory may be written, waits for a human, or is refused.

    Refusals come first; then what always waits; then the policy's review mode by the risk of the write.
    """
    return _refused_write(case, rules) or _held_write(case, rules) or _by_mode(case, rules)


def _refused_write(case: WriteCase, rules: PolicyRules) -> Decision | None:
    if rules.weight(case.origin_rank) <= 0:
        return refuse(Reason.SOURCE_NOT_ACCEPTED, source=case.origin_rank)
    handling = rules.writing[case.sensitivity]
    if handling is Handling.REFUSE:
        return refuse(Reason.SENSITIVITY_REFUSED, sensitivity=case.sensitivity)
    if handling is Handling.PRIVATE and case.audience is not Audience.PRIVATE:
        return refuse(Reason.SENSITIVITY_STAYS_PRIVATE, sensitivity=case.sensitivity)
    return None


def _held_write(case: WriteCase, rules: PolicyRules) -> Decision | None:
    if _is_identity(case):
        return hold(Reason.IDENTITY_ASKS_A_HUMAN)
    asked = [f"memory.{word}" for word in (case.type, case.kind, case.scope_type)]
    required = next((name for name in asked if name in rules.approval_required_for), None)
    if required is not None:
        return hold(Reason.APPROVAL_REQUIRED, what=required)
    shared = case.audience is not Audience.PRIVATE
    if shared and rules.writing[case.sensitivity] is Handling.HOLD:
        return hold(Reason.SENSITIVITY_ASKS_A_HUMAN, sensitivity=case.sensitivity)
    return None


def _by_mode(case: WriteCase, rules: PolicyRules) -> Decision:
    mode, risk = rules.review_mode, write_risk(case, rules)
    if mode is ReviewMode.HUMAN:
        return hold(Reason.MODE_ASKS_A_HUMAN, mode=mode)
    threshold = Risk.HIGH if mode is ReviewMode.AUTO else rules.risk_threshold
    if rank(risk) < rank(threshold):
        return allow(Reason.MODE_LETS_IT, mode=mode, risk=risk)
    return hold(Reason.RISK_ASKS_A_HUMAN, mode=mode, risk=risk)


def _is_identity(case: WriteCase) -> bool:
    return case.touches_identity or case.scope_type == "identity"


class Placed(Protocol):
    """A fact as an injection sees it: who may read it (`owner` is a public actor id), and how sensitive it is."""

    @property
    def audience(self) -> Audience: ...
    @property
    def role(self) -> str | None: ...
    @property
    def owner(self) -> str | None: ...
    @property
    def sensitivity(self) -> Sensitivity: ...


class Window(Protocol):
    """Where a packet goes: who reads along there, and the ceiling of its phase and risk."""

    @property
    def destination(self) -> Destination: ...
    @property
    def private_owner(self) -> str | None: ...
    @property
    def roles(self) -> tuple[str, ...]: ...
    @property
    def highest_sensitivity(self) -> Sensitivity: ...
    @property
    def lowest_knowledge_status(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketWindow:
    """A Window by its values. `private_owner` is whose private facts may enter, `roles` the roles whose facts may."""

    destination: Destination
    private_owner: str | None
    roles: tuple[str, ...]
    highest_sensitivity: Sensitivity
    lowest_knowledge_status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketWish:
    """Who asks for a packet, in which role, and where it goes: None is wherever the thread's own readers are.

    `thread_owner` owns a private thread; `on_behalf` says that the agent speaks for somebody else.
    """

    actor: str
    role: str
    destination: Destination | None = None
    thread_owner: str | None = None
    on_behalf: bool = False


def packet_window(wish: PacketWish, ceiling: Ceiling) -> PacketWindow:
    """Return who reads a packet along, and what may enter it.

    A channel that others read along, and whoever the agent speaks for, hold no roles: there, only what all may read.
    """
    own = wish.thread_owner == wish.actor
    destination = wish.destination or (Destination.PRIVATE if wish.thread_owner else Destination.PROJECT)
    private = destination is Destination.PRIVATE and own and not wish.on_behalf
    among_itself = wish.destination in (None, Destination.PRIVATE) and not wish.on_behalf
    return PacketWindow(
        destination=destination,
        private_owner=wish.actor if private else None,
        roles=(wish.role,) if among_itself else (),
        highest_sensitivity=ceiling.highest_sensitivity,
        lowest_knowledge_status=ceiling.lowest_knowledge_status,
    )


def judge_audience(fact: Placed, window: Window) -> Decision:
    """Return whether everybody at the destination may read the fact.

    A private fact enters only a private window of its owner; a role's fact only where that role's facts may go, and
    never outside.
    """
    if _reaches(fact, window):
        return _MAY_READ
    return refuse(Reason.AUDIENCE_TOO_NARROW, audience=fact.audience)


def judge_sensitivity(fact: Placed, window: Window) -> Decision:
    """Return whether the fact is below the ceiling; outsiders get what is public."""
    outside = window.destination is Destination.EXTERNAL
    highest = Sensitivity.PUBLIC if outside else window.highest_sensitivity
    above = _SENSITIVE[fact.sensitivity] > _SENSITIVE[highest]
    told = {"sensitivity": fact.sensitivity, "highest": highest}
    return refuse(Reason.ABOVE_SENSITIVITY, **told) if above else allow(Reason.WITHIN_SENSITIVITY, **told)


def judge_certainty(status: str, window: Window) -> Decision:
    """Return whether a knowledge status reaches the lowest that may enter; an unknown word ranks lowest."""
    lowest = window.lowest_knowledge_status
    below = _KNOWN.get(status, 0) < _KNOWN.get(lowest, 0)
    told = {"status": status, "lowest": lowest}
    return refuse(Reason.NOT_CERTAIN_ENOUGH, **told) if below else allow(Reason.CERTAIN_ENOUGH, **told)


def injection_steps(fact: Placed, window: Window, *, status: str | None = None) -> Sequence[Decision]:
    """Return each question that decides whether a fact enters, in order, with its answer."""
    steps = [judge_audience(fact, window), judge_sensitivity(fact, window)]
    return steps if status is None else [*steps, judge_certainty(status, window)]


def judge_placement(fact: Placed, window: Window) -> Decision:
    """Return whether a fact may stand at the destination, by who may read it and how sensitive it is."""
    audience = judge_audience(fact, window)
    return judge_sensitivity(fact, window) if audience.allowed else audience


def judge_injection(fact: Placed, window: Window, *, status: str | None = None) -> Decision:
    """Return whether a fact may enter a packet: the first step that refuses, else that nothing stands against it."""
    steps = injection_steps(fact, window, status=status)
    return next((step for step in steps if not step.allowed), NOTHING_AGAINST)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureCase:
    """Something that is to leave the project. `approved` says that a human decided so for just this."""

    sensitivity: Sensitivity = Sensitivity.WORK
    audience: Audience = Audience.PROJECT
    knowledge_status: str = "confirmed"
    approved: bool = False


def judge_disclosure(case: DisclosureCase, rules: PolicyRules) -> Decision:
    """Return whether it may leave, waits for a human, or stays: what not all of the project share never leaves."""
    if case.audience is not Audience.PROJECT:
        return refuse(Reason.NOT_SHARED, audience=case.audience)
    handling = rules.disclosing[case.sensitivity]
    if handling in (Handling.REFUSE, Handling.PRIVATE):
        return refuse(Reason.SENSITIVITY_REFUSED, sensitivity=case.sensitivity)
    lowest = DEFAULT_CEILING.lowest_knowledge_status
    if _KNOWN.get(case.knowledge_status, 0) < _KNOWN[lowest]:
        return refuse(Reason.NOT_CERTAIN_ENOUGH, status=case.knowledge_status, lowest=lowest)
    if handling is Handling.HOLD:
        asks = hold(Reason.LEAVING_ASKS_A_HUMAN, sensitivity=case.sensitivity)
        return allow(Reason.APPROVED_TO_LEAVE) if case.approved else asks
    return NOTHING_AGAINST


def _reaches(fact: Placed, window: Window) -> bool:
    match fact.audience:
        case Audience.PROJECT:
            return True
        case Audience.ROLE:
            return window.destination is not Destination.EXTERNAL and fact.role in window.roles
        case Audience.PRIVATE:
            private = window.destination is Destination.PRIVATE
            return private and fact.owner is not None and fact.owner == window.private_owner
