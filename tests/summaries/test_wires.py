"""Models that write: two wire formats, what goes wrong with them, and that nothing is told of what was said."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2
import pytest

from sessions.summaries.wires import Endpoint, RemoteWriter, Wire, WriterFault

type Answer = Callable[[httpx2.Request], httpx2.Response]
CHAT = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}
MESSAGE = {"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn"}


def writer(answer: Answer, wire: Wire = Wire.OPENAI) -> RemoteWriter:
    endpoint = Endpoint(url="http://127.0.0.1:1/v1/", model="m", wire=wire, key="sk-secret", seconds=5.0)
    return RemoteWriter(endpoint, transport=httpx2.MockTransport(answer))


def asked(wire: Wire, answer: Any) -> httpx2.Request:
    seen: list[httpx2.Request] = []

    def keep(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json=answer)

    assert writer(keep, wire).answer("be brief", "what stands?") == "{}"
    return seen[0]


def test_openais_wire() -> None:
    request = asked(Wire.OPENAI, CHAT)
    body = json.loads(request.content)
    assert (request.url.path, request.headers["Authorization"]) == ("/v1/chat/completions", "Bearer sk-secret")
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_anthropics_wire() -> None:
    request = asked(Wire.ANTHROPIC, MESSAGE)
    body = json.loads(request.content)
    assert (request.url.path, request.headers["x-api-key"]) == ("/v1/messages", "sk-secret")
    assert (body["system"], [message["role"] for message in body["messages"]]) == ("be brief", ["user"])


FAULTS: list[tuple[Wire, httpx2.Response]] = [
    (Wire.OPENAI, httpx2.Response(500)),
    (Wire.OPENAI, httpx2.Response(401)),
    (Wire.OPENAI, httpx2.Response(400, text="the words of somebody")),
    (Wire.OPENAI, httpx2.Response(200, text="<html>")),
    (Wire.OPENAI, httpx2.Response(200, json={"choices": []})),
    (Wire.OPENAI, httpx2.Response(200, json={"choices": [{"message": {"refusal": "no", "content": None}}]})),
    (Wire.OPENAI, httpx2.Response(200, json={"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]})),
    (Wire.ANTHROPIC, httpx2.Response(529)),
    (Wire.ANTHROPIC, httpx2.Response(200, json={"content": [], "stop_reason": "refusal"})),
    (Wire.ANTHROPIC, httpx2.Response(200, json={"content": [], "stop_reason": "max_tokens"})),
    (Wire.ANTHROPIC, httpx2.Response(200, json={"error": "the words of somebody"})),
]


@pytest.mark.parametrize(("wire", "response"), FAULTS)
def test_whatever_a_server_does_is_one_fault_and_tells_nothing(
    wire: Wire, response: httpx2.Response, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("governance.outside.PACE_SECONDS", 0.0)
    with pytest.raises(WriterFault) as told:
        writer(lambda _: response, wire).answer("be brief", "private words")
    assert not any(word in str(told.value) for word in ("sk-secret", "private", "somebody"))


class _Model(BaseHTTPRequestHandler):
    """A server that is busy at first, and then answers by the path that it is asked at."""

    asked = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).asked += 1
        busy = self.asked % 2 == 1
        body = json.dumps(CHAT if self.path.endswith("completions") else MESSAGE).encode()
        self.send_response(503 if busy else 200)
        self.send_header("Content-Length", str(0 if busy else len(body)))
        self.end_headers()
        self.wfile.write(b"" if busy else body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads along."""


def test_a_server_on_this_machine_is_asked_again_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.outside.PACE_SECONDS", 0.01)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        answers = [RemoteWriter(Endpoint(url=url, model="m", wire=wire)).answer("a", "b") for wire in Wire]
        server.shutdown()
    assert answers == ["{}", "{}"]
