"""From a compiled packet to the prompt in the caller's dialect, what changes least first."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sessions.context.compiler import Compiled, PromptSection
from sessions.context.vocabulary import Dialect, Section

type Message = dict[str, Any]

STABLE = frozenset(tuple(Section)[: tuple(Section).index(Section.SUMMARY)])
"""Sections that do not change from turn to turn while their sources do not; they stand first in every dialect."""
VOLATILE_KEYS = frozenset(("packet_id", "trace_id", "trace_ref", "attempt_id", "compiled_at", "created_at", "now"))
"""Keys that say which call this was and not what was compiled: no part of a packet's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt ready to be sent. `text` is all contents of `system` and `messages`, in order, joined.

    `system` is set for anthropic.messages alone: content blocks, the last of which ends the cached prefix.
    `stable_prefix_tokens` counts the beginning of `text` whose hash is `stable_prefix_hash`.
    """

    messages: tuple[Message, ...]
    text: str
    stable_prefix_tokens: int
    stable_prefix_hash: str
    system: tuple[Message, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the prompt as the answer shows it; `system` only where the dialect has it."""
        shown: dict[str, Any] = {} if self.system is None else {"system": list(self.system)}
        return shown | {
            "messages": list(self.messages),
            "text": self.text,
            "stable_prefix_tokens": self.stable_prefix_tokens,
            "stable_prefix_hash": self.stable_prefix_hash,
        }


def assemble(compiled: Compiled, dialect: Dialect) -> Prompt:
    """Return the prompt of a compile that was not refused. Raise ValueError for a refusal."""
    if compiled.packet is None:
        raise ValueError("a refused compile has no prompt")
    first = [section for section in compiled.sections if section.section in STABLE]
    stable = _text(first)
    words = _text(section for section in compiled.sections if section.section is Section.INPUT)
    context = _text(compiled.sections)[len(stable) : -len(words)]
    return Prompt(
        messages=_messages(stable, context, words, dialect=dialect),
        system=(_cached(stable),) if dialect is Dialect.ANTHROPIC_MESSAGES else None,
        text=stable + context + words,
        stable_prefix_tokens=sum(section.tokens for section in first),
        stable_prefix_hash=_sha256(stable.encode()),
    )


def packet_hash(packet: Mapping[str, Any], messages: Sequence[Message]) -> str:
    """Return "sha256:…" over the canonical JSON of a packet and its prompt messages, without `VOLATILE_KEYS`.

    The user's own timestamp is input and counts. For anthropic.messages pass the system blocks and messages together.
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


def _text(sections: Iterable[PromptSection]) -> str:
    return "".join([section.text for section in sections])


def _messages(stable: str, context: str, words: str, *, dialect: Dialect) -> tuple[Message, ...]:
    parts = [part for part in (context, words) if part]
    match dialect:
        case Dialect.OPENAI_CHAT:
            system: Message = {"role": "system", "content": stable}
            return (system, *({"role": "user", "content": part} for part in parts))
        case Dialect.ANTHROPIC_MESSAGES:
            # One message: this dialect wants the roles to take turns.
            return ({"role": "user", "content": [{"type": "text", "text": part} for part in parts]},)
        case Dialect.TEXT:
            return ({"role": "user", "content": stable + context + words},)


def _cached(text: str) -> Message:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _sha256(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
