"""A project for each trial, and one line of work in it: a task, a window with a summary, and what came since."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.test import Client
from django.utils import timezone

from governance.actors import Acting
from governance.agents import add_agent
from governance.ids import parse_id
from governance.keys import issue
from governance.scope import project_scope
from governance.vocabulary import ContractKind, KeyScope
from greywind_site.hunting.scratch import Contracts, asleep, owner_link, scratch_project

NAME, DEV, TESTER = "continuity hunt", "dev", "tester"
CONTRACTS: Contracts = (
    (ContractKind.PERSONA, "default", {"name": "灰风"}),
    (ContractKind.ROLE, DEV, {"slug": DEV, "duties": ["build"]}),
    (ContractKind.ROLE, TESTER, {"slug": TESTER, "duties": ["test"]}),
    (ContractKind.POLICY, "default", {"rules": ["Cite evidence."], "review_mode": "low_risk_auto"}),
)
SCOPES = (KeyScope.CONTEXT_COMPILE, KeyScope.SESSION_WRITE, KeyScope.EVENT_ATTEST)
HARNESS = {"harness": "claude-code", "id": "cc-hunt"}
BEFORE = (
    ("user", "message", "Please build the tide importer for the harbour office."),
    ("assistant", "message", "I read the old importer and begin with the parser."),
    ("user", "message", "Never overwrite the raw readings. 原始读数任何时候都不要覆盖。"),
    ("user", "constraint", "All times are stored in UTC."),
)
SINCE = (
    ("user", "message", "We decided to keep one file for each gauge. 记住：港务局的时区是 Asia/Shanghai。"),
    ("assistant", "message", "The parser reads each gauge now."),
    ("user", "correction", "No, the retry interval is 40 seconds, not 30."),
    ("assistant", "message", "Next I write the tests of the retry."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Who works in the project, and the keys of its two agents by their role."""

    owner: Acting
    keys: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One line of work by its public ids; `tester` is the window of whoever tests it, or ''."""

    thread: str
    task: str
    session: str
    tester: str = ""

    @property
    def session_pk(self) -> uuid.UUID:
        return parse_id("ses", self.session, pointer="/session")

    @property
    def thread_pk(self) -> uuid.UUID:
        return parse_id("thr", self.thread, pointer="/thread")


class Refused(Exception):
    """A call was not answered as a deed of a hunt needs it; the message is its status and body."""


def make_world(number: int) -> World:
    """Make a project in the present database; each trial has its own, so that none finds what another left."""
    now = timezone.now()
    owner = scratch_project(f"{NAME} {number}", CONTRACTS, owner=f"continuity-{number}", now=now)
    with project_scope(owner):
        agents = {role: add_agent(owner, f"hunted-{role}", roles=(role,), now=now) for role in (DEV, TESTER)}
        keys = {role: issue(owner, agent, scopes=SCOPES, now=now).secret for role, agent in agents.items()}
    return World(owner=owner, keys=keys)


def call(world: World, path: str, body: Any, *, by: str = DEV, method: str = "POST", once: str = "") -> Any:
    """Call the API as an agent; returns the answer. `once` is the request's Idempotency-Key.

    Raises Refused for anything but success.
    """
    headers = {"Authorization": f"Bearer {world.keys[by]}", "If-Match": "*"}
    headers |= {"Idempotency-Key": once} if once else {}
    told = json.dumps(body)
    answer = _site().generic(method, f"/api/v1{path}", told, content_type="application/json", headers=headers)
    if answer.status_code not in (200, 201):
        raise Refused(f"{method} {path}: {answer.status_code} {answer.content[:500].decode()}")
    return answer.json()


@cache
def _site() -> Client:
    """Return the site with its middleware loaded, once and before the first process is forked."""
    return Client(HTTP_HOST="localhost")


def settled_down(world: World) -> Place:
    """Make a line of work whose window has a summary, and entries since that nothing covers yet."""
    thread = call(world, "/threads", {"title": "tide importer"})["id"]
    task = call(world, "/tasks", {"thread_id": thread, "title": "importer"})["id"]
    move(world, task, "ready", "doing")
    wish = {"thread_id": thread, "role": DEV, "task_id": task, "provider_session": HARNESS}
    session = call(world, "/sessions", wish)["id"]
    say(world, session, BEFORE, mark="b")
    call(world, f"/sessions/{session}/checkpoint", {})
    say(world, session, SINCE, mark="s")
    return Place(thread=thread, task=task, session=session)


def say(world: World, session: str, said: Sequence[tuple[str, str, str]], *, mark: str, by: str = DEV) -> None:
    """Append entries to a window; those of the user are vouched for."""
    events = [
        {"client_id": f"{mark}{n}", "role": role, "kind": kind, "text": text, "attested": role == "user"}
        for n, (role, kind, text) in enumerate(said)
    ]
    call(world, f"/sessions/{session}/events", {"events": events}, by=by)


def move(world: World, task: str, *states: str) -> None:
    """Move a task along."""
    for state in states:
        call(world, f"/tasks/{task}", {"state": state}, method="PATCH")


def quiet_for(place: Place, interval: str) -> None:
    """Let everything that was said in a window, its end, and the lease of its process lie so much further back."""
    moments = ("last_event_at", "created_at", "closed_at")
    moved = "SET " + ", ".join(f"{moment} = {moment} - %(by)s::interval" for moment in moments)
    with owner_link() as link, asleep(link):
        values = {"session": place.session_pk, "by": interval}
        link.execute(f"UPDATE agent_sessions_session {moved} WHERE id = %(session)s", values)
        lapsed = "UPDATE agent_sessions_attempt SET lease_until = lease_until - %(by)s::interval"
        link.execute(f"{lapsed} WHERE session_id = %(session)s", values)


def leases_lapse() -> None:
    """Let the time of waiting and the leases of all jobs be over."""
    with owner_link() as link:
        link.execute("UPDATE governance_job SET due_at = now() - interval '1 s' WHERE state = 'waiting'")
        link.execute("UPDATE governance_job SET lease_until = now() - interval '1 s' WHERE state = 'running'")
