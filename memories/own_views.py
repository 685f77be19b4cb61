"""A person's own memories: what they alone may read, in every project that they belong to."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.models import User
from governance.pages import account_page
from governance.permissions import can
from governance.scope import project_scope
from governance.seats import Seat, acting_in, seats_of
from governance.vocabulary import Audience, Deed
from memories.models import Memory
from memories.offers import offers_of
from memories.reading import Words, worded
from memories.store_list import MemoryLine, as_lines
from memories.vocabulary import LIVING, MemoryStatus

MOST_SHOWN = 50  # of each project; the rest is in the project's own list


@dataclass(frozen=True, slots=True)
class Asked:
    """What an agent of theirs would share, and waits for their answer."""

    id: str
    agent: str
    text: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPart:
    """What somebody keeps for themselves in one project, newest first."""

    seat: Seat
    lines: Sequence[MemoryLine]
    more: bool
    asked: Sequence[Asked] = ()

    @property
    def may_edit(self) -> bool:
        return can(self.seat.level, Deed.PROPOSE_MEMORY)


@account_page
@require_safe
def own_memories(request: HttpRequest) -> HttpResponse:
    """The account's private memories, one project after the other, each read in its own scope."""
    account = request.user
    seats = seats_of(account) if isinstance(account, User) else []
    parts = [part_of(seat, trace_id=request.META["greywind.trace_id"]) for seat in seats]
    shown = [part for part in parts if part.lines or part.asked]
    return render(request, "memories/own.html", {"parts": shown, "seats": seats})


def part_of(seat: Seat, *, trace_id: str) -> OwnPart:
    """Return what the seat's human keeps for themselves there: in use, waiting or archived."""
    acting = acting_in(seat, trace_id=trace_id)
    with project_scope(acting, read_only=True):
        rows = Memory.objects.filter(
            audience=Audience.PRIVATE,
            owner_id=acting.actor_id,
            status__in=[*LIVING, MemoryStatus.ARCHIVED],
            erased_at=None,
        )
        lines = as_lines(rows.order_by("-created_at", "-id"), most=MOST_SHOWN + 1)
        asked = [Asked(one.public_id, one.asked_by.name, worded(one.content)) for one in offers_of(acting)]
    return OwnPart(seat=seat, lines=lines[:MOST_SHOWN], more=len(lines) > MOST_SHOWN, asked=asked)
