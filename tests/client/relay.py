"""A way to the server that can be closed, or lose the answers."""

import http.client
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Relay:
    """Passes calls on to `target`: while `up`, and with the answers while `answers`."""

    def __init__(self, target: str) -> None:
        self.up = self.answers = True
        relay, place = self, urlsplit(target).netloc

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                relay.pass_on(self, place)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def pass_on(self, call: BaseHTTPRequestHandler, place: str) -> None:
        """Send one call to the server and its answer back."""
        body = call.rfile.read(int(call.headers.get("Content-Length") or 0))
        if not self.up:
            return
        link = http.client.HTTPConnection(place)
        link.request(
            call.command, call.path, body, {name: call.headers[name] for name in call.headers if name != "Host"}
        )
        answer = link.getresponse()
        content = answer.read()
        link.close()
        if not self.answers:
            return
        call.send_response(answer.status)
        call.send_header("Content-Length", str(len(content)))
        call.end_headers()
        call.wfile.write(content)
