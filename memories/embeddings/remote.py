"""Models behind an address that speaks OpenAI's embeddings API, one's own or somebody else's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np

from governance.outside import NotTaken, Outside, OutsideFault, Unanswered, Unreadable
from memories.embeddings.embedder import EmbedderFault, Misfit, Refused, Unreachable, Vectors, normalised

FAULTS: Mapping[type[OutsideFault], type[EmbedderFault]] = {
    Unanswered: Unreachable,
    NotTaken: Refused,
    Unreadable: Misfit,
}


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
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        url = endpoint.url.rstrip("/") + "/embeddings"
        self._server = Outside(endpoint.name, url, headers=headers, tries=endpoint.tries, transport=transport)

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
        try:
            told = self._server.post(body, seconds=seconds)
        except OutsideFault as fault:
            raise FAULTS[type(fault)](str(fault)) from fault
        return normalised(_vectors(told, len(texts), self.name), count=len(texts), dims=self.dims, name=self.name)


def _vectors(told: Any, count: int, name: str) -> Vectors:
    """Return the rows of an answer in the order of its texts; raises Misfit for another form."""
    try:
        rows = {int(one["index"]): one["embedding"] for one in told["data"]}
        return np.asarray([rows[number] for number in range(count)], dtype=np.float32)
    except (KeyError, TypeError, ValueError) as fault:
        raise Misfit(f"{name} answered in another form than OpenAI's, or fewer vectors than texts") from fault
