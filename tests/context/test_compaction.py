"""Where the dialogue begins: it grows from turn to turn, and gives way in steps."""

from dataclasses import replace
from itertools import pairwise

from sessions.context.assembler import assemble
from sessions.context.compiler import Compiled
from sessions.context.material import Beginning, EventFact, InputFact
from sessions.context.vocabulary import Dialect, DropReason, Section, Step
from tests.context.cast import bare_material, compiled_of, event

LINE = "The parser keeps the comments above each key, and the blank line after them. 解析器保留注释。 "


def exchange(number: int, *, work: int = 2, words: int = 1) -> list[EventFact]:
    """A request, the work that it made, and the answer."""
    seq = number * (work + 2) + 1
    results = [
        event(seq + 1 + n, f"{number}.{n} " + LINE, role="tool", kind="tool_result", tool="grep") for n in range(work)
    ]
    return [event(seq, f"request {number}"), *results, event(seq + work + 1, LINE * words, role="assistant")]


def result(seq: int, text: str) -> EventFact:
    return event(seq, text, role="tool", kind="tool_result", tool="cat")


def turns(count: int, *, tokens: int = 2_000, **more: int) -> list[Compiled]:
    """The compiles before each of so many turns, each going on from the one before."""
    said: list[EventFact] = []
    found: list[Compiled] = []
    for number in range(count):
        begins = found[-1].beginning if found else None
        words = InputFact(raw_text=f"request {number}")
        material = bare_material(events=tuple(said), user_input=words, beginning=begins)
        found.append(compiled_of(material, tokens))
        said += exchange(number, **more)
    return found


def dialogue(compiled: Compiled) -> str:
    """The entries, without what stands beside them and says that some were left out."""
    entries = [item for section in compiled.sections for item in section.items if section.section is Section.DIALOGUE]
    return "".join(item.text for item in entries if item.ref.startswith("event://"))


def test_what_one_turn_showed_the_next_shows_first() -> None:
    found = turns(40)
    grown = [dialogue(later).startswith(dialogue(one)) for one, later in pairwise(found)]
    assert sum(grown) >= 34


def test_a_step_leaves_the_words_before_the_work() -> None:
    found = turns(40)
    stepped = [(a.beginning, b.beginning) for a, b in pairwise(found) if a.beginning != b.beginning]
    assert all(later.work > one.work for one, later in stepped if later.words == one.words)
    assert found[-1].beginning.words < found[-1].beginning.work


def test_what_stands_before_the_beginning_is_told_as_compacted() -> None:
    last = turns(40)[-1]
    reasons = {row["reason"] for layer in last.layers for row in layer.dropped}
    assert reasons == {DropReason.COMPACTION}


def test_the_first_packet_of_a_session_takes_what_fits() -> None:
    said = tuple(entry for number in range(40) for entry in exchange(number))
    compiled = compiled_of(bare_material(events=said), 2_000)
    assert compiled.used > 1_800
    assert DropReason.COMPACTION not in {row["reason"] for layer in compiled.layers for row in layer.dropped}


def test_a_demand_that_stands_elsewhere_is_no_entry_that_was_given_up() -> None:
    said = (*exchange(0), event(5, "Keep the comments.", kind="constraint"), *exchange(2))
    assert compiled_of(bare_material(events=said), 4_000).beginning == Beginning()


def test_a_step_is_taken_back_once_there_is_room_again() -> None:
    said = tuple(entry for number in range(12) for entry in exchange(number))
    material = bare_material(events=said, beginning=Beginning(words=48, work=48))
    assert compiled_of(material, 4_000).beginning < Beginning(words=20, work=20)


def test_entries_that_were_not_read_are_a_step() -> None:
    said = tuple(entry for number in range(30, 36) for entry in exchange(number))
    compiled = compiled_of(bare_material(events=said, beginning=Beginning(words=1, work=1)), 4_000)
    assert compiled.beginning.words >= said[0].seq


def test_the_newest_message_comes_in_however_long_it_is() -> None:
    said = (*exchange(0), *exchange(1), event(9, LINE * 35, role="assistant"))
    material = bare_material(events=said, beginning=Beginning())
    assert LINE * 30 in dialogue(compiled_of(material, 2_000))


def test_the_newest_result_is_shortened_and_not_given_up_where_its_layer_is_less() -> None:
    said = (*exchange(0), event(5, "Which worker wrote most?"), result(6, LINE * 80))
    compiled = compiled_of(bare_material(events=said, beginning=Beginning()), 3_000)
    steps = {item.ref: item.step for section in compiled.sections for item in section.items}
    assert steps[said[-1].ref] is Step.EXCERPT
    assert DropReason.COMPACTION not in {row["reason"] for layer in compiled.layers for row in layer.dropped}
    assert compiled.pressure.tight is False


def test_small_results_before_a_large_one_stay() -> None:
    said = (*exchange(0), *exchange(1), event(9, "And all of it?"), result(10, LINE * 80))
    shown = dialogue(compiled_of(bare_material(events=said, beginning=Beginning()), 3_000))
    assert all(f"{number}.{n} " in shown for number in range(2) for n in range(2))


def test_what_a_step_gave_up_says_how_short_it_might_have_been() -> None:
    said = (result(1, LINE * 20), *(entry for number in range(1, 40) for entry in exchange(number)))
    compiled = compiled_of(bare_material(events=said, beginning=Beginning()), 3_000)
    [row] = [row for layer in compiled.layers for row in layer.dropped if row["ref"] == said[0].ref]
    assert (row["reason"], row["least"] < row["tokens"]) == (DropReason.COMPACTION, True)


def test_two_compiles_of_one_material_begin_alike() -> None:
    material = bare_material(events=tuple(exchange(0)), beginning=Beginning())
    assert compiled_of(material) == compiled_of(replace(material))


def test_a_block_of_the_dialogue_stays_when_the_next_exchange_has_begun() -> None:
    one, later = (assemble(compiled, Dialect.ANTHROPIC_MESSAGES) for compiled in turns(6)[-2:])
    contents = [[block["text"] for block in prompt.messages[0]["content"]] for prompt in (one, later)]
    assert contents[1][: len(contents[0]) - 1] == contents[0][:-1]
