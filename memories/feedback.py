"""What is said of a memory by those who use it, and who read it by itself."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Invalid
from governance.models.base import reach_of
from governance.scope import record
from memories.evidence import memory_at, memory_ids
from memories.models import Feedback, Injection, Memory, MemoryRead
from memories.vocabulary import FeedbackKind, ReadThrough


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackWish:
    """What somebody says of a memory, and of which packet that carried it, if of one."""

    kind: FeedbackKind
    packet_id: uuid.UUID | None = None
    note: str = ""


def give_feedback(acting: Acting, memory: Memory, wish: FeedbackWish) -> Feedback:
    """Store what somebody says of a memory in the open scope; the same said twice of one packet counts once.

    Raises Invalid (packet_without_it) for a packet that did not carry the memory, or is not here.
    """
    if wish.packet_id and not was_carried(memory, wish.packet_id):
        raise Invalid.at("/packet_id", "names no packet that carried this memory", code="packet_without_it")
    said = {"memory": memory, "actor_id": acting.actor_id, "kind": wish.kind, "packet_id": wish.packet_id}
    try:
        with transaction.atomic():
            made = Feedback.objects.create(
                project_id=memory.project_id, note=wish.note[:1000], **said, **reach_of(memory)
            )
    except IntegrityError:
        return Feedback.objects.get(**said)
    after = fingerprint(wish.note) if wish.note else ""
    record("memory.feedback", memory.public_id, after=after, detail={"kind": wish.kind, "feedback": made.public_id})
    return made


def was_carried(memory: Memory, packet_id: uuid.UUID) -> bool:
    """Return whether a packet of the open scope carried the memory."""
    return Injection.objects.filter(memory=memory, packet_id=packet_id).exists()


def note_cited(acting: Acting, packet_id: uuid.UUID, refs: Iterable[str]) -> int:
    """Store that whoever read a packet cited memories which it carried: they were useful, as far as the reader says.

    Once for each memory, packet and reader; returns how many of the refs name such memories, in the open scope.
    """
    carried = Injection.objects.filter(packet_id=packet_id, memory_id__in=memory_ids(refs)).values("memory_id")
    cited = list(Memory.objects.filter(pk__in=carried, erased_at=None))
    Feedback.objects.bulk_create(
        [
            Feedback(
                project_id=memory.project_id,
                memory=memory,
                actor_id=acting.actor_id,
                kind=FeedbackKind.USEFUL,
                packet_id=packet_id,
                **reach_of(memory),
            )
            for memory in cited
        ],
        ignore_conflicts=True,
    )
    return len(cited)


def note_read(acting: Acting, memory: Memory, through: ReadThrough) -> None:
    """Note in the access log that somebody read a memory by itself; it is no entry of the ledger."""
    MemoryRead.objects.create(
        project_id=memory.project_id, memory=memory, actor_id=acting.actor_id, through=through, **reach_of(memory)
    )


def note_opened(acting: Acting, ref: str) -> None:
    """Note in the access log that somebody opened a memory by its ref; nothing happens for a ref of anything else."""
    memory = memory_at(ref)
    if memory is not None:
        note_read(acting, memory, ReadThrough.EVIDENCE)


def note_reads(acting: Acting, memories: Sequence[Memory], through: ReadThrough) -> None:
    """Note in the access log that somebody read several memories on one page, in one statement."""
    MemoryRead.objects.bulk_create(
        MemoryRead(project_id=one.project_id, memory=one, actor_id=acting.actor_id, through=through, **reach_of(one))
        for one in memories
    )
