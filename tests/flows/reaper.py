"""A web server that is killed over and over: forks a child that serves, kills it with SIGKILL, forks the next.

    python -m tests.flows.reaper DATABASE KILLS

Standard input begins with a line of JSON: path, authorization and body of an append to try once before the first fork.
Says "PORT kills N" on a line when it listens and "done" after the last kill; then one more child serves until
standard input ends. Everything is imported before the first fork, so a child serves within a few milliseconds. The
listening socket is the parent's: what waits in its queue is answered by the next child.
"""

import json
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from socketserver import ThreadingMixIn
from typing import Any, override
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

SHORTEST, LONGEST = 0.08, 0.25  # seconds that a child lives


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    @override
    def log_message(self, format: str, *args: Any) -> None:
        return


class Server(ThreadingMixIn, WSGIServer):
    """Serves on a socket that listens already."""

    daemon_threads = True

    def __init__(self, listening: socket.socket, application: Callable[..., Any]) -> None:
        super().__init__(("127.0.0.1", 0), Quiet, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_address = listening.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]
        self.setup_environ()
        self.set_app(application)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error here."""


def load(database: str, first: dict[str, Any]) -> Callable[..., Any]:
    """Import the application, point it at `database`, and leave neither a connection nor a thread behind."""
    import django

    django.setup()
    from tests.databases import point_connections_at

    point_connections_at(database)
    from greywind_site.wsgi import application

    warm_up(application, first)
    point_connections_at(database)  # closes what the boot check and the first event opened
    assert threading.active_count() == 1, "a thread would be lost in the fork"
    return application


def warm_up(application: Callable[..., Any], first: dict[str, Any]) -> None:
    """Do once what every child would else do first, each of them in most of its short life: append one event."""
    from django.test import RequestFactory

    factory = RequestFactory(SERVER_NAME="localhost", HTTP_AUTHORIZATION=first["authorization"])
    asked = factory.post(first["path"], first["body"], content_type="application/json").environ
    told: list[str] = []
    answer = application(asked, lambda status, _headers: told.append(status))
    answer.close()
    assert told == ["201 Created"]


def spawn(listening: socket.socket, application: Callable[..., Any]) -> int:
    """Fork a child that serves until it is killed, and return its process id."""
    child = os.fork()
    if child == 0:
        try:
            Server(listening, application).serve_forever(poll_interval=5)
        finally:
            os._exit(1)
    return child


def kill(child: int) -> None:
    """End a child as a power cut would."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main(database: str, kills: int) -> None:
    """Serve, kill, and serve on; ends when standard input does."""
    application = load(database, json.loads(sys.stdin.readline()))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        tell(f"{listening.getsockname()[1]} kills {kills}")
        for _ in range(kills):
            child = spawn(listening, application)
            time.sleep(random.uniform(SHORTEST, LONGEST))  # noqa: S311 - no secret
            kill(child)
        child = spawn(listening, application)
        tell("done")
        sys.stdin.read()
        kill(child)


def tell(line: str) -> None:
    """Write one line to whoever started this."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
