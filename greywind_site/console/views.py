"""Home, and the page of a project."""

from collections.abc import Callable
from functools import wraps
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from governance.models import User
from greywind_site.console.access import acting_in, seat_in, seats_of
from greywind_site.console.connecting import first_request
from greywind_site.console.reading import MOST_PACKETS, MOST_THREADS, overview_of
from greywind_site.middleware import trace_id_of

type View = Callable[..., HttpResponse]


def private_page(view: View) -> View:
    """A page for the signed-in, in the account's time zone, kept by no cache."""

    @wraps(view)
    def in_own_time(request: HttpRequest, **named: str) -> HttpResponse:
        zone = request.user.time_zone if isinstance(request.user, User) else "UTC"
        with timezone.override(_zone(zone)):
            return view(request, **named)

    page: View = cache_control(private=True, no_store=True)(login_required(require_safe(in_own_time)))
    return page


@private_page
def home(request: HttpRequest) -> HttpResponse:
    """The account's projects."""
    return render(request, "console/home.html", {"seats": seats_of(request.user)})


@private_page
def project(request: HttpRequest, project_id: str) -> HttpResponse:
    """Open threads, the last packets, and how an agent connects."""
    seat = seat_in(request.user, project_id)
    context = {
        "seat": seat,
        "overview": overview_of(acting_in(seat, trace_id=trace_id_of(request))),
        "most_threads": MOST_THREADS,
        "most_packets": MOST_PACKETS,
        "command": first_request(request.build_absolute_uri(reverse("api:post_context"))),
    }
    return render(request, "console/project.html", context)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
