"""Who acts in a request: one frozen value, made once by authentication and passed to every verb."""

import uuid
from dataclasses import dataclass

from governance.errors import Forbidden
from governance.ids import public_id
from governance.models import Actor
from governance.vocabulary import ActorKind, KeyScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """An actor in one project, with the roles it holds and, for a key, the scopes of that key."""

    project_id: uuid.UUID
    actor_id: uuid.UUID
    kind: ActorKind
    roles: tuple[str, ...] = ()
    scopes: frozenset[str] = frozenset()
    key_id: uuid.UUID | None = None
    trace_id: str = ""
    on_behalf_of: uuid.UUID | None = None

    @property
    def public_id(self) -> str:
        return public_id("act", self.actor_id)


def acting_as(actor: Actor, *, trace_id: str = "", scopes: frozenset[str] = frozenset()) -> Acting:
    """Return the acting value of a known actor, for commands, sweeps and the console."""
    return Acting(
        project_id=actor.project_id,
        actor_id=actor.id,
        kind=ActorKind(actor.kind),
        roles=tuple(actor.roles),
        scopes=scopes,
        trace_id=trace_id,
    )


def system_of(
    project_id: uuid.UUID,
    actor_id: uuid.UUID,
    *,
    role: str | None = None,
    trace_id: str = "",
    on_behalf_of: uuid.UUID | None = None,
) -> Acting:
    """Return the acting value of a project's system actor, for work that a door has named; with `role` it also reaches
    what only holders of that role read.
    """
    return Acting(
        project_id=project_id,
        actor_id=actor_id,
        kind=ActorKind.SYSTEM,
        roles=(role,) if role else (),
        trace_id=trace_id,
        on_behalf_of=on_behalf_of,
    )


def check_scope(acting: Acting, scope: KeyScope) -> None:
    """Raise Forbidden when the key does not carry `scope`."""
    if scope not in acting.scopes:
        message = f"this key lacks the scope {scope}; ask an owner for a key that has it"
        raise Forbidden.at("Authorization", message, code="scope_missing")


def held_role(acting: Acting, asked: str | None) -> str:
    """Return the role to act in: the asked one, or the actor's first.

    Raises Forbidden (role_not_held) when the actor does not hold it, or holds none at all.
    """
    if asked is None and acting.roles:
        return acting.roles[0]
    if asked is None or asked not in acting.roles:
        held = ", ".join(acting.roles) or "none"
        message = f"this actor does not hold {asked or 'any role'} (it holds: {held})"
        raise Forbidden.at("/role", message, code="role_not_held")
    return asked
