"""From a compiled packet to the prompt in the caller's dialect, what changes least first."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import orjson

from sessions.context.blocks import PART_OF, Block, Part, blocks_of
from sessions.context.compiler import Compiled
from sessions.context.vocabulary import Dialect

type Message = dict[str, Any]

STABLE = frozenset(section for section, part in PART_OF.items() if part in (Part.SELF, Part.WORK))
"""Sections that do not change from turn to turn while their sources do not; they stand first in every dialect."""
CACHE_KEY = "greywind-"
"""What begins the key by which OpenAI sends requests with one beginning to one cache."""
KEYED = frozenset((Dialect.OPENAI_CHAT, Dialect.OPENAI_RESPONSES))
"""Dialects whose provider takes such a key."""
VOLATILE_KEYS = frozenset(("packet_id", "trace_id", "trace_ref", "attempt_id", "compiled_at", "created_at", "now"))
"""Keys that say which call this was and not what was compiled: no part of a packet's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt ready to be sent. `text` is all contents of what is `sent`, in order, joined.

    `system` is set for anthropic.messages alone, `instructions` for openai.responses alone, whose `messages` are the
    items of its input. `stable_prefix_tokens` counts the beginning of `text` whose hash is
    `stable_prefix_hash`. `breakpoints` are the beginnings, in tokens, that the next prompt of the session is likely to
    share: a provider that wants them marked finds the marks, one that looks for itself needs none.
    """

    messages: tuple[Message, ...]
    text: str
    stable_prefix_tokens: int
    stable_prefix_hash: str
    breakpoints: tuple[int, ...]
    system: tuple[Message, ...] | None = None
    instructions: str | None = None
    cache_key: str | None = None

    @property
    def sent(self) -> tuple[Message, ...]:
        """Everything that a provider is sent: what stands apart from the messages as blocks of text, then they."""
        apart = self.system or () if self.instructions is None else (_plain(self.instructions),)
        return (*apart, *self.messages)

    def as_json(self) -> dict[str, Any]:
        """Return the prompt as the answer shows it; what stands beside the messages only where the dialect has it."""
        apart = {
            "system": None if self.system is None else list(self.system),
            "instructions": self.instructions,
            "prompt_cache_key": self.cache_key,
        }
        return {name: value for name, value in apart.items() if value is not None} | {
            "messages": list(self.messages),
            "text": self.text,
            "stable_prefix_tokens": self.stable_prefix_tokens,
            "stable_prefix_hash": self.stable_prefix_hash,
            "breakpoints": list(self.breakpoints),
        }


def assemble(compiled: Compiled, dialect: Dialect) -> Prompt:
    """Return the prompt of a compile that was not refused. Raise ValueError for a refusal."""
    if compiled.packet is None:
        raise ValueError("a refused compile has no prompt")
    blocks = blocks_of(compiled.sections)
    by_part = {part: [block for block in blocks if block.part is part] for part in Part}
    stable = [*by_part[Part.SELF], *by_part[Part.WORK]]
    prefix = _text(stable)
    return Prompt(
        messages=_messages(by_part, dialect),
        system=tuple(map(_content, stable)) if dialect is Dialect.ANTHROPIC_MESSAGES else None,
        instructions=prefix if dialect is Dialect.OPENAI_RESPONSES else None,
        text=_text(blocks),
        stable_prefix_tokens=sum(block.tokens for block in stable),
        stable_prefix_hash=(hashed := _sha256(prefix.encode())),
        breakpoints=_breakpoints(blocks),
        cache_key=CACHE_KEY + hashed[-24:] if dialect in KEYED else None,
    )


def packet_hash(packet: Mapping[str, Any], messages: Sequence[Message]) -> str:
    """Return "sha256:…" over the canonical JSON of a packet and what of its prompt is sent, without `VOLATILE_KEYS`.

    The user's own timestamp is input and counts.
    A packet holds no number that JSON does not have: `items.plain` has seen to that.
    """
    content = {"packet": _without_call(packet), "messages": list(messages)}
    return _sha256(_canonical(content))


def _canonical(content: Any) -> bytes:
    try:
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # A lone surrogate or an integer beyond 64 bits, which only the slower writer knows.
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def _without_call(packet: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: {inner: kept for inner, kept in value.items() if inner not in VOLATILE_KEYS}
        if isinstance(value, Mapping)
        else value
        for key, value in packet.items()
        if key not in VOLATILE_KEYS
    }


def _text(blocks: Iterable[Block]) -> str:
    return "".join([block.text for block in blocks])


def _breakpoints(blocks: Sequence[Block]) -> tuple[int, ...]:
    sizes = accumulate(block.tokens for block in blocks)
    return tuple(size for block, size in zip(blocks, sizes, strict=True) if block.marked)


def _messages(parts: Mapping[Part, Sequence[Block]], dialect: Dialect) -> tuple[Message, ...]:
    stable, said = [*parts[Part.SELF], *parts[Part.WORK]], [*parts[Part.SAID], *parts[Part.FOUND]]
    match dialect:
        case Dialect.OPENAI_CHAT:
            system: Message = {"role": "system", "content": _text(stable)}
            return (system, *({"role": "user", "content": text} for text in _turns(said, parts[Part.INPUT])))
        case Dialect.OPENAI_RESPONSES:
            return tuple(map(_item, _turns(said, parts[Part.INPUT])))
        case Dialect.ANTHROPIC_MESSAGES:
            # One message: this dialect wants the roles to take turns.
            return ({"role": "user", "content": [_content(block) for block in (*said, *parts[Part.INPUT])]},)
        case Dialect.TEXT:
            return ({"role": "user", "content": _text([*stable, *said, *parts[Part.INPUT]])},)


def _turns(said: Sequence[Block], asked: Sequence[Block]) -> list[str]:
    return [text for text in (_text(said), _text(asked)) if text]


def _item(text: str) -> Message:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _plain(text: str) -> Message:
    return {"type": "text", "text": text}


def _content(block: Block) -> Message:
    content = _plain(block.text)
    return content | {"cache_control": {"type": "ephemeral"}} if block.marked else content


def _sha256(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
