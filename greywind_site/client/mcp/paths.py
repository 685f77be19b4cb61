"""Ids and refs as arguments, and their way into a path."""

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

type Id = Annotated[str, Field(min_length=1, max_length=80)]
type Ref = Annotated[str, Field(min_length=1, max_length=300)]


def part(public_id: str) -> str:
    """Return an id as one step of a path: what is in it cannot lead elsewhere."""
    # A step of dots would climb, whatever is quoted; no id begins with one.
    return quote(public_id, safe="").replace(".", "%2E")
