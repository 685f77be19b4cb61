"""HTTP with the standard library alone, for the hooks: they start at every turn, and a client library costs more
than the call it makes."""

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from greywind_site.client.profile import Profile

PREFIX = "/api/v1"


class NoAnswer(Exception):
    """No GreyWind answered in the time allowed; the message says why and never holds the key."""


@dataclass(frozen=True)
class Answer:
    """What came back: the status, and the JSON object of the body (empty where it was none)."""

    status: int
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True for a call that was carried out."""
        return 200 <= self.status < 300

    @property
    def code(self) -> str:
        """The stable name of a refusal."""
        return str(self.body.get("code") or f"http_{self.status}")

    @property
    def reason(self) -> str:
        """One line for a person."""
        detail = str(self.body.get("detail") or self.body.get("title") or "no reason given")
        return f"{self.status} {self.code}: {' '.join(detail.split())}"


class Wire:
    """One profile's calls, all of them over before `deadline` (of time.monotonic)."""

    def __init__(self, profile: Profile, *, deadline: float) -> None:
        parts = urlsplit(profile.url)
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname or "", parts.port, parts.path.rstrip("/") + PREFIX
        self._headers = {"Authorization": f"Bearer {profile.key}", "Accept": "application/json"}
        self.url, self.deadline = profile.url, deadline

    def left(self) -> float:
        """Seconds that remain."""
        return self.deadline - time.monotonic()

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """Send one request and return the answer, refusals included; raises NoAnswer."""
        left = self.left()
        if left <= 0:
            raise NoAnswer(f"{self.url} was too slow")
        link = self._link(left)
        try:
            link.request(method, self._path + path, *self._content(body))
            response = link.getresponse()
            return _read(response.status, response.read(), url=self.url)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"{self.url} does not answer ({str(error) or type(error).__name__})") from error
        finally:
            link.close()

    def _link(self, seconds: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=seconds)

    def _content(self, body: Any) -> tuple[bytes | None, dict[str, str]]:
        if body is None:
            return None, self._headers
        content = json.dumps(body, ensure_ascii=False).encode()
        return content, self._headers | {"Content-Type": "application/json"}


def _read(status: int, content: bytes, *, url: str) -> Answer:
    try:
        read = json.loads(content)
    except ValueError:
        read = None
    body = read if isinstance(read, dict) else {}
    if status < 400 and not body:
        raise NoAnswer(f"{url} is no GreyWind; check the address")
    return Answer(status, body)
