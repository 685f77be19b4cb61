"""Where a memory may enter a packet by what the policy says of its sensitivity and certainty. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.policies import PacketWish, PolicyRules, judge_certainty, judge_sensitivity, packet_window
from governance.vocabulary import Audience, Phase, Risk, Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The values of a memory that an injection is judged by."""

    sensitivity: Sensitivity
    knowledge: str
    audience: Audience = Audience.PROJECT
    role: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """One phase and risk, and what keeps the memory out there: neither bar, and it may enter."""

    phase: Phase
    risk: Risk
    too_sensitive: bool
    too_uncertain: bool

    @property
    def enters(self) -> bool:
        return not (self.too_sensitive or self.too_uncertain)


def spots_of(fact: Fact, rules: PolicyRules) -> Sequence[Sequence[Spot]]:
    """Return each phase as a row of its risks, low to high."""
    return [[_spot(fact, rules, phase, risk) for risk in Risk] for phase in Phase]


def _spot(fact: Fact, rules: PolicyRules, phase: Phase, risk: Risk) -> Spot:
    window = packet_window(PacketWish(actor="", role=""), rules.ceiling(phase, risk))
    sensitive = not judge_sensitivity(fact, window).allowed
    return Spot(phase, risk, sensitive, not judge_certainty(fact.knowledge, window).allowed)
