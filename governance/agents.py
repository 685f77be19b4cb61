"""The agents of a project: made, renamed, given roles, switched off and on."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from governance.actors import Acting
from governance.audit import fingerprint
from governance.errors import Clash, Invalid, NotThere
from governance.ids import parse_id
from governance.models import Actor, Revision
from governance.names import checked_name
from governance.people import check_may
from governance.scope import record
from governance.vocabulary import ActorKind, ContractKind, Deed, RevisionState


def agents() -> list[Actor]:
    """Return the agents of the open scope's project, in the order in which they came."""
    return list(Actor.objects.filter(kind=ActorKind.AGENT).select_related("owned_by").order_by("created_at", "id"))


def find_agent(text: str, *, pointer: str) -> Actor:
    """Return the agent of the open scope's project with this name or id (act_…); raises NotThere."""
    rows = Actor.objects.filter(kind=ActorKind.AGENT)
    try:
        found = rows.filter(pk=parse_id("act", text, pointer=pointer)).first()
    except Invalid:
        found = rows.filter(name=text).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def known_roles() -> list[str]:
    """Return the roles that the open scope's project has a contract for, by name."""
    active = Revision.objects.filter(state=RevisionState.ACTIVE, contract__kind=ContractKind.ROLE)
    return list(active.order_by("contract__slug").values_list("contract__slug", flat=True))


def add_agent(acting: Acting, name: str, *, roles: Sequence[str], now: datetime) -> Actor:
    """Make an agent of the acting human's; its first role is the one it acts in when it names none.

    Needs an owner. Raises Invalid for a name or roles that cannot be, Clash (name_taken).
    """
    check_may(acting, Deed.MANAGE_AGENTS)
    called, held = checked_name(name, pointer="/name"), checked_roles(roles)
    agent = Actor(
        project_id=acting.project_id,
        kind=ActorKind.AGENT,
        name=called,
        roles=held,
        owned_by_id=acting.actor_id,
        created_at=now,
    )
    _store(agent)
    record("actor.create", agent.public_id, detail={"roles": held, "owned_by": acting.public_id})
    return agent


def rename_agent(acting: Acting, agent: Actor, name: str) -> None:
    """Give an agent another name. Needs an owner; raises Invalid, Clash (name_taken)."""
    check_may(acting, Deed.MANAGE_AGENTS)
    before, agent.name = agent.name, checked_name(name, pointer="/name")
    _store(agent)
    record("actor.rename", agent.public_id, before=fingerprint(before), after=fingerprint(agent.name))


def set_roles(acting: Acting, agent: Actor, roles: Sequence[str]) -> None:
    """Give an agent other roles, the default one first. Needs an owner; raises Invalid that names the known roles."""
    check_may(acting, Deed.MANAGE_AGENTS)
    before, agent.roles = list(agent.roles), checked_roles(roles)
    agent.save(update_fields=["roles"])
    record("actor.set_roles", agent.public_id, detail={"before": before, "after": agent.roles})


def set_active(acting: Acting, agent: Actor, *, active: bool) -> None:
    """Switch an agent off or on; while it is off none of its keys opens anything. Needs an owner."""
    check_may(acting, Deed.MANAGE_AGENTS)
    if agent.active == active:
        return
    agent.active = active
    agent.save(update_fields=["active"])
    record("actor.reactivate" if active else "actor.deactivate", agent.public_id)


def checked_roles(roles: Sequence[str]) -> list[str]:
    """Return the roles without repetitions, in their order; raises Invalid that names the project's roles."""
    held, known = list(dict.fromkeys(roles)), known_roles()
    unknown = next((role for role in held if role not in known), None)
    if unknown is not None or not held:
        fault = f"no role contract {unknown} in this project" if unknown else "an agent needs a role"
        raise Invalid.at("/roles", f"{fault}; there are {', '.join(known) or 'none'}", code="role_unknown")
    return held


def _store(agent: Actor) -> None:
    try:
        with transaction.atomic():
            agent.save()
    except IntegrityError as error:
        message = "another agent of this project has this name; choose another"
        raise Clash.at("/name", message, code="name_taken") from error
