"""Projects and the actors in them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from governance.actors import Acting, acting_as
from governance.audit import fingerprint
from governance.errors import Invalid
from governance.ids import new_id, parse_id, public_id
from governance.models import Actor, Membership, Project, User
from governance.names import checked_name
from governance.people import check_may
from governance.scope import project_scope, record
from governance.starters import install_starters
from governance.vocabulary import ActorKind, Deed, Language, MembershipLevel

LARGEST_COUNT = 2**31 - 1
MAKE_ONE = "make one: python3 manage.py project create NAME --owner USER"
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


def create_project(
    name: str, *, owner: User, now: datetime, trace_id: str = "", project_id: uuid.UUID | None = None
) -> tuple[Project, Actor]:
    """Make a project with its system actor and its first owner; returns the project and the owner's actor.

    `project_id` is for a project that is made anew under the id that people know it by.
    """
    project = Project(id=project_id or new_id(), name=name, created_at=now)
    human = Actor(project=project, kind=ActorKind.HUMAN, name=owner.username, user=owner)
    acting = Acting(project_id=project.id, actor_id=human.id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(acting):
        project.save(force_insert=True)
        human.save(force_insert=True)
        Actor.objects.create(project=project, kind=ActorKind.SYSTEM, name="greywind")
        Membership.objects.create(project=project, actor=human, level=MembershipLevel.OWNER)
        record("project.create", project.public_id, detail={"owner": human.public_id})
    return project, human


def open_project(
    name: str, *, owner: User, now: datetime, language: Language | None = None, trace_id: str = ""
) -> tuple[Project, Actor]:
    """Make a project that an agent can work in at once: with a persona, a policy and four role contracts.

    They are written in `language`, else in the owner's, else in Chinese. No scope is needed; it is all one
    transaction. Returns the project and the owner's actor. Raises Invalid for a name that cannot be.
    """
    called = checked_name(name, pointer="/name")
    spoken = language or (Language.EN if owner.language == Language.EN else Language.ZH_HANS)
    with transaction.atomic():
        project, human = create_project(called, owner=owner, now=now, trace_id=trace_id)
        with project_scope(acting_as(human, trace_id=trace_id)):
            install_starters(human, language=spoken, now=now)
    return project, human


def rename_project(acting: Acting, name: str) -> None:
    """Give the open scope's project another name. Needs an owner; raises Invalid."""
    check_may(acting, Deed.MANAGE_PROJECT)
    called, before = checked_name(name, pointer="/name"), project_name()
    Project.objects.filter(pk=acting.project_id).update(name=called)
    record("project.rename", public_id("prj", acting.project_id), before=fingerprint(before), after=fingerprint(called))


def limit_project(acting: Acting, max_input_tokens: int | None) -> None:
    """Cap what a compile of the open scope's project may hold, in tokens; None takes the cap away. Needs an owner."""
    check_may(acting, Deed.MANAGE_PROJECT)
    if max_input_tokens is not None and not 0 < max_input_tokens <= LARGEST_COUNT:
        raise Invalid.at("/max_input_tokens", f"expected 1 to {LARGEST_COUNT}, or nothing", code="limit_invalid")
    Project.objects.filter(pk=acting.project_id).update(max_input_tokens=max_input_tokens)
    record("project.limit", public_id("prj", acting.project_id), detail={"max_input_tokens": max_input_tokens})


def project_name() -> str:
    """Return the name of the open scope's project."""
    return Project.objects.values_list("name", flat=True).get()


def owned_projects() -> list[OwnedProject]:
    """Return every project of this instance, oldest first. For operators' commands: no scope is needed."""
    with connection.cursor() as cursor:
        cursor.execute(FIRST_OWNERS)
        return [OwnedProject(*row) for row in cursor.fetchall()]


def acting_for_owner(project: str | None, *, trace_id: str = "") -> Acting:
    """Return the first owner of a project, for a command that acts in the owner's name.

    `project` is a public id or a name; None means the only project there is. Raises Invalid that lists the projects
    when there is no such project, or when several are there and none is named.
    """
    found = _named(owned_projects(), project)
    bare = Acting(project_id=found.project_id, actor_id=found.owner_id, kind=ActorKind.HUMAN, trace_id=trace_id)
    with project_scope(bare, read_only=True):
        return acting_as(Actor.objects.get(pk=found.owner_id), trace_id=trace_id)


def _named(projects: Sequence[OwnedProject], project: str | None) -> OwnedProject:
    wanted = parse_id("prj", project, pointer="--project") if project and project.startswith("prj_") else None
    fitting = [row for row in projects if project is None or project == row.name or wanted == row.project_id]
    if len(fitting) == 1:
        return fitting[0]
    if not projects:
        raise Invalid.at("--project", f"there is no project yet; {MAKE_ONE}", code="no_project")
    listed = ", ".join(f"{row.public_id} ({row.name})" for row in fitting or projects)
    fault = "several projects are here, name one by its id" if fitting else "no such project"
    raise Invalid.at("--project", f"{fault}: {listed}", code="project_unclear" if fitting else "project_unknown")
