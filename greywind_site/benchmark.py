"""What a compile costs, told in probes: POST /context and GET /readyz of one server, measured in turns.

Absolute times say more about the machine and its load than about the code, so the result is a ratio. Both calls go
over the same connection in blocks of random order; a block gives one ratio of its medians, and the blocks give the
median ratio with a bootstrap interval.
"""

import http.client
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any
from urllib.parse import urlsplit

PROBE = "GET /readyz"
WARM_UP_CALLS = 30  # of each kind: pools fill, plans are cached, vocabularies load
RESAMPLES = 2_000
INTERVAL = 0.95
BATCH = 250  # events of one append
TITLE = "基准线程 · benchmark thread"

ASKED = (
    "把解析器的错误信息改得更具体，并说明出错的行号和列号。",
    "Please make the importer skip damaged rows instead of stopping, and count them in the report.",
    "继续",
    "Why does the second test fail only on Monday?",
)
TOLD = (
    "已经改好了：解析器现在在每个错误里给出行号、列号和期望的记号，并补了三个测试；其中一个覆盖空文件，一个覆盖没有结尾换行的文件。",
    "Done. Damaged rows are counted and kept raw in the report; the importer goes on with the next one. ",
    "我看了日志，时区在跨越午夜的时候没有换算，所以星期一的那一条落到了前一天。",
    "The week starts on Sunday in that library, so the filter drops the first day. I set the first weekday. ",
)
CALLED = (
    "read_file parser/tokens.py",
    "run_tests tests/importer -q",
    "rg 'weekday' --type py",
    "read_file 设计/解析器.md",
)
RESULT = "parser/tokens.py:{n}: def next_token(self) -> Token:  # 第 {n} 行\n    return self._scan(self.position)\n"


class BenchmarkFault(Exception):
    """The server did not do what the measurement needs; the message says which call and what it answered."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one kind of call: p50 in milliseconds, and for all but the probe the ratio to it."""

    name: str
    p50_ms: float
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run: its size, the load averages around it, and the figures of each kind of call."""

    events: int
    rounds: int
    calls: int
    load_before: float
    load_after: float
    figures: tuple[Figures, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return asdict(self)


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

    def ready(self) -> None:
        """One probe. Raises BenchmarkFault unless the server is ready."""
        self._call("GET", "/readyz", None)

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


def run(server: Server, *, events: int, rounds: int, calls: int, tell: Callable[[str], None]) -> Report:
    """Make a thread with `events` events and measure `rounds` blocks of `calls` calls a kind. `tell` hears progress."""
    tell(f"making a thread with {events} events")
    kinds = _kinds(server, thread_with(server, events))
    before = os.getloadavg()[0]
    for call in kinds.values():
        _times(call, min(WARM_UP_CALLS, calls))
    tell(f"measuring {rounds} blocks of {calls} calls a kind")
    blocks = [_block(kinds, calls) for _ in range(rounds)]
    return Report(
        events=events,
        rounds=rounds,
        calls=calls,
        load_before=round(before, 2),
        load_after=round(os.getloadavg()[0], 2),
        figures=tuple(_figures(name, blocks) for name in kinds),
    )


def thread_with(server: Server, events: int) -> str:
    """Make a thread whose session holds that many events, and return the thread's id."""
    mark = uuid.uuid4().hex[:8]
    thread: str = server.post("/threads", {"title": f"{TITLE} {mark}"})["id"]
    session = server.post("/sessions", {"thread_id": thread})["id"]
    entries = [entry(n) | {"client_id": f"{mark}-{n}"} for n in range(events)]
    for start in range(0, events, BATCH):
        server.post(f"/sessions/{session}/events", {"events": entries[start : start + BATCH]})
    return thread


def entry(n: int) -> dict[str, Any]:
    """Return the n-th event of the transcript: a request, a tool call, its result and an answer, over and over."""
    turn, step = divmod(n, 4)
    match step:
        case 0:
            return {"role": "user", "text": ASKED[turn % len(ASKED)]}
        case 1:
            return {"role": "assistant", "kind": "tool_call", "tool": "shell", "text": CALLED[turn % len(CALLED)]}
        case 2:
            text = "".join(RESULT.format(n=turn + line) for line in range(1 + turn % 9))
            return {"role": "tool", "kind": "tool_result", "tool": "shell", "failed": False, "text": text}
        case _:
            return {"role": "assistant", "text": TOLD[turn % len(TOLD)] * (1 + turn % 4)}


def _kinds(server: Server, thread: str) -> dict[str, Callable[[], object]]:
    ask = {"thread_id": thread, "user_input": {"raw_text": "继续"}}
    plain = json.dumps(ask).encode()
    capped = json.dumps(ask | {"budget": {"max_input_tokens": 12_000}}).encode()
    return {
        PROBE: server.ready,
        "POST /context": lambda: server.send("/context", plain),
        "POST /context, 12k": lambda: server.send("/context", capped),
    }


def _block(kinds: Mapping[str, Callable[[], object]], calls: int) -> dict[str, float]:
    names = list(kinds)
    random.shuffle(names)
    return {name: median(_times(kinds[name], calls)) for name in names}


def _times(call: Callable[[], object], calls: int) -> list[float]:
    taken = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def _figures(name: str, blocks: Sequence[Mapping[str, float]]) -> Figures:
    p50 = round(median(block[name] for block in blocks), 3)
    if name == PROBE:
        return Figures(name, p50)
    ratios = [block[name] / block[PROBE] for block in blocks]
    low, high = interval(ratios)
    return Figures(name, p50, round(median(ratios), 2), round(low, 2), round(high, 2))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the bootstrap interval of the median; the same values give the same one."""
    dice = random.Random(len(values))  # noqa: S311 - resampling, no secret
    medians = sorted(median(dice.choices(values, k=len(values))) for _ in range(RESAMPLES))
    cut = round((1 - INTERVAL) / 2 * RESAMPLES)
    return medians[cut], medians[-1 - cut]
