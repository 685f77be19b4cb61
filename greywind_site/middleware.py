"""What every request passes first: its ids, its log line, and a 503 when the database cannot be had."""

import http.client
import re
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from governance.errors import Problem, TooLarge, Unavailable
from governance.ids import new_id, public_id
from governance.scope import LedgerUnwritable
from greywind_site.problems import CONTENT_TYPE, problem_response

type Handler = Callable[[HttpRequest], HttpResponseBase]

REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
# SQLSTATE classes of "no connection", "too many connections" and "the server is going down", and the state of the one
# of two that waited for each other which had to give way.
UNAVAILABLE_STATES = ("08", "53", "57P", "40P01")
# Probes come every few seconds and say nothing new while all is well.
QUIET_ROUTES = frozenset({"healthz", "readyz"})
RETRY_AFTER_POOL, RETRY_AFTER_SERVER = 1, 5
log = structlog.get_logger("greywind.request")


class TraceMiddleware:
    """Gives each request a trace id and a request id, and logs one line without any content.

    `request.trace_id` is always ours; `request.request_id` is the caller's X-Request-ID when it is
    well-formed (at most 64 letters, digits and . _ : -), else the trace id. Both are answered as headers.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        _name(request)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(trace_id=trace_id_of(request), request_id=request_id_of(request))
        response = _too_large(request) or self.get_response(request)
        response["X-Trace-ID"] = trace_id_of(request)
        response["X-Request-ID"] = request_id_of(request)
        _log(request, response, started=started)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A body that turned out larger than it said."""
        return _too_large_response(request) if isinstance(exception, RequestDataTooBig) else None


class ProblemMiddleware:
    """Gives refusals under /api/ the shape of a problem, also what the framework refused: no such path or method."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not request.path_info.startswith("/api/") or response.headers.get("Content-Type") == CONTENT_TYPE:
            return response
        # Answers hold texts of any language, whatever the reader's console speaks.
        response.headers.pop("Content-Language", None)
        if response.status_code < 400:
            return response
        title = http.client.responses.get(response.status_code, "Refused")
        code = title.lower().replace(" ", "_")
        problem = problem_response(Problem(response.status_code, code, title, f"{title}.", trace_id_of(request)))
        if "Allow" in response.headers:
            problem["Allow"] = response.headers["Allow"]
        return problem


class DatabaseAvailabilityMiddleware:
    """Answers 503 with Retry-After when no connection could be had; every other error passes on."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The answer for a connection fault, else None."""
        return database_unavailable(request, exception)


def database_unavailable(request: HttpRequest, exception: BaseException) -> HttpResponse | None:
    """A 503 problem when the database cannot be reached now, or its ledger not be written; else None."""
    if isinstance(exception, LedgerUnwritable):
        return _ledger_unwritable(request)
    wait = retry_after(exception)
    if wait is None:
        return None
    log.warning("database_unavailable", error=type(exception.__cause__ or exception).__name__)
    detail = f"The database is busy or restarting; nothing was stored. Send the request again after {wait} s."
    problem = Problem(Unavailable.status, Unavailable.code, Unavailable.title, detail, trace_id_of(request))
    return problem_response(problem, retry_after=wait)


def _ledger_unwritable(request: HttpRequest) -> HttpResponse:
    detail = "The ledger cannot be written, so nothing was stored or released. An operator has to see to it."
    problem = Problem(Unavailable.status, "ledger_unwritable", Unavailable.title, detail, trace_id_of(request))
    return problem_response(problem, retry_after=RETRY_AFTER_SERVER)


def retry_after(exception: BaseException) -> int | None:
    """Seconds to wait when the exception is a connection fault, a pool time-out or a deadlock, else None."""
    if isinstance(exception, InterfaceError):
        return RETRY_AFTER_SERVER
    if not isinstance(exception, OperationalError):
        return None
    cause = exception.__cause__
    if type(cause).__name__ in {"PoolTimeout", "TooManyRequests"}:
        return RETRY_AFTER_POOL
    state = getattr(cause, "sqlstate", None)
    return RETRY_AFTER_SERVER if state is None or state.startswith(UNAVAILABLE_STATES) else None


def trace_id_of(request: HttpRequest) -> str:
    """The trace id that TraceMiddleware gave the request."""
    return str(request.META["greywind.trace_id"])


def request_id_of(request: HttpRequest) -> str:
    """The caller's request id, or the trace id where it sent none."""
    return str(request.META["greywind.request_id"])


def _name(request: HttpRequest) -> None:
    trace = public_id("trc", new_id())
    sent = request.headers.get("X-Request-ID", "")
    request.META["greywind.trace_id"] = trace
    request.META["greywind.request_id"] = sent if REQUEST_ID.fullmatch(sent) else trace
    request.trace_id = trace  # type: ignore[attr-defined]  # views read it as an attribute; HttpRequest does not declare it


def _too_large(request: HttpRequest) -> HttpResponse | None:
    length = request.META.get("CONTENT_LENGTH") or "0"
    too_large = length.isdigit() and int(length) > settings.GREYWIND.max_body_bytes
    return _too_large_response(request) if too_large else None


def _too_large_response(request: HttpRequest) -> HttpResponse:
    message = f"it may hold {settings.GREYWIND.max_body_bytes} bytes at most; send it in several requests"
    return problem_response(TooLarge.at("/", message).problem(trace_id_of(request)))


def _log(request: HttpRequest, response: HttpResponseBase, *, started: float) -> None:
    # The route, not the path and never the query: a path may hold what a person typed.
    route = request.resolver_match.route if request.resolver_match else None
    if route in QUIET_ROUTES and response.status_code < 400:
        return
    milliseconds = round((time.perf_counter() - started) * 1000, 1)
    log.info("request", method=request.method, route=route, status=response.status_code, milliseconds=milliseconds)
