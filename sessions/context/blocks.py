"""A prompt as content blocks, and where a provider's cache is worth a mark.

Anthropic knows a prefix again only when all its blocks are the same, allows four marks, and looks back over twenty
blocks from each; prefixes below 1,024 tokens are not stored. So the dialogue is a block for each exchange, which never
changes once the next one has begun, and the marks stand where what follows changes more often: after what the agent
is, after what the work is about, before the last exchange, which may still grow, and after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sessions.context.compiler import PromptSection
from sessions.context.items import Item
from sessions.context.vocabulary import Section

LEAST_PREFIX = 1_024
"""Tokens of the smallest prefix that either provider keeps for its present models; others want more."""
MOST_IN_BLOCK = 40
"""Entries of one block: of a longer exchange all but the last such run is known again while it grows."""


class Part(StrEnum):
    """What a block is of, in the order of the prompt."""

    SELF = "self"
    WORK = "work"
    SAID = "said"
    FOUND = "found"
    INPUT = "input"


PART_OF: dict[Section, Part] = {
    Section.READING: Part.SELF,
    Section.POLICY: Part.SELF,
    Section.ROLE: Part.SELF,
    Section.PERSONA: Part.SELF,
    Section.PREFERENCES: Part.SELF,
    Section.VISION: Part.WORK,
    Section.THREAD: Part.WORK,
    Section.PLAN: Part.WORK,
    Section.CONSTRAINTS: Part.WORK,
    Section.SUMMARY: Part.SAID,
    Section.PROJECT_STATE: Part.SAID,
    Section.DIALOGUE: Part.SAID,
    Section.HANDOFF: Part.FOUND,
    Section.MEMORIES: Part.FOUND,
    Section.INPUT: Part.INPUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of the prompt's text. `marked` says that the next prompt is likely to begin like this one up to here."""

    part: Part
    text: str
    tokens: int
    marked: bool = False


def blocks_of(sections: Iterable[PromptSection]) -> tuple[Block, ...]:
    """Return the blocks of a prompt in order; their texts and tokens add up to its own."""
    blocks = list(_joined(_pieces(sections)))
    marks = _marks(blocks)
    return tuple(replace(block, marked=index in marks) for index, block in enumerate(blocks))


def _pieces(sections: Iterable[PromptSection]) -> Iterator[tuple[Block, bool]]:
    """Yield pieces, each with whether the next may join it."""
    for section in sections:
        if section.section is Section.DIALOGUE:
            yield from _dialogue(section)
        else:
            yield Block(part=PART_OF[section.section], text=section.text, tokens=section.tokens), True


def _joined(pieces: Iterable[tuple[Block, bool]]) -> Iterator[Block]:
    """Yield one block a part, and those that stand alone as they are."""
    open_block: Block | None = None
    for block, joins in pieces:
        if open_block is not None and joins and block.part is open_block.part:
            text, tokens = open_block.text + block.text, open_block.tokens + block.tokens
            open_block = replace(open_block, text=text, tokens=tokens)
            continue
        if open_block is not None:
            yield open_block
        open_block = block
    if open_block is not None:
        yield open_block


def _dialogue(section: PromptSection) -> Iterator[tuple[Block, bool]]:
    """Yield a block for each exchange, the first with the section's heading, and last what stands beside them all."""
    entries = [item for item in section.items if item.order[0] <= 0]
    beside = [item for item in section.items if item.order[0] > 0]
    heading, paid = section.heading, section.tokens - sum(item.tokens for item in section.items)
    for run in _exchanges(entries):
        yield _run(Part.SAID, run, heading, paid), False
        heading, paid = "", 0
    if beside:
        yield _run(Part.FOUND, beside, heading, paid), True


def _exchanges(entries: Sequence[Item]) -> Iterator[list[Item]]:
    run: list[Item] = []
    for item in entries:
        if run and (_asks(item) or len(run) == MOST_IN_BLOCK):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def _asks(item: Item) -> bool:
    shown = item.entries[0][1]
    return isinstance(shown, dict) and (shown.get("role"), shown.get("kind")) == ("user", "message")


def _run(part: Part, items: Sequence[Item], heading: str, paid: int) -> Block:
    text = heading + "".join([item.text for item in items])
    return Block(part=part, text=text, tokens=paid + sum(item.tokens for item in items))


def _marks(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the places of the blocks to mark: at most four, and only where a provider would keep what ends there."""
    ends = {part: [place for place, block in enumerate(blocks) if block.part is part] for part in Part}
    stable = [*ends[Part.SELF][-1:], *ends[Part.WORK][-1:]]
    wanted = [*stable, *ends[Part.SAID][-2:]]
    kept = [place for place in wanted if sum(block.tokens for block in blocks[: place + 1]) >= LEAST_PREFIX]
    return frozenset([*kept, *stable[-1:]])  # the boundary is marked in any case: that it is small may change
