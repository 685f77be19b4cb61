"""The page of a session: its three ids apart, its state, and its transcript part by part."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.errors import Invalid
from governance.pages import Desk, id_in_path, project_page, show
from governance.scope import project_scope
from sessions.reading import constraints_of
from sessions.session_reading import card_of
from sessions.session_words import LOST
from sessions.transcript_reading import PAGE_DEFAULT, Part, Window, part_of
from sessions.vocabulary import EventKind, EventRole

LARGEST_SEQ_DIGITS = 9
SIZES = (50, 100, 200)
PLACES = ("before", "after", "seq", "jump")


@project_page
@require_safe
def session(request: HttpRequest, desk: Desk, session_id: str) -> HttpResponse:
    """A session and a part of its transcript: the latest entries unless the address asks for others."""
    jump = _number(request, "jump")
    if jump is not None:
        return HttpResponseRedirect(f"{_address(request, seq=jump)}#e{jump}")
    window = _window(request)
    with project_scope(desk.acting, read_only=True):
        card = card_of(id_in_path("ses", session_id), now=timezone.now())
        standing = [row.ref for row in constraints_of(card.session.thread)]
        part = part_of(card.session, window, standing=standing)
    return show(
        request,
        desk,
        "sessions/session.html",
        part="transcript",
        section="threads",
        card=card,
        missing=[LOST[name] for name in card.outlook.missing],
        window=window,
        entries=part,
        filters={"kinds": list(EventKind), "roles": list(EventRole), "sizes": SIZES},
        pages=_pages(request, part),
    )


def entry_address(project: str, session_id: str, seq: int) -> str:
    """Return the address at which a session's page shows this entry first."""
    return f"{reverse('session', args=[project, session_id])}?seq={seq}#e{seq}"


def _window(request: HttpRequest) -> Window:
    kind, role = request.GET.get("kind"), request.GET.get("role")
    return Window(
        kind=EventKind(kind) if kind in set(EventKind) else None,
        role=EventRole(role) if role in set(EventRole) else None,
        before=_number(request, "before"),
        after=_number(request, "after"),
        start=_number(request, "seq"),
        size=_number(request, "size") or PAGE_DEFAULT,
    )


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > LARGEST_SEQ_DIGITS:
        raise Invalid.at(f"?{name}", "expected a whole number")
    return int(text)


def _pages(request: HttpRequest, part: Part) -> Mapping[str, str]:
    first = {"earliest": _address(request, after=0)} if part.earlier is not None else {}
    earlier = {"earlier": _address(request, before=part.earlier)} if part.earlier is not None else {}
    later = {"later": _address(request, after=part.later)} if part.later is not None else {}
    latest = {"latest": _address(request)} if part.later is not None else {}
    return first | earlier | later | latest


def _address(request: HttpRequest, **place: int | None) -> str:
    """Return this page's address with its filters, at another place of the transcript."""
    query = request.GET.copy()
    for name in PLACES:
        query.pop(name, None)
    for name, value in place.items():
        query[name] = str(value)
    return f"{request.path}?{query.urlencode()}"
