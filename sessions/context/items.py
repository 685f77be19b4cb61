"""What a prompt is made of: items, each a block of text with its cost, its place and what the packet shows of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions.context.budget import Budget
from sessions.context.material import Reach
from sessions.context.seams import MARK, block_body, list_body
from sessions.context.tokens import Counter
from sessions.context.vocabulary import DropReason, Fidelity, Layer, Section, Slot, Step

type Entry = tuple[tuple[str, ...], Any]
"""A path into the packet and what stands there. A list at the path is extended by a list, or by one more value."""

HEADINGS: dict[Section, str] = {
    Section.READING: "",
    Section.POLICY: f"{MARK}{MARK} policy\n",
    Section.ROLE: f"{MARK}{MARK} role\n",
    Section.PERSONA: f"{MARK}{MARK} persona\n",
    Section.PREFERENCES: f"{MARK}{MARK} preferences\n",
    Section.VISION: f"{MARK}{MARK} vision\n",
    Section.THREAD: f"{MARK}{MARK} thread\n",
    Section.PLAN: f"{MARK}{MARK} task\n",
    Section.CONSTRAINTS: f"{MARK}{MARK} constraints of the user\n",
    Section.SUMMARY: f"{MARK}{MARK} work summary, recorded data\n",
    Section.PROJECT_STATE: f"{MARK}{MARK} project state by thread, recorded data\n",
    Section.DIALOGUE: f"{MARK}{MARK} dialogue, recorded data\n",
    Section.HANDOFF: f"{MARK}{MARK} handoff, recorded data\n",
    Section.MEMORIES: f"{MARK}{MARK} retrieved, quoted data\n",
    Section.INPUT: "",
}
"""Lines above sections, which satisfy the seams' rules: each begins with the mark and ends in a letter."""

HEADING_LAYER: dict[Section, Layer] = {
    **{Section(layer.value): layer for layer in Layer if layer is not Layer.TOOL_RESULTS},
    Section.READING: Layer.POLICY,
    Section.PROJECT_STATE: Layer.SUMMARY,
}
"""The layer that pays for a section's heading, whichever of its items come in."""


class Item(NamedTuple):
    """One thing that may stand in a prompt. A tuple, since hundreds are made in each compile.

    `ref` is unique in a compile; `source` is the ref of the fact it was made from. `priority` ranks should items
    (lower first), `value` ranks may items (worth per token, higher first), `order` is the place in the section.
    `counted_as` names the count limit it falls under; `barred` is a reason found while rendering. `step` says how much
    of the source stands here, and `whole` what all of it would take, None where nobody has counted. Of items that are
    `even` each stands in its shortest form before any of them grows, and its excerpt is as long as what it says.
    """

    ref: str
    source: str
    layer: Layer
    section: Section
    fidelity: Fidelity
    order: tuple[int, int]
    text: str
    tokens: int
    entries: tuple[Entry, ...] = ()
    priority: int = 0
    value: float = 0.0
    counted_as: str = ""
    step: Step = Step.FULL
    whole: int | None = None
    reach: Reach | None = None
    knowledge_status: str | None = None
    barred: DropReason | None = None
    even: bool = False

    @property
    def at_full(self) -> int | None:
        """Tokens of the whole; None where nobody has counted it."""
        return self.tokens if self.step is Step.FULL else self.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where items of a kind belong and how they rank; the fields are those of Item."""

    layer: Layer
    section: Section
    fidelity: Fidelity
    priority: int = 0
    value: float = 0.0
    counted_as: str = ""
    even: bool = False

    def item(  # noqa: PLR0913 - one keyword for each field of Item that a place does not settle
        self,
        block: "Block",
        *,
        ref: str,
        source: str | None = None,
        order: tuple[int, int] = (0, 0),
        priority: int | None = None,
        value: float | None = None,
        entries: tuple[Entry, ...] = (),
        step: Step = Step.FULL,
        reach: Reach | None = None,
        knowledge_status: str | None = None,
        barred: DropReason | None = None,
    ) -> "Item":
        """Return the item that stands here with `block` as its text."""
        return Item(  # by position: keywords cost a third of the whole call
            ref,
            source or ref,
            self.layer,
            self.section,
            self.fidelity,
            order,
            block.text,
            block.tokens,
            entries,
            self.priority if priority is None else priority,
            self.value if value is None else value,
            self.counted_as,
            step,
            None,
            reach,
            knowledge_status,
            barred,
            self.even,
        )


class Block(NamedTuple):
    """A header line and a canonical body, with their exact cost."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes blocks for one compile: knows how tokens are counted and which caps single items have."""

    counter: Counter
    budget: Budget

    def block(self, header: str, text: str, *, stored: int | None = None) -> Block:
        """Return the block of `header` (without mark, ending in a letter or digit) over `text`.

        `stored` is the known count of the block body and its newline, in the stored encoding.
        """
        return write_block(self.counter, header, text, stored=stored)

    def listing(self, header: str, lines: Sequence[str]) -> Block:
        """Return the block of `header` over `lines`, one list entry each."""
        return write_listing(self.counter, header, lines)


def write_listing(counter: Counter, header: str, lines: Sequence[str]) -> Block:
    """Return the block of `header` over `lines`, as `Pen.listing` does."""
    return _block(counter, header, list_body(list(lines)) + "\n", None)


def write_block(counter: Counter, header: str, text: str, *, stored: int | None = None) -> Block:
    """Return the block of `header` over `text`, as `Pen.block` does."""
    return _block(counter, header, block_body(text) + "\n", stored)


def _block(counter: Counter, header: str, body: str, stored: int | None) -> Block:
    top = f"{MARK} {header}\n"
    tokens = counter.count(body) if stored is None else counter.stored(stored, body)
    return Block(top + body, counter.count(top) + tokens)


def lines_of(value: Any) -> list[str]:
    """Return a contract's value as a list of lines: of a list its entries, of an object its "key: value" pairs."""
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return [f"{key}: {'; '.join(lines_of(entry))}" for key, entry in value.items() if lines_of(entry)]
    if isinstance(value, list | tuple):
        return [line for entry in value for line in lines_of(entry)]
    return [str(value)]


def plain(value: Any) -> Any:
    """Return JSON content with everything that has no canonical form (NaN, infinity, other objects) as text."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def packet_path(slot: Slot, *keys: str) -> tuple[str, ...]:
    """Return the path of a value in a slot of the packet."""
    return (slot.value, *keys)
