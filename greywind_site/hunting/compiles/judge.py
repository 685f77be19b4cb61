"""What a compile promises, asked again by rules of their own: texts are recounted, and every figure added up anew.

Nothing here calls what chooses. What is taken from the compiler is how an item reads, whole and shortened, and its own
account of the packet; whether that account is true is what is judged.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain

import tiktoken

from greywind_site.hunting.compiles.cases import Case
from greywind_site.hunting.compiles.materials import STATUSES
from sessions.context.admission import for_readers
from sessions.context.assembler import Prompt, assemble
from sessions.context.compiler import Compiled
from sessions.context.items import HEADING_LAYER, HEADINGS, Item, Pen
from sessions.context.material import EventFact, Reach
from sessions.context.session_items import earlier_items
from sessions.context.slots import render_items
from sessions.context.steps import shorter
from sessions.context.vocabulary import GROUP_OF, Dialect, DropReason, Fidelity, Group, Layer, Section, Step
from sessions.vocabulary import EventKind

ROOM = (DropReason.INPUT_CAP, DropReason.LAYER_CAP, DropReason.COUNT_LIMIT)
TOLD_ALONE = ("event://", "vision://", "summary://", "handoff://", "task://", "thread://", "session://")
OF_A_THREAD = "#project_state"  # which has a reach of its own
type Spot = tuple[Layer, str]
"""A layer and a ref: what was found again may be an entry of the dialogue as well."""
LEVELS = ("public", "work", "personal", "secret")


class Judge:
    """One compile, and everything that is wrong with it."""

    def __init__(self, case: Case, compiled: Compiled) -> None:
        self.case, self.compiled, self.budget = case, compiled, case.budget
        self.pen = Pen(case.profile.counter(), case.budget)
        self.vocabulary = tiktoken.get_encoding(case.budget.encoding)
        self.counted: dict[str, int] = {}
        self.items = {_spot(item): item for item in self._offered()}
        self.inside = {_spot(item): item for section in compiled.sections for item in section.items}
        self.dropped = {(layer.layer, row["ref"]): row for layer in compiled.layers for row in layer.dropped}

    def _offered(self) -> Iterator[Item]:
        material = for_readers(self.case.material)
        yield from render_items(material, self.pen)
        yield from earlier_items(material, self.pen, self.compiled.beginning if material.beginning else None)

    def faults(self) -> Iterator[str]:
        """Say what is wrong, one sentence a fault."""
        yield from self._refusal()
        if self.compiled.packet is None:
            return
        rules = (self._sums(), self._prompts(), self._account(), self._entrance(), self._shortened(), self._rest())
        yield from chain(*rules)

    @cached_property
    def needed(self) -> Mapping[Layer, int]:
        """Tokens of the must items by layer, with the headings that they stand under."""
        must = [item for item in self.items.values() if item.fidelity is Fidelity.MUST]
        needed = Counter(dict.fromkeys(Layer, 0))
        for item in must:
            needed[item.layer] += self.count(item.text)
        for section in {item.section for item in must}:
            needed[HEADING_LAYER[section]] += self.count(HEADINGS[section])
        return needed

    def count(self, text: str) -> int:
        """Return the tokenizer's own count of a text, past everything of ours; each text is counted once."""
        if text not in self.counted:
            self.counted[text] = len(self.vocabulary.encode_ordinary(text))
        return self.counted[text]

    def _refusal(self) -> Iterator[str]:
        needed, cap = sum(self.needed.values()), self.budget.input_cap
        refused = self.compiled.packet is None
        if refused != (needed > cap):
            yield f"refused {refused}, and must items need {needed} of {cap}"
        if refused == (not self.compiled.shortfalls):
            yield f"refused {refused}, and names {len(self.compiled.shortfalls)} layers"
        for short in self.compiled.shortfalls:
            own = self.needed[Layer(short.layer)]
            if short.needed != own or not 0 <= short.available < short.needed:
                yield f"{short.layer} needs {own}; it was said to need {short.needed} of {short.available}"

    def _sums(self) -> Iterator[str]:
        budget, used = self.budget, self.compiled.used
        if used > budget.input_cap:
            yield f"{used} tokens were used of {budget.input_cap}"
        if sum(row.used for row in self.compiled.layers) != used:
            yield "the layers do not add up to what was used"
        if sum(budget.reserves.values()) + budget.input_cap + budget.unused != budget.window:
            yield "reserves, input cap and unused do not make the window"
        for row in self.compiled.layers:
            if row.used != row.headings + sum(item["tokens"] for item in row.items):
                yield f"{row.layer}: its items and headings do not add up"
            if row.used > row.cap and any(item["fidelity"] != "must" for item in row.items):
                yield from self._over_cap(row.layer, row.used, row.cap)

    def _over_cap(self, layer: Layer, used: int, cap: int) -> Iterator[str]:
        """Must items may fill a layer beyond its cap, and then nothing else may be in it."""
        if used > self.needed[layer]:
            yield f"{layer}: {used} tokens over its cap of {cap}, and must items need {self.needed[layer]}"

    def _prompts(self) -> Iterator[str]:
        for dialect in Dialect:
            prompt = assemble(self.compiled, dialect)
            if (counted := self.count(prompt.text)) != self.compiled.used:
                yield f"{dialect}: the text takes {counted} tokens, and {self.compiled.used} are said to be used"
            contents = list(contents_of(prompt))
            if "".join(contents) != prompt.text or sum(map(self.count, contents)) != self.compiled.used:
                yield f"{dialect}: its parts are not the text"

    def _account(self) -> Iterator[str]:
        """Everything is in or left out, once; and what is must is in."""
        if twice := self.inside.keys() & self.dropped.keys():
            yield f"{min(twice)[1]} is in and left out"
        if lost := self.items.keys() ^ (self.inside.keys() | self.dropped.keys()):
            yield f"{min(lost)[1]} is neither in nor left out, or came from nowhere"
        for item in self.items.values():
            if item.fidelity is Fidelity.MUST and self.inside.get(_spot(item)) != item:
                yield f"{item.ref} is must, and is not in as it is"

    def _entrance(self) -> Iterator[str]:
        for spot in self.inside.keys() & self.items.keys():
            if not self._may_enter(self.items[spot]):
                yield f"{spot[1]} came in and may not"
        for spot in self.dropped.keys() & self.items.keys():
            reason = DropReason(self.dropped[spot]["reason"])
            if self._may_enter(self.items[spot]) != (reason in ROOM or reason is DropReason.COMPACTION):
                yield f"{spot[1]} was left out for {reason}, and that is not so"
        yield from self._compaction()
        if self.case.material.thread.private and self.case.material.eligibility.destination != "private":
            for layer, ref in self.inside:
                if ref.startswith(TOLD_ALONE) and layer is not Layer.MEMORIES and not ref.endswith(OF_A_THREAD):
                    yield f"{ref} was said in a private thread, and others read along"

    def _compaction(self) -> Iterator[str]:
        """A step of compaction takes the oldest entries, words and work apart, never one after what is in, nor the
        newest that might have come in: that is shortened instead.
        """
        events = {event.ref: event for event in self.case.material.events}
        stepped = [ref for (_, ref), row in self.dropped.items() if row["reason"] == DropReason.COMPACTION]
        if any(ref not in events for ref in stepped) or (stepped and self.case.material.beginning is None):
            yield f"{stepped[0]} was left out by a step of compaction, and there was none"
        newest = {_is_word(event): event.ref for event in self._entries()}
        if given_up := set(stepped) & set(newest.values()):
            yield f"{min(given_up)} was left out by a step of compaction, and nothing newer of its kind might come in"
        shown = [item.ref for item in self.inside.values() if item.section is Section.DIALOGUE and item.ref in events]
        kept = {_is_word(events[ref]): events[ref].seq for ref in reversed(shown)}
        for event in (events[ref] for ref in stepped if ref in events):
            if event.seq > kept.get(_is_word(event), event.seq):
                yield f"{event.ref} was left out by a step of compaction, and an older one is in"

    def _entries(self) -> Iterator[EventFact]:
        """Return the entries of the transcript that may enter, oldest first."""
        events = {event.ref: event for event in self.case.material.events}
        offered = (item for item in self.items.values() if item.section is Section.DIALOGUE and item.ref in events)
        may = [events[item.ref] for item in offered if item.fidelity is not Fidelity.MUST and self._may_enter(item)]
        return iter(sorted(may, key=lambda event: event.seq))

    def _shortened(self) -> Iterator[str]:
        for spot in self.inside.keys() & self.items.keys():
            ref, item, whole = spot[1], self.inside[spot], self.items[spot]
            if item.step is whole.step:
                continue
            if self.count(item.text) != item.tokens or item.tokens >= whole.tokens:
                yield f"{ref}: {item.tokens} tokens at {item.step}, {self.count(item.text)} counted of {whole.tokens}"
            if "[…" not in item.text or item.whole != whole.at_full:
                yield f"{ref}: {item.step} does not say where the whole is"

    def _rest(self) -> Iterator[str]:
        """What was left out for want of room must have none: at no step, and not in its group's own share either."""
        for spot in self.dropped.keys() & self.items.keys():
            ref, item, row = spot[1], self.items[spot], self.dropped[spot]
            reason = DropReason(row["reason"])
            if (reason not in ROOM and reason is not DropReason.COMPACTION) or not self._may_enter(item):
                continue
            least = min(self.count(one.text) for one in self._steps(item))
            if row["least"] != least:
                yield f"{ref}: its least step takes {least}, and {row['least']} was said"
            if reason is DropReason.COMPACTION:
                continue  # a step bars what has room, so that the next one is a while away
            yield from self._room_for(item, least, reason)

    def _room_for(self, item: Item, least: int, reason: DropReason) -> Iterator[str]:
        heading = 0 if item.section in self._sections else self.count(HEADINGS[item.section])
        spent = Counter({row.layer: row.used for row in self.compiled.layers})
        spent[item.layer] += least
        spent[HEADING_LAYER[item.section]] += heading
        touched = {item.layer} | ({HEADING_LAYER[item.section]} if heading else set())
        in_layers = all(spent[layer] <= self.budget.layers[layer].cap for layer in touched)
        if in_layers and sum(spent.values()) <= self.budget.input_cap and self._countable(item):
            yield f"{item.ref} was left out for {reason}, and {least} tokens of it fit"
        group = GROUP_OF[item.layer]
        in_group = sum(spent[layer] for layer in Layer if GROUP_OF[layer] is group)
        if in_layers and self._countable(item) and self._shares_hold and in_group <= self.budget.groups[group]:
            yield f"{item.ref} was left out, and {group} has room for it in its own share"

    @cached_property
    def _shares_hold(self) -> bool:
        """Whether neither must items nor floors reach beyond any group's share, and so none was promised twice."""
        promised: Counter[Group] = Counter()
        for layer in Layer:
            promised[GROUP_OF[layer]] += max(self.needed[layer], self.budget.layers[layer].floor)
        spare = sum(map(self.count, HEADINGS.values()))
        return all(promised[group] + spare <= self.budget.groups[group] for group in Group)

    @cached_property
    def _sections(self) -> set[str]:
        return {item.section for item in self.inside.values()}

    def _steps(self, item: Item) -> Iterator[Item]:
        yield item
        for step in (Step.EXCERPT, Step.TITLE):
            if short := shorter(item, step, self.pen):
                yield short

    def _countable(self, item: Item) -> bool:
        if not item.counted_as:
            return True
        counts, pressure = self.budget.counts, self.compiled.pressure
        memories = counts.memories_min if pressure and pressure.tight else counts.memories_max
        limits = {"memories": memories, "handoff": counts.handoff, "dialogue_items": counts.dialogue_items}
        sources = {chosen.source for chosen in self.inside.values() if chosen.counted_as == item.counted_as}
        return len(sources | {item.source}) <= limits[item.counted_as]

    def _may_enter(self, item: Item) -> bool:
        """Whether no rule but room keeps an item out; the rules are written out again here."""
        if item.fidelity is Fidelity.MUST:
            return True
        least = STATUSES.index(self.case.material.eligibility.lowest_knowledge_status)
        status = STATUSES.index(item.knowledge_status) if item.knowledge_status in STATUSES else 0
        reliable = item.knowledge_status is None or status >= least
        held = self.budget.layers[item.layer].held
        return not held and item.barred is None and reliable and (item.reach is None or self._readable(item.reach))

    def _readable(self, reach: Reach) -> bool:
        place = self.case.material.eligibility
        if place.destination == "external":
            return reach.audience == "project" and reach.sensitivity == "public"
        mine = place.destination == "private" and reach.owner is not None and reach.owner == place.private_owner
        reaches = {"project": True, "role": reach.role in place.roles, "private": mine}[reach.audience]
        return reaches and LEVELS.index(reach.sensitivity) <= LEVELS.index(place.highest_sensitivity)


def _spot(item: Item) -> Spot:
    return item.layer, item.ref


def _is_word(event: EventFact) -> bool:
    return event.kind == EventKind.MESSAGE


def contents_of(prompt: Prompt) -> Iterator[str]:
    """Yield the texts of all that a provider is sent, in order."""
    for message in prompt.sent:
        content = message.get("content", message.get("text"))
        if isinstance(content, str):
            yield content
        else:
            yield from (part["text"] for part in content or ())
