"""What a harness holds already, and is not sent again: a delta packet is the whole one without it.

The whole packet is compiled first, so that what is held keeps its room: it stands in the same window. Then every
optional item is left out whose bytes were delivered before. Must items always stand in a packet.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from sessions.context.items import Item
from sessions.context.material import HeldFact
from sessions.context.vocabulary import Fidelity

VERSIONED = ("event", "handoff", "memory", "revision", "summary", "task", "thread", "vision")
"""Schemes whose refs name one version of what they open: only of these is a ref alone a proof that nothing changed."""


def held_among(chosen: Iterable[Item], held: HeldFact | None) -> list[Item]:
    """Return those of the chosen items that the harness holds as they are; none without a word of what it holds."""
    if held is None:
        return []
    return [item for item in chosen if item.fidelity is not Fidelity.MUST and _is_held(item, held)]


def delivered_by(items: Iterable[Item]) -> dict[str, str]:
    """Return the digest of every optional item by its ref: what a later packet knows as held."""
    return {item.ref: digest(item.text) for item in items if item.fidelity is not Fidelity.MUST}


@lru_cache(16_384)
def digest(text: str) -> str:
    """Return what tells one text of a ref from another: forty bits, since only texts of one ref are compared."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def _is_held(item: Item, held: HeldFact) -> bool:
    known = held.delivered.get(item.ref)
    if known is not None:
        return known == digest(item.text)
    return item.source.partition("://")[0] in VERSIONED and not held.refs.isdisjoint((item.ref, item.source))
