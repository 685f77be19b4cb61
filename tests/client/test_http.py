"""The client of the HTTP API: what it sends, what it repeats, how it fails, and that it never waits for long."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from greywind_site.client import http
from greywind_site.client.http import GreyWind, Refused, Unreachable

KEY = "gw_abcdefgh_" + "k" * 43
type Server = Callable[[httpx2.Request], httpx2.Response]
NOT_NOW = {"code": "unavailable", "title": "Try again shortly", "detail": "busy"}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PACE_SECONDS", 0.001)


def client(server: Server, **options: Any) -> GreyWind:
    return GreyWind("http://127.0.0.1:8000", KEY, transport=httpx2.MockTransport(server), **options)


class Script:
    """A server that gives these answers in order and remembers what it was asked; an exception is raised instead."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.answers = iter(answers)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def ok(**body: Any) -> httpx2.Response:
    return httpx2.Response(200, json=body)


def busy(status: int = 503) -> httpx2.Response:
    return httpx2.Response(status, json=NOT_NOW)


def test_a_call_goes_below_the_api_with_the_key() -> None:
    server = Script(ok(a=1))
    assert client(server).call("POST", "/context", {"x": "长"}, params={"n": 1, "none": None}) == {"a": 1}
    [asked] = server.asked
    assert str(asked.url) == "http://127.0.0.1:8000/api/v1/context?n=1"
    assert (asked.headers["authorization"], json.loads(asked.content)) == (f"Bearer {KEY}", {"x": "长"})


def test_an_answer_without_a_body_is_none() -> None:
    assert client(Script(httpx2.Response(204))).call("GET", "/x") is None


def test_an_idempotency_key_and_headers_are_sent() -> None:
    server = Script(ok())
    client(server).call("PATCH", "/x", {}, idempotency_key="k-1", headers={"If-Match": '"3"'})
    assert (server.asked[0].headers["idempotency-key"], server.asked[0].headers["if-match"]) == ("k-1", '"3"')


def test_half_a_surrogate_pair_is_left_to_the_api_to_refuse() -> None:
    server = Script(ok())
    client(server).call("POST", "/x", {"text": "\ud800"})
    assert server.asked[0].content == b'{"text": "\\ud800"}'


def test_a_refusal_brings_its_problem_document() -> None:
    fault = {"pointer": "/role", "code": "role_not_held", "message": "no"}
    document = {
        "status": 403,
        "code": "role_not_held",
        "title": "t",
        "detail": "d",
        "errors": [fault],
        "trace_id": "trc_1",
    }
    with pytest.raises(Refused) as refused:
        client(Script(httpx2.Response(403, json=document | {"shortfall": [1]}))).call("GET", "/x")
    told = refused.value
    assert (told.status, told.code, told.title, told.detail, told.trace_id) == (403, "role_not_held", "t", "d", "trc_1")
    assert (told.errors, told.extra) == ([fault], {"shortfall": [1]})


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"x"'])
def test_a_refusal_of_something_else_is_one_too(body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        client(Script(httpx2.Response(404, content=body))).call("GET", "/x")
    assert (refused.value.code, refused.value.title, refused.value.errors) == ("http_404", "Not Found", [])


@pytest.mark.parametrize(
    "answer",
    [httpx2.Response(200, content=b"<html>"), httpx2.Response(302, headers={"Location": "https://evil.example/"})],
)
def test_what_does_not_speak_the_api_is_no_greywind(answer: httpx2.Response) -> None:
    with pytest.raises(Unreachable, match="check the address"):
        client(Script(answer)).call("GET", "/x")


REPEATED = [
    ("GET", None, None),
    ("POST", {"a": 1}, "key"),
    ("POST", {"events": [{"client_id": "a"}, {"client_id": "b"}]}, None),
    ("POST", {"client_id": "a"}, None),
]
NOT_REPEATED = [
    ("POST", {"a": 1}, None),
    ("POST", None, None),
    ("POST", {"events": []}, None),
    ("POST", {"events": [{"client_id": "a"}, {"text": "b"}]}, None),
    ("PATCH", {"a": 1}, "key"),
    ("PUT", {"client_id": "a"}, None),
    ("DELETE", None, None),
]
type Sent = tuple[str, Any, str | None]


@pytest.mark.parametrize("sent", REPEATED)
@pytest.mark.parametrize("first", [busy(), busy(429), busy(502), httpx2.ReadTimeout("slow"), httpx2.ReadError("cut")])
def test_what_may_be_repeated_is(sent: Sent, first: httpx2.Response | Exception) -> None:
    server = Script(first, ok(done=True))
    method, body, key = sent
    assert client(server).call(method, "/x", body, idempotency_key=key) == {"done": True}


@pytest.mark.parametrize("sent", NOT_REPEATED)
@pytest.mark.parametrize("first", [busy(), busy(429), httpx2.ReadTimeout("slow"), httpx2.ReadError("cut")])
def test_what_may_not_be_repeated_is_not(sent: Sent, first: httpx2.Response | Exception) -> None:
    server = Script(first, ok(done=True))
    method, body, key = sent
    with pytest.raises((Refused, Unreachable)):
        client(server).call(method, "/x", body, idempotency_key=key)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 413, 422, 500])
def test_a_final_no_is_not_asked_again(status: int) -> None:
    server = Script(busy(status), ok())
    with pytest.raises(Refused):
        client(server).call("GET", "/x")
    assert len(server.asked) == 1


@pytest.mark.parametrize("sent", NOT_REPEATED)
def test_what_never_reached_anybody_is_sent_again(sent: Sent) -> None:
    server = Script(httpx2.ConnectError("refused"), ok(done=True))
    assert client(server).call(sent[0], "/x", sent[1]) == {"done": True}


def test_it_gives_up_after_a_few_tries() -> None:
    server = Script(*[busy() for _ in range(9)])
    with pytest.raises(Refused):
        client(server).call("GET", "/x")
    assert len(server.asked) == http.MOST_TRIES


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    waited: list[float] = []
    monkeypatch.setattr(http.time, "sleep", waited.append)
    return waited


@pytest.mark.parametrize(
    "answer",
    [httpx2.Response(503, json=NOT_NOW | {"retry_after": 3}), httpx2.Response(429, headers={"Retry-After": "3"})],
)
def test_it_comes_back_when_the_server_asked_to(pauses: list[float], answer: httpx2.Response) -> None:
    client(Script(answer, ok())).call("GET", "/x")
    assert [3 <= pause < 4 for pause in pauses] == [True]


def test_a_wait_beyond_the_limit_is_not_begun(pauses: list[float]) -> None:
    with pytest.raises(Refused) as refused:
        client(Script(httpx2.Response(503, json=NOT_NOW | {"retry_after": 30})), timeout=5).call("GET", "/x")
    assert (refused.value.extra, pauses) == ({"retry_after": 30}, [])


def test_pauses_grow_and_differ(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PACE_SECONDS", 0.2)
    with pytest.raises(Refused):
        client(Script(*[busy() for _ in range(5)])).call("GET", "/x")
    assert [low <= pause <= 2 * low for pause, low in zip(pauses, (0.1, 0.2, 0.4, 0.8), strict=True)] == [True] * 4


def test_a_server_that_never_ends_its_answer_is_left() -> None:
    def drip(_request: httpx2.Request) -> httpx2.Response:
        time.sleep(0.5)  # longer than the caller waits; no socket's timeout applies here
        return ok()

    with pytest.raises(Unreachable, match=r"within 0\.05 s"):
        client(drip, timeout=0.05).call("GET", "/x")


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8000", "ftp://h", "http://", "http://u:p@h", "http://h/?q=1", "http://[::1", "http://h:port"]
)
def test_an_address_that_is_none_is_refused_with_the_form_of_one(url: str) -> None:
    with pytest.raises(ValueError, match="address of GreyWind"):
        GreyWind(url, KEY)


@pytest.mark.parametrize("key", ["", " ", "gw_a b", "gw_a\nX-Evil: 1", "gw_钥匙", "gw_\x00"])
def test_a_key_that_could_not_be_a_header_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ValueError, match="copy it whole") as refused:
        GreyWind("http://127.0.0.1:8000", key)
    assert not key.strip() or key not in str(refused.value)


@pytest.mark.parametrize("key", [f" {KEY}\n", KEY])
def test_blanks_around_a_key_are_the_terminals(key: str) -> None:
    server = Script(ok())
    GreyWind("http://127.0.0.1:8000/ ", key, transport=httpx2.MockTransport(server)).call("GET", "/x")
    assert (server.asked[0].headers["authorization"], server.asked[0].url.path) == (f"Bearer {KEY}", "/api/v1/x")


@pytest.mark.parametrize("server", [Script(busy(500)), Script(httpx2.ReadError("cut")), Script(ok())])
def test_the_key_stands_in_no_log_and_no_error(server: Script, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    greywind, said = client(server), ""
    try:
        greywind.call("POST", "/x", {"a": 1})
    except (Refused, Unreachable) as error:
        said = f"{error} {error!r} {error.__cause__!r}"
    assert KEY not in said + caplog.text + repr(greywind) + str(vars(greywind))


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://127.0.0.1:1", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("https://greywind.example", False),
    ],
)
def test_a_proxy_never_sees_a_key_for_this_machine(url: str, direct: bool) -> None:
    assert GreyWind(url, KEY)._client.trust_env is not direct
