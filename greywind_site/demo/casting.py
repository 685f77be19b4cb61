"""The people of the demo: two humans with accounts, and four agents with the roles that they hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.contracts import install
from governance.ids import parse_id
from governance.keys import mint
from governance.models import Actor, User
from governance.people import invite
from governance.projects import create_project
from governance.scope import project_scope
from governance.vocabulary import ContractKind, KeyScope, MembershipLevel
from greywind_site.demo import contracts
from greywind_site.demo.credentials import DemoCredentials
from greywind_site.demo.stories import Who

REASON = "the demo's own contracts"
# 灰风 comes first: it is the agent whose key is printed, and it holds every role.
AGENTS: Mapping[Who, tuple[str, tuple[str, ...]]] = {
    Who.GREYWIND: (contracts.AGENT_NAME, contracts.AGENT_ROLES),
    Who.CHIEF: ("Chief", ("chief",)),
    Who.DEV: ("Dev", ("dev",)),
    Who.TESTER: ("Tester", ("tester",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who plays, the project they play in (prj_…), and the key of the agent that a newcomer tries out."""

    acting: Mapping[Who, Acting]
    project_id: str
    agent_key: str

    def __getitem__(self, who: Who) -> Acting:
        return self.acting[who]


def assemble_cast(
    owner: User, maintainer: User, *, now: datetime, trace_id: str, earlier: DemoCredentials | None = None
) -> Cast:
    """Make the project with its contracts, its second human and its agents.

    Made anew, it keeps the id and the key of the earlier one: what was printed and copied stays good.
    """
    known = parse_id("prj", earlier.project_id, pointer="project_id") if earlier else None
    project, human = create_project(contracts.PROJECT_NAME, owner=owner, now=now, trace_id=trace_id, project_id=known)
    acting = acting_as(human, trace_id=trace_id)
    with project_scope(acting):
        _install_contracts(human, now=now)
        other = invite(acting, maintainer.username, MembershipLevel.MAINTAINER, now=now).actor
        agents = {who: add_agent(acting, name, roles=roles, now=now) for who, (name, roles) in AGENTS.items()}
        secret = earlier.agent_key if earlier else None
        key = mint(agents[Who.GREYWIND], scopes=KeyScope, name="demo", secret=secret).secret
    people = {Who.OWNER: acting, Who.MAINTAINER: acting_as(other, trace_id=trace_id)}
    playing = {who: acting_as(agent, trace_id=trace_id, scopes=frozenset(KeyScope)) for who, agent in agents.items()}
    return Cast(acting=people | playing, project_id=project.public_id, agent_key=key)


def _install_contracts(owner: Actor, *, now: datetime) -> None:
    install(ContractKind.PERSONA, "default", contracts.PERSONA, by=owner, reason=REASON, now=now)
    install(ContractKind.POLICY, "default", contracts.POLICY, by=owner, reason=REASON, now=now)
    for body in contracts.ROLES:
        install(ContractKind.ROLE, body["slug"], body, by=owner, reason=REASON, now=now)
    profile = contracts.self_profile(owner.public_id)
    install(ContractKind.SELF_PROFILE, "owner", profile, by=owner, reason=REASON, now=now, subject=owner)
