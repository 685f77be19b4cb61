"""What the page of one conflict shows, read in one snapshot: its sides, how they differ, and what each way does."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.functional import Promise

from governance.actors import Acting
from governance.audit_reading import actor_names
from governance.diffs import Span, word_diff
from governance.errors import NotThere
from governance.policies import PolicyRules
from governance.vocabulary import Audience, Risk
from memories.conflict_list import about_of
from memories.conflict_outlook import Carried, carried_after, carried_now
from memories.conflict_sides import Side, sides_for
from memories.conflict_trail import TrailLine, trail_of
from memories.conflict_words import WHAT_IT_DOES, because
from memories.conflicts import sight
from memories.models import Conflict, Settlement
from memories.policy import policy_body
from memories.reading import Words
from memories.vocabulary import ConflictState, MemoryStatus, SettlementVerb

CHOOSING = (SettlementVerb.TAKE_NEW, SettlementVerb.KEEP_OLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How one side's text becomes another's, by words."""

    before: str
    after: str
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to settle it: its value in the form, its key, the side that it lets hold, and what follows.

    `barred` says that it is shut, because no two sides are left that could hold.
    """

    number: int
    verb: SettlementVerb
    letter: str
    value: str
    suggested: bool
    barred: bool
    carried: Sequence[Carried]

    @property
    def does(self) -> Promise:
        return WHAT_IT_DOES[self.verb]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictPage:
    """The page of one conflict. `gone` are sides that were refused, revoked or erased while it waits."""

    conflict: Conflict
    about: Words | None
    seen_hash: str
    sides: Sequence[Side]
    gone: Sequence[Side]
    differences: Sequence[Difference]
    now: Sequence[Carried]
    options: Sequence[Option]
    trail: Sequence[TrailLine]
    settlement: Settlement | None

    @property
    def state(self) -> ConflictState:
        return ConflictState(self.conflict.state)

    @property
    def risk(self) -> Risk:
        return Risk(self.conflict.risk)

    @property
    def private(self) -> bool:
        return self.conflict.audience == Audience.PRIVATE

    @property
    def settled(self) -> bool:
        return self.state is ConflictState.SETTLED

    @property
    def suggestion(self) -> SettlementVerb | None:
        return SettlementVerb(self.conflict.suggestion) if self.conflict.suggestion else None

    @property
    def because(self) -> Promise | str:
        return because(self.conflict.suggestion_reason)

    @property
    def settlement_verb(self) -> SettlementVerb | None:
        return SettlementVerb(self.settlement.verb) if self.settlement else None

    @property
    def newest(self) -> Side | None:
        return self.sides[-1] if self.sides else None


def find_conflict(pk: uuid.UUID) -> Any:
    """Return a conflict of the open scope, with the policy's body as `policy`; raises NotThere."""
    found = Conflict.objects.filter(pk=pk).annotate(policy=policy_body()).first()
    if found is None:
        raise NotThere
    return found


def conflict_page(acting: Acting, pk: uuid.UUID, *, now: datetime) -> ConflictPage:
    """Read the page of a conflict in the open scope; raises NotThere. The number of statements is fixed."""
    conflict = find_conflict(pk)
    seen = sight(conflict, now=now)
    actors = actor_names()
    every = sides_for(acting, seen.sides, seen.impact, actors)
    settled = conflict.state == ConflictState.SETTLED
    sides = every if settled else [side for side in every if side.can_hold]
    settlements = list(Settlement.objects.filter(conflict=conflict).select_related("merged").order_by("-created_at"))
    rules = PolicyRules.of(conflict.policy)
    return ConflictPage(
        conflict=conflict,
        about=about_of(conflict),
        seen_hash=seen.seen_hash,
        sides=sides,
        gone=[side for side in every if side not in sides],
        differences=[_difference(one, other) for one, other in pairwise(sides)],
        now=carried_now([side.standing for side in sides], rules),
        options=[] if settled else options_of(conflict, sides, rules),
        trail=trail_of(conflict, settlements, actors),
        settlement=next((row for row in settlements if row.undone_at is None), None) if settled else None,
    )


def options_of(conflict: Conflict, sides: Sequence[Side], rules: PolicyRules) -> list[Option]:
    """Return the ways to settle it, in the order of their keys: the newest side first, then what asks for more."""
    ways = [(_choosing(side), side) for side in reversed(sides)]
    others = [verb for verb in SettlementVerb if verb not in CHOOSING]
    standing = [side.standing for side in sides]
    made: list[Option] = []
    for verb, side in [*ways, *((verb, None) for verb in others)]:
        letter = side.letter if side else ""
        barred = verb in (SettlementVerb.MERGE, SettlementVerb.BOTH_VALID) and len(sides) < 2
        carried = [] if barred else carried_after(verb, standing, rules, chosen=letter)
        made.append(
            Option(
                number=len(made) + 1,
                verb=verb,
                letter=letter,
                value=f"{verb}:{side.memory.public_id}" if side else verb,
                suggested=conflict.suggestion == verb,
                barred=barred,
                carried=carried,
            )
        )
    return made


def _choosing(side: Side) -> SettlementVerb:
    return SettlementVerb.KEEP_OLD if side.status is MemoryStatus.ACTIVE else SettlementVerb.TAKE_NEW


def _difference(one: Side, other: Side) -> Difference:
    return Difference(before=one.letter, after=other.letter, spans=word_diff(one.text.text, other.text.text))
