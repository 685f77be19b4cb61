"""The HTTP API: the routers of every app under one address, and one shape for every refusal."""

from typing import Any

import structlog
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError

from governance.errors import FieldFault, Invalid, NotThere, Problem, Refusal, TooLarge, Unauthenticated
from governance.key_api import router as key
from governance.proposal_api import router as proposals
from governance.web import WHOLE_BODY, JsonBody, KeyAuth, pointer
from greywind_site.middleware import database_unavailable, trace_id_of
from greywind_site.openapi import DocumentedAPI
from greywind_site.parameters import known_only
from greywind_site.problems import problem_response
from memories.api import router as memories
from sessions.api import router as context
from sessions.artifact_api import router as artifacts
from sessions.event_api import router as events
from sessions.handoff_api import router as handoffs
from sessions.lineage_api import router as lineages
from sessions.session_api import router as sessions
from sessions.summary_api import router as summaries
from threads.api import router as threads
from threads.task_api import router as tasks
from threads.vision_api import router as visions

log = structlog.get_logger("greywind.api")
MOST_FAULTS = 50  # of one answer: a list of a thousand wrong rows does not get a thousand lines

api = DocumentedAPI(
    title="GreyWind",
    version="1",
    description="The context runtime and memory governance of long-lived agents.",
    auth=KeyAuth(),
    parser=JsonBody(),
    docs_url="/docs",
    urls_namespace="api",
)
api.add_decorator(known_only)
WORK = (context, threads, visions, lineages, tasks, sessions, handoffs, summaries, events, artifacts)
for router in (*WORK, memories, proposals, key):
    api.add_router("", router)


@api.exception_handler(Refusal)
def on_refusal(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Answer what a verb refused."""
    return problem_response(refusal.problem(trace_id_of(request)))


@api.exception_handler(ValidationError)
def on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Answer faults of the input's form, each by its pointer. What was sent is never echoed."""
    faults = tuple(_fault(entry) for entry in error.errors[:MOST_FAULTS])
    return on_refusal(request, Invalid.of(faults) if faults else Invalid(Invalid.title))


@api.exception_handler(AuthenticationError)
def on_no_key(request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    """Answer a request without a bearer key."""
    response = on_refusal(request, Unauthenticated.without_key())
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Http404)
def on_not_found(request: HttpRequest, _error: Http404) -> HttpResponse:
    """Answer a path that leads nowhere."""
    return on_refusal(request, NotThere())


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """Answer what the framework refused, in our shape; where it only wrapped a refusal of ours, that one."""
    if isinstance(error.__cause__, Refusal):
        return on_refusal(request, error.__cause__)
    problem = Problem(error.status_code, "malformed", "The request could not be read", str(error), trace_id_of(request))
    return problem_response(problem)


@api.exception_handler(Exception)
def on_failure(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer a failure of ours: 503 when the database is away, 413 for a body too large, else 500, logged."""
    if isinstance(error, RequestDataTooBig):
        return on_refusal(request, TooLarge.at(WHOLE_BODY, "it is larger than this server reads"))
    unavailable = database_unavailable(request, error)
    if unavailable is not None:
        return unavailable
    log.error("request_failed", exc_info=error)
    detail = "Something failed on our side; nothing was stored. The trace id finds it in the logs."
    return problem_response(Problem(500, "internal_error", "Internal error", detail, trace_id_of(request)))


def _fault(entry: dict[str, Any]) -> FieldFault:
    place = entry["loc"]
    if entry["type"] != "extra_forbidden":
        # Which alternative of a union was tried, such as `list[str]`, is no part of what was sent.
        place = [part for part in place if not (isinstance(part, str) and "[" in part)]
    return FieldFault(pointer(place), str(entry["type"]), str(entry["msg"]))
