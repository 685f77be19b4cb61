"""The list of threads, and the page of one."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.exports import export_asked, exports_at
from governance.pages import Desk, addresses, id_in_path, project_page, show
from sessions.thread_listing import listing_of, threads_export
from sessions.thread_reading import thread_page
from threads.forms import ThreadFilter
from threads.places import above
from threads.vocabulary import ThreadState


@project_page
@require_safe
def threads(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """The threads of a project, those with the latest activity first."""
    form = ThreadFilter(_filters(request.GET))
    form.is_valid()  # what is not valid filters nothing, and the form says so
    export = export_asked(request)
    if export:
        return threads_export(desk.acting, form.cleaned_data, export)
    listing = listing_of(desk.acting, form.cleaned_data, cursor=request.GET.get("cursor"))
    pages = addresses(request, listing.page)
    shown: dict[str, Any] = {"form": form, "listing": listing, "above": above(desk)[:1], **pages}
    shown["exports"] = exports_at(request.GET.urlencode())
    return show(request, desk, "sessions/threads.html", part="rows", section="threads", **shown)


@project_page
@require_safe
def thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """One thread: what was wanted, what holds, what is done, and what was compiled for it."""
    page = thread_page(desk.acting, desk.seat.public_id, id_in_path("thr", thread_id))
    return show(request, desk, "sessions/thread.html", section="threads", page=page, above=above(desk))


def _filters(sent: QueryDict) -> QueryDict:
    """Return the filters of an address; one that names no state means open threads, and an empty one means all."""
    filters = sent.copy()
    filters.setdefault("state", ThreadState.OPEN)
    return filters
