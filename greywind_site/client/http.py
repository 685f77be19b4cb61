"""Calls of the HTTP API: one method, two ways to fail, and nothing that waits longer than it was allowed to."""

import json
import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.client import responses
from ipaddress import ip_address
from threading import Thread
from types import TracebackType
from typing import Any, Self

import httpx2

PREFIX = "/api/v1"
IDEMPOTENCY = "Idempotency-Key"
# Answers that say "not now": the server's own, and those of a proxy before it.
PASSING = (429, 502, 503, 504)
PACE_SECONDS, LONGEST_PACE_SECONDS = 0.2, 2.0
MOST_TRIES = 5  # about three seconds: a restart is over by then, and whoever is away longer is away
TOLD = ("type", "title", "status", "detail", "code", "trace_id", "errors")


class Refused(Exception):
    """The API answered no. The fields are those of its problem document; `errors` holds {pointer, code, message}.

    `extra` holds the document's further members, such as `shortfall`, `candidates`, `current` or `retry_after`.
    """

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(document.get("code") or f"http_{status}")
        self.title = str(document.get("title") or responses.get(status, "Refused"))
        self.detail = str(document.get("detail") or self.title)
        self.errors: list[dict[str, str]] = list(document.get("errors") or [])
        self.trace_id = str(document.get("trace_id") or "")
        self.extra = {name: value for name, value in document.items() if name not in TOLD}
        super().__init__(f"{self.status} {self.code}: {self.detail}")


class Unreachable(Exception):
    """No answer of a GreyWind within the time allowed; the message says why and never holds the key."""


@dataclass(frozen=True)
class _Call:
    method: str
    path: str
    content: bytes | None
    params: Mapping[str, Any]
    headers: Mapping[str, str]
    repeatable: bool
    deadline: float = field(compare=False)

    def left(self) -> float:
        return self.deadline - time.monotonic()


class GreyWind:
    """One agent's connection to one GreyWind. May be shared by threads; close it, or use it in a `with` block."""

    def __init__(
        self, url: str, key: str, *, timeout: float = 10.0, transport: httpx2.BaseTransport | None = None
    ) -> None:
        """Take the address printed by `up` and an agent's key; `timeout` is the whole of a call, in seconds.

        Raises ValueError when the url is no http(s) address or the key could not be a header.
        """
        self.url = _checked_url(url)
        self.timeout = timeout
        # A proxy from the environment must never see a key that is meant for this machine.
        self._client = httpx2.Client(
            base_url=self.url + PREFIX,
            headers={"Authorization": f"Bearer {_checked_key(key)}", "Accept": "application/json"},
            transport=transport,
            trust_env=not _is_loopback(httpx2.URL(self.url).host),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one request to `path` below /api/v1 and return the answer's JSON, or None where it has no body.

        `body` is sent as JSON; parameters that are None are left out. What may be repeated (a GET, or a POST whose
        Idempotency-Key or client ids make a repetition harmless) is sent again while time is left, when the
        connection failed or the server asked to come back. Raises Refused and Unreachable.
        """
        sent = dict(headers or {})
        if body is not None:
            sent["Content-Type"] = "application/json"
        if idempotency_key is not None:
            sent[IDEMPOTENCY] = idempotency_key
        given = {name: value for name, value in (params or {}).items() if value is not None}
        content = None if body is None else _encoded(body)
        repeatable = method == "GET" or (method == "POST" and (IDEMPOTENCY in sent or _has_client_ids(body)))
        deadline = time.monotonic() + self.timeout
        return self._until_answered(_Call(method, path, content, given, sent, repeatable, deadline))

    def _until_answered(self, call: _Call) -> Any:
        tried = 0
        failure: Refused | Unreachable
        while True:
            try:
                return _read(self._send(call))
            except httpx2.RequestError as error:
                # Where no connection came about, nothing was sent either.
                again = call.repeatable or isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
                pause, failure = _pace(tried), Unreachable(f"{self.url} does not answer: {_said(error)}")
                failure.__cause__ = error
            except Refused as error:
                again, failure = call.repeatable and error.status in PASSING, error
                pause = _pace(tried) + _asked_wait(error)
            tried += 1
            if not again or tried == MOST_TRIES or pause >= call.left():
                raise failure
            time.sleep(pause)

    def _send(self, call: _Call) -> httpx2.Response:
        def act() -> httpx2.Response:
            return self._client.request(
                call.method,
                call.path,
                content=call.content,
                params=call.params,
                headers=call.headers,
                timeout=max(call.left(), 0.001),
            )

        return _within(call.left(), act, late=f"{self.url} did not answer within {self.timeout:g} s")


def _within(seconds: float, act: Callable[[], httpx2.Response], *, late: str) -> httpx2.Response:
    """Return what `act` returns, or raise Unreachable: timeouts of a socket bound each read, not the whole."""
    outcome: Future[httpx2.Response] = Future()

    def run() -> None:
        try:
            outcome.set_result(act())
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return outcome.result(timeout=max(seconds, 0.001))
    except TimeoutError:
        raise Unreachable(late) from None


def _read(response: httpx2.Response) -> Any:
    if response.is_success:
        try:
            return json.loads(response.content) if response.content else None
        except ValueError:
            raise _not_ours(response) from None
    if response.status_code < 400:
        raise _not_ours(response)
    raise Refused(response.status_code, _problem(response))


def _problem(response: httpx2.Response) -> dict[str, Any]:
    """The problem document; empty where something else answered, such as a proxy."""
    try:
        read = json.loads(response.content)
    except ValueError:
        read = None
    document: dict[str, Any] = read if isinstance(read, dict) else {}
    wait = response.headers.get("Retry-After", "")
    return ({"retry_after": int(wait)} if wait.isdecimal() else {}) | document


def _not_ours(response: httpx2.Response) -> Unreachable:
    where = f"{response.status_code} from {response.url.copy_with(query=None)}"
    return Unreachable(f"{where} is no answer of a GreyWind; check the address")


def _encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # Half a surrogate pair: let the API name the field that holds it.
        return json.dumps(body).encode()


def _has_client_ids(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    events = body.get("events")
    if isinstance(events, list):
        return bool(events) and all(isinstance(event, dict) and event.get("client_id") for event in events)
    return bool(body.get("client_id"))


def _pace(tried: int) -> float:
    longest = min(PACE_SECONDS * 2**tried, LONGEST_PACE_SECONDS)
    return random.uniform(longest / 2, longest)  # noqa: S311 - spreads callers out; nothing secret


def _asked_wait(error: Refused) -> float:
    wait = error.extra.get("retry_after")
    return float(wait) if isinstance(wait, int | float) else 0.0


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _checked_url(url: str) -> str:
    try:
        parsed = httpx2.URL(url.strip())
    except httpx2.InvalidURL as error:
        raise ValueError(f"the address of GreyWind is not valid: {error}") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host or parsed.userinfo or parsed.query:
        raise ValueError("the address of GreyWind must look like http://127.0.0.1:8000 (http or https, no query)")
    return str(parsed).rstrip("/")


def _checked_key(key: str) -> str:
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ValueError("the key of GreyWind must be one word of ASCII, such as gw_…; copy it whole")
    return stripped


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
