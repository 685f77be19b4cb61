"""Three phases of one state: what is loaded, held back and handed out, and what comes first."""

import importlib
from dataclasses import replace

import pytest

from governance.vocabulary import Phase, Risk
from sessions.context.budget import Limit, ModelProfile, build_budget, parse_profile
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.material import Material, OpenTask
from sessions.context.phases import Standing, reached
from sessions.context.profiles import WHOLE
from sessions.context.vocabulary import Layer, LimitOrigin
from tests.context.cast import O200K, compiled_of, event, full_material

OWN = OpenTask(task_id="tsk_1", title="draw the panel", state="doing", waits_for=("tsk_0",))
OPEN = (
    OpenTask(task_id="tsk_0", title="选颜色", state="doing"),
    OWN,
    OpenTask(task_id="tsk_2", title="test the panel", state="planned", waits_for=("tsk_1",)),
    OpenTask(task_id="tsk_3", title="write the docs", state="ready"),
    OpenTask(task_id="tsk_4", title="release", state="planned", waits_for=("tsk_2", "tsk_3")),
)
SECTIONS = {
    "conclusions": ("the grid has 12 columns",),
    "verification": ("contrast: passed, event://ses_1/5",),
    "open_questions": ("what about print?",),
    "evidence": ("event://ses_1/5",),
}


def state(phase: Phase) -> Material:
    """A task in the middle of a graph, with more steps than are needed now."""
    some = full_material(phase=phase)
    task = replace(some.thread.task, next_steps=("one", "two", "three", "four"), depends_on=("tsk_0",))
    thread = replace(some.thread, task=task, open_tasks=OPEN)
    return replace(some, thread=thread, summary=replace(some.summary, sections=SECTIONS))


def dropped(compiled: Compiled) -> dict[str, str]:
    """Part to reason of what was left out."""
    rows = [row for layer in compiled.layers for row in layer.dropped]
    return {row["ref"].rpartition("#")[2]: row["reason"] for row in rows}


def summary_headers(compiled: Compiled) -> list[str]:
    """Sections of the summary in the order of the prompt."""
    items = [item for section in compiled.sections for item in section.items if item.source.startswith("summary://")]
    return [item.ref.rpartition("#")[2] for item in items if not item.ref.startswith("event")]


def test_tasks_stand_to_the_one_in_hand_by_the_graph():
    standing = {
        row.standing: [task.task_id for task in row.tasks] for row in reached(state(Phase.PLAN).thread, Phase.PLAN)
    }
    assert standing == {
        Standing.BEFORE: ["tsk_0"],
        Standing.FREED: ["tsk_2"],
        Standing.READY: ["tsk_3"],
        Standing.WAITING: ["tsk_4"],
    }


@pytest.mark.parametrize(
    ("phase", "let_in"),
    [(Phase.PLAN, {"before", "freed", "ready", "waiting"}), (Phase.EXECUTE, {"before"}), (Phase.ACCEPT, {"freed"})],
)
def test_a_phase_lets_in_what_is_within_its_reach(phase, let_in):
    compiled = compiled_of(state(phase))
    thread = compiled.packet["thread"]
    assert {name for name in Standing if thread[f"{name}_tasks"]} == let_in
    held = {f"{name}_tasks": "plan_step" for name in Standing if name not in let_in}
    assert {part: why for part, why in dropped(compiled).items() if part.endswith("_tasks")} == held


def test_without_a_task_in_hand_what_is_ready_can_be_handed_out():
    some = state(Phase.EXECUTE)
    compiled = compiled_of(replace(some, thread=replace(some.thread, task=None)))
    assert compiled.packet["thread"]["ready_tasks"] == ["tsk_3: write the docs (ready)"]


def test_steps_beyond_the_next_few_are_held_back_and_said_to_be():
    compiled = compiled_of(state(Phase.EXECUTE))
    assert compiled.packet["thread"]["task"]["next_steps"] == ["one", "two", "three"]
    assert dropped(compiled)["later_steps"] == "plan_step"
    evicted = {row["target"]: row["reason"] for row in compiled.actions if row["action"] == "evict"}
    assert evicted["task://tsk_1#later_steps"] == "plan_step_change"


def test_planning_looks_at_all_steps():
    assert compiled_of(state(Phase.PLAN)).packet["thread"]["task"]["later_steps"] == ["four"]


def test_accepting_reads_what_was_verified_and_its_evidence_first():
    assert summary_headers(compiled_of(state(Phase.ACCEPT)))[:2] == ["verification", "evidence"]
    assert summary_headers(compiled_of(state(Phase.PLAN)))[0] == "open_questions"


def test_accepting_keeps_what_done_means_when_hardly_anything_fits():
    kept = {phase: compiled_of(state(phase), 460).packet["vision"]["done_when"] for phase in (Phase.PLAN, Phase.ACCEPT)}
    assert kept[Phase.ACCEPT] == ["三位同事不用解释就看懂"]


def test_results_outrank_older_turns_where_something_is_accepted():
    talk = tuple(event(n, "word " * 30, role="assistant" if n % 2 else "user") for n in range(2, 60))
    result = event(1, "4 passed, 1 failed\n", role="tool", kind="tool_result", tool="pytest")
    seen = {
        phase: [
            row["seq"]
            for row in compiled_of(replace(state(phase), events=(result, *talk)), 1_500).packet["session"][
                "recent_dialogue"
            ]
        ]
        for phase in (Phase.PLAN, Phase.ACCEPT)
    }
    assert 1 in seen[Phase.ACCEPT]


def test_one_state_gives_three_packets():
    prompts = {"".join(section.text for section in compiled_of(state(phase)).sections) for phase in Phase}
    assert len(prompts) == 3


CRITERIA = tuple(f"Criterion {n}: the planner passes the scenario number {n} in the nightly suite" for n in range(60))
GOAL = " ".join(f"Sentence {n} of the goal says that the planner must handle case {n} well." for n in range(60))
TALK = tuple(event(n, "word " * 60, role="assistant" if n % 2 else "user") for n in range(2, 80))


def shipped(name: str) -> ModelProfile:
    """A profile as it ships today."""
    bodies = importlib.import_module("sessions.migrations.0020_acceptance_shares").PROFILES
    return parse_profile(next(body for body in bodies if body["name"] == name))


@pytest.mark.parametrize(("cap", "events"), [(12_000, TALK), (6_000, TALK), (6_000, ())])
def test_accepting_has_all_that_done_means_however_long_it_is(cap, events):
    some = state(Phase.ACCEPT)
    vision = replace(some.vision, origin_goal=GOAL, done_when=CRITERIA)
    limits = [Limit(LimitOrigin.REQUEST, cap)]
    budget = build_budget(shipped("default@conservative"), phase=Phase.ACCEPT, risk=Risk.HIGH, limits=limits)
    compiled = compile_packet(replace(some, vision=vision, events=events), budget, counter=O200K)
    assert compiled.packet["vision"]["done_when"] == list(CRITERIA)
    assert {"verification", "evidence"} <= set(compiled.packet["session"]["work_summary"]["sections"])


def test_every_shipped_profile_makes_room_for_acceptance():
    for name in ("default@conservative", "deepseek-chat@api", "gemini-pro@gemini-cli"):
        accept, execute = (
            build_budget(shipped(name), phase=phase, risk=Risk.LOW) for phase in (Phase.ACCEPT, Phase.EXECUTE)
        )
        assert accept.layers[Layer.VISION].cap == accept.input_cap * 4_000 // WHOLE
        assert accept.layers[Layer.SUMMARY].cap > execute.layers[Layer.SUMMARY].cap
