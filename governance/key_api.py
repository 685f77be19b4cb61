"""HTTP: whose key this is."""

from typing import cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router

from governance.ids import public_id
from governance.models import Actor, ApiKey, Project
from governance.scope import project_scope
from governance.web import acting_of, answer

router = Router(tags=["key"])


@router.get("/key", operation_id="show_key")
def get_key(request: HttpRequest) -> HttpResponse:
    """Say whose key this is: its project, its agent with its roles, its scopes. Needs no scope of its own."""
    acting = acting_of(request)
    with project_scope(acting, read_only=True):
        agent = Actor.objects.get(pk=acting.actor_id)
        key = ApiKey.objects.defer("digest").get(pk=cast("UUID", acting.key_id))
        project = Project.objects.get(pk=acting.project_id)
        shown = {"id": key.public_id, "scopes": sorted(key.scopes), "expires_at": key.expires_at}
        owner = {"id": agent.public_id, "name": agent.name, "roles": list(agent.roles)}
        home = {"id": public_id("prj", project.pk), "name": project.name}
        return answer({"key": shown, "agent": owner, "project": home})
