"""`manage.py project`: a project of one's own."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.models import Actor, ApiKey
from governance.people import members, open_account
from governance.projects import OwnedProject, acting_for_owner, open_project, owned_projects
from governance.scope import project_scope
from governance.vocabulary import ActorKind, Language
from greywind_site.operating.command import Told, lines, new_trace, table
from greywind_site.operating.people import ONCE


def make_project(options: dict[str, Any]) -> Told:
    """Make a project with its first contracts, and its owner's account where there is none."""
    language = Language(options["language"])
    with transaction.atomic():
        account, password = open_account(options["owner"])
        if password is not None:
            account.language = language
            account.save(update_fields=["language"])
        project, _ = open_project(
            options["name"], owner=account, now=timezone.now(), language=language, trace_id=new_trace()
        )
    facts = {"id": project.public_id, "name": project.name, "owner": account.username}
    secret = {"one-time password": password} if password else {}
    next_step = f"Next: python3 manage.py agent create NAME --role dev --key --project {project.public_id}"
    then = ([ONCE] if password else []) + [next_step]
    return Told(facts={**facts, "password": password}, shown=lines(facts | secret, then=then))


def show_projects(_: dict[str, Any]) -> Told:
    """List the projects of this instance, the oldest first."""
    facts = [_project(row) for row in owned_projects()]
    cells = [list(fact.values()) for fact in facts]
    columns = ("id", "name", "owners", "members", "agents", "keys")
    return Told(facts={"projects": facts}, shown=table(*columns, rows=cells))


def _project(row: OwnedProject) -> dict[str, Any]:
    with project_scope(acting_for_owner(row.public_id), read_only=True):
        people = members()
        return {
            "id": row.public_id,
            "name": row.name,
            "owners": [person.username for person in people if person.level == "owner"],
            "members": len(people),
            "agents": Actor.objects.filter(kind=ActorKind.AGENT).count(),
            "keys": ApiKey.objects.filter(revoked_at=None).count(),
        }
