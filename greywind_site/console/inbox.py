"""What waits for a decision across the projects of an account, one statement in the scope of each."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from governance.actors import Acting
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Decision, Membership, Proposal, ProposalText
from governance.scope import project_scope
from governance.seats import Seat
from governance.vocabulary import (
    ActorKind,
    ContractKind,
    MembershipLevel,
    ProposalState,
    Risk,
    rank,
)

MOST = 100  # lines of one page; the filters narrow it
LATELY = timedelta(days=30)
DECIDED = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.CHANGES_REQUESTED)


class Tab(StrEnum):
    """The parts of the inbox."""

    WAITING = "waiting"
    MINE = "mine"
    OPEN = "open"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the inbox is narrowed to; an empty text narrows nothing."""

    kind: str = ""
    risk: str = ""
    project: str = ""

    @property
    def any(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxLine:
    """One proposal of the inbox."""

    seat: Seat
    proposal_id: str
    title: str
    kind: ContractKind
    slug: str
    state: ProposalState
    risk: Risk
    proposer: str
    human: str
    at: datetime

    @property
    def language(self) -> str:
        return language_of(self.title)

    @property
    def urgency(self) -> tuple[int, datetime, str]:
        """Highest risk first, then the oldest."""
        return -rank(self.risk), self.at, self.proposal_id


@dataclass(frozen=True, slots=True)
class Inbox:
    """The lines of one tab; `more` says that the list was cut."""

    lines: Sequence[InboxLine]
    more: bool


def inbox_of(seats: Sequence[Seat], tab: Tab, filters: Filters, *, now: datetime, trace_id: str) -> Inbox:
    """Return what a tab holds in these projects: the waiting ones oldest high risk first, the decided newest first."""
    wanted = [seat for seat in seats if filters.project in ("", seat.public_id)]
    found = [line for seat in wanted for line in _lines(seat, tab, filters, now=now, trace_id=trace_id)]
    if tab in (Tab.WAITING, Tab.OPEN):
        lines = heapq.nsmallest(MOST + 1, found, key=lambda line: line.urgency)
    else:
        lines = heapq.nlargest(MOST + 1, found, key=lambda line: (line.at, line.proposal_id))
    return Inbox(lines[:MOST], len(lines) > MOST)


def next_after(inbox: Inbox, proposal_id: str) -> InboxLine | None:
    """Return the first line that is another proposal than the one just decided."""
    return next((line for line in inbox.lines if line.proposal_id != proposal_id), None)


def _lines(seat: Seat, tab: Tab, filters: Filters, *, now: datetime, trace_id: str) -> list[InboxLine]:
    acting = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    if tab is Tab.WAITING and seat.level == MembershipLevel.VIEWER:
        return []
    with project_scope(acting, read_only=True):
        rows = _narrowed(_of_tab(seat, tab, now=now), filters).values(
            "title", "risk", "moment", "proposal_id", kind=F("proposal__kind"), slug=F("proposal__slug"),
            state=F("proposal__state"), proposer=F("proposal__proposer__name"),
            human=F("proposal__proposer__owned_by__name"),
        )  # fmt: skip
        return [_line(seat, row) for row in rows[: MOST + 1]]


def _of_tab(seat: Seat, tab: Tab, *, now: datetime) -> QuerySet[Any]:
    """Return the newest texts of the proposals of a tab, in its order, each with its `moment`."""
    rows = ProposalText.objects.filter(project_id=seat.project_id, version=F("proposal__version"))
    if tab is Tab.DECIDED:
        last = Decision.objects.filter(proposal=OuterRef("proposal")).order_by("-created_at").values("created_at")
        said = rows.annotate(moment=Coalesce(F("proposal__closed_at"), last[:1]))
        return said.filter(proposal__state__in=DECIDED, moment__gte=now - LATELY).order_by("-moment", "-proposal_id")
    dated = rows.annotate(moment=F("proposal__created_at"))
    if tab is Tab.MINE:
        mine = Q(proposal__proposer_id=seat.actor_id) | Q(proposal__proposer__owned_by_id=seat.actor_id)
        return dated.filter(mine).order_by("-moment", "-proposal_id")
    weight = Case(*(When(risk=risk, then=Value(rank(risk))) for risk in Risk), output_field=IntegerField())
    waiting = dated.filter(proposal__state=ProposalState.OPEN).order_by(weight.desc(), "moment", "proposal_id")
    return _for_me(waiting, seat) if tab is Tab.WAITING else waiting


def _for_me(rows: QuerySet[Any], seat: Seat) -> QuerySet[Any]:
    """Keep what the seat's human may decide: the same rule as `eligibility.bar`, as one condition."""
    decided = Decision.objects.filter(
        proposal=OuterRef("proposal"), version=OuterRef("version"), decider_id=seat.actor_id
    )
    wrote = ProposalText.objects.filter(
        Q(author_id=seat.actor_id)
        | Q(author__kind=ActorKind.AGENT, author__owned_by_id=seat.actor_id)
        | Q(proposal__proposer_id=seat.actor_id)
        | Q(proposal__proposer__kind=ActorKind.AGENT, proposal__proposer__owned_by_id=seat.actor_id),
        proposal=OuterRef("proposal"),
    )
    reach = [level for level in MembershipLevel if rank(level) <= rank(seat.level)]
    humans = Membership.objects.filter(actor__kind=ActorKind.HUMAN, actor__active=True, actor__user__is_active=True)
    others = humans.exclude(actor_id=seat.actor_id)
    owners = others.filter(level=MembershipLevel.OWNER)
    either = others.filter(level__in=[MembershipLevel.MAINTAINER, MembershipLevel.OWNER])
    alone = Q(level=MembershipLevel.OWNER) & ~Exists(owners) | Q(level=MembershipLevel.MAINTAINER) & ~Exists(either)
    return rows.filter(~Exists(decided), Q(risk=Risk.LOW) | ~Exists(wrote) | alone, level__in=reach)


def _narrowed(rows: QuerySet[Any], filters: Filters) -> QuerySet[Any]:
    if filters.kind:
        rows = rows.filter(proposal__kind=filters.kind)
    return rows.filter(risk=filters.risk) if filters.risk else rows


def _line(seat: Seat, row: Mapping[str, Any]) -> InboxLine:
    return InboxLine(
        seat=seat,
        proposal_id=public_id(Proposal.PREFIX, row["proposal_id"]),
        title=made_visible(row["title"]),
        kind=ContractKind(row["kind"]),
        slug=row["slug"],
        state=ProposalState(row["state"]),
        risk=Risk(row["risk"]),
        proposer=row["proposer"],
        human=row["human"] or "",
        at=row["moment"],
    )
