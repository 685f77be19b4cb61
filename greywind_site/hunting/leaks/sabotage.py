"""Sabotage: one wall after another is taken away, to see that the hunt would notice, or that another wall holds."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from psycopg import sql

from greywind_site.hunting.leaks.aiming import How
from greywind_site.hunting.leaks.asking import Ask
from greywind_site.hunting.leaks.direct import OPERATION, read_all
from greywind_site.hunting.leaks.filters import Site
from greywind_site.hunting.leaks.hunter import Hunter
from greywind_site.hunting.leaks.people import Principal
from greywind_site.hunting.leaks.removing import watched
from greywind_site.hunting.leaks.report import Report
from greywind_site.hunting.leaks.world import World
from greywind_site.hunting.scratch import owner_link
from greywind_site.hunting.telling import Tell

READING = """
SELECT tablename::text, policyname::text, cmd, qual, with_check FROM pg_policies
WHERE 'gw_app' = ANY (roles) AND cmd IN ('ALL', 'SELECT') ORDER BY 1, 2
"""
EACH_OPERATION = 12  # requests to each operation that shows something of the table
MOST_SAMPLES = 30  # requests that reached a filter, to be sent again without it


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule of the database that says which rows of a table the application may read."""

    table: str
    name: str
    command: str
    reads: str
    writes: str | None

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass(frozen=True, slots=True)
class Opened:
    """What was heard while a policy let everything through."""

    policy: Policy
    requests: int
    by_requests: int
    directly: int

    @property
    def red(self) -> bool:
        return bool(self.by_requests or self.directly)


@dataclass(slots=True)
class LetGo:
    """What was heard while a filter of the application filtered nothing."""

    site: Site
    requests: int = 0
    reached: int = 0
    leaks: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def reading_policies() -> list[Policy]:
    """Return every policy by which the application's role reads."""
    with owner_link() as link:
        return [Policy(*row) for row in link.execute(READING)]


def open_policies(
    world: World, hunted: Report, *, seed: int, policies: Sequence[Policy], tell: Tell, each: int = EACH_OPERATION
) -> list[Opened]:
    """Open each policy in turn and hunt for what it kept: by requests to what shows its table, and by direct reads."""
    done = []
    for policy in policies:
        with owner_link() as link, _opened(link, policy):
            done.append(_hunt_behind(policy, world, hunted, seed=seed, each=each))
        tell(f"{policy}: {done[-1].by_requests} by requests, {done[-1].directly} directly")
    return done


@contextmanager
def _opened(link: psycopg.Connection, policy: Policy) -> Iterator[None]:
    change = sql.SQL("ALTER POLICY {} ON {} USING ({})")
    named = [sql.Identifier(policy.name), sql.Identifier(policy.table)]
    link.execute(change.format(*named, sql.SQL("true")))
    try:
        yield
    finally:
        link.execute(change.format(*named, sql.SQL(policy.reads)))


def _hunt_behind(policy: Policy, world: World, hunted: Report, *, seed: int, each: int) -> Opened:
    hunter = Hunter(world, seed=seed)
    shows = {name for name, tables in hunted.showing.items() if policy.table in tables}
    calls = [one for one in hunter.calls if one.name in shows]
    pages = [one for one in hunter.pages if f"page {one.name}" in shows]
    hunter.calls, hunter.pages = calls or hunter.calls[:0], pages or hunter.pages[:0]
    agents = [one for one in world.principals if one.is_agent] if calls else []
    humans = [one for one in world.principals if one.cookie] if pages else []
    for _ in range(each * (len(calls) + len(pages))):
        by = hunter.dice.choice([*agents, *humans])
        hunter.ask(hunter.random_ask(by, hunter.dice.choice([How.FOREIGN, How.OWN])), by)
    report = hunter.report
    heard = len(report.leaks)
    read_all(world, report, tables=[policy.table], principals=world.principals[:2])
    directly = sum(leak.operation == OPERATION for leak in report.leaks)
    return Opened(policy, report.requests, heard, directly)


def let_filters_go(
    world: World, hunter: Hunter, *, chosen: Sequence[Site], requests: int, tell: Tell
) -> tuple[list[LetGo], list[Site]]:
    """Let each filter go in turn and send what reaches it; returns what was heard, and the filters nothing reached."""
    samples = _reaching(hunter, chosen, requests)
    done = []
    for site in chosen:
        if samples[site.number]:
            done.append(_without(site, world, samples[site.number]))
            tell(f"{site}: {done[-1].requests} requests, {len(done[-1].leaks)} leaks")
    return done, [site for site in chosen if not samples[site.number]]


def _reaching(hunter: Hunter, chosen: Sequence[Site], requests: int) -> dict[int, list[tuple[Ask, Principal]]]:
    """Hunt with every filter counted; returns requests that reached each, of as many kinds as there are."""
    samples: dict[int, list[tuple[Ask, Principal]]] = defaultdict(list)
    kinds: dict[int, Counter[str]] = defaultdict(Counter)
    reached: set[int] = set()
    asked, ask = hunter.ask, hunter.ask

    def noted(request: Ask, by: Principal) -> object:
        reached.clear()
        answer = asked(request, by)
        for number in reached:
            few = kinds[number][request.operation] < MOST_SAMPLES // 3
            if few and len(samples[number]) < MOST_SAMPLES:
                kinds[number][request.operation] += 1
                samples[number].append((request, by))
        return answer

    hunter.ask = noted  # type: ignore[method-assign, assignment]  # for this one hunt
    try:
        with watched(chosen, reached.add, let_go=False):
            hunter.run(hunter.report.requests + requests)
    finally:
        hunter.ask = ask  # type: ignore[method-assign]  # as it was
    return samples


def _without(site: Site, world: World, samples: Sequence[tuple[Ask, Principal]]) -> LetGo:
    hunter, done = Hunter(world, seed=0), LetGo(site)

    def tell(_number: int) -> None:
        done.reached += 1

    with watched([site], tell, let_go=True):
        for ask, by in samples:
            hunter.ask(ask, by)
    done.requests = hunter.report.requests
    done.leaks = [str(leak) for leak in hunter.report.leaks]
    done.failures = list(hunter.report.failures)
    return done
