"""What a provider's usage says of input tokens, whichever provider's words it is in. Pure."""

from collections.abc import Mapping
from typing import Any

from governance.errors import FieldFault, Invalid

# Words that count the whole input, and those whose parts stand beside it: Anthropic's input leaves out what its cache
# wrote and read, the others' counts hold it.
WHOLE = ("prompt_tokens", "promptTokenCount", "prompt_token_count")
PARTS = ("cache_creation_input_tokens", "cache_read_input_tokens")
OUTPUT = (
    "output_tokens",
    "completion_tokens",
    "total_tokens",
    "candidatesTokenCount",
    "candidates_token_count",
    "totalTokenCount",
    "total_token_count",
)
# Every name under which a count is taken; `harness_tokens` is our own word.
KNOWN = (*WHOLE, "input_tokens", *PARTS, "harness_tokens", *OUTPUT, "cached_tokens", "reasoning_tokens")
LARGEST = 2_000_000_000  # what a column holds; no window is near it


def input_tokens(usage: Mapping[str, Any]) -> int | None:
    """Return all input tokens of a usage report, None where it does not say or says no whole number from 1."""
    for name in WHOLE:
        if name in usage:
            return _count(usage[name]) or None
    own = _count(usage.get("input_tokens"))
    if own is None:
        return None
    return own + sum(_count(usage.get(name)) or 0 for name in PARTS) or None


def harness_tokens(usage: Mapping[str, Any]) -> int | None:
    """Return how many of the input tokens the harness says are its own (`harness_tokens`); None where it is silent."""
    return _count(usage.get("harness_tokens"))


def check_usage(usage: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in a report that were not understood; raise Invalid (usage_unusable) where nothing was.

    A known name without a whole number from 0 is not understood either, and is then the field that is named.
    """
    unread = tuple(name for name in usage if name not in KNOWN or _count(usage[name]) is None)
    if usage and len(unread) == len(usage):
        faults = tuple(_fault(name) for name in unread if name in KNOWN)
        raise Invalid.of(faults or (NOTHING_KNOWN,), code="usage_unusable")
    return unread


def _fault(name: str) -> FieldFault:
    return FieldFault(f"/usage/{name}", "usage_unusable", "expected a whole number of tokens from 0")


NOTHING_KNOWN = FieldFault("/usage", "usage_unusable", f"names no count that is known; these are: {', '.join(KNOWN)}")


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return min(value, LARGEST)
