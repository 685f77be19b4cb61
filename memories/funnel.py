"""What became of all that was proposed: how far each came, and why the rest was not learnt."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet
from django.utils.functional import Promise

from governance.ids import public_id
from governance.invisible import made_visible
from governance.models import InboxItem
from governance.vocabulary import Audience, InboxKind, Risk, Sensitivity
from governance.web import Page, newest_first
from memories.lifecycle import FORWARD
from memories.models import ConflictSide, GateVerdict, Memory
from memories.models.conflict import UNSETTLED
from memories.reading import Words, worded
from memories.store_list import excerpt
from memories.store_words import TYPES, Standing, reason_of
from memories.vocabulary import PENDING, Gate, MemoryStatus, MemoryType, ReasonCode, ScopeType, WriteAction

PAGE = 50
BAR = 100  # units of a stage's bar
# Refused or held for nothing but the policy's wish to see it: these may be let in many at a time.
PLAIN = (ReasonCode.REVIEW_MODE_NEEDS_HUMAN, ReasonCode.RISK_NEEDS_HUMAN)
AFTER = (MemoryStatus.ARCHIVED, MemoryStatus.REVOKED)  # they were in use once


@dataclass(frozen=True, slots=True)
class Stage:
    """One state: how many stand there now, and how many came at least as far. `width` is of BAR."""

    status: MemoryStatus
    here: int
    reached: int
    width: int


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason: how many wait and how many were refused for it."""

    code: str
    waiting: int
    rejected: int

    @property
    def words(self) -> Promise | str:
        return reason_of(self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """The counts over all that was proposed in the time asked for."""

    total: int
    stages: Sequence[Stage]
    causes: Sequence[Cause]


@dataclass(frozen=True, slots=True)
class GateLine:
    """What one gate said last; `passed` None: it was not asked."""

    gate: Gate
    passed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """One proposal, what its gates said, and whether it may be let in with others.

    `gap` is what would help a refused one, `conflict_id` the unsettled conflict that it is a side of, or ''.
    """

    id: str
    text: Words
    status: MemoryStatus
    type: MemoryType
    scope: ScopeType
    action: WriteAction
    reason: Promise | str
    gap: Words | None
    proposer: str
    private: bool
    risk: Risk | None
    gates: Sequence[GateLine]
    at: datetime
    conflict_id: str
    bulk: bool

    @property
    def type_word(self) -> Promise:
        return TYPES[self.type]

    @property
    def waits(self) -> bool:
        return self.status in PENDING

    @property
    def rejected(self) -> bool:
        return self.status is MemoryStatus.REJECTED


@dataclass(frozen=True, slots=True)
class CandidateList:
    """One page of proposals, newest first."""

    lines: Sequence[CandidateLine]
    page: Page


def funnel_of(*, since: datetime | None) -> Funnel:
    """Count what was proposed in the open scope since then, by state and reason, in one statement."""
    rows = Memory.objects.filter(created_at__gte=since) if since else Memory.objects.all()
    counted = rows.order_by().values_list("status", "reason_code").annotate(n=Count("pk"))
    here, waiting, rejected = Counter[str](), Counter[str](), Counter[str]()
    for status, code, n in counted:
        here[status] += n
        if code and status in PENDING:
            waiting[code] += n
        elif code and status == MemoryStatus.REJECTED:
            rejected[code] += n
    causes = [Cause(code, waiting[code], rejected[code]) for code in {*waiting, *rejected}]
    return Funnel(
        total=here.total(),
        stages=_stages(here),
        causes=sorted(causes, key=lambda cause: (-cause.waiting - cause.rejected, cause.code)),
    )


def candidate_list(standing: Standing, *, code: str, since: datetime | None, cursor: str | None) -> CandidateList:
    """Return proposals of the open scope, newest first, in four statements. Raises Invalid for a strange cursor."""
    page = newest_first(candidate_rows(standing, code=code, since=since), cursor=cursor, limit=PAGE)
    return CandidateList(candidate_lines(page.rows), page)


def candidate_rows(standing: Standing, *, code: str, since: datetime | None) -> QuerySet[Memory]:
    """Return the proposals of the open scope that fit, in no order."""
    rows = Memory.objects.select_related("proposed_by").filter(erased_at=None)
    if standing is not Standing.ALL:
        rows = rows.filter(status__in=PENDING if standing is Standing.WAITING else [MemoryStatus.REJECTED])
    if code:
        rows = rows.filter(reason_code=code)
    if since:
        rows = rows.filter(created_at__gte=since)
    return rows


def candidate_lines(rows: Sequence[Memory]) -> Sequence[CandidateLine]:
    """Return the lines of these rows, in their order, in three statements."""
    said: dict[uuid.UUID, dict[str, bool]] = {}
    for memory, gate, passed in GateVerdict.objects.filter(memory__in=rows).values_list("memory_id", "gate", "passed"):
        # A human's word counts for a gate that had refused.
        said.setdefault(memory, {})[gate] = passed or said.get(memory, {}).get(gate, False)
    sides = ConflictSide.objects.filter(memory__in=rows, conflict__state__in=UNSETTLED)
    disputes = dict(sides.values_list("memory_id", "conflict_id"))
    risks = _risks(rows)
    return [
        _line(row, said.get(row.pk, {}), risk=risks.get(row.first_ref), dispute=disputes.get(row.pk)) for row in rows
    ]


def _stages(here: Mapping[str, int]) -> list[Stage]:
    """Return the forward chain with what came that far, then the ways out of it.

    Where a refused one had come is not counted: it was proposed, and no more is said of it here.
    """
    total = sum(here.values())
    left = sum(here[status] for status in AFTER)
    stages = []
    for at, status in enumerate(FORWARD):
        refused = here[MemoryStatus.REJECTED] if at == 0 else 0
        reached = sum(here[later] for later in FORWARD[at:]) + left + refused
        stages.append(_stage(status, here, reached, total))
    return stages + [_stage(status, here, here[status], total) for status in (*AFTER, MemoryStatus.REJECTED)]


def _stage(status: MemoryStatus, here: Mapping[str, int], reached: int, total: int) -> Stage:
    width = max(round(BAR * reached / total), 1) if reached and total else 0
    return Stage(status, here[status], reached, width)


def _risks(rows: Iterable[Memory]) -> dict[str, Risk]:
    refs = [row.first_ref for row in rows if row.status in PENDING]
    found = InboxItem.objects.filter(kind=InboxKind.CANDIDATE, ref__in=refs).values_list("ref", "risk")
    return {ref: Risk(risk) for ref, risk in found}


def _line(row: Memory, said: Mapping[str, bool], *, risk: Risk | None, dispute: uuid.UUID | None) -> CandidateLine:
    return CandidateLine(
        id=row.public_id,
        text=excerpt(row.content),
        status=MemoryStatus(row.status),
        type=MemoryType(row.type),
        scope=ScopeType(row.scope_type),
        action=WriteAction(row.action),
        reason=reason_of(row.reason_code) if row.reason_code else "",
        gap=worded(row.evidence_gap) if row.evidence_gap and row.status == MemoryStatus.REJECTED else None,
        proposer=made_visible(row.proposed_by.name),
        private=row.audience == Audience.PRIVATE,
        risk=risk,
        gates=[GateLine(gate, said.get(gate)) for gate in Gate],
        at=row.created_at,
        conflict_id=public_id("cfl", dispute) if dispute else "",
        bulk=_is_plain(row, risk),
    )


def _is_plain(row: Memory, risk: Risk | None) -> bool:
    """Return whether a proposal may be let in with others: low risk, ordinary content, held by the policy alone."""
    ordinary = row.sensitivity in (Sensitivity.PUBLIC, Sensitivity.WORK) and row.scope_type != ScopeType.IDENTITY
    held = row.status in PENDING and row.reason_code in PLAIN and row.action != WriteAction.DELETE
    return held and ordinary and risk is Risk.LOW
