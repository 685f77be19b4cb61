"""Who takes part in a hunt over a pool: projects, their people and agents, and rows of every audience."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.contracts import install
from governance.models import Actor, User
from governance.projects import create_project
from governance.scope import project_scope
from governance.vocabulary import Audience, ContractKind
from threads.models import Thread

ROLES = ("dev", "reviewer")
AGENTS: Mapping[str, tuple[str, ...]] = {"both": ROLES, "dev": ("dev",), "reviewer": ("reviewer",), "plain": ()}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row lies, as it was written or as it was read."""

    row: uuid.UUID
    project: uuid.UUID
    audience: str
    role: str | None
    owner: uuid.UUID | None


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who reads and writes: the rows that are theirs to read, one of them to write, and one of others."""

    acting: Acting
    sees: frozenset[uuid.UUID]
    own: uuid.UUID
    foreign: uuid.UUID


def may_see(acting: Acting, place: Place) -> bool:
    """Say by the written rule who reads a row: the project's people, then everyone, a role's holders, or its owner."""
    reaches = {"project": True, "role": place.role in acting.roles, "private": place.owner == acting.actor_id}
    return place.project == acting.project_id and reaches[place.audience]


def make_crowd(projects: int) -> list[Principal]:
    """Make that many projects with an owner and four agents each, and rows of every audience."""
    crews = [_crew(f"hunted {number}") for number in range(projects)]
    places = [place for crew in crews for place in _rows(crew)]
    return [_principal(acting, places) for crew in crews for acting in crew]


def _crew(name: str) -> list[Acting]:
    now = timezone.now()
    account = User.objects.create_user(username=name.replace(" ", "-"))
    _, human = create_project(name, owner=account, now=now)
    with project_scope(acting_as(human)):
        for role in ROLES:
            body = {"slug": role, "duties": [f"do the work of {role}"]}
            install(ContractKind.ROLE, role, body, by=human, reason="hunt", now=now)
        agents = [add_agent(acting_as(human), who, roles=held or ("dev",), now=now) for who, held in AGENTS.items()]
        Actor.objects.filter(pk=agents[-1].pk).update(roles=[])
        return [acting_as(actor) for actor in Actor.objects.filter(pk__in=[human.pk, *(each.pk for each in agents)])]


def _rows(crew: Sequence[Acting]) -> Iterator[Place]:
    for acting in crew:
        yield from _stored(acting, {"audience": Audience.PRIVATE, "owner_id": acting.actor_id})
        yield from _stored(acting, {})
        for role in acting.roles:
            yield from _stored(acting, {"audience": Audience.ROLE, "audience_role": role})


def _stored(acting: Acting, reach: Mapping[str, Any]) -> Iterator[Place]:
    with project_scope(acting):
        row = Thread.objects.create(
            project_id=acting.project_id, title="hunted", created_by_id=acting.actor_id, **reach
        )
    yield Place(row.pk, row.project_id, row.audience, row.audience_role, row.owner_id)


def _principal(acting: Acting, places: Sequence[Place]) -> Principal:
    sees = frozenset(place.row for place in places if may_see(acting, place))
    own = next(place.row for place in places if place.owner == acting.actor_id)
    # Of the same project where there is one: the nearer row is the likelier mistake.
    near = [place.row for place in places if place.project == acting.project_id and place.row not in sees]
    return Principal(acting, sees, own, near[0])
