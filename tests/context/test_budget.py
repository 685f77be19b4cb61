"""Reserves, caps and groups, and what makes a profile unusable."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.vocabulary import Phase, Risk
from sessions.context.budget import Limit, ProfileFault, build_budget, parse_profile, parse_profile_name
from sessions.context.vocabulary import CountMethod, Group, Layer, LimitOrigin
from tests.context.cast import PROFILES, budget_of, default_profile

DEFAULT = PROFILES["default@conservative"]


@given(st.lists(st.builds(Limit, st.sampled_from(LimitOrigin), st.integers(-10, 50_000)), max_size=4))
def test_reserves_input_cap_and_unused_make_the_window(limits):
    budget = build_budget(default_profile(), phase=Phase.PLAN, risk=Risk.LOW, limits=limits)
    assert sum(budget.reserves.values()) + budget.input_cap + budget.unused == budget.window
    assert budget.unused >= 0


@given(st.integers(0, 100_000))
def test_groups_with_headroom_make_the_input_cap(tokens):
    budget = budget_of(tokens)
    assert sum(budget.groups.values()) == budget.input_cap
    assert budget.groups[Group.HEADROOM] >= 0


def test_the_smaller_window_counts():
    profile = default_profile(model_window=64_000, harness_window=30_000)
    assert build_budget(profile, phase=Phase.PLAN, risk=Risk.LOW).window == 30_000


def test_the_lowest_limit_makes_the_cap_and_is_named():
    limits = [Limit(LimitOrigin.PROJECT, 9_000), Limit(LimitOrigin.TASK, 4_000), Limit(LimitOrigin.REQUEST, 6_000)]
    budget = build_budget(default_profile(), phase=Phase.PLAN, risk=Risk.LOW, limits=limits)
    assert (budget.input_cap, budget.origin) == (4_000, LimitOrigin.TASK)


def test_a_request_cannot_raise_the_cap():
    usual = build_budget(default_profile(), phase=Phase.PLAN, risk=Risk.LOW)
    assert budget_of(10**6, phase=Phase.PLAN).input_cap == usual.input_cap == 103_000
    assert usual.origin is LimitOrigin.DEFAULT


def test_a_negative_limit_leaves_a_cap_of_nothing():
    assert budget_of(-5).input_cap == 0


def test_reserves_above_the_window_are_shortened_and_leave_no_input():
    budget = build_budget(default_profile(model_window=9_000), phase=Phase.PLAN, risk=Risk.LOW)
    assert (budget.input_cap, sum(budget.reserves.values())) == (0, 9_000)
    assert budget.reserves["output"] == 8_000


def test_layers_have_whole_tokens_between_floor_and_cap():
    budget = budget_of(1_001)
    assert budget.layers[Layer.POLICY].floor == 20
    assert all(isinstance(row.cap, int) and row.floor <= row.cap for row in budget.layers.values())


def test_phases_give_different_layers():
    assert budget_of(phase=Phase.PLAN).layers[Layer.MEMORIES].cap > budget_of().layers[Layer.MEMORIES].cap


def test_a_layer_without_room_in_a_phase_is_held():
    assert budget_of(phase=Phase.ACCEPT).layers[Layer.PREFERENCES].held
    assert not budget_of().layers[Layer.PREFERENCES].held


def test_risk_stands_above_phase():
    assert budget_of(risk=Risk.HIGH).layers[Layer.PREFERENCES].cap == 0


@pytest.mark.parametrize("body", PROFILES.values(), ids=PROFILES)
def test_shipped_profiles_parse_and_their_floors_fit(body):
    profile = parse_profile(body)
    for phase in Phase:
        assert sum(row.floor for row in profile.shares(phase, Risk.HIGH).values()) <= 10_000
    assert build_budget(profile, phase=Phase.PLAN, risk=Risk.LOW).input_cap > 0


def test_the_default_profile_counts_exactly_and_other_makers_are_estimated():
    methods = {name: parse_profile(body).counter().method for name, body in PROFILES.items()}
    assert methods["default@conservative"] is CountMethod.EXACT
    assert methods["claude-sonnet@claude-code"] is CountMethod.ESTIMATE


def test_six_models_and_the_default_are_shipped():
    assert len(PROFILES) == 7


def test_a_profile_name_has_a_model_and_a_harness():
    assert parse_profile_name("claude-sonnet@claude-code") == ("claude-sonnet", "claude-code")


@pytest.mark.parametrize(
    "name", ["", "gpt-5", "@x", "x@", "a@b@c", "GPT@codex", "a b@c", "a@b\n", "模型@x", "a" * 81 + "@b"]
)
def test_a_malformed_profile_name_is_refused(name):
    with pytest.raises(ProfileFault, match="model@harness") as caught:
        parse_profile_name(name)
    assert caught.value.field == "name"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["model_window"], 0, "model_window"),
        (["model_window"], True, "model_window"),
        (["harness_window"], "big", "harness_window"),
        (["encoding"], "p50k_base", "encoding"),
        (["method"], "provider", "method"),
        (["factor"], 0.5, "factor"),
        (["factor"], 1.5, "factor"),
        (["reserves", "output"], -1, "reserves.output"),
        (["groups", "policy"], 0.9, "groups"),
        (["groups", "headroom"], 0.1, "groups.headroom"),
        (["layers", "persona", "floor"], 0.2, "layers.persona.floor"),
        (["layers", "persona", "cap"], float("nan"), "layers.persona.cap"),
        (["layers", "input"], None, "layers.input"),
        (["layers", "dialogue", "floor"], 0.6, "layers"),
        (["layers", "jokes"], {"floor": 0, "cap": 1}, "layers.jokes"),
        (["item_caps", "tool_result"], 0, "item_caps.tool_result"),
        (["counts", "memories", "min"], 9, "counts.memories.min"),
        (["thresholds", "soft"], 0.95, "thresholds.soft"),
        (["phases", "rest"], {"layers": {}}, "phases.rest"),
        (["colour"], 1, "colour"),
    ],
)
def test_a_fault_in_a_profile_names_its_field(path, value, field):
    body = copy.deepcopy(DEFAULT)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    if path == ["layers", "dialogue", "floor"]:
        body["layers"]["input"] = {"floor": 0.5, "cap": 0.5}
    with pytest.raises(ProfileFault) as caught:
        parse_profile(body)
    assert caught.value.field == field


def test_a_missing_layer_is_named():
    body = copy.deepcopy(DEFAULT)
    del body["layers"]["vision"]
    with pytest.raises(ProfileFault, match="vision"):
        parse_profile(body)
