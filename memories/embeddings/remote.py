"""Models behind an address that speaks OpenAI's embeddings API, one's own or somebody else's."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpx2
import numpy as np

from memories.embeddings.embedder import EmbedderFault, Misfit, Refused, Unreachable, Vectors, normalised

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
OUR_FAULT = frozenset({401, 403, 404})  # of the settings, not of a text: later is as good as now
PACE_SECONDS, LONGEST_PACE_SECONDS = 0.25, 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is reached and what it is said to give. Seconds are for one whole call with all its tries."""

    name: str
    url: str
    model: str
    dims: int
    version: str
    key: str = ""
    batch: int = 64
    passage_seconds: float = 30.0
    query_seconds: float = 2.0
    tries: int = 4
    passage_prefix: str = ""
    query_prefix: str = ""
    ask_dims: bool = False


class RemoteEmbedder:
    """One endpoint. May be shared by threads. No message of a fault holds the key or a text."""

    def __init__(self, endpoint: Endpoint, *, transport: httpx2.BaseTransport | None = None) -> None:
        self.endpoint = endpoint
        self.name, self.dims, self.space = endpoint.name, endpoint.dims, f"{endpoint.version}@{endpoint.dims}"
        url = httpx2.URL(endpoint.url.rstrip("/") + "/embeddings")
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        self._url = url
        # A proxy from the environment must never see what is meant for this machine.
        self._client = httpx2.Client(headers=headers, transport=transport, trust_env=not _is_loopback(url.host))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per text; raises EmbedderFault."""
        size, prefix = self.endpoint.batch, self.endpoint.passage_prefix
        parts = [
            self._rows([prefix + text for text in texts[n : n + size]], self.endpoint.passage_seconds)
            for n in range(0, len(texts), size)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dims), dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row per question, within the seconds of a question; raises EmbedderFault."""
        return self._rows([self.endpoint.query_prefix + text for text in texts], self.endpoint.query_seconds)

    def _rows(self, texts: Sequence[str], seconds: float) -> Vectors:
        body: dict[str, Any] = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        if self.endpoint.ask_dims:
            body["dimensions"] = self.dims
        told = self._answered(body, deadline=time.monotonic() + seconds)
        return normalised(_vectors(told, len(texts), self.name), count=len(texts), dims=self.dims, name=self.name)

    def _answered(self, body: Mapping[str, Any], *, deadline: float) -> Any:
        for tried in range(self.endpoint.tries):
            try:
                return self._sent(body, left=deadline - time.monotonic())
            except _NotNow as fault:
                pause = max(_pace(tried), fault.wait)
                if tried + 1 == self.endpoint.tries or time.monotonic() + pause >= deadline:
                    raise Unreachable(f"{self.name} at {self._url.host}: {fault}") from fault
                time.sleep(pause)
        raise Unreachable(f"{self.name} at {self._url.host} was not asked: no tries are allowed")

    def _sent(self, body: Mapping[str, Any], *, left: float) -> Any:
        if left <= 0:
            raise _NotNow("no time is left")
        try:
            answer = self._client.post(self._url, json=body, timeout=left)
        except httpx2.RequestError as fault:
            raise _NotNow(type(fault).__name__) from fault
        if answer.status_code in PASSING:
            raise _NotNow(f"answered {answer.status_code}", wait=_asked_wait(answer))
        if answer.status_code in OUR_FAULT:
            raise Unreachable(f"{self.name} at {self._url.host} answered {answer.status_code}; see to its url and key")
        if not answer.is_success:
            raise Refused(f"{self.name} at {self._url.host} answered {answer.status_code}")
        try:
            return answer.json()
        except ValueError as fault:
            raise Misfit(f"{self.name} at {self._url.host} answered no JSON") from fault


class _NotNow(EmbedderFault):
    """Worth another try, after `wait` seconds if the server said so."""

    def __init__(self, what: str, *, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


def _vectors(told: Any, count: int, name: str) -> Vectors:
    """Return the rows of an answer in the order of its texts; raises Misfit for another form."""
    try:
        rows = {int(one["index"]): one["embedding"] for one in told["data"]}
        return np.asarray([rows[number] for number in range(count)], dtype=np.float32)
    except (KeyError, TypeError, ValueError) as fault:
        raise Misfit(f"{name} answered in another form than OpenAI's, or fewer vectors than texts") from fault


def _pace(tried: int) -> float:
    longest = min(PACE_SECONDS * 2.0**tried, LONGEST_PACE_SECONDS)
    return random.uniform(longest / 2, longest)  # noqa: S311 - spreads retries, hides nothing


def _asked_wait(answer: httpx2.Response) -> float:
    told = answer.headers.get("Retry-After", "")
    return float(told) if told.isdecimal() else 0.0


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
