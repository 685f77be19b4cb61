"""Where the session stands: summary, dialogue, tool results, screen, interruptions, resume point, and the input."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from governance.vocabulary import Phase
from sessions.context.cuts import excerpt, one_line
from sessions.context.items import Block, Entry, Item, Pen, Place, packet_path, plain, write_block
from sessions.context.material import Beginning, EventFact, Material, SummaryFact
from sessions.context.phases import FIRST_LINES, RESULT_VALUE, priority
from sessions.context.profiles import ItemCaps
from sessions.context.seams import atom, block_body
from sessions.context.tokens import STORED_ENCODING, Counter
from sessions.context.vocabulary import DropReason, Fidelity, Layer, Section, Slot, Step, SummarySection
from sessions.vocabulary import EventKind, EventRole

LATEST_EXCHANGES = 10
"""Exchanges whose messages are should; what is older is may."""
NOT_DIALOGUE = frozenset((EventKind.SCREEN, EventKind.CONSTRAINT))
SPAN = 500  # entries that one ref may name; what stands before them is read by further ones
TIED_TO_RECENCY = 40.0
WRITTEN_ENTRIES = 2_048  # remembered for each way of writing: the dialogue of some ten sessions

SUMMARY = Place(layer=Layer.SUMMARY, section=Section.SUMMARY, fidelity=Fidelity.SHOULD, priority=30)
LATEST = Place(
    layer=Layer.DIALOGUE, section=Section.DIALOGUE, fidelity=Fidelity.SHOULD, priority=50, counted_as="dialogue_items"
)
OLDER = Place(layer=Layer.DIALOGUE, section=Section.DIALOGUE, fidelity=Fidelity.MAY, counted_as="dialogue_items")
RESULT = Place(layer=Layer.TOOL_RESULTS, section=Section.DIALOGUE, fidelity=Fidelity.MAY, counted_as="dialogue_items")
SCREEN = Place(layer=Layer.DIALOGUE, section=Section.DIALOGUE, fidelity=Fidelity.MAY, value=45.0)
BREAK = Place(layer=Layer.DIALOGUE, section=Section.DIALOGUE, fidelity=Fidelity.SHOULD, priority=14)
EARLIER = Place(layer=Layer.DIALOGUE, section=Section.DIALOGUE, fidelity=Fidelity.SHOULD, priority=15)
INPUT = Place(layer=Layer.INPUT, section=Section.INPUT, fidelity=Fidelity.MUST)
RECENT_DIALOGUE = packet_path(Slot.SESSION, "recent_dialogue")
RECENT_ACTIONS = packet_path(Slot.SESSION, "recent_actions")

ATTACHED = Place(layer=Layer.INPUT, section=Section.INPUT, fidelity=Fidelity.SHOULD, priority=20)


def summary_items(material: Material, pen: Pen) -> list[Item]:
    """Return the work summary by section: what is verified first. Its constraints are a must layer of their own."""
    summary = material.summary
    if summary is None:
        return []
    items: list[Item] = []
    for name in _section_names(summary.sections, pen.budget.phase):
        if lines := [line for line in summary.sections[name] if line.strip()]:
            items.append(_summary_section(summary, pen, name, lines, index=len(items)))
    return items


def _section_names(sections: Mapping[str, tuple[str, ...]], phase: Phase) -> list[str]:
    """Name the sections in the order of the prompt: what the phase needs first, then the verified, then the rest."""
    known = [name.value for name in SummarySection if name is not SummarySection.CONSTRAINTS]
    known.sort(key=lambda name: name not in FIRST_LINES[phase])
    named = [name for name in known if name in sections]
    return named + sorted(name for name in sections if name not in known and name != SummarySection.CONSTRAINTS)


def _summary_section(summary: SummaryFact, pen: Pen, name: str, lines: list[str], *, index: int) -> Item:
    stale = _stale(summary)
    block = pen.listing(f"summary, {_word(name)}{stale}, below", lines)
    entry: Entry = (packet_path(Slot.SESSION, "work_summary", "sections", name), lines)
    return SUMMARY.item(
        block,
        ref=f"{summary.ref}#{name}",
        source=summary.ref,
        order=(index, 0),
        priority=priority(pen.budget.phase, name, SUMMARY.priority + index),
        entries=(entry,),
    )


def _stale(summary: SummaryFact) -> str:
    if summary.stale_since is None:
        return ""
    because = " and ".join(map(_word, summary.stale_because))
    return f" stale since {atom(summary.stale_since)}" + (f" because {because}" if because else "")


def latest_refs(material: Material) -> set[str]:
    """Return the refs of the messages of the ten latest exchanges, as far as the dialogue has not given them up."""
    events = _dialogue(material)
    first = material.beginning.words if material.beginning else 0
    latest = (event for event in events[_first_of_latest(events) :] if event.seq >= first)
    return {event.ref for event in latest if event.kind == EventKind.MESSAGE}


def _dialogue(material: Material) -> list[EventFact]:
    return sorted((event for event in material.events if event.kind not in NOT_DIALOGUE), key=lambda event: event.seq)


def dialogue_items(material: Material, pen: Pen) -> list[Item]:
    """Return messages, actions and tool results in the order of their numbers; the latest rank first."""
    events = _dialogue(material)
    latest, results = _first_of_latest(events), RESULT_VALUE[pen.budget.phase]
    write = _writer(pen.counter, pen.budget.item_caps)
    newest = len(events) - 1
    items = []
    for index, event in enumerate(events):
        place = _place(event, latest=index >= latest)
        value = TIED_TO_RECENCY * (index + 1) / (newest + 1) + (1.0 if event.kind == EventKind.TOOL_CALL else 0.0)
        if place is RESULT:
            value += results
        block, entries, step, whole = write(event)
        items.append(
            Item(  # by position, and not by Place.item: there are hundreds
                event.ref,
                event.ref,
                place.layer,
                place.section,
                place.fidelity,
                (0, event.seq),
                block.text,
                block.tokens,
                entries,
                place.priority + newest - index,
                value,
                place.counted_as,
                step,
                whole,
            )
        )
    return items if material.summary is None else list(map(_once, items, events))


def _once(item: Item, event: EventFact) -> Item:
    """Keep a provider's own summary out where ours is in: no entry is told twice."""
    return item._replace(barred=DropReason.DUPLICATE) if event.kind == EventKind.PROVIDER_COMPACTION else item


def _place(event: EventFact, *, latest: bool) -> Place:
    if event.kind == EventKind.TOOL_RESULT:
        return RESULT
    spoken = event.kind not in (EventKind.TOOL_CALL, EventKind.PROVIDER_COMPACTION)
    return LATEST if latest and spoken else OLDER


def _first_of_latest(events: list[EventFact]) -> int:
    """Index of the event that opens the ten latest exchanges; requests in a row open one exchange together."""
    exchanges, inside = 0, False
    for index in range(len(events) - 1, -1, -1):
        asks = events[index].kind == EventKind.MESSAGE and events[index].role == EventRole.USER
        if inside and not asks:
            inside = False
            if exchanges == LATEST_EXCHANGES:
                return index + 1
        elif asks and not inside:
            inside = True
            exchanges += 1
    return 0


class Written(NamedTuple):
    """What an entry looks like in a prompt and in a packet, wherever it stands there."""

    block: Block
    entries: tuple[Entry, ...]
    step: Step
    whole: int | None


@lru_cache(16)
def _writer(counter: Counter, caps: ItemCaps) -> Callable[[EventFact], Written]:
    """Return what writes entries for this way of counting and these caps.

    An entry never changes and stands in many packets of its session, so what was written is remembered by the whole
    entry. It is shared between packets: nobody may change it.
    """
    return lru_cache(WRITTEN_ENTRIES)(partial(_write, counter=counter, caps=caps))


def _write(event: EventFact, *, counter: Counter, caps: ItemCaps) -> Written:
    if event.kind == EventKind.TOOL_CALL:
        return _action(event, counter, caps.action)
    is_result = event.kind == EventKind.TOOL_RESULT
    text, stored = _within(event, counter, caps.tool_result if is_result else caps.message)
    shown = {"seq": event.seq, "ref": event.ref, "role": event.role, "kind": event.kind, "text": text}
    if is_result:
        shown |= {"tool": event.tool, "failed": event.failed, "artifact_ref": event.artifact_ref}
    block = write_block(counter, _header(event), text, stored=stored)
    return _written(block, (RECENT_DIALOGUE, shown), event, counter=counter, whole=stored is not None)


def _written(block: Block, entry: Entry, event: EventFact, *, counter: Counter, whole: bool) -> Written:
    if whole:
        return Written(block, (entry,), Step.FULL, None)
    if counter.encoding != STORED_ENCODING:
        return Written(block, (entry,), Step.EXCERPT, None)  # a count of all that was just cut off, for a report
    header = block.text[: block.text.index("\n") + 1]
    return Written(block, (entry,), Step.EXCERPT, counter.count(header) + counter.stored(event.tokens, event.text))


def _header(event: EventFact) -> str:
    match event.kind:
        case EventKind.TOOL_RESULT:
            return f"result{_tool(event)}{' failed' if event.failed else ''} {event.seq}"
        case EventKind.PROVIDER_COMPACTION:
            return f"summary by the provider {event.seq}"
        case EventKind.MESSAGE:
            return f"{_word(event.role)} {event.seq}"
        case _:
            return f"{_word(event.role)} {_word(event.kind)} {event.seq}"


def _action(event: EventFact, counter: Counter, cap: int) -> Written:
    whole = event.tokens <= cap and "\n" not in event.text and "\r" not in event.text
    text = event.text if whole else one_line(event.text, cap, encoding=counter.encoding)
    shown = {"seq": event.seq, "ref": event.ref, "tool": event.tool, "text": text}
    header = f"action{_tool(event)} {event.seq}"
    block = write_block(counter, header, text, stored=event.tokens if whole else None)
    return _written(block, (RECENT_ACTIONS, shown), event, counter=counter, whole=whole)


def _within(event: EventFact, counter: Counter, cap: int) -> tuple[str, int | None]:
    """The event's text and stored count, or its head and tail with no count when it is over the cap."""
    if event.tokens <= cap:
        return event.text, event.tokens
    opened_by = atom(event.artifact_ref or event.ref)
    text = event.text if len(event.text) < 4 * cap else block_body(event.text)
    return excerpt(text, cap, ref=opened_by, total=event.tokens, encoding=counter.encoding), None


@lru_cache(1_024)
def _word(value: str) -> str:
    return atom(value).replace("_", " ").strip() or "unknown"


def _tool(event: EventFact) -> str:
    return f" {_word(event.tool)}" if event.tool else ""


def standing_items(material: Material, pen: Pen) -> list[Item]:
    """Return screen (may), interruptions and resume point (should), which stand after the dialogue."""
    session, items = material.session, []
    if session.screen_context:
        screen = plain(dict(session.screen_context))
        block = pen.block("screen", json.dumps(screen, ensure_ascii=False, sort_keys=True))
        entry: Entry = (packet_path(Slot.SESSION, "screen_context"), screen)
        items.append(
            SCREEN.item(block, ref=f"{session.ref}#screen", source=session.ref, order=(1, 0), entries=(entry,))
        )
    if session.interruptions:
        lines = list(session.interruptions)
        entry = (packet_path(Slot.SESSION, "interruptions"), lines)
        block = pen.listing("interruptions", lines)
        ref = f"{session.ref}#interruptions"
        items.append(BREAK.item(block, ref=ref, source=session.ref, order=(2, 0), entries=(entry,)))
    if session.resume_point.strip():
        entry = (packet_path(Slot.SESSION, "resume_point"), session.resume_point)
        block = pen.block("resume point", session.resume_point)
        ref = f"{session.ref}#resume_point"
        rank = priority(pen.budget.phase, "resume_point", 13)
        items.append(BREAK.item(block, ref=ref, source=session.ref, order=(3, 0), priority=rank, entries=(entry,)))
    return items


def earlier_items(material: Material, pen: Pen, beginning: Beginning | None) -> list[Item]:
    """Return the line (should) that says which entries gave way before the dialogue begins, and how to read them.

    It stands after them: it changes with every step, and of the entries a step may leave the first ones in their place.
    """
    first = min((event.seq for event in material.events), default=1)
    words, work = beginning or Beginning(words=first, work=first)
    if max(words, work) <= 1:
        return []
    last = max(words, work) - 1
    place = f"event://{atom(material.session.session_id)}/{max(last - SPAN + 1, 1)}-{last}"
    said = f"Messages before entry {words}" if words > 1 else ""
    done = f"calls and results before entry {work}" if work > 1 else ""
    text = f"{' and '.join(filter(None, (said, done)))} are left out here; they can be read at {place}."
    text = text[0].upper() + text[1:]
    entry: Entry = (packet_path(Slot.SESSION, "earlier"), text)
    ref = f"{material.session.ref}#earlier"
    source = material.session.ref
    return [EARLIER.item(pen.block("earlier", text), ref=ref, source=source, order=(1, -1), entries=(entry,))]


def input_items(material: Material, pen: Pen) -> list[Item]:
    """Return what the user attached (should) and the user's own words (must), which end the prompt."""
    words, items = material.user_input, []
    if words.attached_context and words.attached_context.strip():
        entry: Entry = (packet_path(Slot.USER_INPUT, "attached_context"), words.attached_context)
        block = pen.block("attached context", words.attached_context)
        items.append(ATTACHED.item(block, ref="request://attached_context", entries=(entry,)))
    entry = (packet_path(Slot.USER_INPUT, "raw_text"), words.raw_text)
    block = pen.block("request", words.raw_text)
    items.append(INPUT.item(block, ref="request://raw_text", order=(1, 0), entries=(entry,)))
    return items
