"""One request through the whole site, as a server would hand it on, and everything that came back."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote_to_bytes, urlencode

from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction

from greywind_site.hunting.leaks.people import Principal

TOKEN = "a" * 32  # of a form: the cookie and the field only have to be the same
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SAFE = ("GET", "HEAD")
LONGEST_TOLD = 600  # characters of a body


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request. `path` holds its query; `body` is a JSON value, or the fields of a form where `form` says so.

    `project` is the number of the one project that the answer is about, None where several may be in it. `aimed` are
    the ids of others that were put in, which a comparison replaces by random ones.
    """

    operation: str
    method: str
    path: str
    body: Any = None
    form: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    project: int | None = None
    aimed: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """Everything that was sent, as text."""
        return [self.path, json.dumps(self.body, ensure_ascii=False), *self.headers.values()]

    @property
    def shown(self) -> str:
        """The body, short enough to be told."""
        return json.dumps(self.body, ensure_ascii=False)[:LONGEST_TOLD] if self.body is not None else ""

    def replaced(self, ids: Mapping[str, str]) -> "Ask":
        """Return the same request with other ids."""
        raw = json.dumps(self.body)
        path = self.path
        for old, new in ids.items():
            raw, path = raw.replace(old, new), path.replace(old, new)
        return Ask(
            operation=self.operation,
            method=self.method,
            path=path,
            body=json.loads(raw),
            form=self.form,
            headers=self.headers,
            project=self.project,
            aimed=tuple(ids[each] for each in self.aimed),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status line, the headers in order, and the body as text."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: str

    @property
    def code(self) -> int:
        return int(self.status.partition(" ")[0])

    @property
    def whole(self) -> str:
        """All of it as one text, to be searched."""
        return "\n".join([self.status, *(f"{name}: {value}" for name, value in self.headers), self.body])


@cache
def site() -> WSGIHandler:
    """Return the site, with its middleware loaded."""
    return WSGIHandler()


type Look = Callable[[Answer], None]


def send(ask: Ask, by: Principal, *, look: Look) -> Answer:
    """Send a request and return what came back.

    What it changed is undone, unless it only reads; `look` may see what it stored before that.
    """
    if ask.method in SAFE:
        return _sent(ask, by)
    with _connection_kept(), transaction.atomic():
        answer = _sent(ask, by)
        if not connection.needs_rollback:
            look(answer)
        transaction.set_rollback(True)
    return answer


@contextmanager
def _connection_kept() -> Iterator[None]:
    """Let a request begin and end inside of a transaction: else each would find the connection in use and close it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def _sent(ask: Ask, by: Principal) -> Answer:
    begun: list[Any] = []

    def begin(status: str, headers: list[tuple[str, str]], _fault: object = None, /) -> Callable[[bytes], object]:
        begun[:] = [status, tuple(headers)]
        return begun.append

    response = site()(_environment(ask, by), begin)
    try:
        body = b"".join(response)
    finally:
        response.close()
    return Answer(begun[0], begun[1], body.decode("utf-8", "replace"))


def _environment(ask: Ask, by: Principal) -> dict[str, Any]:
    path, _, query = ask.path.partition("?")
    body = _encoded(ask)
    named = {
        f"HTTP_{name.upper().replace('-', '_')}": value
        for name, value in {**_credentials(ask, by), **ask.headers}.items()
    }
    return named | {
        "REQUEST_METHOD": ask.method,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "SCRIPT_NAME": "",
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": FORM if ask.form else JSON,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _encoded(ask: Ask) -> bytes:
    if ask.body is None:
        return b""
    if not ask.form:
        return json.dumps(ask.body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return urlencode({**ask.body, "csrfmiddlewaretoken": TOKEN}, doseq=True).encode()


def _credentials(ask: Ask, by: Principal) -> dict[str, str]:
    if ask.path.startswith("/api/"):
        return {"Authorization": f"Bearer {by.secret}"} if by.secret else {}
    cookies = [f"csrftoken={TOKEN}", *([by.cookie] if by.cookie else [])]
    return {"Cookie": "; ".join(cookies), "Host": "localhost"}
