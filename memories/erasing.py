"""Erasing: the content is gone from every row that held it; who, when, why and a keyed hash stay."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from governance.actors import Acting
from governance.audit import fingerprint, told
from governance.errors import NotThere
from governance.inbox import settle_item
from governance.models import InboxItem, Proposal
from governance.people import check_may
from governance.proposal_desk import close, lock
from governance.proposals import EDITABLE
from governance.rows import fetch
from governance.scope import record
from governance.vocabulary import Deed, InboxKind, ProposalState
from memories.candidates import is_pending
from memories.disputes import conflict_ref, mark_disputed
from memories.evidence import memory_at
from memories.lifecycle import advance
from memories.models import Claim, Conflict, ConflictSide, Memory, Passage
from memories.models.conflict import UNSETTLED
from memories.offers import forget_asking
from memories.relating import place_of
from memories.retiring import reach
from memories.turns import take_turn
from memories.vocabulary import MemoryStatus, ReasonCode


def erase(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> list[Memory]:
    """Erase a memory and everything that was made of it, in the open scope; returns what was erased.

    Raises Forbidden for anybody but an owner, or the one whose private memory it is.
    """
    if memory.owner_id != acting.actor_id:
        check_may(acting, Deed.ERASE_MEMORY)
    take_turn(memory.project_id, place_of(memory))
    memory.refresh_from_db()
    gone = [memory, *reach(memory).descendants]
    for one in gone:
        _erase_one(acting, one, reason=reason, now=now)
    return gone


def erase_ref(ref: str, acting: Acting) -> None:
    """Erase what a ref names. Raises NotThere and Forbidden."""
    found = memory_at(ref)
    if found is None:
        raise NotThere
    erase(acting, found, reason="", now=timezone.now())


def _erase_one(acting: Acting, memory: Memory, *, reason: str, now: datetime) -> None:
    if memory.erased_at is not None:
        return
    _out_of_use(memory, now=now)
    before = fingerprint(memory.content)
    conflicts = list(Conflict.objects.filter(pk__in=ConflictSide.objects.filter(memory=memory).values("conflict_id")))
    with connection.cursor() as cursor:
        cursor.execute("SELECT erase_memory(%s)", [memory.pk])
    Claim.objects.filter(memory=memory).delete()
    Passage.objects.filter(memory=memory).delete()
    forget_asking(memory)
    _forget_proposed(acting, memory, now=now)
    blank: dict[str, Any] = dict.fromkeys(("content", "dedupe_key", "change_reason", "evidence_gap"), "")
    Memory.objects.filter(pk=memory.pk).update(**blank, content_hash=before, erased_at=now, updated_at=now)
    memory.refresh_from_db()
    for conflict in conflicts:
        _forget_in(conflict, now=now)
    InboxItem.objects.filter(ref__startswith=f"memory://{memory.public_id}@").update(title="")
    record("memory.erase", memory.public_id, reason=told(reason, memory), before=before)


def _out_of_use(memory: Memory, *, now: datetime) -> None:
    if is_pending(memory):
        advance(memory, MemoryStatus.REJECTED, reason="erased", now=now, reason_code=ReasonCode.ERASED)
        settle_item(InboxKind.CANDIDATE, memory.first_ref, now=now)
    elif memory.status in (MemoryStatus.COMMITTED, MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED):
        advance(memory, MemoryStatus.REVOKED, reason="erased", now=now)


def _forget_proposed(acting: Acting, memory: Memory, *, now: datetime) -> None:
    """Take the words out of the proposals that carried them, and those that still wait off the desk.

    Only whoever asked takes a question back: another's lapses, as nobody can decide on it any more.
    """
    carried = [row[0] for row in fetch("SELECT * FROM forget_proposed(%s)", [memory.pk])]
    for proposal in Proposal.objects.filter(pk__in=carried).select_related("proposer").order_by("created_at", "id"):
        own = acting.actor_id in (proposal.proposer_id, proposal.proposer.owned_by_id)
        if own and proposal.state in EDITABLE:
            reason = "the memory was erased"
            close(lock(proposal), ProposalState.WITHDRAWN, verb="proposal.withdraw", reason=reason, now=now)
        settle_item(InboxKind.PROPOSAL, proposal.ref, now=now)
        InboxItem.objects.filter(kind=InboxKind.PROPOSAL, ref=proposal.ref).update(title="")


def _forget_in(conflict: Conflict, *, now: datetime) -> None:
    """Take the words out of a conflict, of its inbox item, and of the copies of what it disputed."""
    Conflict.objects.filter(pk=conflict.pk).update(subject_text="", attribute="", updated_at=now)
    InboxItem.objects.filter(kind=InboxKind.CONFLICT, ref=conflict_ref(conflict)).update(title="")
    if conflict.state in UNSETTLED:
        mark_disputed(conflict, now=now)
