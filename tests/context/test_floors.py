"""Floors that a policy asks for: raised in the budget up to caps and the whole, and said to be the policy's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.vocabulary import Phase, Risk
from sessions.context.budget import build_budget
from sessions.context.floors import floor_faults, floors_of
from sessions.context.profiles import WHOLE
from sessions.context.vocabulary import Layer, LimitOrigin
from tests.context.cast import default_profile

ANY = st.dictionaries(st.sampled_from([*Layer, "nonsense"]), st.sampled_from([-3, 0, 0.004, 0.3, 1, 99, True, "x"]))


def raised_budget(asked: dict[str, Any], phase: Phase = Phase.EXECUTE) -> Any:
    floors = floors_of({"budget_floors": asked})
    return build_budget(default_profile(), phase=phase, risk=Risk.LOW, floors=floors)


def test_a_floor_of_the_policy_is_kept_and_says_whose_it_is() -> None:
    budget, usual = raised_budget({"memories": 0.12}), raised_budget({})
    assert budget.layers[Layer.MEMORIES].floor == budget.input_cap * 1_200 // WHOLE
    assert budget.layers[Layer.MEMORIES].origin is LimitOrigin.POLICY
    others = [layer for layer in Layer if layer is not Layer.MEMORIES]
    assert [budget.layers[layer] for layer in others] == [usual.layers[layer] for layer in others]


def test_a_floor_below_the_profiles_own_changes_nothing() -> None:
    assert raised_budget({"dialogue": 0.01}) == raised_budget({})


def test_a_floor_ends_at_its_layers_cap() -> None:
    layer = raised_budget({"memories": 1}).layers[Layer.MEMORIES]
    assert (layer.floor, layer.origin) == (layer.cap, LimitOrigin.POLICY)


def test_a_layer_that_the_phase_keeps_out_has_no_floor() -> None:
    held = raised_budget({"preferences": 0.05}, Phase.ACCEPT).layers[Layer.PREFERENCES]
    assert (held.held, held.floor, held.origin) == (True, 0, LimitOrigin.DEFAULT)


@given(ANY, st.sampled_from(Phase))
def test_whatever_is_asked_for_floors_stay_within_caps_and_the_whole(asked: dict[str, Any], phase: Phase) -> None:
    budget, usual = raised_budget(asked, phase), raised_budget({}, phase)
    assert sum(figures.floor for figures in budget.layers.values()) <= budget.input_cap
    assert all(usual.layers[at].floor <= one.floor <= one.cap for at, one in budget.layers.items())


WRONG = [
    ({"nonsense": 0.1}, ["budget_floors/nonsense"]),
    ({"memories": -3}, ["budget_floors/memories"]),
    ({"memories": 1.5, "plan": 0.1}, ["budget_floors/memories"]),
    ({"dialogue": 0.7, "summary": 0.4}, ["budget_floors"]),
    ({"dialogue": 0.7, "summary": 0.3}, []),
]


@pytest.mark.parametrize(("asked", "fields"), WRONG)
def test_what_no_budget_can_keep_is_named(asked: dict[str, Any], fields: list[str]) -> None:
    assert [one.field for one in floor_faults({"budget_floors": asked})] == fields
