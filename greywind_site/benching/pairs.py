"""Pairs of statements through the whole write path: what is known, and what a second voice says of it."""

from collections.abc import Sequence
from functools import partial

from django.utils import timezone

from governance.scope import project_scope
from greywind_site.benching.rows import Row, Tell, told_along
from greywind_site.benching.world import World, make_world, state, undone
from memories.claims import Relation
from memories.claims.evaluation import Report, evaluate_pairs
from memories.models import Memory
from memories.vocabulary import MemoryStatus, WriteOutcome
from memories.writes import Written, admit


def bench_pairs(rows: Sequence[Row], tell: Tell) -> Report:
    """Let one human's agent learn the old statement and another's propose the new one; each pair is taken back.

    A duplicate is a proposal that its writer hears to be known; a conflict is one that opened or joined a conflict; an
    update is one that ended the old one. What waits for a human, as personal content does, is let in by an owner.
    """
    world = make_world(now=timezone.now())
    return evaluate_pairs(told_along(rows, tell, counted="pairs"), judge=partial(relation, world))


def relation(world: World, old: str, new: str) -> Relation:
    """Return what the write path makes of `new` where `old` is known, and leave nothing behind."""
    with undone():
        known = _let_in(world, state(world.first, old))
        if known.memory.status != MemoryStatus.ACTIVE:
            return Relation.DISTINCT  # what is refused is not known, and nothing is held against it
        said = _let_in(world, state(world.second, new))
        return _relation(world, known.memory, said)


def _let_in(world: World, written: Written) -> Written:
    if written.outcome is not WriteOutcome.HELD:
        return written
    with project_scope(world.first.human):
        return admit(world.first.human, written.memory, reason="measured", now=timezone.now())


def _relation(world: World, known: Memory, said: Written) -> Relation:
    if said.outcome is WriteOutcome.DUPLICATE_OF:
        return Relation.DUPLICATE
    if said.conflict is not None:
        return Relation.CONFLICT
    with project_scope(world.first.human):
        known.refresh_from_db()
    return Relation.UPDATE if known.status != MemoryStatus.ACTIVE else Relation.DISTINCT
