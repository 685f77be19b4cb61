"""The people of the hunt: two projects with everybody that the rules tell apart, as rows and as the oracle's words."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.contracts import install
from governance.models import Actor, Membership, User
from governance.projects import create_project
from governance.scope import project_scope
from governance.vocabulary import ActorKind, ContractKind, MembershipLevel
from greywind_site.hunting.authority.oracle import Someone
from threads.lifecycle import ThreadWish, create_thread
from threads.visions import VisionWish, write_vision
from threads.vocabulary import VisionSource

HOME, ABROAD = "home", "abroad"
# By name: level of a human. One of the owners was switched off, and the account of another one is closed.
HUMANS: Mapping[str, str] = {
    **dict.fromkeys(("o1", "o2", "o3", "away", "closed"), "owner"),
    **dict.fromkeys(("m1", "m2"), "maintainer"),
    "viewer": "viewer",
}
# By name: the human behind an agent, and the roles that it holds.
AGENTS: Mapping[str, tuple[str | None, tuple[str, ...]]] = {
    "a-o1": ("o1", ("dev", "reviewer")),
    "a-m1": ("m1", ("dev",)),
    "a-none": (None, ("reviewer",)),
}
PERSONA = {"name": "灰风", "speaking_style": "calm", "behavior_rules": ["Say what is not known."]}
ROLE = {"slug": "dev", "duties": ["do the work"], "hard_boundaries": ["do not merge alone"]}
POLICY: dict[str, Any] = {"rules": ["Cite evidence."]}
WANTED: dict[str, Any] = {"origin_goal": "hunt", "done_when": ["nothing is wrong"], "non_goals": ["a", "b", "c", "d"]}
SELF = {"self_id": "me", "preference_model": {"communication": {"tone": "dry"}}}


@dataclass(frozen=True, slots=True)
class Person:
    """One of them: how the product knows them, and how the oracle does."""

    acting: Acting
    someone: Someone


def settle() -> dict[str, Person]:
    """Make both projects and everybody in them, under accounts of their own; returns them by name."""
    mark = secrets.token_hex(4)
    first, other = (User.objects.create_user(username=f"{name}-{mark}") for name in ("o1", "stranger"))
    _, owner = create_project(HOME, owner=first, now=timezone.now())
    _, stranger = create_project(ABROAD, owner=other, now=timezone.now())
    with project_scope(acting_as(owner)) as scope:
        _install(owner)
        actors = {"o1": owner} | {
            name: _human(scope.acting, f"{name}-{mark}", level) for name, level in HUMANS.items() if name != "o1"
        }
        actors |= {name: _agent(scope.acting, name, actors) for name in AGENTS}
        Actor.objects.filter(pk=actors["away"].pk).update(active=False)
        User.objects.filter(username=f"closed-{mark}").update(is_active=False)
    found = {name: Person(acting_as(actor), someone(name)) for name, actor in actors.items()}
    return found | {"stranger": Person(acting_as(stranger), someone("stranger"))}


def someone(name: str) -> Someone:
    """Return one of them in the oracle's words."""
    if name == "stranger":
        return Someone(name, ABROAD, "human", "owner")
    if name in AGENTS:
        return Someone(name, HOME, "agent", behind=AGENTS[name][0], roles=AGENTS[name][1])
    return Someone(name, HOME, "human", HUMANS[name], here=name not in ("away", "closed"))


def _install(owner: Actor) -> None:
    first = [
        (ContractKind.PERSONA, "default", PERSONA),
        (ContractKind.ROLE, "dev", ROLE),
        (ContractKind.ROLE, "reviewer", ROLE | {"slug": "reviewer"}),
        (ContractKind.POLICY, "default", POLICY),
    ]
    for kind, slug, body in first:
        install(kind, slug, body, by=owner, reason="hunt", now=timezone.now())
    install(ContractKind.SELF_PROFILE, "mine", SELF, by=owner, reason="hunt", now=timezone.now(), subject=owner)
    _want(acting_as(owner))


def _want(owner: Acting) -> None:
    """Make the one thread of the hunt, and say what is wanted of it."""
    thread = create_thread(owner, ThreadWish(title="hunted"), now=timezone.now())
    write_vision(thread, VisionWish(**WANTED), acting=owner, source=VisionSource.MAINTAINER, base=None)


def _human(acting: Acting, username: str, level: str) -> Actor:
    """Let somebody in who never signs in: the product's own verb makes a password, which takes its time."""
    account = User.objects.create_user(username=username)
    kept = {"project_id": acting.project_id, "kind": ActorKind.HUMAN, "name": username}
    actor = Actor.objects.create(**kept, user=account)
    Membership.objects.create(project_id=acting.project_id, actor=actor, level=MembershipLevel(level))
    return actor


def _agent(acting: Acting, name: str, actors: Mapping[str, Actor]) -> Actor:
    behind, roles = AGENTS[name]
    agent = add_agent(acting, name, roles=roles, now=timezone.now())
    Actor.objects.filter(pk=agent.pk).update(owned_by_id=actors[behind].pk if behind else None)
    agent.refresh_from_db()
    return agent
