"""Words of importing: the transcript formats that can be read."""

from enum import StrEnum


class TranscriptFormat(StrEnum):
    """A format with an adapter of its own; the value is what a person types and what client ids begin with."""

    CLAUDE_CODE = "claude-code"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    JSONL = "jsonl"
