"""Who takes part in the hunt: projects, humans who belong to several of them, agents of each role, personal agents."""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.keys import mint
from governance.models import Actor, Membership, User
from governance.people import invite
from governance.projects import open_project
from governance.scope import project_scope
from governance.stepping import PROOF
from governance.vocabulary import KeyScope, Language, MembershipLevel, ProofKind
from greywind_site.hunting.leaks.marks import OF_A_ROLE, PRIVATE, Mints, Place

HUNT_SECONDS = 86_400  # longer than any hunt
ROLES = ("chief", "dev", "reviewer", "tester")
# Each human belongs to these projects, counted from its own number: the levels differ from one to the next.
LEVELS: Mapping[int, MembershipLevel] = {
    0: MembershipLevel.OWNER,
    1: MembershipLevel.MAINTAINER,
    2: MembershipLevel.VIEWER,
    4: MembershipLevel.MAINTAINER,
}
AGENTS: Mapping[str, tuple[str, ...]] = {role: (role,) for role in ROLES} | {
    "assistant": ("dev",),
    "secretary": ("tester", "chief"),
}
PERSONAL = ("assistant", "secretary")


@dataclass(frozen=True, slots=True)
class Member:
    """One actor of one project, with its number there: the letter that stands for it in a mark."""

    acting: Acting
    number: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Everybody in one project. `owner` and `maintainer` are humans; `agents` are by name."""

    number: int
    project_id: uuid.UUID
    owner: Member
    maintainer: Member
    humans: Sequence[Member]
    agents: Mapping[str, Member]
    secrets: Mapping[str, str]

    @property
    def everybody(self) -> list[Member]:
        return [*self.humans, *self.agents.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who sends requests: an agent by its key, or a human by its browser session, or nobody by neither."""

    name: str
    seats: Mapping[int, Member] = field(default_factory=dict)
    secret: str = ""
    cookie: str = ""

    @property
    def is_agent(self) -> bool:
        return bool(self.secret)

    def may_read(self, place: Place) -> bool:
        """Say by the written rule whether a row of this place is for them."""
        member = self.seats.get(place.project)
        if member is None:
            return False
        if place.audience == OF_A_ROLE:
            return ROLES[place.who] in member.acting.roles
        return place.audience != PRIVATE or place.who == member.number


def make_crews(projects: int, mints: Mints, *, now: datetime) -> list[Crew]:
    """Make projects, as many humans as projects, and the agents of each project."""
    accounts = [User.objects.create_user(username=f"hunter-{number}") for number in range(projects)]
    made = []
    for number, account in enumerate(accounts):
        project, human = open_project(
            mints.of(Place(number)).say("Harbour"), owner=account, now=now, language=Language.EN
        )
        made.append((number, project.pk, acting_as(human), _guests(accounts, number)))
    return [_crew(*one, mints=mints, now=now) for one in made]


def _guests(accounts: Sequence[User], number: int) -> dict[User, MembershipLevel]:
    # In a small world as well there is a project that a human does not belong to.
    steps = {step: level for step, level in LEVELS.items() if 0 < step < len(accounts) - 1}
    return {accounts[(number - step) % len(accounts)]: level for step, level in steps.items()}


def _crew(
    number: int,
    project_id: uuid.UUID,
    owner: Acting,
    guests: Mapping[User, MembershipLevel],
    *,
    mints: Mints,
    now: datetime,
) -> Crew:
    said, names = mints.of(Place(number)), {}
    with project_scope(owner):
        for account, level in guests.items():
            invite(owner, account.username, level, now=now)
        people = list(Membership.objects.select_related("actor").order_by("actor__name"))
        actors = {name: add_agent(owner, said.say(name), roles=roles, now=now) for name, roles in AGENTS.items()}
        secrets = {
            name: mint(agent, scopes=list(KeyScope), name=said.say(f"key of the {name}")).secret
            for name, agent in actors.items()
        }
        names = {row.actor.pk: row.actor.name for row in people}
    numbered = {actor.pk: place for place, actor in enumerate([*(row.actor for row in people), *actors.values()])}
    maintainers = {row.actor.name for row in people if row.level == MembershipLevel.MAINTAINER}
    humans = [Member(acting_as(row.actor), numbered[row.actor.pk], names[row.actor.pk]) for row in people]
    return Crew(
        number=number,
        project_id=project_id,
        owner=next(human for human in humans if human.acting.actor_id == owner.actor_id),
        maintainer=next(human for human in humans if human.name in maintainers),
        humans=humans,
        agents={name: _agent(actor, numbered[actor.pk], name) for name, actor in actors.items()},
        secrets=secrets,
    )


def _agent(actor: Actor, number: int, name: str) -> Member:
    return Member(acting_as(actor, scopes=frozenset(KeyScope)), number, name)


def principals_of(crews: Sequence[Crew]) -> list[Principal]:
    """Return everybody who sends requests: each agent, each human with all their seats, a stranger and nobody."""
    agents = [
        Principal(name=f"{name} of {crew.number}", seats={crew.number: crew.agents[name]}, secret=secret)
        for crew in crews
        for name, secret in crew.secrets.items()
    ]
    seats: dict[str, dict[int, Member]] = {}
    for crew in crews:
        for human in crew.humans:
            seats.setdefault(human.name, {})[crew.number] = human
    humans = [Principal(name=name, seats=held, cookie=browser_session(name)) for name, held in seats.items()]
    User.objects.create_user(username="hunter-stranger")
    stranger = Principal(name="a stranger", cookie=browser_session("hunter-stranger"))
    return [*agents, *humans, stranger, Principal(name="nobody")]


def browser_session(username: str) -> str:
    """Sign an account in and return the cookie of its browser session."""
    account = User.objects.get(username=username)
    if account.must_change_password:
        User.objects.filter(pk=account.pk).update(must_change_password=False)
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(account.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = account.get_session_auth_hash()
    # Who they are was shown, and stays so for the whole hunt: what weighs much is asked of them like everything else.
    store[PROOF] = {"how": ProofKind.PASSWORD, "at": time.time() + HUNT_SECONDS}
    store.save()
    return f"{settings.SESSION_COOKIE_NAME}={store.session_key}"


def private_place(crew: Crew, member: Member) -> Place:
    """Return the place of what is one member's alone."""
    return Place(crew.number, PRIVATE, member.number)


def role_place(crew: Crew, role: str) -> Place:
    """Return the place of what belongs to the holders of a role."""
    return Place(crew.number, OF_A_ROLE, ROLES.index(role))


def placed(project: int, audience: str, role: str | None, *, who: int) -> Place:
    """Return the place of a row by its columns; `who` is the number of its owner, for what has one."""
    if audience == "role":
        return Place(project, OF_A_ROLE, ROLES.index(str(role)))
    return Place(project, PRIVATE, who) if audience == "private" else Place(project)
