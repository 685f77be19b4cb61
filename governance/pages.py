"""Pages of the console: who is looking, what they may do, and how a refusal is shown. Every app draws its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, TooManyFieldsSent
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from governance.actors import Acting
from governance.errors import Forbidden, Invalid, NotThere, Refusal
from governance.ids import parse_id
from governance.models import User
from governance.permissions import can, check_can
from governance.refusal_words import told
from governance.seats import Seat, acting_in, seat_in
from governance.vocabulary import Deed
from governance.web import Page

type View = Callable[..., HttpResponseBase]
ONLY_PAGE = "change_password"  # the name of the one page that a password for one use opens
WITHIN = "within"  # holds the filters of the inbox from which somebody came to a matter, as the query of its address
MOST_WITHIN = 2_000  # letters of it; a longer one narrows nothing
FSI, PDI = "\u2068", "\u2069"  # between them a text of somebody's turns no text around it
FRAGMENT = "HX-Request"  # htmx sends it: the answer may then be a part of the page


@dataclass(frozen=True, slots=True)
class Desk:
    """A signed-in account in one project: its seat there, and the actor that its reads and writes go by."""

    seat: Seat
    acting: Acting

    def check(self, deed: Deed) -> None:
        """Raise Forbidden unless the seat's level allows `deed`."""
        check_can(self.seat.level, deed)

    @property
    def may(self) -> Mapping[str, bool]:
        """For templates: each deed by its name, and whether this seat may do it."""
        return {deed.value: can(self.seat.level, deed) for deed in Deed}


def account_page(view: View) -> View:
    """A page for the signed-in, in the account's time zone, kept by no cache. GET, HEAD and POST arrive."""

    @wraps(view)
    def in_own_time(request: HttpRequest, **named: str) -> HttpResponseBase:
        if _has_to_choose_a_password(request):
            return _onward(reverse(ONLY_PAGE))
        zone = request.user.time_zone if isinstance(request.user, User) else "UTC"
        with timezone.override(_zone(zone)):
            return _refusals_as_pages(view, request, **named)

    allowed = require_http_methods(["GET", "HEAD", "POST"])(in_own_time)
    kept_by_none = cache_control(private=True, no_store=True)(login_required(allowed))
    return cast("View", vary_on_headers(FRAGMENT)(kept_by_none))


def project_page(view: View) -> View:
    """A page of one project: the view is called with the account's Desk, and never for a project that is not its own.

    A refusal of a verb that the view does not catch becomes its page: 404 for what is not there, 403 with the reason.
    """

    @wraps(view)
    def at_desk(request: HttpRequest, project_id: str, **named: str) -> HttpResponseBase:
        if any("\0" in name for name in named.values()):
            raise NotThere  # no row has such a name, and the database cannot be asked for one
        seat = seat_in(request.user, project_id)
        desk = Desk(seat, acting_in(seat, trace_id=request.META["greywind.trace_id"]))
        return view(request, desk, **named)

    return account_page(at_desk)


def show(
    request: HttpRequest, desk: Desk, template: str, *, status: int = 200, part: str | None = None, **context: Any
) -> HttpResponse:
    """Return a page of the project. `part` names the partial of the template that is enough for htmx."""
    fragment = part is not None and FRAGMENT in request.headers
    name = f"{template}#{part}" if fragment else template
    return render(request, name, {"desk": desk, "seat": desk.seat, "may": desk.may, **context}, status=status)


def blame(form: Form, refusal: Refusal, *, fields: Mapping[str, str] | None = None) -> None:
    """Put what a verb refused beside the field that it names; what names none stands above the form.

    `fields` maps pointers to field names where they differ from `/name`.
    """
    names = fields or {}
    for fault in refusal.faults:
        name = names.get(fault.pointer) or fault.pointer.strip("/{}?").split("/")[0]
        form.add_error(name if name in form.fields else None, str(told(fault.code, fault.message)))
    if not refusal.faults:
        form.add_error(None, str(told(refusal.code, refusal.detail)))


def addresses(request: HttpRequest, page: Page) -> dict[str, str]:
    """Return the addresses of the parts of a list before and after this one, filters kept; '' where there is none."""
    return {"newer": _at_cursor(request, page.previous), "older": _at_cursor(request, page.next)}


def done(request: HttpRequest, words: Any, *, to: str, decided: str = "", about: str = "") -> HttpResponse:
    """Return the answer to a form that did its work: the page `to`, which begins with `words` on what happens next.

    `decided` is the page of what was decided: whoever is led on to the next matter finds back to it by a link, and
    reads `about` first, its own words in a line, for what stands below is about another.
    """
    elsewhere = not to.startswith(decided)
    said = gettext("“%(matter)s” — %(words)s") % {"matter": f"{FSI}{about}{PDI}", "words": words}
    messages.success(request, said if about and elsewhere else str(words), extra_tags=decided if elsewhere else "")
    return _onward(to)


def next_in_inbox(form: Form, matter: str) -> str:
    """Return the address of what waits after a matter, under the filters that its form holds as `WITHIN`."""
    within = form.data.get(WITHIN, "")
    try:
        query = QueryDict(within if len(within) <= MOST_WITHIN else "", mutable=True)
    except TooManyFieldsSent:
        query = QueryDict(mutable=True)
    query["next"] = matter
    return f"{reverse('inbox')}?{query.urlencode()}"


def refused(request: HttpRequest, refusal: Refusal, *, to: str) -> HttpResponse:
    """Return the answer to a button whose verb refused: the page `to`, which begins with the reason."""
    messages.error(request, str(told(refusal.code, refusal.detail)))
    return _onward(to)


def _onward(to: str) -> HttpResponse:
    response = HttpResponseRedirect(to)
    response.status_code = 303  # the browser asks for the page anew, whatever the method was
    return response


def id_in_path(prefix: str, text: str) -> Any:
    """Return the UUID of a public id in an address; raises Http404 for a malformed one, as for an unknown one."""
    try:
        return parse_id(prefix, text, pointer="{id}")
    except Invalid as error:
        raise Http404 from error


def _has_to_choose_a_password(request: HttpRequest) -> bool:
    """Whether the account came in with a password for one use, and has not yet come to where another is chosen."""
    here = request.resolver_match.url_name if request.resolver_match else None
    return isinstance(request.user, User) and request.user.must_change_password and here != ONLY_PAGE


def _refusals_as_pages(view: View, request: HttpRequest, **named: str) -> HttpResponseBase:
    try:
        return view(request, **named)
    except (NotThere, Invalid) as refusal:  # an address that nobody was given: a cursor or an id of another form
        raise Http404 from refusal
    except Forbidden as refusal:
        raise PermissionDenied(refusal.detail) from refusal


def _at_cursor(request: HttpRequest, cursor: str | None) -> str:
    if cursor is None:
        return ""
    query = request.GET.copy()
    query["cursor"] = cursor
    return f"?{query.urlencode()}"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
