"""One memory of the open scope, by its id or by what a body says."""

import uuid
from typing import Any

from governance.errors import Invalid, NotThere
from governance.ids import parse_id
from memories.models import Memory


def named_memory(value: Any, *, pointer: str, wanted: str) -> Memory:
    """Return the memory that a body names, in the open scope; `wanted` says what it should have named.

    Raises Invalid (invalid_body) for what is no text, and for no id, and NotThere.
    """
    if not isinstance(value, str):
        raise Invalid.at(pointer, wanted, code="invalid_body")
    found = Memory.objects.filter(pk=parse_id("mem", value, pointer=pointer)).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def find_memory(memory_id: uuid.UUID) -> Memory:
    """Return a memory of the open scope; raises NotThere."""
    found = Memory.objects.filter(pk=memory_id).select_related("proposed_by").first()
    if found is None:
        raise NotThere
    return found
