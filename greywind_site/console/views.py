"""Home, and the page of a project."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.pages import Desk, account_page, project_page, show
from governance.seats import seats_of
from greywind_site.console.glances import glances_of
from greywind_site.console.reading import MOST_PACKETS, MOST_THREADS, overview_of


@account_page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The account's projects."""
    glances = glances_of(seats_of(request.user), trace_id=request.META["greywind.trace_id"])
    return render(request, "console/home.html", {"glances": glances})


@project_page
@require_safe
def project(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What waits for a human, open threads, the last packets, and who was at work."""
    return show(
        request,
        desk,
        "console/project.html",
        section="overview",
        overview=overview_of(desk.acting, now=timezone.now()),
        most_threads=MOST_THREADS,
        most_packets=MOST_PACKETS,
    )
