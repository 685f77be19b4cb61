"""How an agent connects, as text to copy: for curl, for MCP over HTTP and stdio, for Claude Code, for Python.

Every snippet takes the key from GREYWIND_KEY. Only on the answer that shows a key just made does it hold the key.
"""

import json
import shlex
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from greywind_site.mcp.address import PATH as MCP_PATH

VARIABLE = "GREYWIND_KEY"
IN_ENVIRONMENT = f"${{{VARIABLE}}}"  # the form that MCP clients fill from the environment


@dataclass(frozen=True, slots=True)
class Server:
    """Where this server is reached, without a slash at the end, and the key that was just made, if one was."""

    base: str
    endpoint: str
    secret: str | None = None

    @property
    def key(self) -> str:
        """The key, or the name under which the environment holds it."""
        return self.secret or IN_ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Way:
    """One way to connect: its name, what it is for, and the text to copy with what it belongs into."""

    slug: str
    name: str
    about: str
    into: str
    text: str


def server_of(request: HttpRequest, secret: str | None = None) -> Server:
    """Return the server at the address by which the reader came."""
    endpoint = request.build_absolute_uri(reverse("api:post_context"))
    return Server(request.build_absolute_uri("/").rstrip("/"), endpoint, secret)


def ways(server: Server) -> list[Way]:
    """Return every way to connect, the simplest first."""
    return [
        Way(
            "curl",
            "curl",
            gettext("One request, to see a packet at once. An agent of your own sends the same before each turn."),
            gettext("a terminal"),
            with_key(server, first_request(server.endpoint)),
        ),
        Way(
            "claude-code",
            "Claude Code",
            gettext(
                "Hooks bring the context in at every start and take the transcript along. "
                "The command greywind is in .venv/bin of the folder that this server was started from."
            ),
            gettext("a terminal, in the folder that you work in"),
            claude_code(server),
        ),
        Way(
            "mcp-http",
            "MCP · HTTP",
            gettext("For every harness that reaches MCP servers by their address."),
            gettext("the harness’s MCP configuration, often .mcp.json"),
            mcp_over_http(server),
        ),
        Way(
            "mcp-stdio",
            "MCP · stdio",
            gettext(
                "For a harness that starts its MCP servers itself. The command greywind has to be installed there."
            ),
            gettext("the harness’s MCP configuration, often .mcp.json"),
            mcp_over_stdio(server),
        ),
        Way(
            "python",
            "Python",
            gettext("Plain Python, without a library."),
            gettext("your program"),
            python(server),
        ),
    ]


def first_request(endpoint: str) -> str:
    """Return a shell command that asks for context; the key comes from the variable GREYWIND_KEY."""
    lines = [
        f"curl -sS -X POST {shlex.quote(endpoint)}",
        f'  -H "Authorization: Bearer ${VARIABLE}"',
        '  -H "Content-Type: application/json"',
        f"  -d {shlex.quote(json.dumps(_first_body(), ensure_ascii=False))}",
    ]
    return " \\\n".join(lines)


def with_key(server: Server, command: str) -> str:
    """Return the command after the line that puts the key into the environment, where the key is known."""
    return f"export {VARIABLE}={shlex.quote(server.secret)}\n{command}" if server.secret else command


def mcp_over_http(server: Server) -> str:
    """Return the MCP configuration that reaches this server by its address."""
    headers = {"Authorization": f"Bearer {server.key}"}
    return _mcp({"type": "http", "url": f"{server.base}{MCP_PATH}", "headers": headers})


def mcp_over_stdio(server: Server) -> str:
    """Return the MCP configuration whose server the harness starts itself."""
    environment = {"GREYWIND_URL": server.base, VARIABLE: server.key}
    return _mcp({"command": "greywind", "args": ["mcp"], "env": environment})


def claude_code(server: Server) -> str:
    """Return the commands that connect Claude Code in the folder where they are run."""
    # The command reads the key from the environment or asks for it: it never stands among a process's arguments.
    return with_key(server, f"greywind login --url {shlex.quote(server.base)}\ngreywind init claude-code")


def python(server: Server) -> str:
    """Return a program that asks for context and prints the prompt."""
    key = repr(server.secret) if server.secret else f'os.environ["{VARIABLE}"]'
    modules = "json, urllib.request" if server.secret else "json, os, urllib.request"
    return f"""import {modules}

key = {key}
body = {json.dumps(_first_body(), ensure_ascii=False)}
request = urllib.request.Request(
    {json.dumps(server.endpoint)},
    data=json.dumps(body).encode(),
    headers={{"Authorization": f"Bearer {{key}}", "Content-Type": "application/json"}},
)
with urllib.request.urlopen(request, timeout=10) as answer:
    packet = json.load(answer)
print(json.dumps(packet["prompt"], ensure_ascii=False, indent=2))"""


def _first_body() -> dict[str, object]:
    return {"user_input": {"raw_text": gettext("Carry on with the release notes")}}


def _mcp(server: dict[str, object]) -> str:
    return json.dumps({"mcpServers": {"greywind": server}}, ensure_ascii=False, indent=2)
