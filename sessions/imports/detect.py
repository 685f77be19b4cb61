"""Which adapter a file is for, told from its first lines."""

from collections.abc import Iterable, Iterator
from typing import Any

from governance.errors import Invalid
from sessions.imports import anthropic_messages, claude_code, jsonl, openai_chat
from sessions.imports.parsing import NotReadable, parse
from sessions.imports.records import Adapter, Line
from sessions.imports.vocabulary import TranscriptFormat

# Those with marks of their own first; a plain message fits every chat format, so that it decides nothing.
_ADAPTERS: tuple[Adapter, ...] = (jsonl, claude_code, anthropic_messages, openai_chat)
ADAPTERS: dict[TranscriptFormat, Adapter] = {adapter.FORMAT: adapter for adapter in _ADAPTERS}


def detect(first_lines: Iterable[Line]) -> TranscriptFormat:
    """Return the format of the first record that bears a mark of one; plain messages alone read as OpenAI's.

    Raises governance.errors.Invalid when nothing fits, naming the formats that can be asked for.
    """
    plain = False
    for value in _values(first_lines):
        for adapter in _ADAPTERS:
            if adapter.recognises(value):
                return adapter.FORMAT
        plain = plain or openai_chat.could_be(value)
    if plain:
        return TranscriptFormat.OPENAI
    raise Invalid.at("/format", f"no known transcript format fits the first lines; name one of: {', '.join(ADAPTERS)}")


def _values(lines: Iterable[Line]) -> Iterator[Any]:
    for line in lines:
        try:
            yield None if line.cut else parse(line.text)
        except NotReadable:
            continue  # a broken line says nothing about the format; reading reports it
