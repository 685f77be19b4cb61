"""Where the project stands, thread by thread: what blocks it, what is open and what was decided, each with its ref."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from sessions.context.cuts import one_line
from sessions.context.items import Block, Entry, Item, Pen, Place, write_listing
from sessions.context.material import Material, StandFact, SummaryFact
from sessions.context.seams import MARK, atom
from sessions.context.summary_lines import Line, parse
from sessions.context.tokens import Counter
from sessions.context.vocabulary import Fidelity, Layer, Section, Slot, Step, SummarySection

type Shown = Mapping[str, Any]

PARTS: Mapping[str, tuple[str, tuple[SummarySection, ...]]] = {
    "blockers": ("blocked", (SummarySection.BLOCKERS,)),
    "open_items": ("open", (SummarySection.OPEN_QUESTIONS, SummarySection.NEXT_STEPS)),
    "decisions": ("decided", (SummarySection.DECISIONS, SummarySection.CONCLUSIONS)),
}
"""The parts of a thread's state in the order of their urgency: their word in a prompt, and where a summary has them."""
SHORTER: Mapping[Step, tuple[int, int]] = {Step.EXCERPT: (16, 12), Step.TITLE: (2, 9)}
"""How many lines are left where a thread's state is shortened, the most urgent first, and the tokens of each."""
LEAST_GAIN = 1.15
"""A step exists where what it replaces takes this many times as much."""
WRITTEN_STANDS = 4_096  # remembered in a process: the steps of some thousand summaries
STANDS = Place(layer=Layer.SUMMARY, section=Section.PROJECT_STATE, fidelity=Fidelity.SHOULD, priority=40, even=True)
OVER_PRIORITY = 45  # of what is decided and no longer worked on
PATH = (Slot.PROJECT_STATE.value,)


def project_items(material: Material, pen: Pen) -> list[Item]:
    """Return how each thread stands (should), what is worked on before what is over."""
    facts = material.project_state or ()
    return [_stand(fact, pen, order=n) for n, fact in enumerate(facts) if says_something(fact)]


def says_something(fact: StandFact) -> bool:
    """Return whether anything of the fact belongs to the project's state."""
    return any(True for part in parts_of(fact) for _ in _lines(fact.summary, part))


def parts_of(fact: StandFact) -> Sequence[str]:
    """Name the parts that a fact has: nothing is open in what is over."""
    return ("decisions",) if fact.over else tuple(PARTS)


def shown_of(fact: StandFact) -> dict[str, Any]:
    """Return how a thread stands as a packet shows it: each part's lines as text, mark, times and refs.

    `left_out` is how many lines are not there where it was shortened, None where it is whole.
    """
    said = {part: [_told(fact, parse(line)) for line in _lines(fact.summary, part)] for part in parts_of(fact)}
    return _frame(fact) | {part: said.get(part, []) for part in PARTS} | {"left_out": None}


def _stand(fact: StandFact, pen: Pen, *, order: int) -> Item:
    shown = shown_of(fact)
    entry: Entry = (PATH, shown)
    return STANDS.item(
        _written(_as_lines(shown), _header(fact), pen.counter),
        ref=f"{fact.summary.ref}#project_state",
        source=fact.summary.ref,
        order=(order, 0),
        priority=OVER_PRIORITY if fact.over else STANDS.priority,
        entries=(entry,),
        reach=fact.reach,
    )


def _lines(summary: SummaryFact, part: str) -> Iterator[str]:
    for section in PARTS[part][1]:
        yield from (line for line in summary.sections.get(section, ()) if line.strip())


def _told(fact: StandFact, line: Line) -> Shown:
    events = [f"event://{fact.session_id}/{seq}" for seq in line.seqs]
    mark = line.mark.value if line.mark else None
    return {"text": line.text, "mark": mark, "times": line.times, "refs": [*events, *line.refs]}


def _frame(fact: StandFact) -> dict[str, Any]:
    summary = fact.summary
    return {
        "thread_id": fact.thread_id,
        "thread_title": fact.thread_title,
        "topics": list(fact.topics),
        "session_id": fact.session_id,
        "role": fact.role,
        "over": fact.over,
        "summary": summary.ref,
        "covers": summary.covers,
        "behind": fact.behind,
        "stale_since": summary.stale_since,
        "stale_because": list(summary.stale_because),
    }


def _header(fact: StandFact) -> str:
    """Name what the lines are from; a number behind a line is an entry of the session that is named here."""
    summary = fact.summary
    over = " which is over" if fact.over else ""
    behind = " and not what came after" if fact.behind else ""
    because = " and ".join(atom(one).replace("_", " ") for one in summary.stale_because)
    stale = f" stale since {atom(summary.stale_since)} because {because}" if summary.stale_since else ""
    return f"thread as {atom(fact.role)} summed it up{over}, from {atom(summary.covers)}{behind}{stale}"


def _as_lines(shown: Shown) -> tuple[str, ...]:
    place = f"event://{shown['session_id']}/"
    topics = f" ({', '.join(shown['topics'])})" if shown["topics"] else ""
    lines = [f"{word}: {_line(one, place)}" for part, (word, _) in PARTS.items() for one in shown[part]]
    whole = f"{shown['left_out']} more" if shown["left_out"] else "the whole"
    rest = [] if shown["left_out"] is None else [f"[… {whole} at {shown['summary']}]"]
    return (f"thread: {shown['thread_title']}{topics}", *lines, *rest)


def _line(one: Shown, place: str) -> str:
    """A line as a summary has it: an entry of its session is cited by its number, as the header names the session."""
    cites = ", ".join(ref.removeprefix(place) for ref in one["refs"])
    mark = f"{one['mark']}: " if one["mark"] else ""
    times = f" (×{one['times']})" if one["times"] > 1 else ""
    cited = f" [{cites}]" if cites else ""
    return f"{mark}{one['text']}{times}{cited}"


@lru_cache(WRITTEN_STANDS)
def _written(lines: tuple[str, ...], header: str, counter: Counter) -> Block:
    """Return the block, remembered by its text: a version of a summary never changes, and every packet has it again."""
    return write_listing(counter, header, lines)


def shorter_stand(item: Item, step: Step, pen: Pen) -> Item | None:
    """Return how a thread stands at a step below FULL, None where that would gain too little.

    Its lines get shorter and keep what they cite; what is left out is counted, with the summary's ref.
    """
    [(path, shown)] = item.entries
    short = _shortened(_Whole(item.ref, item.text, shown), step, pen.counter)
    if short.block.tokens * LEAST_GAIN > item.tokens:
        return None
    entries = ((path, {**shown, **short.left}),)
    text, tokens = short.block
    return item._replace(text=text, tokens=tokens, entries=entries, step=step, whole=item.at_full)


@dataclass(frozen=True, slots=True)
class _Whole:
    """What is shortened. The text says everything of `shown` that a shorter one is made of, so that it is the key."""

    ref: str
    text: str
    shown: Shown = field(compare=False)


class _Short(NamedTuple):
    """A shorter block, and what of the packet's entry is different then."""

    block: Block
    left: Shown


@lru_cache(WRITTEN_STANDS)
def _shortened(whole: _Whole, step: Step, counter: Counter) -> _Short:
    (room, most), shown = SHORTER[step], whole.shown
    left: dict[str, Any] = {"thread_title": _cut(shown["thread_title"], most, counter), "topics": []}
    for part in PARTS:
        left[part] = [one | {"text": _cut(one["text"], most, counter)} for one in shown[part][:room]]
        room -= len(left[part])
    left["left_out"] = sum(len(shown[part]) - len(left[part]) for part in PARTS)
    header = whole.text[len(MARK) + 1 : whole.text.index("\n")]
    return _Short(write_listing(counter, header, _as_lines({**shown, **left})), left)


def _cut(text: str, tokens: int, counter: Counter) -> str:
    return one_line(text, tokens, encoding=counter.encoding)
