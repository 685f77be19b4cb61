"""Taking a settlement back: each memory stands again as it did before it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from governance.actors import Acting
from governance.inbox import item_about, open_item
from governance.models.base import reach_of
from governance.vocabulary import InboxKind, Risk
from memories.candidates import add_claims, add_evidence, add_parents, add_version, evidence_of, make_candidate
from memories.disputes import add_side
from memories.effects import bring_back, reindex, retire
from memories.former_texts import say_as_before
from memories.models import Claim, Conflict, Memory
from memories.relating import claims_of, place_of
from memories.vocabulary import (
    PENDING,
    ArchivedFor,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ReasonCode,
    ScopeType,
    SideRole,
    SourceRank,
    WriteMode,
)
from memories.wishes import MemoryWish

BECAUSE = "the settlement was undone"


def undo_effects(acting: Acting, conflict: Conflict, effects: Sequence[Mapping[str, Any]], *, now: datetime) -> None:
    """Take the effects of a settlement back, the last one first."""
    for effect in reversed(effects):
        memory = Memory.objects.get(pk=effect["memory"])
        if effect["before"] is None:
            retire(memory, ArchivedFor.BY_HAND, reason=BECAUSE, now=now)
            continue
        _restore_text(acting, memory, effect["before"], now=now)
        _restore_place(memory, effect["before"])
        _restore_status(acting, conflict, memory, effect["before"], now=now)


def _restore_status(
    acting: Acting, conflict: Conflict, memory: Memory, before: Mapping[str, Any], *, now: datetime
) -> None:
    waited, was = before["status"] in PENDING, before["status"]
    match memory.status:
        case MemoryStatus.ARCHIVED if was == MemoryStatus.ACTIVE:
            bring_back(memory, reason=BECAUSE, now=now)
        case MemoryStatus.ACTIVE if waited:
            retire(memory, ArchivedFor.BY_HAND, reason=BECAUSE, now=now)
        case MemoryStatus.ACTIVE if was == MemoryStatus.ARCHIVED:
            retire(memory, ArchivedFor(before["archived_for"] or ArchivedFor.BY_HAND), reason=BECAUSE, now=now)
        case MemoryStatus.REJECTED if waited:
            again = _proposed_again(acting, memory, now=now)
            _wait_again(acting, again, memory, now=now)
            add_side(conflict, again, SideRole.NEW, now=now)


def _restore_place(memory: Memory, before: Mapping[str, Any]) -> None:
    times = {name: _moment(before[name]) for name in ("valid_from", "valid_to")}
    placed = {"scope_type": before["scope_type"], "scope_id": before["scope_id"], **times}
    if {name: str(getattr(memory, name)) for name in placed} == {name: str(value) for name, value in placed.items()}:
        return
    Memory.objects.filter(pk=memory.pk).update(**placed)
    for ordinal, (begins, ends) in before["claims"].items():
        said = Claim.objects.filter(memory=memory, ordinal=int(ordinal))
        said.update(valid_from=_moment(begins), valid_to=_moment(ends))
    memory.refresh_from_db()
    if memory.status == MemoryStatus.ACTIVE:
        reindex(memory)


def _restore_text(acting: Acting, memory: Memory, before: Mapping[str, Any], *, now: datetime) -> None:
    if memory.version != before["version"]:
        say_as_before(acting, memory, before["version"], reason=BECAUSE, now=now)


def _moment(written: str | None) -> datetime | None:
    return parse_datetime(written) if written else None


def _proposed_again(acting: Acting, lost: Memory, *, now: datetime) -> Memory:
    """Return a new candidate with the text, claims and evidence of one that was refused, which is its parent."""
    wish = MemoryWish(
        content=lost.content,
        type=MemoryType(lost.type),
        kind=MemoryKind(lost.kind),
        scope_type=ScopeType(lost.scope_type),
        scope_id=lost.scope_id,
        importance=lost.importance,
        confidence=lost.confidence,
        origin=Origin(lost.origin),
        write_mode=WriteMode(lost.write_mode),
        knowledge_status=KnowledgeStatus(lost.knowledge_status),
        valid_from=lost.valid_from,
        valid_to=lost.valid_to,
    )
    made = make_candidate(
        acting,
        wish,
        lost.content,
        place=place_of(lost),
        rank=SourceRank(lost.source_rank),
        now=now,
        sensitivity=lost.sensitivity,
        dedupe_key=lost.dedupe_key,
        observed_at=lost.observed_at,
        reason_code=ReasonCode.CONFLICT_OPEN,
    )
    add_version(made, author=acting, reason=BECAUSE)
    add_evidence(made, evidence_of([lost]))
    add_claims(made, claims_of([lost]).get(lost.pk, []))
    add_parents(made, [lost], reason=BECAUSE)
    return made


def _wait_again(acting: Acting, made: Memory, lost: Memory, *, now: datetime) -> None:
    """Let a candidate wait in the inbox as the one in whose place it is did, if that had an item of its own."""
    item = item_about(InboxKind.CANDIDATE, lost.first_ref)
    if item is not None:
        ref, reach = made.first_ref, reach_of(made)
        open_item(acting, InboxKind.CANDIDATE, ref, title=made.content, now=now, risk=Risk(item.risk), reach=reach)
