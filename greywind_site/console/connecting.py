"""How an agent connects, as text to copy: for curl, for MCP over HTTP and stdio, for Claude Code, for Python.

Every snippet takes the key from GREYWIND_KEY. Only on the answer that shows a key just made does it hold the key.
"""

import json
import shlex
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from greywind_site.mcp.address import PATH as MCP_PATH

VARIABLE = "GREYWIND_KEY"
IN_ENVIRONMENT = f"${{{VARIABLE}}}"  # the form that MCP clients fill from the environment
WORDS = gettext_noop("Carry on with the release notes")
REPLY = gettext_noop("What the model answers")
KEPT = gettext_noop("/context keeps none of the turn's words: what the user and the model said is posted afterwards.")
VOUCHED = gettext_noop("“attested” vouches that the user said it: a key of the preset agent leaves it out.")


@dataclass(frozen=True, slots=True)
class Server:
    """Where this server is reached, without a slash at the end, and the key that was just made, if one was."""

    base: str
    api: str
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
    api = request.build_absolute_uri(reverse("api:post_context")).removesuffix("/context")
    return Server(request.build_absolute_uri("/").rstrip("/"), api, secret)


def ways(server: Server) -> list[Way]:
    """Return every way to connect, the simplest first."""
    return [
        Way(
            "curl",
            "curl",
            gettext("One whole turn: the packet, then what was said, then what became of it. An agent sends the same."),
            gettext("a terminal"),
            with_key(server, whole_turn(server)),
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


def whole_turn(server: Server) -> str:
    """Return shell commands that take one turn through; the key comes from the variable GREYWIND_KEY."""
    said = [_words("turn-1", gettext(WORDS)), _answer("turn-1-answer")]
    return f"""post() {{
  curl -sS -X POST {shlex.quote(server.api)}"$1" -d "$2" \\
    -H "Authorization: Bearer ${VARIABLE}" -H "Content-Type: application/json"
}}
packet=$(post /context {_quoted({"user_input": {"raw_text": gettext(WORDS)}})})
printf '%s\\n' "$packet"
of() {{ printf '%s' "$packet" | python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }}

# {gettext(KEPT)}
# {gettext(VOUCHED)}
post "/sessions/$(of "['session']['id']")/events" {_quoted({"events": said})}
post "/context/$(of "['packet_id']")/outcome" {_quoted({"result": "done"})}"""


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
    """Return a program that takes one turn through and prints the prompt."""
    key = repr(server.secret) if server.secret else f'os.environ["{VARIABLE}"]'
    modules = "json, urllib.request" if server.secret else "json, os, urllib.request"
    return f"""import {modules}

key = {key}


def post(path, body):
    request = urllib.request.Request(
        {json.dumps(server.api)} + path,
        data=json.dumps(body).encode(),
        headers={{"Authorization": f"Bearer {{key}}", "Content-Type": "application/json"}},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


words = {json.dumps(gettext(WORDS), ensure_ascii=False)}
packet = post("/context", {{"user_input": {{"raw_text": words}}}})
print(json.dumps(packet["prompt"], ensure_ascii=False, indent=2))
reply = {json.dumps(gettext(REPLY), ensure_ascii=False)}

# {gettext(KEPT)}
# {gettext(VOUCHED)}
turn = packet["packet_id"]
said = [
    {{"client_id": turn + "-words", "role": "user", "text": words, "attested": True}},
    {{"client_id": turn + "-reply", "role": "assistant", "text": reply}},
]
post(f"/sessions/{{packet['session']['id']}}/events", {{"events": said}})
# {gettext("“usage” is what your provider counted, such as {'input_tokens': 4200}.")}
post(f"/context/{{turn}}/outcome", {{"result": "done", "usage": {{}}}})"""


def _words(client_id: str, text: str) -> dict[str, object]:
    return {"client_id": client_id, "role": "user", "text": text, "attested": True}


def _answer(client_id: str) -> dict[str, object]:
    return {"client_id": client_id, "role": "assistant", "text": gettext(REPLY)}


def _quoted(body: dict[str, object]) -> str:
    return shlex.quote(json.dumps(body, ensure_ascii=False))


def _mcp(server: dict[str, object]) -> str:
    return json.dumps({"mcpServers": {"greywind": server}}, ensure_ascii=False, indent=2)
