"""Which projects an account may look at, and as whom."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import Http404

from governance.actors import Acting, acting_as
from governance.errors import Invalid
from governance.ids import parse_id, public_id
from governance.models import Actor, User
from governance.scope import project_scope
from governance.vocabulary import ActorKind, MembershipLevel

MEMBERSHIPS = (
    "SELECT project_id, project_name, actor_id, level FROM memberships_of(%s) ORDER BY project_name, project_id"
)


@dataclass(frozen=True, slots=True)
class Seat:
    """An account's place in one project: the actor it is there, and its level."""

    project_id: uuid.UUID
    project_name: str
    actor_id: uuid.UUID
    level: MembershipLevel

    @property
    def public_id(self) -> str:
        return public_id("prj", self.project_id)


def seats_of(account: User | AnonymousUser) -> list[Seat]:
    """Return the account's places, by project name. The database's door answers it, so no scope is open."""
    with connection.cursor() as cursor:
        cursor.execute(MEMBERSHIPS, [account.pk])
        rows = cursor.fetchall()
    return [Seat(project, name, actor, MembershipLevel(level)) for project, name, actor, level in rows]


def seat_in(account: User | AnonymousUser, project: str) -> Seat:
    """Return the account's place in the project with this public id.

    Raises Http404 for a malformed id, an unknown project and one that is not the account's, after the same work.
    """
    seats = seats_of(account)
    try:
        wanted = parse_id("prj", project, pointer="{project}")
    except Invalid as error:
        raise Http404 from error
    found = next((seat for seat in seats if seat.project_id == wanted), None)
    if found is None:
        raise Http404
    return found


def acting_in(seat: Seat, *, trace_id: str) -> Acting:
    """Return the account's actor with the roles it holds; they can only be read inside the project."""
    bare = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(bare, read_only=True):
        return acting_as(Actor.objects.get(pk=seat.actor_id), trace_id=trace_id)
