"""The pages of refusals. They read neither session nor database, so that they work when those do not."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from governance.errors import Forbidden
from greywind_site.middleware import trace_id_of


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Nothing there, or not the reader's: one page, byte for byte."""
    return _page(request, "console/not_found.html", status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Not allowed; says which level is needed where that is the cause."""
    cause = exception.__cause__
    extra = cause.extra if isinstance(cause, Forbidden) else {}
    return _page(request, "console/forbidden.html", status=403, needed=extra.get("needed"))


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """A form whose token does not fit."""
    return _page(request, "console/form_expired.html", status=403)


def _page(request: HttpRequest, template: str, *, status: int, **context: object) -> HttpResponse:
    response = render(request, template, {"trace": trace_id_of(request), **context}, status=status)
    response["Cache-Control"] = "no-store"
    return response
