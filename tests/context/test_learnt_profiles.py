"""What was learnt stands in a profile beside what it says, and counts within bounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.vocabulary import Phase, Risk
from sessions.context.budget import Budget, build_budget
from sessions.context.profile_form import parse_profile
from sessions.context.profiles import Learnt, ModelProfile, ProfileFault, for_request, with_harness, with_learnt
from sessions.context.scripts import Script
from sessions.context.tokens import LEAST_FACTOR, MOST_FACTOR, WeighingCounter, Weights, exact_counter
from sessions.context.vocabulary import CountMethod, LimitOrigin
from tests.context.cast import PROFILES
from tests.context.dice import TEXTS

O200K = exact_counter("o200k_base")
HAN_ONLY = Weights(1.0, tuple(0.4 if script is Script.HAN else 0.0 for script in Script))
LEARNT = Learnt(ref="lrn_1", encoding="o200k_base", weights=HAN_ONLY, harness=11_000)
WEIGHTS = st.builds(
    Weights, st.floats(0, 5), st.tuples(*[st.floats(0, 5)] * len(Script))
)  # fmt: skip


def profile(name: str = "claude-sonnet@claude-code", **changes: Any) -> ModelProfile:
    return parse_profile(PROFILES[name] | changes)


def budget(found: ModelProfile) -> Budget:
    return build_budget(found, phase=Phase.EXECUTE, risk=Risk.LOW)


def test_a_script_weighs_what_was_learnt_of_it():
    counter = WeighingCounter(O200K, HAN_ONLY)
    assert counter.count("plain words") == O200K.count("plain words")
    assert counter.count("上下文预算" * 20) == O200K.count("上下文预算" * 20) + 40


def test_a_stored_count_is_weighed_like_a_fresh_one():
    counter, text = WeighingCounter(O200K, HAN_ONLY), "预算 budget\n"
    assert counter.stored(O200K.count(text), text) == counter.count(text)


@given(weights=WEIGHTS, text=TEXTS)
def test_no_weights_count_outside_of_what_a_vocabulary_can_make_of_a_text(weights, text):
    counted, exact = WeighingCounter(O200K, weights).count(text), O200K.count(text)
    assert LEAST_FACTOR * exact - 0.5 <= counted <= MOST_FACTOR * exact + 0.5


def test_a_learnt_profile_counts_by_the_provider_and_keeps_free_what_its_harness_takes():
    found = budget(with_learnt(profile(), LEARNT))
    assert (found.method, found.reserves["harness"]) == (CountMethod.PROVIDER, 11_000)
    assert (found.reserve_origins["harness"], found.reserve_origins["margin"]) == (
        LimitOrigin.LEARNT,
        LimitOrigin.PROFILE,
    )


def test_an_exact_vocabulary_stays_exact():
    found = with_learnt(profile("gpt-5@codex"), LEARNT)
    assert (found.method, found.counter(), found.reserves["harness"]) == (CountMethod.EXACT, O200K, 11_000)


def test_what_was_learnt_beside_another_vocabulary_says_nothing():
    own = profile(encoding="cl100k_base")
    assert with_learnt(own, LEARNT) is own


def test_what_the_request_tells_stands_above_what_was_learnt():
    found = budget(with_harness(with_learnt(profile(), LEARNT), 9_000, LimitOrigin.REQUEST))
    assert (found.reserves["harness"], found.reserve_origins["harness"]) == (9_000, LimitOrigin.REQUEST)


def test_messages_and_tools_cost_beside_their_text():
    own = profile(overheads={"message": 4, "tool": 8})
    more = for_request(own, messages=3, tools=20)
    assert more.reserves["protocol"] - own.reserves["protocol"] == 4 * 3 + 8 * 20
    assert budget(more).input_cap == budget(own).input_cap - 172


@pytest.mark.parametrize(
    ("overheads", "field"), [({"message": -1}, "overheads.message"), ({"turn": 4}, "overheads.turn")]
)
def test_a_fault_in_the_overheads_names_its_field(overheads, field):
    with pytest.raises(ProfileFault) as caught:
        profile(overheads=overheads)
    assert caught.value.field == field
