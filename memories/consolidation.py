"""Putting in order what is known: what lapsed goes, what says the same is one, what contradicts waits for somebody,
what recurs is proposed, and each place keeps within its bounds.

The work is that of what is new. A memory that says or rests on something new is marked so by the database; it is
marked as done in the transaction that puts it in order, by whoever holds the lock of its audience.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import DatabaseError, connection
from django.db.models import F

from governance.actors import Acting, system_of
from governance.errors import Refusal
from governance.scope import project_scope
from governance.scope import record as record_in_ledger
from governance.vocabulary import Audience
from memories.candidates import expiry_of
from memories.conflicts import wake_due
from memories.disputes import dispute, sides_of_same
from memories.keeping import keep_within
from memories.merging import absorb, merge
from memories.models import Consolidation, Memory
from memories.policy import Standing, standing_policy
from memories.recurring import learn_from_recurrence
from memories.relating import Place, place_of, relate_stored
from memories.retiring import expire_due
from memories.sameness import ends_by_itself
from memories.turns import take_turn
from memories.vocabulary import MemoryStatus, MemoryType, ScopeType

BATCH = 20  # memories of one transaction: whoever writes in their places waits for so long
MOST_BATCHES = 50  # of one audience in one sweep; the next sweep takes the rest
AUDIENCES = 200  # of one sweep
DUE = "SELECT project_id, audience, audience_role, owner_id, acting FROM due_memories(%s, %s)"

type Count = Callable[[str], int]
type Tally = Counter[str]
type Work = Callable[[Consolidation], Tally]
log = structlog.get_logger("greywind.consolidation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads a memory: what is known to others is put in order apart from it."""

    audience: str = Audience.PROJECT
    audience_role: str | None = None
    owner_id: uuid.UUID | None = None

    def where(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def consolidate_due(*, count: Count, now: datetime, trace_id: str = "") -> Tally:
    """Put in order what is due in every project; returns what was done, by kind. No scope is needed.

    `count` gives the tokens of a text. What cannot be done now, because somebody moved it meanwhile, is due again.
    """
    done: Tally = Counter()
    with connection.cursor() as cursor:
        cursor.execute(DUE, [now, AUDIENCES])
        due = cursor.fetchall()
    for project, audience, role, owner, actor in due:
        acting = system_of(project, actor, role=role, trace_id=trace_id, on_behalf_of=owner)
        readers = Readers(audience=audience, audience_role=role, owner_id=owner)
        try:
            done += consolidate(acting, readers, count=count, now=now)
        except (Refusal, DatabaseError) as fault:
            log.warning("consolidation_postponed", project=str(project), cause=type(fault).__name__)
    return done


def consolidate(acting: Acting, readers: Readers, *, count: Count, now: datetime, most: int = MOST_BATCHES) -> Tally:
    """Put in order what is new to one audience, in transactions of its own; returns what was done, by kind.

    Nothing where another process is at it. Stopped anywhere, whole batches are done and the rest is still new.
    """
    done = _in_turn(acting, readers, lambda mine: _lapsed(acting, mine, readers, now=now), now=now)
    for _ in range(most if done is not None else 0):
        batch = _in_turn(acting, readers, lambda _: _batch(acting, readers, count=count, now=now), now=now)
        done = (done or Counter()) + (batch or Counter())
        if not batch:
            break
    return done or Counter()


def _in_turn(acting: Acting, readers: Readers, work: Work, *, now: datetime) -> Tally | None:
    """Do some work in one transaction while nobody else does any of this audience's; None where somebody does."""
    with project_scope(acting):
        fresh = Consolidation(project_id=acting.project_id, created_at=now, **readers.where())
        if not Consolidation.objects.filter(**readers.where()).exists():
            Consolidation.objects.bulk_create([fresh], ignore_conflicts=True)
        mine = Consolidation.objects.select_for_update(skip_locked=True).filter(**readers.where()).first()
        if mine is None:
            return None
        done = work(mine)
        changed: dict[str, Any] = {"ran_at": now}
        if done:
            changed |= {"counts": dict(done), "runs": F("runs") + 1}
            record_in_ledger("memory.consolidate", mine.public_id, detail=dict(done))
        Consolidation.objects.filter(pk=mine.pk).update(**changed)
        return done


def _lapsed(acting: Acting, mine: Consolidation, readers: Readers, *, now: datetime) -> Tally:
    standing = standing_policy()
    if standing.revision != mine.policy:
        _ends_anew(standing, readers, known=bool(mine.policy))
        Consolidation.objects.filter(pk=mine.pk).update(policy=standing.revision)
    gone = expire_due(now=now, readers=readers.where())
    return _positive(expired=gone, woken=wake_due(acting, now=now))


def _ends_anew(standing: Standing, readers: Readers, *, known: bool) -> None:
    """Compute anew when each memory lapses, from when it was written: another policy keeps things otherwise."""
    if not known:
        return  # the first run: nothing was computed by another policy
    for memory in Memory.objects.filter(status=MemoryStatus.ACTIVE, **readers.where()).defer("content").iterator():
        ends = expiry_of(memory, standing.rules, now=memory.last_confirmed_at or memory.created_at)
        if ends != memory.expires_at:
            Memory.objects.filter(pk=memory.pk).update(expires_at=ends)


def _batch(acting: Acting, readers: Readers, *, count: Count, now: datetime) -> Tally:
    new = _new(readers)
    chosen = list(new.order_by("created_at", "id")[:BATCH])
    if not chosen:
        return Counter()
    places = _take_turns(acting, chosen, readers)
    standing, done = standing_policy(), Counter[str]()
    for pk in [memory.pk for memory in chosen]:
        memory = new.filter(pk=pk).first()  # as it stands now: another of the batch may have taken its place
        if memory is not None:
            done += _put_in_order(acting, memory, standing, now=now)
            Memory.objects.filter(pk=pk).update(consolidated_at=now, tokens=count(memory.content))
    archived = keep_within(places, standing, now=now)
    return done + _positive(seen=len(chosen), archived=archived)


def _new(readers: Readers) -> Any:
    return Memory.objects.filter(status=MemoryStatus.ACTIVE, consolidated_at=None, **readers.where())


def _take_turns(acting: Acting, chosen: Sequence[Memory], readers: Readers) -> list[Place]:
    """Wait for the places of some memories, in one order for everybody; returns the places."""
    whole = Place(scope_type=ScopeType.PROJECT, scope_id=None, **readers.where())
    places = sorted({*map(place_of, chosen), whole}, key=lambda place: [str(one) for one in place.where().values()])
    for place in places:
        take_turn(acting.project_id, place)
    return places


def _put_in_order(acting: Acting, memory: Memory, standing: Standing, *, now: datetime) -> Tally:
    happened = memory.type == MemoryType.EPISODE
    related = relate_stored(memory)
    at, registry = memory.said_at, standing.registry
    ends = None if happened else ends_by_itself(memory.content, related.claims, said_at=at, registry=registry)
    if ends is not None and (memory.expires_at is None or ends < memory.expires_at):
        Memory.objects.filter(pk=memory.pk).update(expires_at=ends)
    merged = absorb(memory, registry=registry, now=now)
    same = related.same
    gone = None
    if same is not None and merged == 0 and same.status == MemoryStatus.ACTIVE:
        gone = merge(memory, same, now=now)
    if gone is not None and gone.pk == memory.pk:
        return _positive(merged=1)
    rivals = [rival for rival in related.rivals if not sides_of_same(memory, rival)]
    if rivals:
        dispute(acting, memory, rivals, related=related, now=now)
        memory.refresh_from_db()
    made = learn_from_recurrence(acting, memory, standing, now=now)
    return _positive(merged=merged + (gone is not None), disputed=len(rivals), proposed=made is not None)


def _positive(**counts: int) -> Tally:
    return +Counter({name: int(number) for name, number in counts.items()})
