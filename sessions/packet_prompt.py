"""The prompt of a packet for a reader: section by section, in the messages of the dialect, bounded in length."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from governance.invisible import made_visible
from governance.languages import language_of
from sessions.context.assembler import STABLE, Message, Prompt
from sessions.context.compiler import Compiled, PromptSection
from sessions.context.cuts import cut_head
from sessions.context.items import Item
from sessions.context.vocabulary import Fidelity, Section, Slot
from sessions.packet_layers import Reader
from sessions.packet_refs import Source

MOST_PARTS = 40  # of a section: the first half of them and the last
MOST_TOKENS = 400  # of one part; a whole one is opened by its ref
SLOTS: Mapping[Section, Slot] = {
    Section.READING: Slot.PERSONA,
    Section.POLICY: Slot.PERSONA,
    Section.ROLE: Slot.PERSONA,
    Section.PERSONA: Slot.PERSONA,
    Section.PREFERENCES: Slot.PERSONA,
    Section.VISION: Slot.VISION,
    Section.THREAD: Slot.THREAD,
    Section.PLAN: Slot.THREAD,
    Section.CONSTRAINTS: Slot.THREAD,
    Section.SUMMARY: Slot.SESSION,
    Section.PROJECT_STATE: Slot.PROJECT_STATE,
    Section.DIALOGUE: Slot.SESSION,
    Section.HANDOFF: Slot.HANDOFF,
    Section.MEMORIES: Slot.RETRIEVED,
    Section.INPUT: Slot.USER_INPUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """One item as it stands in the prompt, its heading line included. `cut` says that the text goes on."""

    source: Source
    fidelity: Fidelity
    tokens: int
    text: str
    cut: bool

    @property
    def language(self) -> str:
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLine:
    """A section of the prompt. `hidden` parts with `hidden_tokens` stand between `parts` and `last_parts`.

    `message` names the message that begins with this section, empty where the one before goes on; `cached` says that
    what stands up to here, or into it, is likely to be what the next prompt begins with.
    """

    section: Section
    tokens: int
    heading: str
    stable: bool
    message: str
    cached: bool
    parts: Sequence[PartLine]
    last_parts: Sequence[PartLine]
    hidden: int
    hidden_tokens: int

    @property
    def slot(self) -> Slot:
        return SLOTS[self.section]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLines:
    """The prompt: what is stable from turn to turn, then what is not. Tokens count the whole text."""

    stable: Sequence[SectionLine]
    volatile: Sequence[SectionLine]
    stable_tokens: int
    stable_hash: str
    tokens: int

    @property
    def volatile_tokens(self) -> int:
        return self.tokens - self.stable_tokens

    @property
    def stable_share(self) -> int:
        """Whole per cent of the prompt that a provider's cache can keep."""
        return round(100 * self.stable_tokens / self.tokens) if self.tokens else 0


def prompt_lines(compiled: Compiled, prompt: Prompt, reader: Reader) -> PromptLines:
    """Return the prompt of a compile that was not refused, as it was sent."""
    lines = [
        _section(one, piece, reader) for one, piece in zip(compiled.sections, _pieces(compiled, prompt), strict=True)
    ]
    return PromptLines(
        stable=[line for line in lines if line.stable],
        volatile=[line for line in lines if not line.stable],
        stable_tokens=prompt.stable_prefix_tokens,
        stable_hash=prompt.stable_prefix_hash,
        tokens=compiled.used,
    )


def _pieces(compiled: Compiled, prompt: Prompt) -> Iterator[tuple[str, bool]]:
    """Say of each section which message it begins (or ''), and whether a cache's breakpoint stands at or in its end.

    A prompt's text is the contents of its messages in order, so where a message begins, a section does.
    """
    messages = list(_contents(prompt))
    sizes = accumulate((len(text) for _, text in messages), initial=0)
    begins = {at: role for at, (role, _) in zip(sizes, messages, strict=False)}
    at = counted = 0
    for section in compiled.sections:
        yield begins.get(at, ""), any(counted < mark <= counted + section.tokens for mark in prompt.breakpoints)
        at += len(section.text)
        counted += section.tokens


def _contents(prompt: Prompt) -> Iterator[tuple[str, str]]:
    if prompt.system is not None:
        yield "system", "".join(block["text"] for block in prompt.system)
    if prompt.instructions is not None:
        yield "instructions", prompt.instructions
    for message in prompt.messages:
        yield message["role"], _text(message)


def _text(message: Message) -> str:
    content: Any = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _section(section: PromptSection, piece: tuple[str, bool], reader: Reader) -> SectionLine:
    items = section.items
    half = MOST_PARTS // 2
    first, between, last = (
        (items, (), ()) if len(items) <= MOST_PARTS else (items[:half], items[half:-half], items[-half:])
    )
    return SectionLine(
        section=section.section,
        tokens=section.tokens,
        heading=section.heading.strip(),
        stable=section.section in STABLE,
        message=piece[0],
        cached=piece[1],
        parts=[_part(item, reader) for item in first],
        last_parts=[_part(item, reader) for item in last],
        hidden=len(between),
        hidden_tokens=sum(item.tokens for item in between),
    )


def _part(item: Item, reader: Reader) -> PartLine:
    cut = item.tokens > MOST_TOKENS
    text = cut_head(item.text, MOST_TOKENS) if cut else item.text
    return PartLine(
        source=reader.namer.source(item.ref),
        fidelity=item.fidelity,
        tokens=item.tokens,
        text=made_visible(text.rstrip("\n")),
        cut=cut and len(text) < len(item.text),
    )
