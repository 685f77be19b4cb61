"""Which budget profile a compile goes by, and every limit that lowers it.

A project's own approved revision of a profile stands above the row that ships; who names neither gets the conservative
one. A packet says which it was.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import orjson

from governance.errors import Gone, Invalid
from governance.ids import parse_id, public_id
from governance.models import Project
from governance.rows import fetch
from sessions.context.budget import Limit
from sessions.context.profile_form import parse_profile
from sessions.context.profiles import (
    Learnt,
    ModelProfile,
    ProfileFault,
    for_request,
    parse_profile_name,
    with_harness,
    with_learnt,
)
from sessions.context.tokens import Weights
from sessions.context.vocabulary import Dialect, LimitOrigin
from sessions.vocabulary import Learning
from threads.models import Task

CONSERVATIVE = "default@conservative"
# As text: what was parsed is remembered by it, so that an unchanged row is parsed once in a process.
PROFILE = "SELECT body::text FROM agent_sessions_budgetprofile WHERE slug = %s AND version = %s"
REVISION = "SELECT body::text FROM governance_revision WHERE id = %s"
NEWER = """
SELECT 1 FROM governance_contract c JOIN governance_revision r ON r.contract_id = c.id AND r.project_id = c.project_id
WHERE c.project_id = %s AND c.kind = 'budget_profile' AND c.slug = %s AND r.state <> 'draft' AND r.decided_at > %s
"""
UNKNOWN = "unknown_profile"
LEARNT = "SELECT id, encoding, state, figures FROM agent_sessions_learntfigures WHERE id = %s"
MESSAGES = {
    Dialect.OPENAI_CHAT: 3,
    Dialect.OPENAI_RESPONSES: 3,
    Dialect.ANTHROPIC_MESSAGES: 2,
    Dialect.TEXT: 1,
}
"""Messages that a prompt has at most in each dialect; the system's, or instructions, are one of them."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A profile, and a warning when it is not the asked one. `revision` is the public id of the revision that was
    approved, whose number `version` is; None for a row that ships. What was learnt is in the profile already.
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
        learnt = self.profile.learnt.ref if self.profile.learnt else None
        parts = [self.slug, self.version, self.revision, learnt]
        return parts[: max(at for at, part in enumerate(parts) if part is not None) + 1]


def choose(name: str, rows: Sequence[Mapping[str, Any]]) -> Chosen:
    """Return the profile of that name out of `rows`, which hold CONSERVATIVE too; the approved one before the shipped.

    A row has slug, version, body as text, revision, the approved one's id, and learnt, the newest figures. Raises
    Invalid for a malformed name. An unknown model or harness gets the conservative profile and a warning: a guess at a
    window would be a promise that nobody made. So does an approved text that this version of the compiler can no longer
    read.
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
    warning = None if slug == name else f"{UNKNOWN}: {name} is not known; {CONSERVATIVE} was used."
    if faults:
        warning = f"unusable_profile: {'; '.join(faults)}; {slug}@{row['version']} was used."
    revision = public_id("rev", uuid.UUID(row["revision"])) if row["revision"] else None
    return Chosen(with_learnt(profile, learnt_in(row["learnt"])), slug, row["version"], revision, warning)


def looked_up(chosen: Chosen, name: str, *, project_id: uuid.UUID, since: datetime) -> Chosen:
    """Return what was chosen, with a warning of its own where the named profile is only newer than the attempt.

    In the open scope; a statement for a name that is not known, none for others.
    """
    if not str(chosen.warning).startswith(UNKNOWN) or not fetch(NEWER, [project_id, name, since]):
        return chosen
    told = f"{name} was approved after this attempt began; the next attempt has it. {CONSERVATIVE} was used."
    return replace(chosen, warning=f"newer_profile: {told}")


def check_name(name: str) -> None:
    """Raise Invalid unless the name reads model@harness."""
    try:
        parse_profile_name(name)
    except ProfileFault as fault:
        raise Invalid.at("/budget/profile", fault.message, code="malformed_profile") from fault


def again(slug: str, version: int, revision: str | None = None, learnt: str | None = None) -> ModelProfile:
    """Return the profile that a packet was compiled with, and with the figures that had been learnt then.

    Raises Gone when it has moved on since.
    """
    if revision:
        rows = fetch(REVISION, [parse_id("rev", revision, pointer="/profile")])
    else:
        rows = fetch(PROFILE, [slug, version])
    figures = fetch(LEARNT, [parse_id("lrn", learnt, pointer="/profile")]) if learnt else []
    if not rows or bool(figures) is not bool(learnt):
        raise Gone(f"The profile {slug} has moved on since version {version}.", code="profile_moved")
    found = [dict(zip(("id", "encoding", "state", "figures"), row, strict=True)) for row in figures]
    return with_learnt(_parse(rows[0][0]), learnt_in(found[0] if found else None))


def learnt_in(row: Mapping[str, Any] | None) -> Learnt | None:
    """Return what a row of learnt figures (id, encoding, state, figures) teaches; None where it is not steady."""
    if row is None or row["state"] != Learning.LEARNT:
        return None
    figures = row["figures"] if isinstance(row["figures"], Mapping) else orjson.loads(row["figures"])
    weights = figures["weights"]
    return Learnt(
        ref=public_id("lrn", uuid.UUID(str(row["id"]))),
        encoding=row["encoding"],
        weights=Weights(weights["token"], tuple(weights["scripts"])) if weights else None,
        harness=figures["harness"],
    )


def of_request(profile: ModelProfile, dialect: Dialect, *, client_tokens: int | None = None) -> ModelProfile:
    """Return the profile with what a prompt in that dialect costs beside its text.

    `client_tokens` are what the harness says its own system prompt and tools take; None leaves the profile's figure.
    """
    told = with_harness(profile, client_tokens, LimitOrigin.REQUEST)
    return for_request(told, messages=MESSAGES[dialect])


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
