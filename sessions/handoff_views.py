"""The page of one handoff."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from governance.pages import Desk, id_in_path, project_page, show
from sessions.handoff_reading import handoff_page
from threads.places import above


@project_page
@require_safe
def handoff(request: HttpRequest, desk: Desk, handoff_id: str) -> HttpResponse:
    """One handoff, whole: what one session left for the next."""
    page = handoff_page(desk.acting, id_in_path("hnd", handoff_id))
    trail = above(desk, page.thread)
    return show(request, desk, "sessions/handoff.html", section="threads", page=page, above=trail)
