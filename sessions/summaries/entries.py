"""Entries of a transcript as the work summary looks at them. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sessions.vocabulary import EventKind, EventRole

READ_CHARS = 20_000  # of one entry: what is longer was pasted, and its matter stands at its beginning
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


class Entry(NamedTuple):
    """One entry. `attested`: somebody other than the agent vouches for it. `retires`: the entry that it takes back."""

    seq: int
    role: str
    kind: str
    text: str
    attested: bool = False
    failed: bool | None = None
    tool: str = ""
    retires: int | None = None

    @property
    def is_users(self) -> bool:
        """Whether a user said it, and somebody vouches for that."""
        return self.role == EventRole.USER and self.kind in SPOKEN and self.attested

    @property
    def is_assistants(self) -> bool:
        """Whether the agent said it, or reports that a user did."""
        return self.kind in SPOKEN and self.role in SPEAKERS and not self.is_users

    @property
    def is_turn(self) -> bool:
        """Whether a user said it or the agent did, each for themselves: the one may answer the other."""
        return self.is_users or (self.role == EventRole.ASSISTANT and self.is_assistants)

    @property
    def prose(self) -> str:
        """Its beginning without blocks of code."""
        return _CODE.sub("\n", self.text[:READ_CHARS])


def last_asking(entries: Sequence[Entry]) -> Entry | None:
    """Return what the agent said last, where no user has spoken since: what a short answer after them is to."""
    last = next((one for one in reversed(entries) if one.is_turn), None)
    return None if last is None or last.is_users else last


SPOKEN = (EventKind.MESSAGE, EventKind.CONSTRAINT, EventKind.CORRECTION)
SPEAKERS = (EventRole.USER, EventRole.ASSISTANT)
