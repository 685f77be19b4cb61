"""The rules over plain values: what may be written, may enter a packet, may leave; every cell of their tables."""

from dataclasses import dataclass
from itertools import product

import pytest

from governance.policies import (
    Decision,
    DisclosureCase,
    PolicyRules,
    Reason,
    ReviewMode,
    Verdict,
    WriteCase,
    judge_disclosure,
    judge_injection,
    judge_write,
    retention_days,
    review_mode,
    write_risk,
)
from governance.policy_reasons import EXPLANATIONS
from governance.policy_rules import KNOWLEDGE, SOURCE_WEIGHTS, Ceiling, Handling, fitting_rule, unknown_words
from governance.vocabulary import ActorKind, Audience, Destination, Phase, Risk, Sensitivity, rank
from memories.vocabulary import KnowledgeStatus, MemoryType, ScopeType, SourceRank

ALLOW, HOLD, REFUSE = Verdict
HUMAN, LOW_RISK, AUTO = (PolicyRules.of({"review_mode": mode}) for mode in ReviewMode)
AGENT, TOOL, OUTSIDE = SourceRank.TRUSTED_AGENT, SourceRank.VERIFIED_TOOL_OUTPUT, SourceRank.UNTRUSTED_EXTERNAL
USER = SourceRank.USER_EXPLICIT


def test_the_words_of_memory_are_known_here_in_their_order() -> None:
    assert list(SOURCE_WEIGHTS) == list(SourceRank)
    assert sorted(SOURCE_WEIGHTS.values()) == list(SOURCE_WEIGHTS.values())
    assert list(KNOWLEDGE) == list(KnowledgeStatus)


def test_every_reason_is_explained() -> None:
    assert set(EXPLANATIONS) == set(Reason)


# --- Writing. Rank, what it is, and the verdict under human | low_risk_auto | auto.
WRITES = [
    (USER, {}, (HOLD, ALLOW, ALLOW)),
    (SourceRank.USER_CORRECTION, {}, (HOLD, ALLOW, ALLOW)),
    (TOOL, {}, (HOLD, ALLOW, ALLOW)),
    (AGENT, {}, (HOLD, ALLOW, ALLOW)),
    (OUTSIDE, {}, (HOLD, HOLD, ALLOW)),
    ("hearsay", {}, (HOLD, HOLD, ALLOW)),
    (USER, {"type": "preference"}, (HOLD, ALLOW, ALLOW)),
    (AGENT, {"type": "preference"}, (HOLD, HOLD, ALLOW)),
    (TOOL, {"type": "procedural"}, (HOLD, HOLD, ALLOW)),
    (AGENT, {"kind": "sop"}, (HOLD, HOLD, ALLOW)),
    (AGENT, {"scope_type": "sop"}, (HOLD, HOLD, ALLOW)),
    (AGENT, {"kind": "sop", "actor_kind": ActorKind.HUMAN}, (HOLD, ALLOW, ALLOW)),
    (OUTSIDE, {"type": "procedural"}, (HOLD, HOLD, HOLD)),
    (OUTSIDE, {"type": "procedural", "actor_kind": ActorKind.HUMAN}, (HOLD, HOLD, HOLD)),
    (AGENT, {"action": "DELETE"}, (HOLD, HOLD, ALLOW)),
    (USER, {"action": "DELETE"}, (HOLD, ALLOW, ALLOW)),
    (USER, {"widens": True}, (HOLD, HOLD, HOLD)),
    (USER, {"touches_identity": True}, (HOLD, HOLD, HOLD)),
    (USER, {"scope_type": "identity"}, (HOLD, HOLD, HOLD)),
    (AGENT, {"sensitivity": Sensitivity.PERSONAL}, (HOLD, HOLD, HOLD)),
    (AGENT, {"sensitivity": Sensitivity.PERSONAL, "audience": Audience.PRIVATE}, (HOLD, ALLOW, ALLOW)),
    (USER, {"sensitivity": Sensitivity.SECRET}, (REFUSE, REFUSE, REFUSE)),
    (USER, {"sensitivity": Sensitivity.SECRET, "audience": Audience.ROLE}, (REFUSE, REFUSE, REFUSE)),
    (USER, {"sensitivity": Sensitivity.SECRET, "audience": Audience.PRIVATE}, (HOLD, ALLOW, ALLOW)),
]


@pytest.mark.parametrize(("source", "case", "verdicts"), WRITES)
def test_a_write_by_its_source_and_the_review_mode(source: str, case: dict, verdicts: tuple[Verdict, ...]) -> None:
    written = WriteCase(origin_rank=source, **case)
    assert tuple(judge_write(written, rules).verdict for rules in (HUMAN, LOW_RISK, AUTO)) == verdicts


def every_write() -> list[WriteCase]:
    types, kinds, scopes = ("semantic", "preference"), ("fact", "sop"), ("project", "identity", "sop")
    humans = (ActorKind.AGENT, ActorKind.HUMAN)
    cells = product(SourceRank, types, kinds, scopes, Sensitivity, Audience, (False, True), humans, ("ADD", "DELETE"))
    names = ("origin_rank", "type", "kind", "scope_type", "sensitivity", "audience", "touches_identity", "actor_kind")
    return [WriteCase(**dict(zip((*names, "action"), cell, strict=True))) for cell in cells]


WILD = PolicyRules.of({"review_mode": "auto", "risk_threshold": "high", "source_weights": dict.fromkeys(SourceRank, 1)})


def test_no_write_touches_an_identity_by_itself_whatever_the_policy_says() -> None:
    identity = [case for case in every_write() if case.touches_identity or case.scope_type == "identity"]
    assert not any(judge_write(case, WILD).allowed for case in identity)


def test_no_shared_secret_is_written_by_default_and_every_cell_has_a_sentence() -> None:
    for case in every_write():
        decided = judge_write(case, LOW_RISK)
        shared = case.sensitivity is Sensitivity.SECRET and case.audience is not Audience.PRIVATE
        assert (decided.verdict is REFUSE) is shared
        assert decided.explanation
        assert not (decided.allowed and write_risk(case, LOW_RISK) is not Risk.LOW)


def test_a_stricter_mode_never_lets_more_through() -> None:
    for case in every_write():
        through = [judge_write(case, rules).allowed for rules in (HUMAN, LOW_RISK, AUTO)]
        assert through == sorted(through)


def test_a_heavier_source_is_never_graver() -> None:
    for type_, scope, action in product(MemoryType, ScopeType, ("ADD", "DELETE")):
        ranked = [WriteCase(origin_rank=one, type=type_, scope_type=scope, action=action) for one in SourceRank]
        risks = [rank(write_risk(one, LOW_RISK)) for one in ranked]
        assert risks == sorted(risks, reverse=True)


@pytest.mark.parametrize(
    ("body", "source", "reason"),
    [
        ({"source_weights": {"trusted_agent": 0}}, AGENT, Reason.SOURCE_NOT_ACCEPTED),
        ({"source_weights": {"trusted_agent": 0.1}}, AGENT, Reason.RISK_ASKS_A_HUMAN),
        ({"source_weights": {"untrusted_external": 0.8}}, OUTSIDE, Reason.MODE_LETS_IT),
        ({"approval_required_for": ["memory.fact"]}, USER, Reason.APPROVAL_REQUIRED),
        ({"approval_required_for": ["memory.sop"]}, USER, Reason.MODE_LETS_IT),
        ({"sensitivity_rules": {"work": "refuse"}}, USER, Reason.SENSITIVITY_REFUSED),
        ({"sensitivity_rules": {"work": "private"}}, USER, Reason.SENSITIVITY_STAYS_PRIVATE),
        ({"sensitivity_rules": {"work": "hold"}}, USER, Reason.SENSITIVITY_ASKS_A_HUMAN),
        ({"risk_threshold": "low"}, USER, Reason.RISK_ASKS_A_HUMAN),
        ({"risk_threshold": "high"}, OUTSIDE, Reason.MODE_LETS_IT),
        ({"review_mode": "human"}, USER, Reason.MODE_ASKS_A_HUMAN),
    ],
)
def test_what_the_policy_says_is_what_counts(body: dict, source: str, reason: Reason) -> None:
    rules = PolicyRules.of({"review_mode": "low-risk-auto"} | body)
    assert judge_write(WriteCase(origin_rank=source), rules).reason is reason


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        ("human", ReviewMode.HUMAN),
        ("low-risk-auto", ReviewMode.LOW_RISK_AUTO),
        ("low_risk_auto", ReviewMode.LOW_RISK_AUTO),
        ("auto", ReviewMode.AUTO),
        ("AUTO", ReviewMode.HUMAN),
        ("", ReviewMode.HUMAN),
        (None, ReviewMode.HUMAN),
        (7, ReviewMode.HUMAN),
    ],
)
def test_a_review_mode_that_nobody_knows_lets_humans_decide(said: object, mode: ReviewMode) -> None:
    assert review_mode(PolicyRules.of({"review_mode": said})) is mode


def test_a_project_without_a_policy_is_judged_by_the_defaults() -> None:
    assert PolicyRules.of(None) == PolicyRules.of({})


@pytest.mark.parametrize(
    ("retention", "words", "days"),
    [
        ({}, ("fact",), None),
        ({"fact": 30}, ("fact", "work"), 30),
        ({"fact": 30, "work": 10}, ("fact", "work"), 10),
        ({"*": 5, "fact": 30}, ("fact",), 5),
        ({"sop": 1}, ("fact",), None),
        ({"fact": "30"}, ("fact",), None),
    ],
)
def test_the_shortest_retention_counts(retention: dict, words: tuple[str, ...], days: int | None) -> None:
    assert retention_days(PolicyRules.of({"retention": retention}), *words) == days


# --- Injection: an oracle of its own, cell by cell.
@dataclass(frozen=True)
class Fact:
    audience: Audience
    role: str | None
    owner: str | None
    sensitivity: Sensitivity


@dataclass(frozen=True)
class Place:
    destination: Destination
    private_owner: str | None
    roles: tuple[str, ...]
    highest_sensitivity: Sensitivity
    lowest_knowledge_status: str


def facts() -> list[Fact]:
    reaches = [
        (Audience.PROJECT, None, None),
        (Audience.ROLE, "dev", None),
        (Audience.ROLE, "chief", None),
        (Audience.PRIVATE, None, "act_1"),
        (Audience.PRIVATE, None, "act_2"),
        (Audience.PRIVATE, None, None),
    ]
    return [Fact(*reach, level) for reach in reaches for level in Sensitivity]


def places() -> list[Place]:
    cells = product(Destination, (None, "act_1"), ((), ("dev",)), Sensitivity, KNOWLEDGE)
    return [Place(*cell) for cell in cells]


def oracle(fact: Fact, place: Place, status: str) -> Reason:
    readers = {
        "project": True,
        "role": place.destination != "external" and fact.role in place.roles,
        "private": place.destination == "private" and fact.owner is not None and fact.owner == place.private_owner,
    }
    levels = ["public", "work", "personal", "secret"]
    highest = "public" if place.destination == "external" else place.highest_sensitivity
    if not readers[fact.audience]:
        return Reason.AUDIENCE_TOO_NARROW
    if levels.index(fact.sensitivity) > levels.index(highest):
        return Reason.ABOVE_SENSITIVITY
    certain = ["disputed", "open", "inferred", "confirmed"]
    below = certain.index(status) < certain.index(place.lowest_knowledge_status)
    return Reason.NOT_CERTAIN_ENOUGH if below else Reason.ALLOWED


def test_every_cell_of_injection_is_as_the_oracle_says() -> None:
    seen = set()
    for fact, place, status in product(facts(), places(), KNOWLEDGE):
        decided = judge_injection(fact, place, status=status)
        assert decided.reason is oracle(fact, place, status)
        seen.add((decided.reason, decided.allowed))
    assert seen == {
        (Reason.ALLOWED, True),
        (Reason.AUDIENCE_TOO_NARROW, False),
        (Reason.ABOVE_SENSITIVITY, False),
        (Reason.NOT_CERTAIN_ENOUGH, False),
    }


def test_a_word_that_nobody_knows_is_the_least_certain() -> None:
    place = Place(Destination.PROJECT, None, (), Sensitivity.WORK, "open")
    fact = Fact(Audience.PROJECT, None, None, Sensitivity.PUBLIC)
    assert judge_injection(fact, place, status="hearsay").reason is Reason.NOT_CERTAIN_ENOUGH


RULES = [
    {"phase": "plan", "risk": "high", "highest_sensitivity": "public"},
    {"phase": "plan", "highest_sensitivity": "personal", "lowest_knowledge_status": "open"},
    {"risk": "low", "highest_sensitivity": "secret"},
]


@pytest.mark.parametrize(
    ("phase", "risk", "number"),
    [
        (Phase.PLAN, Risk.HIGH, 0),
        (Phase.PLAN, Risk.LOW, 1),
        (Phase.PLAN, Risk.MEDIUM, 1),
        (Phase.EXECUTE, Risk.LOW, 2),
        (Phase.ACCEPT, Risk.LOW, 2),
        (Phase.EXECUTE, Risk.HIGH, None),
    ],
)
def test_the_first_rule_that_fits_holds(phase: Phase, risk: Risk, number: int | None) -> None:
    assert fitting_rule(RULES, phase=phase, risk=risk) == number


def test_a_phase_and_risk_without_a_rule_stand_at_the_default() -> None:
    rules = PolicyRules.of({"injection_rules": RULES})
    assert rules.ceiling(Phase.EXECUTE, Risk.HIGH) == Ceiling(Sensitivity.WORK, "inferred")
    assert rules.ceiling(Phase.PLAN, Risk.LOW) == Ceiling(Sensitivity.PERSONAL, "open")


# --- Disclosure.
LEAVES = [
    (Sensitivity.PUBLIC, ALLOW, ALLOW),
    (Sensitivity.WORK, HOLD, ALLOW),
    (Sensitivity.PERSONAL, HOLD, ALLOW),
    (Sensitivity.SECRET, REFUSE, REFUSE),
]


@pytest.mark.parametrize(("level", "alone", "approved"), LEAVES)
def test_what_leaves_by_its_sensitivity(level: Sensitivity, alone: Verdict, approved: Verdict) -> None:
    found = [judge_disclosure(DisclosureCase(sensitivity=level, approved=said), HUMAN) for said in (False, True)]
    assert [decided.verdict for decided in found] == [alone, approved]


def test_what_not_all_share_never_leaves() -> None:
    kept = [
        judge_disclosure(DisclosureCase(audience=audience, sensitivity=level, approved=True), WILD).reason
        for audience in (Audience.ROLE, Audience.PRIVATE)
        for level in Sensitivity
    ]
    assert set(kept) == {Reason.NOT_SHARED}


@pytest.mark.parametrize("status", [*KNOWLEDGE, "hearsay"])
def test_what_is_disputed_or_open_stays(status: str) -> None:
    public = DisclosureCase(sensitivity=Sensitivity.PUBLIC, knowledge_status=status)
    assert judge_disclosure(public, HUMAN).allowed is (status in ("inferred", "confirmed"))


@pytest.mark.parametrize("handling", list(Handling))
def test_a_policy_may_be_stricter_or_looser_about_leaving(handling: Handling) -> None:
    rules = PolicyRules.of({"sensitivity_rules": {"disclose.work": handling}})
    verdict = judge_disclosure(DisclosureCase(), rules).verdict
    assert verdict is {Handling.ALLOW: ALLOW, Handling.HOLD: HOLD}.get(handling, REFUSE)


def test_a_decision_says_what_it_is() -> None:
    held = Decision(HOLD, Reason.APPROVAL_REQUIRED, {"what": "payment"})
    assert (held.allowed, held.held, held.reason_code) == (False, True, "approval_required")
    assert held.explanation == "the policy requires an approval for payment"


WHOLE = {
    "review_mode": "human",
    "risk_threshold": "medium",
    "sensitivity_rules": {},
    "source_weights": {},
    "injection_rules": [],
}
ANY_RULE = {"phase": "*", "risk": "*", "lowest_knowledge_status": "inferred"}


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, []),
        ({"review_mode": "low-risk-auto", "sensitivity_rules": {"work": "hold", "disclose.work": "allow"}}, []),
        ({"injection_rules": [ANY_RULE | {"phase": "plan", "risk": "high"}]}, []),
        ({"review_mode": "humen"}, ["/body/review_mode"]),
        ({"risk_threshold": "grave"}, ["/body/risk_threshold"]),
        ({"sensitivity_rules": {"work": "shred"}}, ["/body/sensitivity_rules"]),
        ({"sensitivity_rules": {"wrk": "hold"}}, ["/body/sensitivity_rules"]),
        ({"source_weights": {"trusted_agent": 2}}, ["/body/source_weights/trusted_agent"]),
        ({"injection_rules": [ANY_RULE, ANY_RULE | {"phase": "ship"}]}, ["/body/injection_rules/1/phase"]),
        ({"injection_rules": [ANY_RULE | {"risk": "x"}]}, ["/body/injection_rules/0/risk"]),
        (
            {"injection_rules": [ANY_RULE | {"lowest_knowledge_status": "sure"}]},
            ["/body/injection_rules/0/lowest_knowledge_status"],
        ),
    ],
)
def test_a_word_that_no_rule_follows_is_found(body: dict, pointers: list[str]) -> None:
    assert [pointer for pointer, _ in unknown_words(WHOLE | body)] == pointers
