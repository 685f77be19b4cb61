"""Making the demo: all of it in one transaction, or nothing."""

from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection, transaction
from django.utils import timezone

from governance.actors import Acting
from governance.ids import new_id, parse_id, public_id
from governance.models import Project
from governance.projects import owned_projects
from governance.scope import project_scope
from governance.vocabulary import ActorKind
from greywind_site.demo.casting import assemble_cast
from greywind_site.demo.credentials import DemoCredentials, account, keep, recorded, second_account
from greywind_site.demo.staging import stage

# Any number will do; it only keeps two starts from making two demos.
TURN = 0x64_65_6D_6F
FOUNDED = timedelta(days=3)  # before now: earlier than the first scene


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
    gone = earlier if earlier and _is_gone(earlier.project_id) else None
    cast = assemble_cast(user, second_account(), now=now - FOUNDED, trace_id=trace, earlier=gone)
    stage(cast, now=now)
    return DemoCredentials(cast.project_id, cast.agent_key, user.username, password)


def _is_gone(project: str) -> bool:
    """Return whether no project has this id: one whose owners' accounts are all closed is still there."""
    project_id = parse_id("prj", project, pointer="project_id")
    with project_scope(Acting(project_id=project_id, actor_id=new_id(), kind=ActorKind.SYSTEM), read_only=True):
        return not Project.objects.filter(pk=project_id).exists()
