"""Settling a conflict: seen, decided, carried out and undone, each in one transaction with its record."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash, Invalid, StepUpNeeded
from governance.inbox import settle_item, wake_item
from governance.models.base import reach_of
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import Deed, InboxKind, Risk
from memories.disputes import advise, conflict_ref, mark_disputed, sides_of, to_inbox
from memories.models import Conflict, ConflictSide, Injection, Settlement
from memories.models.conflict import UNSETTLED
from memories.relating import place_of
from memories.settling import OUTCOMES, Choice, Effects, Period, ScopeChange
from memories.turns import take_turn
from memories.unsettling import undo_effects
from memories.vocabulary import ConflictState, SettlementVerb
from memories.weighing import digest_of

COOLDOWN = timedelta(days=30)
IMPACT = timedelta(days=30)
LONGEST_SNOOZE = timedelta(days=366)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleWish:
    """What somebody decides, bound to what they saw.

    `chosen` names the side that holds (take_new, keep_old: the newest and the first without it); `text` is the merged
    wording; `scopes` and `periods` say where and when each side holds (both_valid). `proof` says how they have shown
    anew who they are, which high risk asks for.
    """

    verb: SettlementVerb
    expected_version: int
    seen_hash: str
    text: str = ""
    reason: str = ""
    chosen: uuid.UUID | None = None
    scopes: Sequence[ScopeChange] = ()
    periods: Sequence[Period] = ()
    proof: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSight:
    """A conflict as it stands: its sides in order, how often each was injected in 30 days, and the hash of all that."""

    conflict: Conflict
    sides: Sequence[ConflictSide]
    impact: Mapping[uuid.UUID, int] = field(default_factory=dict)
    seen_hash: str = ""


def sight(conflict: Conflict, *, now: datetime) -> ConflictSight:
    """Return what whoever decides sees; a decision carries the hash back."""
    sides = sides_of(conflict)
    since = Injection.objects.filter(memory_id__in=[side.memory_id for side in sides], at__gt=now - IMPACT)
    counted = dict(since.values_list("memory_id").annotate(times=Count("id")))
    return ConflictSight(conflict=conflict, sides=sides, impact=counted, seen_hash=_seen_hash(conflict, sides))


def settle(acting: Acting, conflict: Conflict, wish: SettleWish, *, now: datetime) -> Settlement:
    """Settle a conflict in the open scope as a human decides: all of it, or nothing.

    Raises Forbidden (level_too_low; step_up_needed for high risk without a fresh proof), Clash (not_open,
    moved_meanwhile) where somebody settled or changed it first or a side is no longer what was shown, and Invalid for
    a verb without what it needs.
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    _check_proven(conflict, wish.proof)
    return _settle(acting, conflict, wish, now=now, by_policy=False)


def arbitrate(acting: Acting, conflict: Conflict, *, chosen: uuid.UUID, reason: str, now: datetime) -> Settlement:
    """Settle a conflict by rule, for the side whose source may take the other's place by itself; it can be undone."""
    seen = _seen_hash(conflict, sides_of(conflict))
    wish = SettleWish(
        verb=SettlementVerb.TAKE_NEW,
        expected_version=conflict.version,
        seen_hash=seen,
        reason=reason,
        chosen=chosen,
    )
    return _settle(acting, conflict, wish, now=now, by_policy=True)


def snooze(
    acting: Acting,
    conflict: Conflict,
    *,
    expected_version: int,
    now: datetime,
    until: datetime | None = None,
    on_evidence: bool = False,
) -> None:
    """Put a conflict off until a moment, or until another side joins it, or until the first of both.

    Raises Forbidden, Clash (not_open, moved_meanwhile) and Invalid (snooze_needs_end, snooze_out_of_range).
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    if until is None and not on_evidence:
        raise Invalid.at("/until", "say until when, or until there is new evidence", code="snooze_needs_end")
    if until is not None and not now < until <= now + LONGEST_SNOOZE:
        raise Invalid.at("/until", "choose a moment in the coming year", code="snooze_out_of_range")
    changed = {"state": ConflictState.SNOOZED, "snoozed_until": until, "wakes_on_evidence": on_evidence}
    _move(conflict, expected_version, {ConflictState.OPEN}, now=now, **changed)
    settle_item(InboxKind.CONFLICT, conflict_ref(conflict), now=now)
    record("conflict.snooze", conflict.public_id, before=ConflictState.OPEN, after=ConflictState.SNOOZED)


def wake(acting: Acting, conflict: Conflict, *, now: datetime) -> None:
    """Open a snoozed conflict again: by hand, or as its time is over. Raises Clash (not_open) for any other."""
    changed = {"state": ConflictState.OPEN, "snoozed_until": None, "wakes_on_evidence": False}
    _move(conflict, conflict.version, {ConflictState.SNOOZED}, now=now, **changed)
    _back_to_inbox(acting, conflict, now=now)
    record("conflict.wake", conflict.public_id, before=ConflictState.SNOOZED, after=ConflictState.OPEN)


def wake_due(acting: Acting, *, now: datetime) -> int:
    """Open every conflict in the open scope whose snooze is over; returns how many there were."""
    due = list(Conflict.objects.filter(state=ConflictState.SNOOZED, snoozed_until__lte=now))
    for conflict in due:
        wake(acting, conflict, now=now)
    return len(due)


def undo(acting: Acting, settlement: Settlement, *, now: datetime, reason: str = "", proof: str = "") -> Conflict:
    """Take a settlement back: every memory stands as before it, and the conflict is open again.

    A proposal that lost is final, so that a new one with the same text and evidence takes its side. Raises Forbidden
    (level_too_low, step_up_needed as `settle` does), and Clash (not_settled) where the conflict was opened again
    meanwhile, or said_meanwhile.
    """
    check_may(acting, Deed.DECIDE_MEMORY)
    conflict: Conflict = settlement.conflict
    _check_proven(conflict, proof)
    take_turn(conflict.project_id, place_of(sides_of(conflict)[0].memory))
    conflict.refresh_from_db()
    settlement.refresh_from_db()
    if settlement.undone_at is not None:
        raise Clash("state: this settlement was undone already.", code="not_settled")
    changed = {"state": ConflictState.OPEN, "settled_at": None, "cooldown_until": None}
    _move(conflict, conflict.version, {ConflictState.SETTLED}, now=now, **changed)
    Settlement.objects.filter(pk=settlement.pk, undone_at=None).update(undone_by_id=acting.actor_id, undone_at=now)
    undo_effects(acting, conflict, settlement.effects, now=now)
    advise(conflict, now=now)
    mark_disputed(conflict, now=now)
    _back_to_inbox(acting, conflict, now=now)
    record(
        "conflict.undo",
        conflict.public_id,
        reason=fingerprint(reason) if reason else "",
        before=ConflictState.SETTLED,
        after=ConflictState.OPEN,
        detail={"settlement": settlement.public_id},
    )
    return conflict


def _settle(acting: Acting, conflict: Conflict, wish: SettleWish, *, now: datetime, by_policy: bool) -> Settlement:
    sides = sides_of(conflict)
    if not by_policy:  # whoever arbitrates has it already
        take_turn(conflict.project_id, place_of(sides[0].memory))
        conflict.refresh_from_db()
        sides = sides_of(conflict)
    if wish.seen_hash != _seen_hash(conflict, sides):
        raise Clash("seen_hash: it changed since it was shown; look at it again.", code="moved_meanwhile")
    if wish.verb is SettlementVerb.NEEDS_EVIDENCE:
        changed: dict[str, Any] = {"state": ConflictState.SNOOZED, "wakes_on_evidence": True}
    else:
        cools = now + COOLDOWN if wish.verb is SettlementVerb.BOTH_VALID else None
        changed = {"state": ConflictState.SETTLED, "settled_at": now, "cooldown_until": cools}
    before = conflict.state
    _move(conflict, wish.expected_version, set(UNSETTLED), now=now, **changed)
    effects = Effects(acting=acting, conflict=conflict, sides=sides, now=now, by_policy=by_policy)
    choice = Choice(text=wish.text, reason=wish.reason, chosen=wish.chosen, scopes=wish.scopes, periods=wish.periods)
    OUTCOMES[wish.verb](effects, choice)
    settlement = Settlement.objects.create(
        project_id=conflict.project_id,
        conflict=conflict,
        verb=wish.verb,
        decider_id=acting.actor_id,
        by_policy=by_policy,
        seen_version=wish.expected_version,
        seen_hash=wish.seen_hash,
        text=wish.text,
        reason=wish.reason[:500],
        merged=effects.merged,
        effects=effects.done,
        created_at=now,
        **reach_of(conflict),
    )
    settle_item(InboxKind.CONFLICT, conflict_ref(conflict), now=now)
    record(
        "conflict.settle",
        conflict.public_id,
        reason=fingerprint(wish.reason) if wish.reason else "",
        before=before,
        after=conflict.state,
        detail={"verb": wish.verb, "by_policy": by_policy, "settlement": settlement.public_id},
    )
    return settlement


def _check_proven(conflict: Conflict, proof: str) -> None:
    if conflict.risk == Risk.HIGH and not proof:
        message = "a conflict of high risk needs a fresh proof of who decides; confirm that it is you, then decide"
        raise StepUpNeeded(message)


def _move(conflict: Conflict, expected: int, allowed: set[ConflictState], *, now: datetime, **changed: Any) -> None:
    """Change a conflict where it still is what was seen; whoever comes second hears it."""
    if conflict.state not in allowed:
        states = " or ".join(sorted(allowed))
        raise Clash(f"state: it is {conflict.state}, and this needs {states}.", code="not_open")
    here = Conflict.objects.filter(pk=conflict.pk, version=expected, state__in=[str(state) for state in allowed])
    if here.update(version=F("version") + 1, updated_at=now, **changed) != 1:
        raise Clash("version: somebody changed it first; look at it again.", code="moved_meanwhile")
    conflict.refresh_from_db()


def _back_to_inbox(acting: Acting, conflict: Conflict, *, now: datetime) -> None:
    to_inbox(acting, conflict, sides_of(conflict)[-1].memory, now=now)
    wake_item(InboxKind.CONFLICT, conflict_ref(conflict))


def _seen_hash(conflict: Conflict, sides: Sequence[ConflictSide]) -> str:
    """Return the hash of what is shown: the version, and text, version and state of every side."""
    shown = [[str(side.memory_id), side.memory.version, side.memory.status, side.memory.content_hash] for side in sides]
    return digest_of(json.dumps([conflict.version, shown], separators=(",", ":")))
