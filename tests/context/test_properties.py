"""What holds for every compile, whatever is in it. `GREYWIND_PROPERTY_CASES=10000` asks for more cases."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.context.assembler import assemble, packet_hash
from sessions.context.budget import Budget, build_budget, parse_profile
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.items import HEADING_LAYER, HEADINGS, Item, Pen
from sessions.context.material import Material, Reach
from sessions.context.slots import render_items
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import Dialect, Fidelity
from tests.context.cast import O200K, PROFILES, budget_of, full_material, recount
from tests.context.dice import budgets, materials
from tests.context.reading import read_list, read_prompt

pytestmark = pytest.mark.slow
CASES = int(os.environ.get("GREYWIND_PROPERTY_CASES", "400"))
many = settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))
ROOM = {"input_cap", "layer_cap", "count_limit"}
fewer = settings(many, max_examples=max(CASES // 10, 100))


class Oracle:
    """A slow, plain account of a compile: recounts texts, and asks of each item left out whether it would fit."""

    def __init__(self, material: Material, budget: Budget, compiled: Compiled) -> None:
        self.budget, self.compiled = budget, compiled
        self.items = render_items(material, Pen(O200K, budget))
        self.in_prompt = [item for section in compiled.sections for item in section.items]
        self.dropped = [dropped for layer in compiled.layers for dropped in layer.dropped]
        self.eligibility = material.eligibility

    def must(self) -> int:
        """Tokens of all must items under their headings."""
        must = [item for item in self.items if item.fidelity is Fidelity.MUST]
        headings = "".join(HEADINGS[section] for section in {item.section for item in must})
        return sum(recount(item.text) for item in must) + recount(headings)

    def admissible(self, item: Item) -> bool:
        """Whether an item was kept out by no rule but room; the rules are written out again here."""
        held = self.budget.layers[item.layer].held and item.fidelity is not Fidelity.MUST
        known = ["disputed", "open", "inferred", "confirmed"]
        status = known.index(item.knowledge_status) if item.knowledge_status in known else 0
        reliable = item.knowledge_status is None or status >= known.index(self.eligibility.lowest_knowledge_status)
        return not held and item.barred is None and reliable and (item.reach is None or self._readable(item.reach))

    def _readable(self, reach: Reach) -> bool:
        place = self.eligibility
        if place.destination == "external":
            return reach.audience == "project" and reach.sensitivity == "public"
        levels = ["public", "work", "personal", "secret"]
        mine = place.destination == "private" and reach.owner is not None and reach.owner == place.private_owner
        reaches = {"project": True, "role": reach.role in place.roles, "private": mine}[reach.audience]
        return reaches and levels.index(reach.sensitivity) <= levels.index(place.highest_sensitivity)

    def fits(self, item: Item) -> bool:
        """Whether an item left out could still be added, heading included."""
        there = {chosen.section for chosen in self.in_prompt}
        spent = Counter({layer.layer: layer.used for layer in self.compiled.layers})
        spent[item.layer] += recount(item.text)
        if item.section not in there:
            spent[HEADING_LAYER[item.section]] += recount(HEADINGS[item.section])
        touched = {item.layer} | (set() if item.section in there else {HEADING_LAYER[item.section]})
        within = all(spent[layer] <= self.budget.layers[layer].cap for layer in touched if spent[layer])
        return within and sum(spent.values()) <= self.budget.input_cap and self._countable(item)

    def _countable(self, item: Item) -> bool:
        counts = self.budget.counts
        limits = {"memories": counts.memories_max, "handoff": counts.handoff, "dialogue_items": counts.dialogue_items}
        sources = {chosen.source for chosen in self.in_prompt if chosen.counted_as == item.counted_as}
        return not item.counted_as or len(sources | {item.source}) <= limits[item.counted_as]


def check(material: Material, budget: Budget) -> None:
    """The five promises of a compile."""
    compiled = compile_packet(material, budget, counter=O200K)
    oracle = Oracle(material, budget, compiled)
    assert bool(compiled.shortfalls) == (oracle.must() > budget.input_cap)
    assert bytes_of(compile_packet(material, budget, counter=O200K)) == bytes_of(compiled)
    if compiled.packet is None:
        return
    assert compiled.used <= budget.input_cap
    assert recount(assemble(compiled, Dialect.TEXT).text) == compiled.used == sum(row.used for row in compiled.layers)
    refs = [dropped["ref"] for dropped in oracle.dropped] + [item.ref for item in oracle.in_prompt]
    assert sorted(refs) == sorted(item.ref for item in oracle.items)
    assert len(set(refs)) == len(refs)
    by_ref = {item.ref: item for item in oracle.items}
    assert all(oracle.admissible(item) for item in oracle.in_prompt)
    for dropped in oracle.dropped:
        item = by_ref[dropped["ref"]]
        assert oracle.admissible(item) == (dropped["reason"] in ROOM)
        assert not (oracle.admissible(item) and oracle.fits(item)), f"{item.ref} was left out and fits"


def bytes_of(compiled: Compiled) -> bytes:
    """Everything a compile says, as bytes."""
    return repr(compiled).encode("utf-8", "surrogatepass")


@many
@given(st.data())
def test_a_compile_keeps_its_five_promises(data):
    material = data.draw(materials())
    check(material, data.draw(budgets(material)))


@fewer
@given(materials())
def test_counts_are_exact_in_the_older_encoding_too(material):
    profile = parse_profile(PROFILES["default@conservative"] | {"encoding": "cl100k_base"})
    counter = exact_counter("cl100k_base")
    compiled = compile_packet(
        material, build_budget(profile, phase=material.phase, risk=material.risk), counter=counter
    )
    assert recount(assemble(compiled, Dialect.TEXT).text, "cl100k_base") == compiled.used


@fewer
@given(materials())
def test_a_prompt_reads_back_to_the_blocks_it_was_made_of(material):
    compiled = compile_packet(material, budget_of(phase=material.phase, risk=material.risk), counter=O200K)
    read = read_prompt(assemble(compiled, Dialect.TEXT).text)
    made = [item.text for section in compiled.sections for item in section.items]
    assert [f"§ {item.header}\n{item.body}\n" for item in read] == made


@fewer
@given(materials())
def test_no_stored_text_adds_or_moves_a_rule(material):
    compiled = compile_packet(material, budget_of(phase=material.phase, risk=material.risk), counter=O200K)
    read = [item for item in read_prompt(assemble(compiled, Dialect.TEXT).text) if item.section == "role"]
    duties = [canonical(line) for line in material.role.body["duties"]]
    boundaries = [canonical(line) for line in material.role.body["hard_boundaries"]]
    assert {item.header: read_list(item.body) for item in read} == {
        header: lines for header, lines in (("duties", duties), ("hard boundaries", boundaries)) if lines
    }


def canonical(text: str) -> str:
    """A text without leading blank lines, trailing whitespace and lone surrogates: all that a prompt may change."""
    text = text.rstrip()
    lead = text[: len(text) - len(text.lstrip())]
    cut = max(lead.rfind("\n"), lead.rfind("\r")) + 1
    return text[cut:].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@fewer
@given(materials(), st.sampled_from(Dialect))
def test_every_dialect_carries_the_same_text(material, dialect):
    compiled = compile_packet(material, budget_of(phase=material.phase, risk=material.risk), counter=O200K)
    prompt = assemble(compiled, dialect)
    contents = [message["content"] for message in prompt.messages]
    texts = [content if isinstance(content, str) else "".join(part["text"] for part in content) for content in contents]
    assert "".join([part["text"] for part in prompt.system or ()] + texts) == prompt.text


@fewer
@given(materials())
def test_a_hash_does_not_know_which_call_it_was(material):
    compiled = compile_packet(material, budget_of(phase=material.phase, risk=material.risk), counter=O200K)
    messages = assemble(compiled, Dialect.OPENAI_CHAT).messages
    assert compiled.packet is not None
    later = compiled.packet | {"packet_id": "pkt_2", "trace_id": "trc_2"}
    assert packet_hash(compiled.packet, messages) == packet_hash(later, messages)


def test_the_oracle_notices_an_item_left_out(monkeypatch):
    monkeypatch.setattr("sessions.context.compiler.fit", lambda _tray, items, **_floors: list(items))
    with pytest.raises(AssertionError, match="was left out and fits"):
        check(full_material(), budget_of())
