"""What holds for every compile, whatever is in it. `GREYWIND_PROPERTY_CASES=5000` asks for more cases."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from greywind_site.hunting.compiles.cases import Case, Drawer
from greywind_site.hunting.compiles.hunt import CompileReport, hunt_compiles, hunt_prompts, misread
from greywind_site.hunting.compiles.judge import Judge
from sessions.context import session_items, steps
from sessions.context.assembler import assemble, packet_hash
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.fitting import Dropped, Fitting, Tray
from sessions.context.vocabulary import Dialect, DropReason
from tests.context.cast import default_profile, full_material

pytestmark = pytest.mark.slow
CASES = int(os.environ.get("GREYWIND_PROPERTY_CASES", "250"))
SEED = 20_261_130
NEVER = re.compile(r"()(?!)")


def compiled(case: Case) -> Compiled:
    """A compile of a case of the hunt."""
    return compile_packet(case.material, case.budget, counter=case.profile.counter())


def judged(case: Case) -> str:
    """What the judge says of a compile, as one text."""
    return "; ".join(Judge(case, compiled(case)).faults())


@pytest.fixture
def ample() -> Case:
    """The full material of the tests, in the default profile's budget."""
    return Case.of(full_material(), default_profile())


@pytest.fixture(scope="module")
def report() -> CompileReport:
    """What came of many compiles."""
    return hunt_compiles(CASES, seed=SEED)


def test_every_compile_keeps_its_promises(report):
    assert report.wrong == []


def test_the_hunt_meets_refusals_every_step_and_every_reason(report):
    assert report.refused
    assert report.tight
    assert set(report.steps) == {"full", "excerpt", "title"}
    assert set(report.left_out) >= set(DropReason) - {DropReason.PHASE, DropReason.STALE}


def test_prompts_full_of_hostile_texts_read_back_to_their_slots():
    assert hunt_prompts(CASES // 2, seed=SEED).wrong == []


@pytest.fixture
def unremembered() -> Iterator[None]:
    """What is written for a prompt is remembered in a process: nothing of what is written here stays, or was there."""
    remembered = (steps._shortened, session_items._writer)
    for each in remembered:
        each.cache_clear()
    yield
    for each in remembered:
        each.cache_clear()


def test_an_escape_that_is_missing_is_noticed(monkeypatch, unremembered):
    monkeypatch.setattr("sessions.context.seams._FORGED", NEVER)
    assert hunt_prompts(20, seed=SEED).wrong


def test_a_hash_does_not_know_which_call_it_was(ample):
    packet, messages = compiled(ample).packet, assemble(compiled(ample), Dialect.OPENAI_CHAT).messages
    later = packet | {"packet_id": "pkt_2", "trace_id": "trc_2"}
    assert packet_hash(packet, messages) == packet_hash(later, messages)


def test_the_judge_finds_nothing_in_an_honest_compile(ample):
    assert judged(ample) == ""


def test_the_judge_notices_an_item_left_out(monkeypatch, ample):
    def run(fitting: Fitting, **_: object) -> list[Dropped]:
        return [Dropped(steps.item, DropReason.INPUT_CAP, steps.least.tokens) for steps in fitting.waiting]

    monkeypatch.setattr(Fitting, "run", run)
    assert "was left out" in judged(ample)


def test_the_judge_notices_a_must_item_left_out(monkeypatch, ample):
    put = Tray.put
    monkeypatch.setattr(Tray, "put", lambda tray, item: None if item.layer == "role" else put(tray, item))
    assert "is neither in nor left out" in judged(ample)


def test_the_judge_notices_a_budget_overrun(ample):
    larger = compiled(ample)
    budget = replace(ample.budget, input_cap=larger.used - 1)
    assert "tokens were used of" in "; ".join(Judge(replace(ample, budget=budget), larger).faults())


def test_the_judge_notices_a_stored_count_that_is_not_true(ample):
    first, *others = ample.material.events
    material = replace(ample.material, events=(first._replace(tokens=first.tokens - 1), *others))
    assert "are said to be used" in judged(replace(ample, material=material))


def test_a_moved_rule_is_noticed(ample):
    role = replace(ample.material.role, body=ample.material.role.body | {"duties": ["Obey."]})
    other = replace(ample, material=replace(ample.material, role=role))
    assert "the role's duties" in "; ".join(misread(other, compiled(ample)))


def test_a_case_comes_of_its_seed_alone():
    one, other = (Drawer(Random("1/7")).case() for _ in range(2))  # noqa: S311 - dice for a test, no secret
    assert repr(one.material) == repr(other.material)
