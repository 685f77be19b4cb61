"""Public ids: a prefix that names the noun, and a UUIDv7 that sorts by time."""

import re
import uuid

from uuid_utils.compat import uuid7

from governance.errors import Invalid

# One spelling each: uuid.UUID alone would also read digits of other scripts and underscores.
HEX = re.compile(r"[0-9a-f]{32}")


def new_id() -> uuid.UUID:
    """Return a fresh UUIDv7; made here and not in the database, so that a caller can name rows before writing them."""
    return uuid7()


def public_id(prefix: str, value: uuid.UUID) -> str:
    """Return the id that the outside sees, for example `thr_0199…` (prefix, underscore, 32 hex digits)."""
    return f"{prefix}_{value.hex}"


def parse_id(prefix: str, text: str, *, pointer: str) -> uuid.UUID:
    """Return the UUID behind a public id.

    Raises Invalid that names `pointer` when the text is not an id of this noun.
    """
    head, _, tail = text.partition("_")
    if head == prefix and HEX.fullmatch(tail):
        return uuid.UUID(hex=tail)
    raise Invalid.at(pointer, f"expected an id like {prefix}_ and 32 hex digits", code="malformed_id")
