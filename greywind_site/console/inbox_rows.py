"""The rows behind the inbox of one project: which matters a tab holds, and what a line needs of each."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    DateTimeField,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat, JSONObject, Replace

from governance.models import Decision, InboxItem, Membership, ProposalText
from governance.seats import Seat
from governance.vocabulary import (
    ActorKind,
    InboxKind,
    InboxState,
    MembershipLevel,
    ProposalKind,
    ProposalState,
    Risk,
    rank,
)
from greywind_site.console.inbox_matters import (
    NO_MATTER,
    OF_CONFLICT,
    OF_MEMORY,
    OF_PROPOSAL,
    about_proposal,
    decided_in_a_conflict,
    evidence_of_matter,
    named_in_ref,
)

type Rows = QuerySet[Any]

LATELY = timedelta(days=30)
DECIDED = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.CHANGES_REQUESTED)


class Tab(StrEnum):
    """The parts of the inbox."""

    WAITING = "waiting"
    MINE = "mine"
    SNOOZED = "snoozed"
    DECIDED = "decided"
    OPEN = "open"


class Sort(StrEnum):
    """The orders of a list; each tab begins with its own."""

    URGENT = "urgent"
    OLDEST = "oldest"
    NEWEST = "newest"
    WAKING = "waking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the inbox is narrowed to; an empty text narrows nothing. `kind` is a kind of matter or of contract."""

    kind: str = ""
    risk: str = ""
    project: str = ""
    assignee: str = ""
    state: str = ""
    q: str = ""
    sort: str = ""

    @property
    def any(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self) if field.name != "sort")


ORDERS: Mapping[Sort, tuple[Any, ...]] = {
    Sort.URGENT: ("-weight", "moment", "ref"),
    Sort.OLDEST: ("moment", "ref"),
    Sort.NEWEST: ("-moment", "ref"),
    Sort.WAKING: (F("wakes").asc(nulls_last=True), "moment", "ref"),
}


def tab_rows(seat: Seat, tab: Tab, *, now: datetime) -> Rows:
    """Return the items of a tab."""
    if tab is Tab.DECIDED:
        return _decided(seat, now=now)
    if tab is Tab.SNOOZED:
        return snoozed_rows(seat, now=now)
    waiting = _undecided(seat, now=now).filter(shown_state=InboxState.OPEN)
    return _for_me(waiting, seat) if tab is Tab.WAITING else waiting


def snoozed_rows(seat: Seat, *, now: datetime) -> Rows:
    """Return what is put off at this moment."""
    return _undecided(seat, now=now).filter(shown_state=InboxState.SNOOZED)


def proposed_rows(seat: Seat) -> Rows:
    """Return the proposals of the seat's human and of the agents that it owns, drafts and ended ones included."""
    mine = Q(proposal__proposer_id=seat.actor_id) | Q(proposal__proposer__owned_by_id=seat.actor_id)
    hexadecimal = Replace(Cast("proposal_id", CharField()), Value("-"), Value(""))
    item = InboxItem.objects.filter(kind=InboxKind.PROPOSAL, ref=OuterRef("ref"))
    rows: Rows = (
        ProposalText.objects.filter(mine, project_id=seat.project_id, version=F("proposal__version"))
        .annotate(
            kind=Value(InboxKind.PROPOSAL.value, output_field=CharField()),
            ref=Concat(Value(OF_PROPOSAL), hexadecimal, output_field=CharField()),
            moment=F("proposal__created_at"),
            weight=_weight(),
            shown_state=Value(InboxState.OPEN.value, output_field=CharField()),
            wakes=Value(None, output_field=DateTimeField()),
            awaits=Value(False, output_field=BooleanField()),
        )
        .annotate(
            item_id=Subquery(item.values("id")[:1]),
            proposal_pk=F("proposal_id"),
            memory_pk=NO_MATTER,
            conflict_pk=NO_MATTER,
            assignee_pk=Subquery(item.values("assignee_id")[:1]),
            assignee_name=Subquery(item.values("assignee__name")[:1]),
            opener=Value("", output_field=CharField()),
            behind=Value("", output_field=CharField()),
        )
    )
    return rows


def of_kind(rows: Rows, kind: str) -> Rows:
    """Return the rows of a kind of matter or of contract; '' is every kind."""
    if kind in list(ProposalKind):
        return rows.filter(Exists(_texts().filter(proposal_id=OuterRef("proposal_pk"), proposal__kind=kind)))
    return rows.filter(kind=kind) if kind else rows


def narrowed(rows: Rows, filters: Filters, seat: Seat) -> Rows:
    """Return the rows that fit by everything but their kind."""
    if filters.risk:
        rows = rows.filter(risk=filters.risk)
    if filters.q:
        rows = rows.filter(title__icontains=filters.q)
    if filters.state:
        rows = rows.filter(Exists(_texts().filter(proposal_id=OuterRef("proposal_pk"), proposal__state=filters.state)))
    match filters.assignee:
        case "me":
            return rows.filter(assignee_pk=seat.actor_id)
        case "nobody":
            return rows.filter(assignee_pk__isnull=True)
        case "others":
            return rows.filter(assignee_pk__isnull=False).exclude(assignee_pk=seat.actor_id)
    return rows


def ordered(rows: Rows, order: Sort) -> Rows:
    """Return the rows in one of the orders."""
    return rows.order_by(*ORDERS[order])


def shaped(rows: Rows) -> Rows:
    """Return each row as the JSON that a line is made of."""
    about = about_proposal(_texts().filter(proposal_id=OuterRef("proposal_pk")))
    lines: Rows = rows.annotate(about=Subquery(about[:1]), evidence=evidence_of_matter()).values(
        line=JSONObject(
            id="item_id", kind="kind", ref="ref", title="title", risk="risk", state="shown_state", about="about",
            opener="opener", behind="behind", assignee="assignee_name", assignee_id="assignee_pk", moment="moment",
            wakes="wakes", awaits="awaits", evidence="evidence",
        )
    )  # fmt: skip
    return lines


def counted(rows: Rows) -> Rows:
    """Return how many rows there are of each kind, as JSON."""
    counts: Rows = rows.order_by().values("kind").annotate(n=Count("pk")).values(line=JSONObject(kind="kind", n="n"))
    return counts


def item_rows(seat: Seat, *, now: datetime) -> Rows:
    """Return every item of the project that the seat may read, each with what a line needs of it.

    One that was put off is shown as open once its time is over.
    """
    over = When(state=InboxState.SNOOZED, snoozed_until__lte=now, then=Value(InboxState.OPEN.value))
    rows: Rows = InboxItem.objects.filter(project_id=seat.project_id).annotate(
        item_id=F("id"),
        moment=F("created_at"),
        weight=_weight(),
        shown_state=Case(over, default=F("state"), output_field=CharField()),
        wakes=F("snoozed_until"),
        awaits=F("awaits_evidence"),
        proposal_pk=named_in_ref(InboxKind.PROPOSAL, OF_PROPOSAL),
        memory_pk=named_in_ref(InboxKind.CANDIDATE, OF_MEMORY),
        conflict_pk=named_in_ref(InboxKind.CONFLICT, OF_CONFLICT),
        assignee_pk=F("assignee_id"),
        assignee_name=F("assignee__name"),
        opener=F("opened_by__name"),
        behind=F("opened_by__owned_by__name"),
    )
    return rows


def _undecided(seat: Seat, *, now: datetime) -> Rows:
    """Return the items with a decision of their own: a candidate in an unsettled conflict has none until that ends."""
    rows: Rows = item_rows(seat, now=now).exclude(decided_in_a_conflict())
    return rows


def _decided(seat: Seat, *, now: datetime) -> Rows:
    """Return what was settled of late; of proposals, what somebody decided."""
    last = Decision.objects.filter(proposal=OuterRef("proposal")).order_by("-created_at").values("created_at")
    said = (
        _texts()
        .filter(proposal_id=OuterRef("proposal_pk"), proposal__state__in=DECIDED)
        .annotate(when=Coalesce(F("proposal__closed_at"), Subquery(last[:1])))
    )
    rows = item_rows(seat, now=now).filter(state=InboxState.DONE).annotate(decided=Subquery(said.values("when")[:1]))
    kept = rows.exclude(kind=InboxKind.PROPOSAL, decided__isnull=True)
    ended = Coalesce("decided", "settled_at", "created_at")
    late = kept.annotate(ended=ended).filter(ended__gte=now - LATELY)
    settled: Rows = late.annotate(moment=F("ended"))
    return settled


def _for_me(rows: Rows, seat: Seat) -> Rows:
    """Keep what the seat's human may decide: of proposals by the same rule as `eligibility.bar`, as one condition."""
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
    mine = (
        _texts()
        .filter(proposal_id=OuterRef("proposal_pk"), proposal__state=ProposalState.OPEN, level__in=reach)
        .filter(~Exists(decided), Q(risk=Risk.LOW) | ~Exists(wrote) | alone)
    )
    return rows.filter(~Q(kind=InboxKind.PROPOSAL) | Exists(mine))


def _texts() -> Rows:
    return ProposalText.objects.filter(version=F("proposal__version"))


def _weight() -> Case:
    return Case(*(When(risk=risk, then=Value(rank(risk))) for risk in Risk), output_field=IntegerField())
