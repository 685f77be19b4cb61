"""The page of where a project stands, thread by thread."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.pages import Desk, project_page, show
from governance.scope import project_scope
from sessions.project_state_reading import state_page


@project_page
@require_safe
def project_state(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What is blocked, open and decided on each thread that the reader may see; of one topic where one is named."""
    with project_scope(desk.acting, read_only=True):
        page = state_page(desk.acting, desk.seat.public_id, topic=request.GET.get("topic", "").strip())
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    return show(request, desk, "sessions/project_state.html", section="overview", page=page, above=above)
