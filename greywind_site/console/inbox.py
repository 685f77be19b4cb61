"""What waits for a human across the projects of an account, one statement in the scope of each."""

import heapq
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Min
from django.db.models.expressions import Subquery

from governance.actors import Acting
from governance.citations import refs_in
from governance.ids import public_id
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import InboxItem, Project
from governance.scope import project_scope
from governance.seats import Seat
from governance.vocabulary import (
    NO_CONTRACT,
    ActorKind,
    InboxKind,
    InboxState,
    MembershipLevel,
    ProposalKind,
    ProposalState,
    Risk,
    rank,
)
from greywind_site.console.inbox_rows import (
    Filters,
    Sort,
    Tab,
    counted,
    item_rows,
    narrowed,
    of_kind,
    ordered,
    proposed_rows,
    shaped,
    snoozed_rows,
    tab_rows,
)

MOST = 100  # lines of one page; the filters narrow it


OWN_ORDER: Mapping[Tab, Sort] = {
    Tab.WAITING: Sort.URGENT,
    Tab.MINE: Sort.NEWEST,
    Tab.SNOOZED: Sort.WAKING,
    Tab.DECIDED: Sort.NEWEST,
    Tab.OPEN: Sort.URGENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxLine:
    """One matter of the inbox. Of a proposal it knows which contract, and where it stands; names are '' for nobody.

    `lacking` approvals are needed beside the `approved` that were given, None where approvals decide nothing;
    `evidence` counts what it rests on, None for a kind that rests on none; `level` decides it.
    """

    seat: Seat
    item_id: str
    kind: InboxKind
    ref: str
    title: str
    contract: ProposalKind | None
    slug: str
    state: ProposalState | InboxState
    risk: Risk
    proposer: str
    human: str
    assignee: str
    is_mine: bool
    at: datetime
    wakes_at: datetime | None
    awaits_evidence: bool
    lacking: int | None
    approved: int
    evidence: int | None
    level: MembershipLevel | None

    @property
    def matter_id(self) -> str:
        """The public id of what it is about."""
        return self.ref.partition("://")[2].partition("@")[0].partition("/")[0]

    @property
    def is_light(self) -> bool:
        """Whether it may be approved together with others, if the reader may decide it and its base still holds."""
        plain = self.contract is not None and self.contract not in (ProposalKind.ROLE, *NO_CONTRACT)
        return plain and self.risk is Risk.LOW and self.state == ProposalState.OPEN

    @property
    def language(self) -> str:
        return language_of(self.title)


@dataclass(frozen=True, slots=True)
class Inbox:
    """The lines of one tab. `more` says that the list was cut, `counts` how many there are of each kind in it, with
    every filter but that of the kind; `wakes_at` is when the next snoozed matter is open again.
    """

    lines: Sequence[InboxLine]
    more: bool
    counts: Mapping[InboxKind, int]
    wakes_at: datetime | None


KEYS: Mapping[Sort, Callable[[InboxLine], tuple[Any, ...]]] = {
    Sort.URGENT: lambda line: (-rank(line.risk), line.at, line.ref),
    Sort.OLDEST: lambda line: (line.at, line.ref),
    Sort.NEWEST: lambda line: (-line.at.timestamp(), line.ref),
    Sort.WAKING: lambda line: (line.wakes_at is None, line.wakes_at or line.at, line.ref),
}


def inbox_of(
    seats: Sequence[Seat], tab: Tab, filters: Filters, *, now: datetime, trace_id: str, most: int = MOST
) -> Inbox:
    """Return what a tab holds in these projects, in the order that the filters ask for, else in the tab's own."""
    order = Sort(filters.sort) if filters.sort else OWN_ORDER[tab]
    wanted = [seat for seat in seats if filters.project in ("", seat.public_id)]
    parts = [_part(seat, tab, filters, order=order, now=now, trace_id=trace_id, most=most) for seat in wanted]
    lines = heapq.nsmallest(most + 1, (line for part in parts for line in part.lines), key=KEYS[order])
    return Inbox(
        lines[:most],
        len(lines) > most or any(part.more for part in parts),
        {kind: total for kind in InboxKind if (total := sum(part.counts.get(kind, 0) for part in parts))},
        min((part.wakes_at for part in parts if part.wakes_at), default=None),
    )


def next_after(inbox: Inbox, named: str) -> InboxLine | None:
    """Return the line that follows the named matter or item; the first where that is no longer among them."""
    place = next((n for n, line in enumerate(inbox.lines) if named in (line.matter_id, line.item_id)), None)
    if place is None:
        return inbox.lines[0] if inbox.lines else None
    return inbox.lines[place + 1] if place + 1 < len(inbox.lines) else None


def line_of(acting: Acting, seat: Seat, item_id: uuid.UUID, *, now: datetime) -> InboxLine | None:
    """Return one matter by its item, whatever its state; None where the actor may not read it."""
    with project_scope(acting, read_only=True):
        found = shaped(item_rows(seat, now=now).filter(pk=item_id)).first()
    return _line(seat, found["line"]) if found else None


def _part(seat: Seat, tab: Tab, filters: Filters, *, order: Sort, now: datetime, trace_id: str, most: int) -> Inbox:
    """Read one project: its lines, its counts and its next waking in one statement."""
    if tab is Tab.WAITING and seat.level == MembershipLevel.VIEWER:
        return Inbox([], False, {}, None)
    acting = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    rows = proposed_rows(seat) if tab is Tab.MINE else tab_rows(seat, tab, now=now)
    kept = narrowed(rows, filters, seat)
    one_kind = of_kind(kept, filters.kind)
    asleep = snoozed_rows(seat, now=now).values("project_id").annotate(at=Min("snoozed_until")).values("at")
    with project_scope(acting, read_only=True):
        found, counts, wakes_at = (
            Project.objects.filter(pk=seat.project_id)
            .annotate(
                found=ArraySubquery(shaped(ordered(one_kind, order))[: most + 1]),
                counts=ArraySubquery(counted(kept)),
                wakes=Subquery(asleep),
            )
            .values_list("found", "counts", "wakes")
            .get()
        )
    lines = [_line(seat, row) for row in found]
    return Inbox(lines, len(lines) > most, {InboxKind(row["kind"]): row["n"] for row in counts}, wakes_at)


def _line(seat: Seat, row: Mapping[str, Any]) -> InboxLine:
    about = row["about"] or {}
    snoozed = row["state"] == InboxState.SNOOZED
    return InboxLine(
        seat=seat,
        item_id=public_id(InboxItem.PREFIX, uuid.UUID(row["id"])) if row["id"] else "",
        kind=InboxKind(row["kind"]),
        ref=row["ref"],
        title=made_visible(row["title"]),
        contract=ProposalKind(about["kind"]) if about else None,
        slug=about.get("slug", ""),
        state=ProposalState(about["state"]) if about and not snoozed else InboxState(row["state"]),
        risk=Risk(row["risk"]),
        proposer=made_visible(about.get("proposer") or row["opener"] or ""),
        human=made_visible(about.get("human") or row["behind"] or ""),
        assignee=made_visible(row["assignee"] or ""),
        is_mine=row["assignee_id"] == str(seat.actor_id),
        at=datetime.fromisoformat(row["moment"]),
        wakes_at=datetime.fromisoformat(row["wakes"]) if snoozed and row["wakes"] else None,
        awaits_evidence=bool(snoozed and row["awaits"]),
        lacking=max(0, about["needed"] - about["given"]) if about.get("state") == ProposalState.OPEN else None,
        approved=about.get("given", 0),
        evidence=_cited(about) if about else row["evidence"],
        level=MembershipLevel(about["level"]) if about else None,
    )


def _cited(about: Mapping[str, Any]) -> int:
    """Return how many sources a proposal names, as its page shows them: the revision it goes back to is one."""
    return len(refs_in(about["rationale"])) + (about["reverts"] is not None)
