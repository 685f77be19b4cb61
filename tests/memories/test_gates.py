"""The gates over plain values: what each one says, and that a source can only be lowered."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.policies import PolicyRules, ReviewMode
from governance.vocabulary import ActorKind, Audience, Sensitivity, rank
from memories.gate_cases import Candidate, CitedFact, Rival, TargetFact
from memories.gates import LONGEST, judge, outranks, rank_of, sensitivity_of
from memories.screening import Screening, screen
from memories.vocabulary import Gate, Origin, ReasonCode, SourceRank, WriteAction, WriteMode

TEXT = "The tide gauge stands at pier four."
USER = CitedFact(ref="event://x/1", opens=True, source=SourceRank.USER_EXPLICIT)
PLAIN = Candidate(
    text=TEXT,
    origin=Origin.USER_EXPLICIT,
    rank=SourceRank.USER_EXPLICIT,
    screening=Screening(),
    rules=PolicyRules(review_mode=ReviewMode.LOW_RISK_AUTO),
    cited=[USER],
)


def test_what_nothing_stands_against_is_used() -> None:
    judged = judge(PLAIN)
    assert (judged.outcome, judged.reached, [ruling.gate for ruling in judged.rulings]) == ("active", "active", [*Gate])


@pytest.mark.parametrize(
    ("changed", "outcome", "code"),
    [
        ({"text": " \n"}, "rejected", "content_empty"),
        ({"text": "x" * (LONGEST + 1)}, "rejected", "content_too_long"),
        ({"screening": screen("ghp_" + "a1B2c3D4e5" * 4)}, "rejected", "screening_secret"),
        ({"echoes": True}, "rejected", "echo_of_injected"),
        ({"cited": []}, "rejected", "evidence_missing"),
        ({"cited": [replace(USER, opens=False)]}, "rejected", "evidence_unresolvable"),
        ({"cited": [replace(USER, quoted=False)]}, "rejected", "evidence_quote_not_found"),
        ({"cited": [replace(USER, own_words=True)]}, "rejected", "evidence_own_words"),
        ({"outlived": True}, "rejected", "superseded_before"),
        ({"touches_identity": True}, "held", "identity_needs_human"),
        ({"scope_type": "identity"}, "held", "identity_needs_human"),
        ({"rank": SourceRank.UNTRUSTED_EXTERNAL}, "held", "low_source_needs_human"),
        ({"rules": PolicyRules(source_weights={"user_explicit": 0})}, "rejected", "source_not_accepted"),
        ({"sensitivity": Sensitivity.PERSONAL}, "held", "sensitivity_needs_human"),
        ({"sensitivity": Sensitivity.SECRET}, "rejected", "secret_stays_inside"),
        ({"cited": [replace(USER, private=True)]}, "held", "private_to_shared_needs_human"),
        ({"rules": PolicyRules()}, "held", "review_mode_needs_human"),
        ({"rivals": [Rival(rank=SourceRank.USER_EXPLICIT)]}, "conflict", "conflict_open"),
    ],
)
def test_a_gate_that_does_not_pass_says_why(changed: dict[str, Any], outcome: str, code: str) -> None:
    judged = judge(replace(PLAIN, **changed))
    assert (judged.outcome, judged.code, judged.missing != "") == (outcome, code, True)


APPROVED = PolicyRules(review_mode=ReviewMode.LOW_RISK_AUTO, approval_required_for=frozenset({"memory.semantic"}))


@pytest.mark.parametrize(
    ("rules", "code", "told"),
    [
        (PolicyRules(), "low_source_needs_human", "not trusted enough"),
        (PLAIN.rules, "low_source_needs_human", "not trusted enough"),
        (APPROVED, "approval_needs_human", "requires an approval for memory.semantic"),
    ],
)
def test_what_is_missing_is_what_the_code_says(rules: PolicyRules, code: str, told: str) -> None:
    judged = judge(replace(PLAIN, rank=SourceRank.UNTRUSTED_EXTERNAL, rules=rules))
    assert (judged.code, told in judged.missing) == (code, True)


@pytest.mark.parametrize(
    ("target", "outcome", "code"),
    [
        ({"in_use": False}, "rejected", "target_gone"),
        ({"write_mode": WriteMode.IMMUTABLE}, "rejected", "target_immutable"),
        ({"rank": SourceRank.USER_EXPLICIT}, "conflict", "weaker_source"),
        ({"rank": SourceRank.TRUSTED_AGENT}, "active", None),
    ],
)
def test_a_change_is_held_against_its_target(target: dict[str, Any], outcome: str, code: str | None) -> None:
    plain = {"in_use": True, "rank": SourceRank.TRUSTED_AGENT, "write_mode": WriteMode.APPEND}
    change = {"action": WriteAction.UPDATE, "rank": SourceRank.TRUSTED_AGENT, "origin": Origin.AGENT_INFERRED}
    judged = judge(replace(PLAIN, **change, target=TargetFact(**(plain | target))))
    assert (judged.outcome, judged.code) == (outcome, code)


def test_a_change_never_lowers_how_sensitive_its_target_is() -> None:
    target = TargetFact(
        in_use=True,
        rank=SourceRank.TRUSTED_AGENT,
        write_mode=WriteMode.APPEND,
        sensitivity=Sensitivity.PERSONAL,
    )
    change = replace(PLAIN, action=WriteAction.UPDATE, sensitivity=Sensitivity.PUBLIC, target=target)
    assert sensitivity_of(change) is Sensitivity.PERSONAL


def test_a_refusal_is_not_hidden_by_an_earlier_wait() -> None:
    judged = judge(replace(PLAIN, touches_identity=True, sensitivity=Sensitivity.SECRET))
    assert (judged.outcome, judged.code) == ("rejected", "secret_stays_inside")


def test_what_a_human_must_read_first_disputes_nothing() -> None:
    judged = judge(replace(PLAIN, touches_identity=True, rivals=[Rival(rank=SourceRank.USER_EXPLICIT)]))
    assert judged.outcome == "held"


def test_a_human_is_their_own_evidence() -> None:
    judged = judge(replace(PLAIN, cited=[], actor_kind=ActorKind.HUMAN, signed=True, rules=PolicyRules()))
    assert judged.outcome == "active"


def test_what_its_writer_alone_reads_waits_for_nobody() -> None:
    alone = {"alone": True, "audience": Audience.PRIVATE, "rank": SourceRank.TRUSTED_AGENT}
    assert judge(replace(PLAIN, rules=PolicyRules(), **alone)).outcome == "active"


SOURCES = st.lists(st.tuples(st.sampled_from(SourceRank), st.booleans()), max_size=6)


@given(origin=st.sampled_from([Origin.USER_EXPLICIT, Origin.AGENT_INFERRED, Origin.EXTERNAL_AGENT]), cited=SOURCES)
@settings(max_examples=200, deadline=None)
def test_no_citation_raises_a_source(origin: Origin, cited: list[tuple[SourceRank, bool]]) -> None:
    assert rank(rank_of(origin, signed=False, cited=cited)) <= rank(rank_of(origin, signed=False, cited=[]))


@given(origin=st.sampled_from(Origin), cited=SOURCES, extra=st.sampled_from([*SourceRank]))
@settings(max_examples=200, deadline=None)
def test_one_more_citation_of_a_lower_source_only_lowers(
    origin: Origin, cited: list[tuple[SourceRank, bool]], extra: SourceRank
) -> None:
    if extra is SourceRank.VERIFIED_TOOL_OUTPUT:
        return
    before = rank_of(origin, signed=False, cited=cited)
    assert rank(rank_of(origin, signed=False, cited=[*cited, (extra, False)])) <= rank(before)


def test_every_code_that_a_gate_gives_has_words() -> None:
    from memories.memory_words import REASON_WORDS

    assert set(REASON_WORDS) == set(ReasonCode)


@pytest.mark.parametrize(("new", "old"), list(product(SourceRank, repeat=2)))
def test_only_a_user_s_word_takes_another_s_place_by_itself(new: SourceRank, old: SourceRank) -> None:
    spoken = {SourceRank.USER_EXPLICIT, SourceRank.USER_CORRECTION}
    assert outranks(new, old, same_voice=False) == (new in spoken and old not in spoken)
