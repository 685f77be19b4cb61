"""Asking a server of one's own or of somebody else: with patience, within a time, and told without what was said."""

import random
import time
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

import httpx2

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
OUR_FAULT = frozenset({401, 403, 404})  # of the settings, not of a text: later is as good as now
PACE_SECONDS, LONGEST_PACE_SECONDS = 0.25, 4.0


class OutsideFault(Exception):
    """No answer that could be used. The message is for a person, and holds neither a key nor a text."""


class Unanswered(OutsideFault):
    """Nobody answered, or not now: the same may be asked again later."""


class NotTaken(OutsideFault):
    """What was sent is not taken, and would not be later."""


class Unreadable(OutsideFault):
    """What came is no JSON."""


class Outside:
    """One address. May be shared by threads."""

    def __init__(
        self,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str],
        tries: int,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.name, self.tries, self.url = name, tries, httpx2.URL(url)
        # A proxy from the environment must never see what is meant for this machine.
        trusts = not _is_loopback(self.url.host)
        self._client = httpx2.Client(headers=dict(headers), transport=transport, trust_env=trusts)

    def post(self, body: Mapping[str, Any], *, seconds: float) -> Any:
        """Return the JSON of the answer, within `seconds` for all tries together; raises OutsideFault."""
        deadline = time.monotonic() + seconds
        for tried in range(self.tries):
            try:
                return self._sent(body, left=deadline - time.monotonic())
            except _NotNow as fault:
                pause = max(_pace(tried), fault.wait)
                if tried + 1 == self.tries or time.monotonic() + pause >= deadline:
                    raise Unanswered(f"{self._place}: {fault}") from fault
                time.sleep(pause)
        raise Unanswered(f"{self._place} was not asked: no tries are allowed")

    @property
    def _place(self) -> str:
        return f"{self.name} at {self.url.host}"

    def _sent(self, body: Mapping[str, Any], *, left: float) -> Any:
        if left <= 0:
            raise _NotNow("no time is left")
        try:
            answer = self._client.post(self.url, json=body, timeout=left)
        except httpx2.RequestError as fault:
            raise _NotNow(type(fault).__name__) from fault
        if answer.status_code in PASSING:
            raise _NotNow(f"answered {answer.status_code}", wait=_asked_wait(answer))
        if answer.status_code in OUR_FAULT:
            raise Unanswered(f"{self._place} answered {answer.status_code}; see to its url and key")
        if not answer.is_success:
            raise NotTaken(f"{self._place} answered {answer.status_code}")
        try:
            return answer.json()
        except ValueError as fault:
            raise Unreadable(f"{self._place} answered no JSON") from fault


class _NotNow(OutsideFault):
    """Worth another try, after `wait` seconds if the server said so."""

    def __init__(self, what: str, *, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


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
