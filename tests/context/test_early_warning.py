"""A session that grows turn by turn: told of early, then with fewer and shorter items, then read by ref."""

from dataclasses import replace

import pytest

from sessions.context.assembler import assemble
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.material import Beginning, Material
from sessions.context.vocabulary import Dialect, Threshold, Trigger
from tests.context.cast import O200K, bare_material, budget_of, event, full_material, hit, recount

CAP = 3_000
LESSON = "The tide gauge at pier {} is read at six. 第{}号潮位计每天六点读数。"
ROOM = {"input_cap", "layer_cap", "count_limit", "compaction"}


def remembered(number: int) -> tuple:
    """Four lessons, two of them stored twice, and one that is out of date and longer than all of them."""
    lessons = [hit(f"{n}", LESSON.format(n, n), score=0.9 - n / 10) for n in range(4)]
    doubled = [hit(f"{n}b", LESSON.format(n, n) + " ", score=0.3) for n in range(2)]
    return (*lessons, *doubled, hit("old", "It was read at noon. " * 40 * number, score=0.2, status="disputed"))


def turn(number: int) -> tuple:
    """One exchange: a question, a call, what it gave, and an answer."""
    seq = 4 * number + 1
    return (
        event(seq, f"And gauge {number}? " + "它现在在哪里？" * 4),
        event(seq + 1, '{"path": "gauges.log"}', role="assistant", kind="tool_call", tool="read"),
        event(seq + 2, "a line of the log\n" * (10 + 3 * number), role="tool", kind="tool_result", tool="read"),
        event(seq + 3, f"Gauge {number} stands at the pier. " * 3, role="assistant"),
    )


def told(material: Material) -> Compiled:
    """The next packet of a session, within the cap."""
    compiled = compile_packet(material, budget_of(CAP), counter=O200K)
    assert compiled.packet is not None
    assert recount(assemble(compiled, Dialect.TEXT).text) == compiled.used <= CAP
    return compiled


@pytest.fixture(scope="module")
def story() -> list[Compiled]:
    """Thirty turns of one session, each packet going on from where the last one's dialogue began."""
    packets: list[Compiled] = []
    events: tuple = ()
    beginning: Beginning | None = None
    for number in range(30):
        events += turn(number)
        material = bare_material(events=events, hits=remembered(number + 1), beginning=beginning)
        packets.append(told(material))
        beginning = packets[-1].beginning
    return packets


def at(story: list[Compiled], threshold: Threshold) -> int:
    """The number of the first packet that says so."""
    return next(n for n, packet in enumerate(story) if packet.pressure.threshold is threshold)


def lost(compiled: Compiled) -> list[str]:
    """What was left out for want of room."""
    return [row["ref"] for layer in compiled.layers for row in layer.dropped if row["reason"] in ROOM]


def steps(compiled: Compiled) -> set[str]:
    """At which steps the items of a packet stand."""
    return {row["step"] for layer in compiled.layers for row in layer.items}


def test_thresholds_are_passed_in_order(story):
    soft, hard = at(story, Threshold.SOFT), at(story, Threshold.HARD)
    assert 0 < soft < hard
    assert {packet.pressure.threshold for packet in story[hard:]} == {Threshold.HARD}


def test_nothing_was_left_out_or_shortened_when_it_was_first_told(story):
    first = story[at(story, Threshold.SOFT)]
    assert (lost(first), steps(first)) == ([], {"full"})
    assert first.pressure.trigger in (Trigger.INPUT_SHARE, Trigger.LAYER_SHARE)


def test_less_is_retrieved_once_the_session_is_hard_pressed(story):
    hard = at(story, Threshold.HARD)
    assert len(story[hard - 1].packet["retrieved"]) > len(story[hard].packet["retrieved"]) == 2


def test_results_come_in_shorter_after_that(story):
    hard = at(story, Threshold.HARD)
    assert {step for packet in story[:hard] for step in steps(packet)} == {"full"}
    assert "excerpt" in {step for packet in story[hard:] for step in steps(packet)}


def test_what_gave_way_can_be_read_by_its_ref(story):
    last = story[-1]
    assert lost(last)
    assert last.packet["session"]["earlier"].endswith(f"can be read at event://ses_1/1-{last.beginning.work - 1}.")


def test_what_is_stored_twice_or_out_of_date_is_in_no_packet(story):
    shown = [row["ref"] for packet in story for row in packet.packet["retrieved"]]
    assert not {"memory://mem_0b@1", "memory://mem_1b@1", "memory://mem_old@1"} & set(shown)


def test_a_summary_that_covers_the_session_takes_the_pressure_off():
    events = tuple(entry for number in range(12) for entry in turn(number))
    pressed = bare_material(events=events)
    covered = replace(full_material().summary, covers="event://ses_1/1-44")
    assert told(pressed).pressure.threshold is Threshold.HARD
    assert told(replace(pressed, summary=covered)).pressure.threshold is Threshold.NONE


def test_many_short_entries_ask_for_a_summary_too():
    counts = {"memories": {"min": 2, "max": 5}, "handoff": 1, "dialogue_items": 20}
    events = tuple(event(seq, "ok") for seq in range(1, 16))
    pressure = compile_packet(bare_material(events=events), budget_of(counts=counts), counter=O200K).pressure
    assert (pressure.threshold, pressure.trigger, pressure.tight) == (Threshold.SOFT, Trigger.EVENT_COUNT, False)
