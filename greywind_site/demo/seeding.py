"""Making the demo: all of it in one transaction, or nothing."""

from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.utils import timezone

from governance.actors import Acting, acting_as
from governance.contracts import install
from governance.ids import new_id, public_id
from governance.keys import mint
from governance.models import Actor, Project
from governance.projects import create_agent, create_project, owned_projects
from governance.scope import project_scope
from governance.vocabulary import ContractKind, KeyScope
from greywind_site.demo import contracts
from greywind_site.demo.credentials import DemoCredentials, account, keep, recorded
from greywind_site.demo.staging import Cast, stage

# Any number will do; it only keeps two starts from making two demos.
TURN = 0x64_65_6D_6F
REASON = "the demo's own contracts"


def ensure_demo(*, data_dir: Path) -> DemoCredentials:
    """Return the credentials of the demo project, made now when it is not there; the same on every later call.

    The credentials are written inside the transaction, as its last step: cut before, nothing is there; cut between
    that and the commit, they name a project that is not there and the next call makes it.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TURN])
        earlier = recorded(data_dir)
        if earlier is not None and earlier.project_id in {row.public_id for row in owned_projects()}:
            return earlier
        credentials = _seed(earlier, now=timezone.now())
        keep(data_dir, credentials)
    return credentials


def _seed(earlier: DemoCredentials | None, *, now: datetime) -> DemoCredentials:
    user, password = account(earlier)
    trace = public_id("trc", new_id())
    project, human = create_project(contracts.PROJECT_NAME, owner=user, now=now, trace_id=trace)
    owner = acting_as(human, trace_id=trace)
    with project_scope(owner):
        _install_contracts(human, now=now)
        agent, key = _employ(project, human)
    stage(Cast(owner=owner, agent=_acting(agent, trace)), now=now)
    return DemoCredentials(project.public_id, key, user.username, password)


def _install_contracts(owner: Actor, *, now: datetime) -> None:
    install(ContractKind.PERSONA, "default", contracts.PERSONA, by=owner, reason=REASON, now=now)
    install(ContractKind.POLICY, "default", contracts.POLICY, by=owner, reason=REASON, now=now)
    for body in contracts.ROLES:
        install(ContractKind.ROLE, body["slug"], body, by=owner, reason=REASON, now=now)
    profile = contracts.self_profile(owner.public_id)
    install(ContractKind.SELF_PROFILE, "owner", profile, by=owner, reason=REASON, now=now, subject=owner)


def _employ(project: Project, owner: Actor) -> tuple[Actor, str]:
    agent = create_agent(project, contracts.AGENT_NAME, roles=contracts.AGENT_ROLES, owned_by=owner)
    return agent, mint(agent, scopes=KeyScope, name="demo").secret


def _acting(agent: Actor, trace: str) -> Acting:
    return acting_as(agent, trace_id=trace, scopes=frozenset(KeyScope))
