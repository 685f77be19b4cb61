"""The list of a project's packets: what it may be narrowed to, and one line for each packet."""

import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, F, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT
from django.http import QueryDict, StreamingHttpResponse
from django.utils.functional import Promise

from governance.actors import Acting
from governance.errors import Invalid
from governance.exports import As, exported_rows
from governance.ids import parse_id, public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Contract
from governance.scope import project_scope
from governance.vocabulary import Audience, ContractKind, Phase
from governance.web import Page, newest_first
from sessions.context.vocabulary import CountMethod, Threshold, Trigger
from sessions.models import BudgetProfile, ContextPacket
from sessions.packet_chart import place
from sessions.packet_why import ShortLine
from sessions.packet_words import RECOVERY_NAMES, RULE_NAMES
from sessions.vocabulary import CompileResult, Recovery
from threads.vocabulary import MatchRule

PAGE = 50
GAUGE = 100  # units of a line's bar
NOWHERE = uuid.UUID(int=0)
# What shows that an agent was given less than the work had: the hard threshold was passed, or something beside talk,
# tool results and memories, which give way in any long session, had to stay out for want of room.
LESS = """(agent_sessions_contextpacket.decisions @? '$.consolidation.threshold ? (@ == "hard")'
  OR agent_sessions_contextpacket.decisions @? '$.budget.layers[*]
    ? (@.layer != "dialogue" && @.layer != "tool_results" && @.layer != "memories").dropped[*][0]
    ? (@ == "input_cap" || @ == "layer_cap")')"""
OF_DECISIONS = {
    "phase": KT("decisions__phase"),
    "profile": KT("decisions__budget__profile"),
    "method": KT("decisions__budget__method"),
    "rule": KT("decisions__resolution__rule"),
    "recovery": KT("decisions__session__recovery"),
    "warned": F("decisions__warnings"),
    "shortfall": F("decisions__shortfall"),
    "threshold": KT("decisions__consolidation__threshold"),
    "trigger": KT("decisions__consolidation__trigger"),
    "less": RawSQL(LESS, (), output_field=BooleanField()),  # noqa: S611 - a literal of ours
}
EXPORTED = (
    "id", "at", "thread_id", "thread", "role", "agent", "phase", "profile", "method", "used", "cap", "share",
    "result", "threshold", "trigger", "warnings", "shortfall", "rule", "recovery",
)  # fmt: skip
AROUND = {"title": F("thread__title"), "thread_pk": F("thread__pk"), "agent": F("actor__name")}
COLUMNS = ("id", "created_at", "role", "used", "input_cap", "refused", "audience", *OF_DECISIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the list is narrowed to; an empty text narrows nothing."""

    role: str = ""
    thread: str = ""
    outcome: str = ""
    short: str = ""
    trigger: str = ""
    profile: str = ""
    q: str = ""

    @property
    def any(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketLine:
    """One compiled or refused context; `used` and `cap` are tokens, and a refusal used none."""

    id: str
    at: datetime
    thread: str
    thread_id: str
    private: bool
    role: str
    agent: str
    phase: Phase
    profile: str
    used: int | None
    cap: int
    method: CountMethod | None
    rule: MatchRule
    recovery: Recovery
    result: CompileResult
    threshold: str
    trigger: Trigger | None
    warnings: int
    shortfall: Sequence[ShortLine]

    @property
    def language(self) -> str:
        return language_of(self.thread)

    @property
    def refused(self) -> bool:
        return self.result is CompileResult.REFUSED

    @property
    def rule_name(self) -> Promise:
        return RULE_NAMES[self.rule]

    @property
    def recovery_name(self) -> Promise:
        return RECOVERY_NAMES[self.recovery]

    @property
    def share(self) -> int:
        """Whole per cent of the cap."""
        return round(100 * (self.used or 0) / self.cap) if self.cap else 100

    @property
    def filled(self) -> int:
        """Units of the bar that are used; one at least where anything is, so that it can be seen."""
        return max(place(self.used or 0, whole=self.cap, length=GAUGE), 1 if self.used else 0)


@dataclass(frozen=True, slots=True)
class PacketList:
    """One page of the list, and what its filters may be set to."""

    lines: Sequence[PacketLine]
    page: Page
    roles: Sequence[str]
    profiles: Sequence[str]


def filters_in(query: QueryDict) -> Filters:
    """Return the filters that an address holds. The database knows no text with a NUL in it, so none is asked for."""
    return Filters(**{field.name: query.get(field.name, "").replace("\0", "").strip() for field in fields(Filters)})


def packet_list(acting: Acting, filters: Filters, *, cursor: str | None) -> PacketList:
    """Return packets that the actor may see, newest first; raises Invalid for a cursor of another form.

    The rows are found first and read then: their decisions are large, and a sort must not carry them along.
    """
    with project_scope(acting, read_only=True):
        rows = _narrowed(ContextPacket.objects.filter(project_id=acting.project_id), filters)
        page = newest_first(rows.only("id", "created_at"), cursor=cursor, limit=PAGE)
        lines = _lines([row.pk for row in page.rows])
        contracts = Contract.objects.filter(kind__in=(ContractKind.ROLE, ContractKind.BUDGET_PROFILE))
        named = list(contracts.values_list("kind", "slug"))
        roles = {slug for kind, slug in named if kind == ContractKind.ROLE}
        shipped = BudgetProfile.objects.values_list("slug", flat=True)
        own = {slug for kind, slug in named if kind == ContractKind.BUDGET_PROFILE}
        return PacketList(lines, page, sorted(roles), sorted({*shipped, *own}))


def packets_export(acting: Acting, filters: Filters, form: As) -> StreamingHttpResponse:
    """Return the packets that fit as a file, as the list shows them."""

    def scope() -> AbstractContextManager[Any]:
        return project_scope(acting, read_only=True)

    with scope():
        rows = _narrowed(ContextPacket.objects.filter(project_id=acting.project_id), filters)
        told = rows.annotate(**AROUND, **OF_DECISIONS).defer("receipt", "decisions")
        return exported_rows("contexts", form, EXPORTED, told, told=_told, scope=scope)


def _told(row: Any) -> Mapping[str, Any]:
    line = _line({name: getattr(row, name) for name in (*AROUND, *COLUMNS)})
    short = [{"layer": one.layer.value, "needed": one.needed, "available": one.available} for one in line.shortfall]
    told = {name: getattr(line, name) for name in EXPORTED}
    return told | {"at": line.at.isoformat(), "shortfall": short}


def _narrowed(rows: QuerySet[ContextPacket], filters: Filters) -> QuerySet[ContextPacket]:
    if filters.role:
        rows = rows.filter(role=filters.role)
    if filters.thread:
        rows = rows.filter(thread_id=_thread_id(filters.thread))
    if filters.q:
        rows = rows.filter(thread__title__icontains=filters.q)
    if filters.short:
        rows = rows.filter(decisions__shortfall__contains=[{"layer": filters.short}])
    if filters.trigger:
        rows = rows.filter(decisions__consolidation__trigger=filters.trigger)
    if filters.profile:
        rows = rows.filter(decisions__budget__profile=filters.profile)
    return rows.alias(less=OF_DECISIONS["less"]).filter(_with_result(filters.outcome)) if filters.outcome else rows


def _with_result(outcome: str) -> Q:
    match outcome:
        case CompileResult.REFUSED:
            return Q(refused=True)
        case CompileResult.DEGRADED:
            return Q(refused=False, less=True)
        case CompileResult.WARNED:
            return Q(refused=False, less=False) & ~Q(decisions__warnings=[])
        case CompileResult.OK:
            return Q(refused=False, less=False, decisions__warnings=[])
        case _:
            return Q(pk=NOWHERE)


def _thread_id(text: str) -> uuid.UUID:
    try:
        return parse_id("thr", text, pointer="?thread")
    except Invalid:
        return NOWHERE


def _lines(ids: Sequence[uuid.UUID]) -> Sequence[PacketLine]:
    rows = ContextPacket.objects.filter(pk__in=ids).annotate(**AROUND, **OF_DECISIONS).values(*AROUND, *COLUMNS)
    found = {row["id"]: row for row in rows}
    return [_line(found[pk]) for pk in ids]


def _line(row: Mapping[str, Any]) -> PacketLine:
    return PacketLine(
        id=public_id("pkt", row["id"]),
        at=row["created_at"],
        thread=made_visible(row["title"]),
        thread_id=public_id("thr", row["thread_pk"]),
        private=row["audience"] == Audience.PRIVATE,
        role=made_visible(row["role"]),
        agent=made_visible(row["agent"]),
        phase=Phase(row["phase"]),
        profile=row["profile"],
        used=None if row["refused"] else row["used"],
        cap=row["input_cap"],
        method=CountMethod(row["method"]) if row["method"] else None,
        rule=MatchRule(row["rule"]),
        recovery=Recovery(row["recovery"]),
        result=_result(row),
        threshold=row["threshold"] or Threshold.NONE.value,
        trigger=Trigger(row["trigger"]) if row["trigger"] else None,
        warnings=len(row["warned"] or ()),
        shortfall=ShortLine.of(row["shortfall"]),
    )


def _result(row: Mapping[str, Any]) -> CompileResult:
    if row["refused"]:
        return CompileResult.REFUSED
    if row["less"]:
        return CompileResult.DEGRADED
    return CompileResult.WARNED if row["warned"] else CompileResult.OK
