"""The door of /mcp: who comes in, before a word of the protocol is read."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from anyio import to_thread
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from governance.errors import Forbidden, Malformed, NotThere, Problem, Refusal, TooLarge, Unauthenticated, Unavailable
from governance.ids import new_id, public_id
from greywind_site.client.http import GreyWind, Refused, Unreachable
from greywind_site.mcp.address import PATH
from greywind_site.problems import problem_response

BEARER = "Bearer "
KEY_BEGINS = "gw_"


@dataclass(frozen=True)
class Caller:
    """Who asks, and under which address of ours: what a tool's call of the API needs."""

    base: str
    key: str


type Connect = Callable[[Caller], GreyWind]


class NotPost(Refusal):
    """This door answers one method."""

    status = 405
    code = "method_not_allowed"
    title = "Only POST is answered here"


class Door:
    """Lets a request with a key that opens the API through to the protocol; all others hear a problem document.

    In order: the key is there, host and origin are ours, it is a POST that is not too large, the API knows the key.
    """

    def __init__(self, inside: ASGIApp, connect: Connect) -> None:
        self.inside, self.connect = inside, connect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inside(scope, receive, send)
            return
        try:
            caller = check_form(scope)
            await to_thread.run_sync(self._check_key, caller)
        except Refusal as refusal:
            await _answer(refusal, send)
            return
        await self.inside(scope, receive, send)

    def _check_key(self, caller: Caller) -> None:
        with self.connect(caller) as greywind:
            try:
                greywind.call("GET", "/key")
            except Refused as error:
                raise _no_key() if error.status == HTTPStatus.UNAUTHORIZED else Unavailable(error.detail) from error
            except Unreachable as error:
                raise Unavailable("The API does not answer in time; ask again in a few seconds.") from error


def check_form(scope: Scope) -> Caller:
    """Return the caller of a request whose headers are in order; raises the Refusal that says what is not."""
    headers = Headers(scope=scope)
    caller = caller_of(headers)
    _check_place(headers)
    if scope["path"] != PATH:
        raise NotThere(f"The protocol is spoken at {PATH}.")
    if scope["method"] != "POST":
        raise NotPost.at("method", "nothing is kept between requests, so there is no stream to open or end; use POST")
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) > settings.GREYWIND.max_body_bytes:
        raise TooLarge.at("/", f"it may hold {settings.GREYWIND.max_body_bytes} bytes at most")
    return caller


def caller_of(headers: Headers) -> Caller:
    """Return who asks; raises Unauthenticated where there is no bearer key."""
    sent = headers.get("authorization", "")
    key = sent.removeprefix(BEARER)
    if not sent.startswith(BEARER + KEY_BEGINS) or not key.isascii() or not key.isprintable() or " " in key:
        raise _no_key()
    scheme = "https" if headers.get("x-forwarded-proto") == "https" else "http"
    return Caller(base=f"{scheme}://{headers.get('host', '')}", key=key)


def _check_place(headers: Headers) -> None:
    """A page of another site must not reach us through a name that it points at this machine."""
    if not _is_ours(headers.get("host", "")):
        raise Malformed.at("Host", "this name is not served here; see GREYWIND_ALLOWED_HOSTS", code="host_not_allowed")
    origin = headers.get("origin")
    if origin is not None and not _is_ours(urlsplit(origin).netloc):
        raise Forbidden.at("Origin", "pages of this origin may not call /mcp", code="origin_not_allowed")


def _is_ours(host: str) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _no_key() -> Unauthenticated:
    return Unauthenticated.without_key()


async def _answer(refusal: Refusal, send: Send) -> None:
    problem: Problem = refusal.problem(public_id("trc", new_id()))
    response = problem_response(problem, retry_after=2 if isinstance(refusal, Unavailable) else None)
    if isinstance(refusal, Unauthenticated):
        response["WWW-Authenticate"] = "Bearer"
    if isinstance(refusal, NotPost):
        response["Allow"] = "POST"
    headers = [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in response.items()]
    headers.append((b"content-length", str(len(response.content)).encode()))
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
