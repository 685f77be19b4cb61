"""How a language model is asked for a summary: two wire formats, one question, one answer as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import httpx2

from governance.outside import Outside, OutsideFault


class Wire(StrEnum):
    """What a server speaks: OpenAI's chat completions, which many servers do, or Anthropic's messages."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class WriterFault(Exception):
    """No text came that could be a summary; the message says why, without anybody's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is reached. `seconds` are for one answer with all its tries, `most` the tokens it may write."""

    url: str
    model: str
    wire: Wire = Wire.OPENAI
    key: str = ""
    seconds: float = 60.0
    tries: int = 3
    most: int = 4_000


class Writer(Protocol):
    """Answers a question in text."""

    def answer(self, instructions: str, question: str) -> str:
        """Return the answer; raises WriterFault."""
        ...


class RemoteWriter:
    """A model behind an address. May be shared by threads."""

    def __init__(self, endpoint: Endpoint, *, transport: httpx2.BaseTransport | None = None) -> None:
        self.endpoint = endpoint
        url = endpoint.url.rstrip("/") + PATHS[endpoint.wire]
        headers = _headers(endpoint)
        self._server = Outside(endpoint.model, url, headers=headers, tries=endpoint.tries, transport=transport)

    def answer(self, instructions: str, question: str) -> str:
        """Return what the model answers; raises WriterFault, also where it declines or is cut off."""
        anthropic = self.endpoint.wire is Wire.ANTHROPIC
        body = (
            _messages(self.endpoint, instructions, question)
            if anthropic
            else _chat(self.endpoint, instructions, question)
        )
        try:
            told = self._server.post(body, seconds=self.endpoint.seconds)
        except OutsideFault as fault:
            raise WriterFault(str(fault)) from fault
        try:
            return _of_message(told) if anthropic else _of_chat(told)
        except (KeyError, TypeError, IndexError) as fault:
            raise WriterFault(f"{self.endpoint.model} answered in another form than {self.endpoint.wire}'s") from fault


PATHS: Mapping[Wire, str] = {Wire.OPENAI: "/chat/completions", Wire.ANTHROPIC: "/messages"}
ANTHROPIC_VERSION = "2023-06-01"


def _headers(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.wire is Wire.ANTHROPIC:
        key = {"x-api-key": endpoint.key} if endpoint.key else {}
        return {"anthropic-version": ANTHROPIC_VERSION, **key}
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _chat(endpoint: Endpoint, instructions: str, question: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": instructions}, {"role": "user", "content": question}]
    return {"model": endpoint.model, "messages": messages, "max_completion_tokens": endpoint.most, "temperature": 0}


def _messages(endpoint: Endpoint, instructions: str, question: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": question}]
    return {"model": endpoint.model, "system": instructions, "messages": messages, "max_tokens": endpoint.most}


def _of_chat(told: Any) -> str:
    choice = told["choices"][0]
    if choice["message"].get("refusal") or choice.get("finish_reason") == "content_filter":
        raise WriterFault("the model declined to write")
    if choice.get("finish_reason") == "length":
        raise WriterFault("the model was cut off before its end")
    return str(choice["message"]["content"])


def _of_message(told: Any) -> str:
    if told.get("stop_reason") == "refusal":
        raise WriterFault("the model declined to write")
    if told.get("stop_reason") == "max_tokens":
        raise WriterFault("the model was cut off before its end")
    return "".join(block["text"] for block in told["content"] if block["type"] == "text")
