"""A live site with /mcp, and clients of the official SDK that reach it over stdio and over HTTP."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from django.conf import settings
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Tool
from pytest_django.live_server_helper import LiveServer

from greywind_site.embedded.instance import CHECKOUT
from greywind_site.mcp import forwarding
from greywind_site.mcp.address import McpAddress
from greywind_site.mcp.process import server_at
from tests.stage import Stage

STDIO, HTTP = "stdio", "http"


@dataclass(frozen=True)
class Site:
    """A served site, and the projects in it."""

    url: str
    stage: Stage

    @property
    def console(self) -> str:
        """The address of the first project in the console."""
        return f"{self.url}/p/{self.stage.alpha.project.public_id}/"


class Agent:
    """An agent with a key, and its open connection."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def tools(self) -> list[Tool]:
        return list(self._call("list_tools").tools)

    def raw(self, name: str, **arguments: Any) -> CallToolResult:
        """Call a tool, whatever comes of it."""
        answer: CallToolResult = self._call("call_tool", name, arguments)
        assert json.loads(answer.content[0].text) == answer.structured_content
        return answer

    def use(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed, and return its structured answer."""
        answer = self.raw(name, **arguments)
        assert not answer.is_error, answer.content
        return dict(answer.structured_content)

    def refused(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must be refused, and return what the agent is told."""
        answer = self.raw(name, **arguments)
        assert answer.is_error, answer.content
        return dict(answer.structured_content["error"])


@contextmanager
def agent(carrier: str, url: str, key: str, *, mode: str = "auto") -> Iterator[Agent]:
    """Connect the SDK's client as an agent with this key."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_Open(carrier, url, key, mode)) as client:
        yield Agent(lambda verb, *given: portal.call(partial(getattr(client, verb), *given)))


class _Open:
    """The client's own context, entered and left in one task."""

    def __init__(self, carrier: str, url: str, key: str, mode: str) -> None:
        self.carrier, self.url, self.key, self.mode = carrier, url, key, mode
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> Client:
        return await self.stack.enter_async_context(Client(await self._transport(), mode=self.mode))

    async def __aexit__(self, *_: object) -> None:
        await self.stack.aclose()

    async def _transport(self) -> Any:
        if self.carrier == STDIO:
            told = {"GREYWIND_URL": self.url, "GREYWIND_KEY": self.key, "PATH": os.environ["PATH"]}
            command = ["-m", "greywind_site.client.mcp"]
            return StdioServerParameters(command=sys.executable, args=command, cwd=CHECKOUT, env=told)
        headers = {"Authorization": f"Bearer {self.key}"}
        link = await self.stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False))
        return streamable_http_client(f"{self.url}/mcp", http_client=link)


@pytest.fixture(scope="module")
def site(stage: Stage, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site with its MCP process, as threads of this one: the same application, the same door, a real socket."""
    socket = tmp_path_factory.mktemp("mcp") / "mcp.sock"
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch, serving(socket):
        patch.setattr(settings.GREYWIND, "mcp_url", f"unix://{socket}")
        forwarding.link.cache_clear()
        live = LiveServer("127.0.0.1")
        yield Site(live.url, stage)
        live.stop()
        forwarding.link().close()
        forwarding.link.cache_clear()


@contextmanager
def serving(socket: Path) -> Iterator[None]:
    """Let the MCP server run beside the block."""
    server = server_at(McpAddress(socket=socket))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline, "the MCP server did not start"
        time.sleep(0.02)
    yield
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


@pytest.fixture(scope="module", params=[STDIO, HTTP])
def dev(site: Site, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """The first project's dev, over each carrier in turn."""
    with agent(request.param, site.url, site.stage.alpha.dev.secret) as connected:
        yield connected


@pytest.fixture(scope="module", params=[STDIO, HTTP])
def outsider(site: Site, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """The other project's dev."""
    with agent(request.param, site.url, site.stage.beta.dev.secret) as connected:
        yield connected
