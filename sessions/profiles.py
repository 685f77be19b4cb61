"""Which budget profile a compile goes by, and every limit that lowers it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from governance.errors import Gone, Invalid
from governance.models import Project
from governance.rows import fetch
from sessions.context.budget import Limit
from sessions.context.profiles import ModelProfile, ProfileFault, parse_profile, parse_profile_name
from sessions.context.vocabulary import LimitOrigin
from threads.models import Task

CONSERVATIVE = "default@conservative"
# As text: what was parsed is remembered by it, so that an unchanged row is parsed once in a process.
PROFILE = "SELECT body::text FROM agent_sessions_budgetprofile WHERE slug = %s AND version = %s"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A profile, its version, and a warning when the asked one is not known."""

    profile: ModelProfile
    slug: str
    version: int
    warning: str | None = None


def choose(name: str, rows: Sequence[Mapping[str, Any]]) -> Chosen:
    """Return the profile of that name out of `rows` (slug, version and body as text), which hold CONSERVATIVE too.

    Raises Invalid for a malformed name. An unknown model or harness gets the conservative profile and a warning:
    a guess at a window would be a promise that nobody made.
    """
    check_name(name)
    known = {row["slug"]: row for row in rows}
    row = known.get(name) or known[CONSERVATIVE]
    warning = None if row["slug"] == name else f"unknown_profile: {name} is not known; {CONSERVATIVE} was used."
    return Chosen(_parse(row["body"]), row["slug"], row["version"], warning)


def check_name(name: str) -> None:
    """Raise Invalid unless the name reads model@harness."""
    try:
        parse_profile_name(name)
    except ProfileFault as fault:
        raise Invalid.at("/budget/profile", fault.message, code="malformed_profile") from fault


def again(slug: str, version: int) -> ModelProfile:
    """Return the profile that a packet was compiled with; raises Gone when it has moved on since."""
    rows = fetch(PROFILE, [slug, version])
    if not rows:
        raise Gone(f"The profile {slug} has moved on since version {version}.", code="profile_moved")
    return _parse(rows[0][0])


def limits_for(asked: int | None, *, task: Task | None, role: int | None, project: Project) -> list[Limit]:
    """Return every limit that stands beside the profile's own, each with where it came from."""
    wishes = [
        (LimitOrigin.REQUEST, asked),
        (LimitOrigin.TASK, task.max_input_tokens if task else None),
        (LimitOrigin.ROLE, role),
        (LimitOrigin.PROJECT, project.max_input_tokens),
    ]
    return [Limit(origin, tokens) for origin, tokens in wishes if tokens is not None]


@lru_cache(maxsize=64)
def _parse(body: str) -> ModelProfile:
    loaded: dict[str, Any] = orjson.loads(body)
    return parse_profile(loaded)
