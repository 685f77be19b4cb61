"""Projects and the actors in them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from governance.actors import Acting, acting_as
from governance.errors import Invalid
from governance.ids import new_id, parse_id, public_id
from governance.models import Actor, Membership, Project, User
from governance.scope import project_scope, record
from governance.vocabulary import ActorKind, MembershipLevel

# Without a scope no project can be seen; the door tells where each account is a member.
FIRST_OWNERS = """
SELECT DISTINCT ON (m.project_id) m.project_id, m.project_name, m.actor_id
FROM governance_user u CROSS JOIN LATERAL memberships_of(u.id) m
WHERE u.is_active AND m.level = 'owner' ORDER BY m.project_id, m.actor_id
"""


@dataclass(frozen=True, slots=True)
class OwnedProject:
    """A project with its first owner whose account is active."""

    project_id: uuid.UUID
    name: str
    owner_id: uuid.UUID

    @property
    def public_id(self) -> str:
        return public_id("prj", self.project_id)


def create_project(name: str, *, owner: User, now: datetime, trace_id: str = "") -> tuple[Project, Actor]:
    """Make a project with its system actor and its first owner; returns the project and the owner's actor."""
    project = Project(id=new_id(), name=name, created_at=now)
    human = Actor(project=project, kind=ActorKind.HUMAN, name=owner.username, user=owner)
    acting = Acting(project_id=project.id, actor_id=human.id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(acting):
        project.save(force_insert=True)
        human.save(force_insert=True)
        Actor.objects.create(project=project, kind=ActorKind.SYSTEM, name="greywind")
        Membership.objects.create(project=project, actor=human, level=MembershipLevel.OWNER)
        record("project.create", project.public_id, detail={"owner": human.public_id})
    return project, human


def create_agent(project: Project, name: str, *, roles: Sequence[str], owned_by: Actor) -> Actor:
    """Make an agent that holds `roles`, inside the open scope; its first role is its default."""
    agent = Actor.objects.create(project=project, kind=ActorKind.AGENT, name=name, roles=list(roles), owned_by=owned_by)
    record("actor.create", agent.public_id, detail={"roles": list(roles), "owned_by": owned_by.public_id})
    return agent


def owned_projects() -> list[OwnedProject]:
    """Return every project of this instance, oldest first. For operators' commands: no scope is needed."""
    with connection.cursor() as cursor:
        cursor.execute(FIRST_OWNERS)
        return [OwnedProject(*row) for row in cursor.fetchall()]


def acting_for_owner(project: str | None, *, trace_id: str = "") -> Acting:
    """Return the first owner of a project, for a command that acts in the owner's name.

    `project` is a public id; None means the only project there is. Raises Invalid that lists the projects when there
    is no such project, or when several are there and none is named.
    """
    found = _named(owned_projects(), project)
    bare = Acting(project_id=found.project_id, actor_id=found.owner_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(bare, read_only=True):
        return acting_as(Actor.objects.get(pk=found.owner_id), trace_id=trace_id)


def _named(projects: Sequence[OwnedProject], project: str | None) -> OwnedProject:
    wanted = parse_id("prj", project, pointer="--project") if project else None
    fitting = [row for row in projects if wanted in (None, row.project_id)]
    if len(fitting) == 1:
        return fitting[0]
    if not projects:
        raise Invalid.at("--project", "there is no project yet; make one first", code="no_project")
    listed = ", ".join(f"{row.public_id} ({row.name})" for row in projects)
    fault = "no such project" if wanted else "several projects are here, name one"
    raise Invalid.at("--project", f"{fault}: {listed}", code="project_unknown" if wanted else "project_unclear")
