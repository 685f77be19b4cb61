"""What a policy's body says, as values that can be judged by. Nothing here reads a row, a setting or a clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

from governance.vocabulary import ActorKind, MembershipLevel, Phase, Risk, Sensitivity, rank

# Weights of sources until a policy says otherwise: the words are those of memories.SourceRank, weakest first.
SOURCE_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "untrusted_external": 0.2,
        "trusted_agent": 0.5,
        "verified_tool_output": 0.7,
        "user_correction": 0.9,
        "user_explicit": 1.0,
    }
)
WEAKEST = min(SOURCE_WEIGHTS.values())
# How far a statement may be relied on, weakest first: the words of memories.KnowledgeStatus.
KNOWLEDGE = ("disputed", "open", "inferred", "confirmed")


class ReviewMode(StrEnum):
    """Which writes wait for a human: all, those that are not of low risk, or only those of high risk."""

    HUMAN = "human"
    LOW_RISK_AUTO = "low_risk_auto"
    AUTO = "auto"


class VisionEditors(StrEnum):
    """Who writes a thread's vision directly; the edits of everybody else are proposals, which a human decides."""

    EVERYBODY = "everybody"
    HUMANS = "humans"
    OWNERS = "owners"
    NOBODY = "nobody"


class Handling(StrEnum):
    """What a policy does with content of one sensitivity that is to be shared."""

    ALLOW = "allow"
    HOLD = "hold"  # a human decides
    PRIVATE = "private"  # only where its owner alone reads it
    REFUSE = "refuse"


# Of what is written for the project to read, and of what is to leave the project.
WRITING: Mapping[Sensitivity, Handling] = MappingProxyType(
    {
        Sensitivity.PUBLIC: Handling.ALLOW,
        Sensitivity.WORK: Handling.ALLOW,
        Sensitivity.PERSONAL: Handling.HOLD,
        Sensitivity.SECRET: Handling.PRIVATE,
    }
)
DISCLOSING: Mapping[Sensitivity, Handling] = MappingProxyType(
    {
        Sensitivity.PUBLIC: Handling.ALLOW,
        Sensitivity.WORK: Handling.HOLD,
        Sensitivity.PERSONAL: Handling.HOLD,
        Sensitivity.SECRET: Handling.REFUSE,
    }
)
# The words that a policy's plain fields take, in the order in which the fields are written.
WORDS: Mapping[str, Sequence[StrEnum]] = MappingProxyType(
    {
        "risk_threshold": list(Risk),
        "review_mode": list(ReviewMode),
        "two_deciders_for": list(Risk),
        "vision_editors": list(VisionEditors),
    }
)
DISCLOSE = "disclose."  # before a sensitivity in `sensitivity_rules`: the rule is about leaving the project


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What may be injected: nothing more sensitive, and nothing less certain than this."""

    highest_sensitivity: Sensitivity
    lowest_knowledge_status: str


# Until a policy says otherwise: personal and secret content stays out, disputed and open statements too.
DEFAULT_CEILING = Ceiling(Sensitivity.WORK, "inferred")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRules:
    """A policy's body, read: whatever it leaves out or misspells stands at its careful default."""

    review_mode: ReviewMode = ReviewMode.HUMAN
    risk_threshold: Risk = Risk.MEDIUM
    approval_required_for: frozenset[str] = frozenset()
    source_weights: Mapping[str, float] = SOURCE_WEIGHTS
    writing: Mapping[Sensitivity, Handling] = WRITING
    disclosing: Mapping[Sensitivity, Handling] = DISCLOSING
    injection_rules: Sequence[Mapping[str, Any]] = ()
    retention: Mapping[str, int] = field(default_factory=dict)
    two_deciders_for: frozenset[Risk] = frozenset()
    vision_editors: VisionEditors = VisionEditors.EVERYBODY

    @classmethod
    def of(cls, body: Mapping[str, Any] | None) -> Self:
        """Read the body of a policy's revision; None, where a project has no policy, gives the defaults."""
        said = body or {}
        asked = said.get("sensitivity_rules") or {}
        return cls(
            review_mode=_mode(said.get("review_mode")),
            risk_threshold=_member(Risk, said.get("risk_threshold"), Risk.MEDIUM),
            approval_required_for=frozenset(map(str, said.get("approval_required_for") or ())),
            source_weights={**SOURCE_WEIGHTS, **_weights(said.get("source_weights") or {})},
            writing={level: _member(Handling, asked.get(level), WRITING[level]) for level in Sensitivity},
            disclosing={
                level: _member(Handling, asked.get(f"{DISCLOSE}{level}"), DISCLOSING[level]) for level in Sensitivity
            },
            injection_rules=tuple(said.get("injection_rules") or ()),
            retention={str(of): days for of, days in (said.get("retention") or {}).items() if isinstance(days, int)},
            two_deciders_for=frozenset(Risk(one) for one in said.get("two_deciders_for") or () if one in list(Risk)),
            vision_editors=_member(VisionEditors, said.get("vision_editors"), VisionEditors.EVERYBODY),
        )

    def weight(self, source: str) -> float:
        """Return how much a source counts, from 0 (not accepted) to 1; an unknown word counts as the weakest."""
        return self.source_weights.get(source, WEAKEST)

    def ceiling(self, phase: Phase, risk: Risk) -> Ceiling:
        """Return what may enter a packet of this phase and risk."""
        return injection_ceiling(self.injection_rules, phase=phase, risk=risk)


def review_mode(rules: PolicyRules) -> ReviewMode:
    """Return which writes wait for a human."""
    return rules.review_mode


def writes_vision(rules: PolicyRules, kind: ActorKind, level: MembershipLevel | None) -> bool:
    """Return whether an actor writes a vision directly; else their edit is a proposal. `level` is a human's own."""
    match rules.vision_editors:
        case VisionEditors.EVERYBODY:
            return True
        case VisionEditors.HUMANS:
            return kind is ActorKind.HUMAN
        case VisionEditors.OWNERS:
            return level is MembershipLevel.OWNER
    return False


def retention_days(rules: PolicyRules, *words: str) -> int | None:
    """Return the shortest retention that the policy states for any of these words, or for "*"; None: without end.

    The words are those of the content: its type, kind, scope and sensitivity.
    """
    return min((rules.retention[word] for word in ("*", *words) if word in rules.retention), default=None)


def fitting_rule(rules: Sequence[Mapping[str, Any]], *, phase: Phase, risk: Risk) -> int | None:
    """Return which of the injection rules holds for a phase and risk: the first that fits; "*" fits any."""
    fits = (n for n, rule in enumerate(rules) if _fits(rule, "phase", phase) and _fits(rule, "risk", risk))
    return next(fits, None)


def injection_ceiling(rules: Sequence[Mapping[str, Any]], *, phase: Phase, risk: Risk) -> Ceiling:
    """Return the ceiling of the first rule that fits the phase and risk ("*" fits any), else the default."""
    found = fitting_rule(rules, phase=phase, risk=risk)
    if found is None:
        return DEFAULT_CEILING
    return Ceiling(
        Sensitivity(rules[found].get("highest_sensitivity", Sensitivity.WORK)),
        str(rules[found].get("lowest_knowledge_status", DEFAULT_CEILING.lowest_knowledge_status)),
    )


def effective_risk(*risks: Risk | None) -> Risk:
    """Return the highest of the given risks: a caller can only narrow what may enter."""
    return max((risk for risk in risks if risk is not None), key=rank, default=Risk.LOW)


def is_mode(text: str) -> bool:
    """Return whether a policy may name its review mode so: `low-risk-auto` reads as `low_risk_auto`."""
    return text.replace("-", "_") in list(ReviewMode)


def unknown_words(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield where a whole body holds a word that no rule would follow, by its pointer, and what is expected there."""
    if not is_mode(body["review_mode"]):
        yield "/body/review_mode", "expected human, low_risk_auto or auto"
    if body["risk_threshold"] not in list(Risk):
        yield "/body/risk_threshold", f"expected one of {', '.join(Risk)}"
    levels = [*Sensitivity, *(f"{DISCLOSE}{level}" for level in Sensitivity)]
    for level, handling in body["sensitivity_rules"].items():
        if level not in levels or handling not in list(Handling):
            yield "/body/sensitivity_rules", f"expected {', '.join(levels)}, each with one of {', '.join(Handling)}"
    for source, weight in body["source_weights"].items():
        if not 0 <= weight <= 1:
            yield f"/body/source_weights/{source}", "expected 0 to 1"
    for number, rule in enumerate(body["injection_rules"]):
        words = ("*", *Phase), ("*", *Risk), KNOWLEDGE
        names = ("phase", "risk", "lowest_knowledge_status")
        for name, known in zip(names, words, strict=True):
            if rule[name] not in known:
                yield f"/body/injection_rules/{number}/{name}", f"expected one of {', '.join(known)}"


def _mode(text: Any) -> ReviewMode:
    return ReviewMode(text.replace("-", "_")) if isinstance(text, str) and is_mode(text) else ReviewMode.HUMAN


def _member[E: StrEnum](words: type[E], text: Any, default: E) -> E:
    return words(text) if isinstance(text, str) and text in list(words) else default


def _weights(said: Mapping[str, Any]) -> dict[str, float]:
    return {
        str(name): min(max(float(value), 0.0), 1.0) for name, value in said.items() if isinstance(value, int | float)
    }


def _fits(rule: Mapping[str, Any], name: str, value: str) -> bool:
    return rule.get(name, "*") in ("*", value)
