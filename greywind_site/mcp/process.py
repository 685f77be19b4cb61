"""The process that serves /mcp: the same tools as over stdio, each calling the site's own WSGI application.

There is no second way to a permission: a tool's call passes the key, the verbs and the checks of the HTTP API.
"""

import os
import signal
import sys
from typing import Any, cast

import httpx2
import uvicorn
from django.conf import settings
from starlette.requests import Request
from starlette.types import ASGIApp

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.server import TIMEOUT_SECONDS, Context, build_server
from greywind_site.config import load_config
from greywind_site.mcp.address import PATH, McpAddress
from greywind_site.mcp.door import Caller, Door, caller_of

# A tool's call is bounded by itself; what still runs when we are asked to stop may end, and no longer.
GRACE_SECONDS = 5


def build_application() -> ASGIApp:
    """Return the ASGI application: the door, and behind it the protocol without sessions and with plain JSON answers.

    Importing the site's WSGI application checks the database role, so a process that must not serve does not start.
    """
    from greywind_site.wsgi import application as site

    def connect(caller: Caller) -> GreyWind:
        transport = httpx2.WSGITransport(app=site, raise_app_exceptions=False)
        return GreyWind(caller.base, caller.key, timeout=TIMEOUT_SECONDS, transport=transport)

    def connect_tool(context: Context) -> GreyWind:
        # The transport attaches the request that the message came in.
        return connect(caller_of(cast("Request", context.request).headers))

    inside = build_server(connect_tool).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=settings.GREYWIND.max_body_bytes,
        host="",  # the door has checked host and origin against the site's own list
    )
    return Door(inside, connect)


def server_at(address: McpAddress) -> uvicorn.Server:
    """Return a server of the application that listens at `address` once it runs."""
    place: dict[str, Any] = {"host": address.host, "port": address.port}
    if address.socket is not None:
        place = {"uds": str(address.socket)}
    config = uvicorn.Config(
        build_application(),
        **place,
        log_config=None,  # ours is set up with Django
        access_log=False,  # the calls of the API log themselves, without content
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def main() -> None:
    """Serve where the configuration says, until a stop signal."""
    # The server raises the signal again once it has stopped; by then there is nothing left to end.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "greywind_site.settings")
    server_at(load_config().mcp_address()).run()
