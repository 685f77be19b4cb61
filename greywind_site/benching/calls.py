"""Calls of a running server over one kept connection, as a client makes them."""

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit


class BenchmarkFault(Exception):
    """The server did not do what the measurement needs; the message says which call and what it answered."""


class Server:
    """A running GreyWind, called over one kept connection."""

    def __init__(self, url: str, key: str) -> None:
        address = urlsplit(url)
        secure = address.scheme == "https"
        link = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._link = link(address.netloc, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def close(self) -> None:
        """End the connection."""
        self._link.close()

    def connect_anew(self) -> None:
        """Begin a new connection with one probe: a server closes one that nothing was said over for a while."""
        self._link.close()
        self.ready()

    def ready(self) -> bytes:
        """One probe. Raises BenchmarkFault unless the server is ready."""
        return self._call("GET", "/readyz", None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the answer to one call of the API. Raises BenchmarkFault for anything but success."""
        return json.loads(self.send(path, json.dumps(body).encode()))

    def send(self, path: str, body: bytes) -> bytes:
        """Return the answer's bytes, unread: a measured call pays for no decoding on our side."""
        return self._call("POST", f"/api/v1{path}", body)

    def _call(self, method: str, path: str, body: bytes | None) -> bytes:
        try:
            self._link.request(method, path, body, self._headers)
            response = self._link.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._link.close()
            raise BenchmarkFault(f"{method} {path}: no answer ({error}).") from error
        if response.status >= 300:
            raise BenchmarkFault(f"{method} {path}: {response.status} {content[:300].decode(errors='replace')}")
        return content
