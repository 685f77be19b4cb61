"""Who may decide a change: one table of what each field weighs, and pure functions over plain values.

The database knows the same table and the same rules (migrations 0004_authority and those named …_proposals since); a
test holds the two equal.
"""

import json
import uuid
from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from governance.vocabulary import ContractKind, Matter, MembershipLevel, Proposable, ProposalKind, Risk, rank

# Everything that an owner decides; the rest is a maintainer's as well.
NEEDED: Mapping[Matter, MembershipLevel] = {
    Matter.PERSONA: MembershipLevel.MAINTAINER,
    Matter.ROLE: MembershipLevel.MAINTAINER,
    Matter.IDENTITY_CORE: MembershipLevel.OWNER,
    Matter.HARD_BOUNDARIES: MembershipLevel.OWNER,
    Matter.PERMISSIONS: MembershipLevel.OWNER,
    Matter.POLICY: MembershipLevel.OWNER,
    Matter.PROFILE: MembershipLevel.OWNER,
    Matter.SENSITIVITY_DOWNGRADE: MembershipLevel.OWNER,
    Matter.PRIVATE_TO_SHARED: MembershipLevel.OWNER,
    Matter.VISION: MembershipLevel.MAINTAINER,
}


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a change of one field touches, and its risk; `loss`, where it weighs more that what stood there is gone."""

    matter: Matter
    risk: Risk
    loss: Risk | None = None


FIELD_RULES: Mapping[Proposable, Mapping[str, FieldRule]] = {
    ContractKind.PERSONA: {
        "name": FieldRule(Matter.PERSONA, Risk.MEDIUM),
        "role": FieldRule(Matter.PERSONA, Risk.MEDIUM),
        "speaking_style": FieldRule(Matter.PERSONA, Risk.LOW),
        "behavior_rules": FieldRule(Matter.PERSONA, Risk.MEDIUM),
        "relationship_to_user": FieldRule(Matter.PERSONA, Risk.LOW),
        "stable_preferences": FieldRule(Matter.PERSONA, Risk.LOW),
        "identity_core": FieldRule(Matter.IDENTITY_CORE, Risk.HIGH),
    },
    ContractKind.ROLE: {
        "slug": FieldRule(Matter.ROLE, Risk.MEDIUM),
        "duties": FieldRule(Matter.ROLE, Risk.MEDIUM),
        "permissions": FieldRule(Matter.PERMISSIONS, Risk.HIGH),
        "collaboration_rules": FieldRule(Matter.ROLE, Risk.MEDIUM),
        "hard_boundaries": FieldRule(Matter.HARD_BOUNDARIES, Risk.HIGH),
        "max_input_tokens": FieldRule(Matter.ROLE, Risk.MEDIUM),
    },
    ContractKind.POLICY: {
        "retention": FieldRule(Matter.POLICY, Risk.MEDIUM),
        "budget_floors": FieldRule(Matter.POLICY, Risk.MEDIUM),
    },
    ContractKind.SELF_PROFILE: {
        "version": FieldRule(Matter.PROFILE, Risk.LOW),
        "preference_model": FieldRule(Matter.PROFILE, Risk.LOW),
        "identity_core": FieldRule(Matter.IDENTITY_CORE, Risk.HIGH),
    },
    ContractKind.BUDGET_PROFILE: {},
    ProposalKind.MEMORY: dict.fromkeys(
        ("content", "type", "kind", "sensitivity", "origin", "rank", "knowledge", "named", "consent"),
        FieldRule(Matter.PRIVATE_TO_SHARED, Risk.MEDIUM),
    ),
    ProposalKind.SENSITIVITY: dict.fromkeys(
        ("memory", "version", "before", "after"), FieldRule(Matter.SENSITIVITY_DOWNGRADE, Risk.MEDIUM)
    ),
    # What is added to a vision is light. What goes is not: its goal, and its non-goals, which hold as constraints.
    ProposalKind.VISION: {
        "thread": FieldRule(Matter.VISION, Risk.LOW),
        "version": FieldRule(Matter.VISION, Risk.LOW),
        "origin_goal": FieldRule(Matter.VISION, Risk.LOW, loss=Risk.HIGH),
        "done_when": FieldRule(Matter.VISION, Risk.LOW, loss=Risk.MEDIUM),
        "non_goals": FieldRule(Matter.VISION, Risk.LOW, loss=Risk.HIGH),
        "user_priorities": FieldRule(Matter.VISION, Risk.MEDIUM),  # in their order: the first comes first
        "quality_bar": FieldRule(Matter.VISION, Risk.LOW, loss=Risk.MEDIUM),
    },
}
# A field that stands in no table is as grave as can be: what somebody forgot to weigh does not slip through.
UNWEIGHED: Mapping[Proposable, FieldRule] = {
    ContractKind.PERSONA: FieldRule(Matter.IDENTITY_CORE, Risk.HIGH),
    ContractKind.ROLE: FieldRule(Matter.PERMISSIONS, Risk.HIGH),
    ContractKind.POLICY: FieldRule(Matter.POLICY, Risk.HIGH),
    ContractKind.SELF_PROFILE: FieldRule(Matter.PROFILE, Risk.HIGH),
    ContractKind.BUDGET_PROFILE: FieldRule(Matter.PROFILE, Risk.HIGH),
    ProposalKind.MEMORY: FieldRule(Matter.PRIVATE_TO_SHARED, Risk.HIGH),
    ProposalKind.SENSITIVITY: FieldRule(Matter.SENSITIVITY_DOWNGRADE, Risk.HIGH),
    ProposalKind.VISION: FieldRule(Matter.HARD_BOUNDARIES, Risk.HIGH),
}


@dataclass(frozen=True, slots=True)
class Touch:
    """What a change touches: the fields that differ, the highest risk among them, and the level that decides."""

    fields: tuple[str, ...]
    matters: frozenset[Matter]
    risk: Risk
    level: MembershipLevel


def touch(kind: Proposable, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> Touch:
    """Return what the step from `before` (None: a new contract) to `after` touches; empty fields are alike."""
    old = before or {}
    fields = tuple(sorted(name for name in {*old, *after} if _differ(old.get(name), after.get(name))))
    rules = {name: FIELD_RULES[kind].get(name, UNWEIGHED[kind]) for name in fields}
    return Touch(
        fields,
        frozenset(rule.matter for rule in rules.values()),
        max((_weight(rules[name], old.get(name), after.get(name)) for name in fields), key=rank, default=Risk.LOW),
        max((NEEDED[rule.matter] for rule in rules.values()), key=rank, default=MembershipLevel.MAINTAINER),
    )


def _differ(before: Any, after: Any) -> bool:
    if _blank(before) and _blank(after):
        return False
    return json.dumps(before, sort_keys=True) != json.dumps(after, sort_keys=True)


def _weight(rule: FieldRule, before: Any, after: Any) -> Risk:
    return rule.risk if rule.loss is None or not _loses(before, after) else rule.loss


def _loses(before: Any, after: Any) -> bool:
    """Say whether a line of a list is gone, or a text is no longer what it was; what was blank loses nothing."""
    if isinstance(before, list) and isinstance(after, list):
        return any(line not in after for line in before)
    return not _blank(before)


def _blank(value: Any) -> bool:
    """Say whether nothing is written anywhere inside: no number, no truth value, no text."""
    match value:
        case None | "":
            return True
        case Mapping():
            return all(_blank(inner) for inner in value.values())
        case list() | tuple():
            return all(_blank(inner) for inner in value)
    return False


class Bar(StrEnum):
    """Why somebody may not decide."""

    NOT_A_DECIDER = "not_a_decider"
    LEVEL_TOO_LOW = "level_too_low"
    OWN_PROPOSAL = "own_proposal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A change that waits for a decision. `authors` are the humans who wrote it or own an agent that did; `deciders`
    are the active humans of the level that it needs; `two` says that the policy asks for two of them.
    """

    level: MembershipLevel
    risk: Risk
    authors: Set[uuid.UUID]
    deciders: Set[uuid.UUID]
    two: bool = False


def bar(case: Case, actor: uuid.UUID, level: MembershipLevel | None) -> Bar | None:
    """Return why this actor may not decide the case, or None. `level` None: no active human member."""
    if level is None:
        return Bar.NOT_A_DECIDER
    if actor not in case.deciders:
        return Bar.LEVEL_TOO_LOW
    if _is_own(case, actor) and len(case.deciders) > 1:
        return Bar.OWN_PROPOSAL
    return None


def self_approved(case: Case, actor: uuid.UUID) -> bool:
    """Return whether a decision by this actor is one on their own change, which only the sole decider may take."""
    return _is_own(case, actor)


def approvals_needed(case: Case) -> int:
    """Return how many approvals the case needs: two where the policy asks and two may decide, else one."""
    others = sum(1 for decider in case.deciders if not _is_own(case, decider))
    return max(1, min(2 if case.two else 1, others))


def _is_own(case: Case, actor: uuid.UUID) -> bool:
    return case.risk != Risk.LOW and actor in case.authors
