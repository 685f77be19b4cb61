"""Where a memory may enter a packet, by the policy's ceilings alone."""

from governance.policies import PolicyRules
from governance.vocabulary import Phase, Risk, Sensitivity
from memories.entering import Fact, Spot, spots_of

CAREFUL = {"phase": "accept", "risk": "high", "highest_sensitivity": "public", "lowest_knowledge_status": "confirmed"}
RULES = PolicyRules.of({"injection_rules": [CAREFUL]})


def spot(fact: Fact, phase: Phase, risk: Risk) -> Spot:
    rows = spots_of(fact, RULES)
    return next(one for row in rows for one in row if (one.phase, one.risk) == (phase, risk))


def test_every_phase_and_risk_is_answered_once() -> None:
    rows = spots_of(Fact(sensitivity=Sensitivity.WORK, knowledge="inferred"), RULES)
    assert [(one.phase, one.risk) for row in rows for one in row] == [(p, r) for p in Phase for r in Risk]


def test_what_is_above_a_ceiling_says_by_which() -> None:
    fact = Fact(sensitivity=Sensitivity.WORK, knowledge="inferred")
    careful, usual = spot(fact, Phase.ACCEPT, Risk.HIGH), spot(fact, Phase.PLAN, Risk.LOW)
    assert (careful.too_sensitive, careful.too_uncertain, usual.enters) == (True, True, True)


def test_what_is_disputed_enters_nowhere_by_default() -> None:
    rows = spots_of(Fact(sensitivity=Sensitivity.PUBLIC, knowledge="disputed"), PolicyRules.of(None))
    assert not any(one.enters for row in rows for one in row)
