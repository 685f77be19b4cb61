"""`manage.py benchmark`: what a whole POST /context costs, beside what cannot be avoided, and how that is told."""

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from functools import partial
from typing import Any

import django
import psycopg
from django.conf import settings
from django.test import Client
from django.utils import timezone

from greywind_site.benching.calls import BenchmarkFault, Server
from greywind_site.benching.compile_bare import Work, ask_again, bare_link, captured
from greywind_site.benching.compile_cost import pages_of, plans_of
from greywind_site.benching.compile_kinds import (
    ANEW,
    ASKS,
    BARE_ASKS,
    BARE_ON,
    LONG_ASKS,
    LONG_ON,
    ON,
    PROBE,
    SHORT_ASKS,
    SHORT_ON,
    Cost,
    Run,
    Sizes,
)
from greywind_site.benching.compile_runs import Kind, Measured, Ratio, measured, ratio_of, warm_up
from greywind_site.benching.compile_served import served
from greywind_site.benching.compile_store import Workplace, workplace
from greywind_site.benching.compile_telling import told
from greywind_site.benching.compile_texts import GOES_ON, question
from greywind_site.benching.compile_tokens import Weighed, weighed
from greywind_site.benching.peer_site import check_site
from greywind_site.benching.rows import Tell
from greywind_site.benching.scale_store import analysed, graph_last
from greywind_site.embedded.up import HOST
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told

QUESTIONS = 20  # asked over and over, so that their vectors are at hand
NEW = 100_000  # where the questions begin of which each is asked once
IDLE_CALLS = 2_000
SETTINGS = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY (%s) ORDER BY name"
NAMED = ("server_version", "shared_buffers", "work_mem", "fsync", "synchronous_commit", "jit")
type Serve = Callable[[], AbstractContextManager[str]]
"""What serves the site on this process's database within a block, and gives its address."""


def tell_compile(sizes: Sizes, tell: Tell) -> Told:
    """Measure in a database made for it and dropped afterwards."""
    check_site()
    with scratch_database("benchmark"), quiet():
        return told(run(sizes, tell))


def run(sizes: Sizes, tell: Tell, *, serve: Serve = served) -> Run:
    """Fill the database that every connection points at, and measure what is served from it."""
    now = timezone.now()
    with graph_last():
        tell(f"a project with a session of {sizes.short} events and {sizes.memories} memories")
        plain = workplace("plain", events=[sizes.short], memories=sizes.memories, now=now)
        tell(f"a project with sessions of {sizes.short} and {sizes.events} events")
        flat = workplace("flat", events=[sizes.short, sizes.events], memories=sizes.memories, now=now)
        tell("drawing the graph of all that can be found")
    analysed()
    with ExitStack() as stack:
        link = stack.enter_context(bare_link())
        tell("capturing what a request asks of the database")
        works = _captured(plain, flat)
        url = stack.enter_context(serve())
        ours, theirs = (stack.enter_context(closing(Server(url, place.secret))) for place in (plain, flat))
        kinds = {**_kinds(ours, plain), **_flat_kinds(theirs, flat), **_bare_kinds(link, works)}
        warm_up(kinds, sizes.warm_up)
        analysed()  # packets were none before
        plans = {name: plans_of(link, work) for name, work in works.items()}
        idle, load = _idle_us(link), os.getloadavg()[0]
        found = measured(kinds, blocks=sizes.blocks, calls=sizes.calls, tell=tell)
        machine = _machine(link)
        idle_after, load_after = _idle_us(link), os.getloadavg()[0]
        costs = {name: _cost(link, work, plans[name]) for name, work in works.items()}
        flips = [f"{name}: {one}" for name, work in works.items() for one in _flips(plans[name], plans_of(link, work))]
    tell("weighing what is tokenised")
    tokens = weighed(plain, plain.works[0], turns=sizes.turns, now=timezone.now())
    return Run(
        sizes=sizes,
        figures=found.figures(),
        ratios=[*_time_ratios(found), *_page_ratios(costs), *_token_ratios(tokens)],
        costs=costs,
        flips=flips,
        idle_us=(idle, idle_after),
        load=(round(load, 2), round(load_after, 2)),
        tokenised=tokens.again.medians,
        machine=machine,
    )


def _kinds(server: Server, place: Workplace) -> dict[str, Kind]:
    thread = place.works[0].thread
    return {
        PROBE: Kind(lambda _n: server.ready(), server.connect_anew),
        ASKS: _asks(server, thread),
        ANEW: Kind(lambda n: server.send("/context", _body(thread, question(NEW + n))), server.connect_anew),
        ON: _goes_on(server, thread),
    }


def _flat_kinds(server: Server, place: Workplace) -> dict[str, Kind]:
    short, long = (work.thread for work in place.works)
    return {
        SHORT_ASKS: _asks(server, short),
        LONG_ASKS: _asks(server, long),
        SHORT_ON: _goes_on(server, short),
        LONG_ON: _goes_on(server, long),
    }


def _asks(server: Server, thread: str) -> Kind:
    bodies = [_body(thread, question(n)) for n in range(QUESTIONS)]
    return Kind(lambda n: server.send("/context", bodies[n % QUESTIONS]), server.connect_anew)


def _goes_on(server: Server, thread: str) -> Kind:
    first, on = _body(thread, question(0)), _body(thread, GOES_ON)

    def find_first() -> None:
        server.connect_anew()
        server.send("/context", first)

    return Kind(lambda _n: server.send("/context", on), find_first)


def _bare_kinds(link: psycopg.Connection[Any], works: Mapping[str, Work]) -> dict[str, Kind]:
    def again(work: Work) -> bytes:
        return repr([(call.rows, call.size) for call in ask_again(link, work).calls]).encode()

    return {
        BARE_ASKS: Kind(lambda _n: again(works[ASKS])),
        BARE_ON: Kind(lambda _n: again(works[ON])),
    }


def _body(thread: str, text: str) -> bytes:
    return json.dumps({"thread_id": thread, "user_input": {"raw_text": text}}).encode()


def _captured(plain: Workplace, flat: Workplace) -> dict[str, Work]:
    """Return the statements of one request of each kind, after it was made a few times: an attempt is running then."""
    (own,), (short, long) = plain.works, flat.works
    wanted = {ASKS: (plain, own, question(0)), ON: (plain, own, GOES_ON)}
    wanted |= {SHORT_ASKS: (flat, short, question(0)), SHORT_ON: (flat, short, GOES_ON)}
    wanted |= {LONG_ASKS: (flat, long, question(0)), LONG_ON: (flat, long, GOES_ON)}
    works = {}
    for name, (place, work, text) in wanted.items():
        request = partial(_in_process, place, _body(work.thread, text))
        request()
        request()
        works[name] = captured(request)
    return works


def _in_process(place: Workplace, body: bytes) -> None:
    client = Client(HTTP_HOST=HOST, HTTP_AUTHORIZATION=f"Bearer {place.secret}")
    answer = client.post("/api/v1/context", body, content_type="application/json")
    if answer.status_code != 200:
        raise BenchmarkFault(f"POST /context: {answer.status_code} {answer.content[:300].decode(errors='replace')}")


def _cost(link: psycopg.Connection[Any], work: Work, plans: Mapping[str, str]) -> Cost:
    return Cost(
        statements=len(work.calls), transactions=len(work.transactions), pages=pages_of(link, work), plans=plans
    )


def _flips(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [name for name, plan in before.items() if after.get(name) != plan]


def _idle_us(link: psycopg.Connection[Any]) -> float:
    """Return what the least call takes now: it tells when the machine itself became slower or faster."""

    def least(_n: int) -> bytes:
        link.execute("SELECT 1").fetchone()
        return b""

    [idle] = measured({"idle": Kind(least)}, blocks=1, calls=IDLE_CALLS, tell=_nobody).figures()
    return round(1000 * idle.p50_ms, 1)


def _nobody(_said: str) -> None:
    """Tell nobody."""


def _time_ratios(found: Measured) -> Iterator[Ratio]:
    for name in (ASKS, ON):
        yield found.ratio(name, PROBE, most=8)
    yield found.ratio(ANEW, PROBE)
    for name, bare in ((ASKS, BARE_ASKS), (ON, BARE_ON)):
        yield found.ratio(name, bare)
    for name, other in ((LONG_ASKS, SHORT_ASKS), (LONG_ON, SHORT_ON)):
        yield found.ratio(name, other, most=1.15)


def _page_ratios(costs: Mapping[str, Cost]) -> Iterator[Ratio]:
    for name, other in ((LONG_ASKS, SHORT_ASKS), (LONG_ON, SHORT_ON)):
        pages = costs[name].pages / costs[other].pages
        yield ratio_of(f"pages: {name} / {other}", [pages], least=0.95, most=1.05)


def _token_ratios(tokens: Weighed) -> Iterator[Ratio]:
    yield ratio_of("bytes: naive / tokenised", tokens.again.shares, least=50)
    yield ratio_of("the same where each memory is new to the process", tokens.first.shares)


def _machine(link: psycopg.Connection[Any]) -> dict[str, str]:
    """Return what the figures depend on: versions, settings of the database, models."""
    told = {"python": platform.python_version(), "django": django.__version__}
    told |= {name: str(value) for name, value in link.execute(SETTINGS, [list(NAMED)]).fetchall()}
    return told | {"models": " and ".join(settings.GREYWIND.embeddings.models), "processors": str(os.cpu_count())}
