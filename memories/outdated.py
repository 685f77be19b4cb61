"""Passages that tell what a memory in use corrects: what was said once is not what holds. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memories.claims import DEFAULT, Registry, Relation, Statement, relate
from memories.vocabulary import KnowledgeStatus

# Share of a passage's terms that a memory holds too, from which on the passage tells of nothing but the same matter.
ONE_MATTER = 0.5
MOST_TERMS = 60  # what is longer tells of several things
OVER = (Relation.CONFLICT, Relation.UPDATE)


class Told(Protocol):
    """A found passage: its text, when it was said, and whether it is the copy of a memory."""

    @property
    def text(self) -> str: ...
    @property
    def memory_id(self) -> object | None: ...
    @property
    def as_of(self) -> datetime | None: ...
    @property
    def knowledge_status(self) -> str: ...


type Held[T: Told] = tuple[T, frozenset[str]]


def without_outdated[T: Told](found: Sequence[Held[T]], *, registry: Registry = DEFAULT) -> list[Held[T]]:
    """Return found passages without those that were said before a memory among them and that it contradicts.

    Each comes with its terms. A disputed memory corrects nothing. `registry` says which attributes have one value.
    """
    known = [
        pair for pair in found if pair[0].memory_id is not None and pair[0].knowledge_status != KnowledgeStatus.DISPUTED
    ]
    return [
        pair
        for pair in found
        if pair[0].memory_id is not None or not any(_corrects(one, pair, registry) for one in known)
    ]


def _corrects[T: Told](memory: Held[T], passage: Held[T], registry: Registry) -> bool:
    (known, words), (told, terms) = memory, passage
    if known.as_of is None or told.as_of is None or told.as_of >= known.as_of or len(terms) > MOST_TERMS:
        return False
    if len(words & terms) < ONE_MATTER * len(terms):
        return False
    old = Statement(text=told.text, observed_at=told.as_of)
    new = Statement(text=known.text, observed_at=known.as_of)
    return relate(old, new, registry=registry).relation in OVER
