"""JSON out of foreign files: strict, bounded in depth, and never a crash."""

import hashlib
import json
import math
from typing import Any

# The deepest value that is taken apart. Real transcripts stay under 30; beyond some thousand levels Python's own
# recursion limit and PostgreSQL's jsonb both give up.
MAX_DEPTH = 200


class NotReadable(ValueError):
    """The text is not JSON that can be stored; the message says why in words for a report."""


def parse(text: str) -> Any:
    """Return the value of a JSON text; raise NotReadable for anything else, however deep or long it is."""
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_no_constant)
    except RecursionError:
        raise NotReadable(f"nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise NotReadable(f"not JSON: {error}") from None
    if _deeper_than(value, MAX_DEPTH):
        raise NotReadable(f"nested deeper than {MAX_DEPTH} levels")
    return value


def digest(value: Any) -> str:
    """Return a short fingerprint of a parsed value that ignores the order of keys and the spacing."""
    # ASCII escapes keep lone surrogates hashable.
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]


def compact(value: Any) -> str:
    """Return a parsed value as readable JSON, the way tool calls and unread parts are kept."""
    return json.dumps(value, ensure_ascii=False)


def _deeper_than(value: Any, limit: int) -> bool:
    """Walk level by level, so that the walk itself needs no stack."""
    level = [value]
    for _ in range(limit):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: Any) -> list[Any]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [child for child in children if isinstance(child, dict | list)]


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is out of range")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
