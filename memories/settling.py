"""What each way of settling a conflict does to the memories."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Clash, Invalid
from governance.vocabulary import Sensitivity, rank
from memories.candidates import (
    add_claims,
    add_evidence,
    add_parents,
    add_version,
    evidence_of,
    is_change,
    is_pending,
    make_candidate,
)
from memories.effects import activate, let_in, reindex, retire, set_knowledge, turn_down
from memories.models import Claim, Conflict, ConflictSide, Memory
from memories.relating import claims_in, key_of, place_of
from memories.scopes import check_scope
from memories.screening import Category, screen
from memories.vocabulary import (
    ArchivedFor,
    KnowledgeStatus,
    MemoryKind,
    MemoryStatus,
    MemoryType,
    Origin,
    ReasonCode,
    ScopeType,
    SettlementVerb,
    SourceRank,
)
from memories.wishes import MemoryWish

SETTLED = "a conflict was settled"  # why is in the settlement, where it can be erased


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeChange:
    """Where a side holds from now on."""

    memory_id: uuid.UUID
    scope_type: ScopeType
    scope_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """When a side holds."""

    memory_id: uuid.UUID
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a settlement needs beside its verb."""

    text: str = ""
    reason: str = ""
    chosen: uuid.UUID | None = None
    scopes: Sequence[ScopeChange] = ()
    periods: Sequence[Period] = ()


@dataclass(slots=True, kw_only=True)
class Effects:
    """A settlement that is being carried out, and the list of what it did, by which it can be taken back."""

    acting: Acting
    conflict: Conflict
    sides: Sequence[ConflictSide]
    now: datetime
    by_policy: bool = False
    merged: Memory | None = None
    done: list[dict[str, Any]] = field(default_factory=list)

    def note(self, memory: Memory) -> None:
        """Keep how a memory stands before anything is done to it."""
        self.done.append({"memory": str(memory.pk), "before": snapshot(memory) | {"claims": _times(memory)}})


def snapshot(memory: Memory) -> dict[str, Any]:
    """Return what a settlement may change of a memory: ids and states, no text."""
    return {
        "status": memory.status,
        "version": memory.version,
        "archived_for": memory.archived_for,
        "superseded_by": str(memory.superseded_by_id) if memory.superseded_by_id else None,
        "scope_type": memory.scope_type,
        "scope_id": str(memory.scope_id) if memory.scope_id else None,
        "valid_from": memory.valid_from.isoformat() if memory.valid_from else None,
        "valid_to": memory.valid_to.isoformat() if memory.valid_to else None,
    }


def _times(memory: Memory) -> dict[str, list[str | None]]:
    """Return when each claim of a memory holds, by its ordinal."""
    rows = Claim.objects.filter(memory=memory).values_list("ordinal", "valid_from", "valid_to")
    return {str(ordinal): [day.isoformat() if day else None for day in days] for ordinal, *days in rows}


def take_new(effects: Effects, choice: Choice) -> None:
    """Let the chosen side hold, the newest one that is not in use unless it is named, and take the others away."""
    waiting = [side for side in effects.sides if side.memory.status != MemoryStatus.ACTIVE]
    _only(effects, _chosen(effects, choice, waiting[-1] if waiting else effects.sides[-1]), choice)


def keep_old(effects: Effects, choice: Choice) -> None:
    """Let the chosen side go on holding, the first one in use unless it is named, and take the others away."""
    in_use = [side for side in effects.sides if side.memory.status == MemoryStatus.ACTIVE]
    _only(effects, _chosen(effects, choice, in_use[0] if in_use else effects.sides[0]), choice)


def merge(effects: Effects, choice: Choice) -> None:
    """Put one text in the place of all sides; it keeps their evidence and their lineage."""
    text = choice.text.strip()
    if not text:
        raise Invalid.at("/text", "write the text that takes their place", code="merged_text_missing")
    if screen(text).kinds(Category.SECRET):
        raise Invalid.at("/text", "it holds a secret; say where it is kept instead", code="screening_secret")
    memories = [side.memory for side in effects.sides]
    for memory in memories:
        effects.note(memory)
        _drop(effects, memory, ArchivedFor.MERGED, choice.reason)
    made = _merged(effects, memories, text, choice.reason)
    Memory.objects.filter(pk__in=[memory.pk for memory in memories]).update(superseded_by_id=made.pk)
    effects.merged = made
    effects.done.append({"memory": str(made.pk), "before": None})


def both_valid(effects: Effects, choice: Choice) -> None:
    """Let every side hold, each in its own place or time where that is said."""
    known = {side.memory_id for side in effects.sides}
    named = {change.memory_id for change in choice.scopes} | {period.memory_id for period in choice.periods}
    if named - known:
        raise Invalid.at("/scopes", "name memories of this conflict only", code="not_a_side")
    placed = {change.memory_id: change for change in choice.scopes}
    timed = {change.memory_id: change for change in choice.periods}
    for side in effects.sides:
        effects.note(side.memory)
        _place(side.memory, placed.get(side.memory_id), timed.get(side.memory_id))
        _hold(effects, side)


def neither(effects: Effects, choice: Choice) -> None:
    """Take every side away."""
    for side in effects.sides:
        effects.note(side.memory)
        _drop(effects, side.memory, ArchivedFor.LOST_CONFLICT, choice.reason)


def needs_evidence(effects: Effects, _choice: Choice) -> None:
    """Change no memory: the conflict waits for another side."""


OUTCOMES: Mapping[SettlementVerb, Callable[[Effects, Choice], None]] = {
    SettlementVerb.TAKE_NEW: take_new,
    SettlementVerb.KEEP_OLD: keep_old,
    SettlementVerb.MERGE: merge,
    SettlementVerb.BOTH_VALID: both_valid,
    SettlementVerb.NEITHER: neither,
    SettlementVerb.NEEDS_EVIDENCE: needs_evidence,
}


def _chosen(effects: Effects, choice: Choice, otherwise: ConflictSide) -> ConflictSide:
    if choice.chosen is None:
        return otherwise
    for side in effects.sides:
        if side.memory_id == choice.chosen:
            return side
    raise Invalid.at("/chosen", "name a memory of this conflict", code="not_a_side")


def _only(effects: Effects, chosen: ConflictSide, choice: Choice) -> None:
    for side in effects.sides:
        effects.note(side.memory)
    _hold(effects, chosen)
    heir = chosen.memory
    for side in effects.sides:
        # A change of a memory that stays one row has put its text there: that row holds now.
        if side.memory_id != chosen.memory_id and side.memory_id != _home_of(heir):
            _drop(effects, side.memory, ArchivedFor.SUPERSEDED, choice.reason, heir=heir)
        elif side.memory_id != chosen.memory_id:
            side.memory.refresh_from_db()
            _trust(effects, side)


def _home_of(memory: Memory) -> uuid.UUID | None:
    """Return the row that a change ended in, where it is not its own."""
    return memory.target_id if is_change(memory) and memory.status == MemoryStatus.ARCHIVED else None


def _hold(effects: Effects, side: ConflictSide) -> None:
    memory = side.memory
    if effects.by_policy and is_pending(memory):
        activate(effects.acting, memory, reason=SETTLED, now=effects.now)
    else:
        let_in(effects.acting, memory, reason=SETTLED, now=effects.now)
    if memory.status == MemoryStatus.ACTIVE:
        _trust(effects, side)


def _trust(effects: Effects, side: ConflictSide) -> None:
    """Let a side be relied on as before the dispute; a human who chose it has confirmed it."""
    set_knowledge(side.memory, KnowledgeStatus(side.knowledge_before), now=effects.now)
    if not effects.by_policy:
        Memory.objects.filter(pk=side.memory_id).update(last_confirmed_at=effects.now)
    reindex(side.memory)


def _drop(effects: Effects, memory: Memory, why: ArchivedFor, reason: str, *, heir: Memory | None = None) -> None:
    memory.refresh_from_db()
    if memory.status == MemoryStatus.ACTIVE:
        retire(memory, why, reason=SETTLED, now=effects.now, by=heir)
    elif is_pending(memory):
        code = ReasonCode.MERGED_INTO_ANOTHER if why is ArchivedFor.MERGED else ReasonCode.LOST_CONFLICT
        turn_down(memory, code, reason=SETTLED, now=effects.now)
    if heir is not None:
        add_parents(heir, [memory], reason=reason)


def _place(memory: Memory, scope: ScopeChange | None, period: Period | None) -> None:
    changed: dict[str, Any] = {}
    if scope is not None:
        check_scope(scope.scope_type, scope.scope_id, pointer="/scopes")
        changed |= {"scope_type": scope.scope_type, "scope_id": scope.scope_id}
    if period is not None:
        if period.valid_from and period.valid_to and period.valid_to < period.valid_from:
            raise Invalid.at("/periods", "an end lies before its beginning")
        changed |= {"valid_from": period.valid_from, "valid_to": period.valid_to}
        Claim.objects.filter(memory=memory).update(valid_from=period.valid_from, valid_to=period.valid_to)
    if not changed:
        return
    Memory.objects.filter(pk=memory.pk).update(**changed)
    for name, value in changed.items():
        setattr(memory, name, value)


def _merged(effects: Effects, memories: Sequence[Memory], text: str, reason: str) -> Memory:
    first = memories[0]
    if Memory.objects.filter(**place_of(first).where(), dedupe_key=key_of(text, effects.now), status="active").exists():
        raise Clash("text: another memory says that already; settle for it instead.", code="said_meanwhile")
    wish = MemoryWish(
        content=text,
        type=MemoryType(first.type),
        kind=MemoryKind(first.kind),
        scope_type=ScopeType(first.scope_type),
        scope_id=first.scope_id,
        importance=max(memory.importance for memory in memories),
        origin=Origin.USER_EXPLICIT,
        knowledge_status=KnowledgeStatus.CONFIRMED,
        change_reason=reason,
    )
    level = max((Sensitivity(memory.sensitivity) for memory in memories), key=rank)
    made = make_candidate(
        effects.acting,
        wish,
        text,
        place=place_of(first),
        rank=SourceRank.USER_EXPLICIT,
        now=effects.now,
        sensitivity=level,
        dedupe_key=key_of(text, effects.now),
        observed_at=effects.now,
    )
    add_version(made, author=effects.acting, reason=reason)
    add_evidence(made, list(dict.fromkeys(evidence_of(memories))))
    add_claims(made, claims_in(text, (), said_at=effects.now))
    add_parents(made, memories, reason=reason)
    let_in(effects.acting, made, reason=SETTLED, now=effects.now)
    return made
