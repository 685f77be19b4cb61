"""Which budget profile a compile goes by, and every limit that lowers it.

A project's own approved revision of a profile stands above the row that ships; who names neither gets the conservative
one. A packet says which it was.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from governance.errors import Gone, Invalid
from governance.ids import parse_id, public_id
from governance.models import Project
from governance.rows import fetch
from sessions.context.budget import Limit
from sessions.context.profiles import ModelProfile, ProfileFault, parse_profile, parse_profile_name
from sessions.context.vocabulary import LimitOrigin
from threads.models import Task

CONSERVATIVE = "default@conservative"
# As text: what was parsed is remembered by it, so that an unchanged row is parsed once in a process.
PROFILE = "SELECT body::text FROM agent_sessions_budgetprofile WHERE slug = %s AND version = %s"
REVISION = "SELECT body::text FROM governance_revision WHERE id = %s"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A profile, and a warning when it is not the asked one. `revision` is the public id of the revision that was
    approved, whose number `version` is; None for a row that ships.
    """

    profile: ModelProfile
    slug: str
    version: int
    revision: str | None = None
    warning: str | None = None

    @property
    def origin(self) -> str:
        """Where the figures come from: "profile <slug>@<revision>", or "shipped <slug>@<version>"."""
        return f"{'profile' if self.revision else 'shipped'} {self.slug}@{self.version}"

    @property
    def place(self) -> list[Any]:
        """What `again` finds it by, as JSON."""
        return [self.slug, self.version, *([self.revision] if self.revision else [])]


def choose(name: str, rows: Sequence[Mapping[str, Any]]) -> Chosen:
    """Return the profile of that name out of `rows`, which hold CONSERVATIVE too; the approved one before the shipped.

    A row has slug, version, body as text, and revision, the approved one's id. Raises Invalid for a malformed name. An
    unknown model or harness gets the conservative profile and a warning: a guess at a window would be a promise that
    nobody made. So does an approved text that this version of the compiler can no longer read.
    """
    check_name(name)
    known = [row for row in rows if row["slug"] in (name, CONSERVATIVE)]
    faults: list[str] = []
    for row in sorted(known, key=lambda row: (row["slug"] == name, row["revision"] is not None), reverse=True):
        try:
            return _chosen(row, name, faults)
        except ProfileFault as fault:
            faults.append(f"revision {row['version']} of {row['slug']} cannot be used ({fault})")
    raise LookupError(f"the shipped profile {CONSERVATIVE} is missing")


def _chosen(row: Mapping[str, Any], name: str, faults: Sequence[str]) -> Chosen:
    slug, profile = row["slug"], _parse(row["body"])
    if profile.name != slug:
        raise ProfileFault("name", f"must be {slug}")
    warning = None if slug == name else f"unknown_profile: {name} is not known; {CONSERVATIVE} was used."
    if faults:
        warning = f"unusable_profile: {'; '.join(faults)}; {slug}@{row['version']} was used."
    revision = public_id("rev", uuid.UUID(row["revision"])) if row["revision"] else None
    return Chosen(profile, slug, row["version"], revision, warning)


def check_name(name: str) -> None:
    """Raise Invalid unless the name reads model@harness."""
    try:
        parse_profile_name(name)
    except ProfileFault as fault:
        raise Invalid.at("/budget/profile", fault.message, code="malformed_profile") from fault


def again(slug: str, version: int, revision: str | None = None) -> ModelProfile:
    """Return the profile that a packet was compiled with; raises Gone when it has moved on since."""
    if revision:
        rows = fetch(REVISION, [parse_id("rev", revision, pointer="/profile")])
    else:
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
