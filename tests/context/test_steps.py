"""How an item gives way: an excerpt with a ref, one line with a ref, and only then nothing."""

import pytest

from sessions.context.items import Item, Pen
from sessions.context.session_items import dialogue_items
from sessions.context.slots import render_items
from sessions.context.steps import shorter
from sessions.context.vocabulary import Layer, Step
from tests.context.cast import O200K, bare_material, budget_of, compiled_of, contract, event, hit, recount

PEN = Pen(O200K, budget_of())
ENGLISH = "The gauge stands at the pier. It is read at six. Nobody has moved it. " * 40
CHINESE = "潮位计在码头上。每天六点读数。没有人动过它。" * 40
FAMILY = "👩‍👧‍👦"


def message(text: str, **more: object) -> Item:
    """A message as it stands in a prompt."""
    [item] = dialogue_items(bare_material(events=(event(7, text, **more),)), PEN)
    return item


def body(item: Item) -> str:
    """What stands below the header."""
    return item.text.partition("\n")[2]


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, FAMILY * 300, "x" * 4_000, "line of code();\n" * 300])
@pytest.mark.parametrize("step", [Step.EXCERPT, Step.TITLE])
def test_a_step_is_counted_exactly_and_says_where_the_whole_is(text, step):
    short = shorter(message(text), step, PEN)
    assert recount(short.text) == short.tokens < message(text).tokens
    assert "event://ses_1/7" in short.text
    assert (short.step, short.whole) == (step, message(text).tokens)


@pytest.mark.parametrize(("text", "end"), [(ENGLISH, "."), (CHINESE, "。")])
def test_an_excerpt_is_cut_where_a_sentence_ends(text, end):
    head, _, rest = body(shorter(message(text), Step.EXCERPT, PEN)).partition("\n[…")
    tail = rest.partition("…]\n")[2]
    assert head.endswith(end)
    assert text.startswith(head)
    assert text.rstrip().endswith(tail.rstrip())
    assert tail.startswith(("The", "It", "Nobody", "潮", "每", "没"))


def test_a_family_is_not_torn_apart():
    cut = shorter(message(FAMILY * 600), Step.EXCERPT, PEN)
    assert body(cut).replace(FAMILY, "").startswith("\n[…")


def test_a_title_is_one_line_and_its_ref():
    assert body(shorter(message(ENGLISH), Step.TITLE, PEN)).count("\n") == 2


def test_a_short_text_has_no_step():
    assert shorter(message("It stands at the pier."), Step.TITLE, PEN) is None


def test_a_list_keeps_whole_lines():
    lines = [f"Rule {n}: say what is unknown, and where it was looked for." for n in range(60)]
    material = bare_material(persona=contract("persona", name="灰风", behavior_rules=lines))
    item = next(item for item in render_items(material, PEN) if item.ref.endswith("#behavior_rules"))
    [(_, shown)] = shorter(item, Step.EXCERPT, PEN).entries
    assert shown[:-1] == lines[: len(shown) - 1]
    assert shown[-1] == f"[… {61 - len(shown)} more at revision://persona@3#behavior_rules]"


def test_a_packet_shows_what_the_prompt_shows():
    long = (event(1, "older " * 500), *(event(n, "word " * 30) for n in range(2, 8)))
    compiled = compiled_of(bare_material(events=long), 700)
    first = next(item for section in compiled.sections for item in section.items if item.ref.endswith("/1"))
    assert first.step is not Step.FULL
    [(_, shown)] = first.entries
    assert shown["text"].strip() == body(first).strip()


def test_a_step_is_in_the_report_and_an_action():
    compiled = compiled_of(bare_material(hits=(hit("a", ENGLISH),)), 1_500)
    [row] = next(layer for layer in compiled.layers if layer.layer is Layer.MEMORIES).items
    assert row["step"] in ("excerpt", "title")
    assert row["whole"] > row["tokens"]
    assert ("compress", "memory://mem_a@1") in {(action["action"], action["target"]) for action in compiled.actions}


def test_what_is_not_known_is_not_nothing():
    goal = compiled_of(bare_material(events=(event(1, ENGLISH),)), 500)
    dialogue = next(layer for layer in goal.layers if layer.layer is Layer.DIALOGUE)
    assert dialogue.left_out == dialogue.items[0]["whole"] - dialogue.items[0]["tokens"] > 0
