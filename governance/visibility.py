"""Who may read what: the same rule that row-level security enforces, stated once in Python to explain refusals."""

import uuid
from dataclasses import dataclass

from governance.actors import Acting
from governance.vocabulary import Audience


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a row belongs: its project, and its audience inside it."""

    project_id: uuid.UUID
    audience: Audience = Audience.PROJECT
    audience_role: str | None = None
    owner_id: uuid.UUID | None = None


def may_read(acting: Acting, placement: Placement) -> bool:
    """Return whether the actor may read a row placed like this."""
    if placement.project_id != acting.project_id:
        return False
    match placement.audience:
        case Audience.PROJECT:
            return True
        case Audience.ROLE:
            return placement.audience_role in acting.roles
        case Audience.PRIVATE:
            return placement.owner_id == acting.actor_id
