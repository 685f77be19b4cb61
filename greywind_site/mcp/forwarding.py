"""/mcp on the site's own address: handed on to the MCP process, answered with what it says."""

from functools import cache

import httpx2
import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from governance.errors import Refusal, Unavailable
from greywind_site.mcp.address import PATH, McpAddress
from greywind_site.middleware import trace_id_of
from greywind_site.problems import problem_response

log = structlog.get_logger("greywind.mcp")
CONNECT_SECONDS, ANSWER_SECONDS = 2.0, 40.0  # a tool has 30 s for its call
AGAIN_SECONDS = 2
# What the protocol speaks through, and no more: cookies and forwarding headers of others stay outside.
PASSED_ON = ("accept", "authorization", "content-type", "origin")
PASSED_ON_PREFIX = "mcp-"
PASSED_BACK = ("content-type", "www-authenticate", "retry-after", "allow")


@csrf_exempt  # a bearer key is no cookie: no browser sends it by itself
def forward(request: HttpRequest) -> HttpResponse:
    """Hand a request on and return the answer; 503 when the MCP process is away."""
    sent = {name: value for name, value in request.headers.items() if _passes(name.lower())}
    sent |= {"Host": request.get_host(), "X-Forwarded-Proto": request.scheme or "http"}
    body = request.body if request.method == "POST" else b""
    try:
        answer = link().request(request.method or "GET", PATH, content=body, headers=sent)
    except httpx2.TransportError as error:
        log.warning("mcp_away", error=type(error).__name__)
        return _away(request)
    response = HttpResponse(answer.content, status=answer.status_code)
    del response["Content-Type"]
    for name in PASSED_BACK:
        if name in answer.headers:
            response[name] = answer.headers[name]
    response["Cache-Control"] = "no-store"
    return response


def _passes(name: str) -> bool:
    return name in PASSED_ON or name.startswith(PASSED_ON_PREFIX)


@cache
def link() -> httpx2.Client:
    """The connection to the MCP process; opened by the first request, kept by all."""
    address: McpAddress = settings.GREYWIND.mcp_address()
    transport = httpx2.HTTPTransport(uds=str(address.socket)) if address.socket else httpx2.HTTPTransport()
    base = f"http://{address.host}:{address.port}" if address.host else "http://mcp"
    timeout = httpx2.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    return httpx2.Client(base_url=base, transport=transport, timeout=timeout, trust_env=False)


def _away(request: HttpRequest) -> HttpResponse:
    refusal: Refusal = Unavailable(
        "The MCP process does not answer. `manage.py up` starts it; elsewhere run `python -m greywind_site.mcp`.",
        code="mcp_unavailable",
    )
    return problem_response(refusal.problem(trace_id_of(request)), retry_after=AGAIN_SECONDS)
