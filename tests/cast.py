"""The fixed cast: two projects, and who works in them. The outsider appears in every endpoint's tests."""

import copy
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.chain_checks import chain_key
from governance.contracts import install
from governance.keys import mint
from governance.models import Actor, Project, User
from governance.projects import create_project
from governance.scope import project_scope
from governance.vocabulary import ContractKind, KeyScope, RolePermission
from tests.databases import asleep, lasting_link, project_tables, rows_as_sql

ROLES = ("dev", "chief", "reviewer", "tester")
PERSONA = {
    "name": "灰风",
    "speaking_style": "calm and exact",
    "behavior_rules": ["Say what is not known."],
    "stable_preferences": ["short answers"],
    "identity_core": {"hard_boundaries": ["Never delete a user's data without asking."]},
}
MOSTLY = ("alpha", "beta")
_kept: dict[tuple[str, str], tuple["Cast", bytes]] = {}
POLICY = {"rules": ["Cite evidence for every claim."], "injection_rules": []}


@dataclass(frozen=True, slots=True)
class Member:
    """One actor with the bearer text of its key."""

    actor: Actor
    acting: Acting
    secret: str = ""

    def client(self) -> "Api":
        """Return an API client that sends this member's key."""
        return Api(self.secret)


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody in one project."""

    project: Project
    owner: Member
    dev: Member
    tester: Member
    personal: Member


class Api:
    """A client of /api/v1 that speaks JSON."""

    def __init__(self, secret: str) -> None:
        self.http = Client(raise_request_exception=False)
        self.secret = secret

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send one request; header names are given with underscores, as If_Match."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.generic(
            method,
            f"/api/v1{path}",
            data=_encoded(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.secret}", **named},
        )

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, {} if body is None else body, **headers)

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)


def _encoded(body: Any) -> Any:
    return body if isinstance(body, str | bytes) or body is None else json.dumps(body)


def make_cast(name: str = "alpha", *, policy: dict[str, Any] | None = None) -> Cast:
    """Make a project with its contracts, an owner, a dev, a tester and a personal agent, each with a key.

    `policy` adds to what the policy of the cast says. Outside a transaction the projects that most tests ask for are
    put back as `keep_casts` made them: the same rows under the same ids, in a tenth of the time.
    """
    database = str(connection.settings_dict["NAME"])
    if policy or connection.in_atomic_block or (database, name) not in _kept:
        return _make(name, policy)
    cast, rows = _kept[database, name]
    lasting_link(database).execute(rows)
    cache.delete(chain_key(cast.project.pk))  # under the same id another test's chain was checked
    return copy.deepcopy(cast)


def keep_casts(database: str) -> None:
    """Make the projects that most tests ask for, to be put back by `make_cast`; their rows are left to be emptied."""
    for name in MOSTLY:
        cast = _make(name, None)
        whose = {"governance_project": ("id", cast.project.pk), "governance_user": ("id", cast.owner.actor.user_id)}
        whose |= dict.fromkeys(project_tables(database), ("project_id", cast.project.pk))
        _kept[database, name] = cast, asleep(b"".join(rows_as_sql(database, table, *of) for table, of in whose.items()))


def _make(name: str, policy: dict[str, Any] | None) -> Cast:
    now = timezone.now()
    account = User.objects.create_user(username=f"owner-{name}")
    project, human = create_project(name, owner=account, now=now)
    with project_scope(acting_as(human)):
        install(ContractKind.PERSONA, "default", PERSONA, by=human, reason="cast", now=now)
        install(ContractKind.POLICY, "default", POLICY | (policy or {}), by=human, reason="cast", now=now)
        for role in ROLES:
            body = {"slug": role, "duties": [f"do the work of {role}"], "hard_boundaries": ["do not merge alone"]}
            body |= {"permissions": [RolePermission.PROJECT_STATE]} if role == "chief" else {}
            install(ContractKind.ROLE, role, body, by=human, reason="cast", now=now)
        members = {
            who: _member(acting_as(human), f"{who}-{name}", roles)
            for who, roles in {"dev": ROLES, "tester": ("tester",), "personal": ("dev",)}.items()
        }
    return Cast(project, Member(human, acting_as(human)), **members)


def at(hour: int, minute: int = 0, *, day: int = 2) -> datetime:
    """Return a fixed moment in March 2026."""
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


def _member(owner: Acting, name: str, roles: tuple[str, ...]) -> Member:
    agent = add_agent(owner, name, roles=roles, now=timezone.now())
    minted = mint(agent, scopes=list(KeyScope), name=name)
    return Member(agent, acting_as(agent, scopes=frozenset(KeyScope)), minted.secret)
