"""The list of conflicts: what it may be narrowed to, its order, and its lines."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from governance.errors import NotThere
from governance.ids import parse_id
from governance.invisible import made_visible
from governance.vocabulary import Audience, Risk, rank
from memories.models import Conflict, ConflictSide, MemoryEvidence
from memories.reading import Words, worded
from memories.store_list import excerpt
from memories.vocabulary import ConflictState, SettlementVerb, SideRole

PAGE = 50
WEIGHT = Case(*(When(risk=risk, then=Value(rank(risk))) for risk in Risk), output_field=IntegerField())


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictFilters:
    """What the list is narrowed to; an empty value narrows nothing. `q` are words of its subject or of a side."""

    q: str = ""
    risk: str = ""
    suggestion: str = ""

    @property
    def any(self) -> bool:
        return any((self.q, self.risk, self.suggestion))


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSide:
    """The beginning of one side's text, and where it came from."""

    text: Words
    role: SideRole


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictLine:
    """One conflict of the list. `opener` brought it up, `human` is who stands behind an agent, or ''."""

    id: str
    about: Words | None
    state: ConflictState
    risk: Risk
    suggestion: SettlementVerb | None
    private: bool
    sides: Sequence[LineSide]
    evidence: int
    opener: str
    human: str
    at: datetime
    settled_at: datetime | None
    wakes_at: datetime | None
    awaits_evidence: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictList:
    """One page of a tab. `more` is the id after which the next page begins, or ''; `counts` are those of the tabs."""

    lines: Sequence[ConflictLine]
    more: str
    counts: Mapping[ConflictState, int]


def conflict_list(state: ConflictState, filters: ConflictFilters, *, after: str = "") -> ConflictList:
    """Return the conflicts of one state that fit: the gravest first and of those the oldest; settled ones newest first.

    Four statements. Raises NotThere where `after` names no conflict of this scope.
    """
    kept = _narrowed(filters)
    counts = {ConflictState(row["state"]): row["n"] for row in kept.values("state").annotate(n=Count("pk"))}
    rows = kept.filter(state=state).select_related("opened_by__owned_by").annotate(weight=WEIGHT)
    if after:
        rows = rows.filter(_behind(state, after))
    order = ("-settled_at", "-id") if state is ConflictState.SETTLED else ("-weight", "created_at", "id")
    found = list(rows.order_by(*order)[: PAGE + 1])
    shown = found[:PAGE]
    return ConflictList(
        lines=_lines(shown),
        more=shown[-1].public_id if len(found) > PAGE else "",
        counts={one: counts.get(one, 0) for one in ConflictState},
    )


def about_of(conflict: Conflict) -> Words | None:
    """Return what a conflict is about, as far as that was read out of its sides."""
    parts = [part for part in (conflict.subject_text, conflict.attribute) if part]
    return worded(" · ".join(parts)) if parts else None


def _narrowed(filters: ConflictFilters) -> QuerySet[Conflict]:
    rows = Conflict.objects.all()
    if filters.risk:
        rows = rows.filter(risk=filters.risk)
    if filters.suggestion:
        rows = rows.filter(suggestion=filters.suggestion)
    if filters.q:
        said = ConflictSide.objects.filter(memory__content__icontains=filters.q).values("conflict_id")
        named = Q(subject_text__icontains=filters.q) | Q(attribute__icontains=filters.q)
        rows = rows.filter(named | Q(pk__in=said))
    return rows


def _behind(state: ConflictState, after: str) -> Q:
    """Return what comes after a conflict in the order of its tab."""
    pk = parse_id(Conflict.PREFIX, after, pointer="?after")
    here: Any = Conflict.objects.filter(pk=pk).annotate(weight=WEIGHT).first()
    if here is None or (state is ConflictState.SETTLED and here.settled_at is None):
        raise NotThere.there("?after")
    if state is ConflictState.SETTLED:
        return Q(settled_at__lt=here.settled_at) | Q(settled_at=here.settled_at, id__lt=pk)
    same = Q(weight=here.weight)
    later = Q(created_at__gt=here.created_at) | Q(created_at=here.created_at, id__gt=pk)
    return Q(weight__lt=here.weight) | (same & later)


def _lines(rows: Sequence[Conflict]) -> list[ConflictLine]:
    sides: dict[uuid.UUID, list[ConflictSide]] = {}
    found = ConflictSide.objects.filter(conflict__in=rows).select_related("memory").order_by("joined_at", "id")
    for side in found:
        sides.setdefault(side.conflict_id, []).append(side)
    cited = MemoryEvidence.objects.filter(memory_id__in={side.memory_id for own in sides.values() for side in own})
    counted = dict(cited.values_list("memory_id").annotate(n=Count("pk")))
    return [_line(row, sides.get(row.pk, []), counted) for row in rows]


def _line(row: Conflict, sides: Sequence[ConflictSide], cited: Mapping[uuid.UUID, int]) -> ConflictLine:
    opener = row.opened_by
    return ConflictLine(
        id=row.public_id,
        about=about_of(row),
        state=ConflictState(row.state),
        risk=Risk(row.risk),
        suggestion=SettlementVerb(row.suggestion) if row.suggestion else None,
        private=row.audience == Audience.PRIVATE,
        sides=[LineSide(text=excerpt(side.memory.content), role=SideRole(side.role)) for side in sides],
        evidence=sum(cited.get(side.memory_id, 0) for side in sides),
        opener=made_visible(opener.name),
        human=made_visible(opener.owned_by.name) if opener.owned_by else "",
        at=row.created_at,
        settled_at=row.settled_at,
        wakes_at=row.snoozed_until,
        awaits_evidence=row.wakes_on_evidence,
    )
