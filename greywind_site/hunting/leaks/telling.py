"""`manage.py leak_hunt`: the hunt in a database of its own, and how it is told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.hunting.leaks.coverage import Coverage, covered
from greywind_site.hunting.leaks.filters import sites, why_out_of_reach
from greywind_site.hunting.leaks.hunter import MOST_TOLD, Hunter
from greywind_site.hunting.leaks.report import Report
from greywind_site.hunting.leaks.sabotage import LetGo, Opened, let_filters_go, open_policies, reading_policies
from greywind_site.hunting.leaks.world import World, make_world
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.seeds import seed_of
from greywind_site.hunting.telling import Tell, quiet
from greywind_site.operating.command import Told, lines, table

POLICIES, FILTERS = "policies", "filters"


@contextmanager
def counts_apart() -> Iterator[None]:
    """Count failed sign-ins in memory: a server that counts need not run, and one that runs keeps its own counts."""
    before = caches["default"]
    caches["default"] = LocMemCache("leak_hunt", {})
    try:
        yield
    finally:
        caches["default"] = before


def tell_hunt(options: Mapping[str, Any], tell: Tell) -> Told:
    """Make a database, a world in it, and hunt; with sabotage, take the walls away one after another as well."""
    seed = seed_of(options)
    with scratch_database("leak_hunt"), counts_apart(), quiet():
        world = make_world(options["projects"])
        tell(
            f"{len(world.crews)} projects, {len(world.principals)} principals, {len(world.ground.ids)} rows,"
            f" {len(world.ground.marks)} marks; seed {seed}"
        )
        hunter = Hunter(world, seed=seed)
        report = hunter.run(options["requests"], tell=tell)
        if options["sabotage"] == POLICIES:
            return _tell_policies(open_policies(world, report, seed=seed, policies=reading_policies(), tell=tell))
        if options["sabotage"] == FILTERS:
            return _tell_filters(
                *let_filters_go(
                    world, Hunter(world, seed=seed + 1), chosen=sites(), requests=options["requests"], tell=tell
                )
            )
        return _tell_report(world, report, covered(world, report), seed=seed)


def _tell_report(world: World, report: Report, coverage: Coverage, *, seed: int) -> Told:
    facts = {
        "requests": report.requests,
        "seconds": round(report.seconds, 1),
        "seed": seed,
        "projects": len(world.crews),
        "principals": len(world.principals),
        "operations": len(report.operations),
        "statuses": dict(sorted(report.statuses.items())),
        "rows": len(world.ground.ids),
        "tables": len(world.ground.rows),
        "marks": coverage.marks,
        "foreign_marks": len(report.leaks),
        "compared_pairs": report.pairs,
        "told_apart": len(report.oracles),
        "failures": len(report.failures),
        "shown_marks": coverage.shown,
        "shown_marks_heard": coverage.heard,
        "walk_completed": report.walked,
        "marks_read_directly": coverage.marks - len(coverage.unread),
        "tables_without_a_row": coverage.unmarked,
    }
    # A hunt that was too short to walk over everything cannot have heard everything.
    blind = [*coverage.unread, *coverage.unmarked, *(coverage.unheard if report.walked else [])]
    at_rest = world.ground.at_rest
    ill = [
        *map(str, report.leaks),
        *report.oracles,
        *report.failures,
        *at_rest,
        *(f"not heard: {one}" for one in blind),
    ]
    ok = not ill
    return Told(facts={"ok": ok, **facts, "ill": ill[:MOST_TOLD]}, shown=_shown(facts, ill), ok=ok)


def _tell_policies(opened: list[Opened]) -> Told:
    rows = [(str(one.policy), one.requests, one.by_requests, one.directly, one.red) for one in opened]
    green = [str(one.policy) for one in opened if not one.red]
    shown = table("policy opened", "requests", "heard by requests", "heard directly", "red", rows=rows)
    facts = {"ok": not green, "policies": len(opened), "unnoticed": green, "heard": {row[0]: row[2:4] for row in rows}}
    return Told(
        facts=facts, shown=Group(shown, Text(f"{len(opened) - len(green)} of {len(opened)} noticed")), ok=not green
    )


def _tell_filters(done: list[LetGo], never: list[Any]) -> Told:
    rows = [(str(one.site), one.requests, one.reached, len(one.leaks)) for one in done]
    ill = [each for one in done for each in [*one.leaks, *one.failures]]
    facts = {
        "ok": not ill,
        "filters": len(done) + len(never),
        "let_go": len(done),
        "leaks": sum(len(one.leaks) for one in done),
        "out_of_reach": {str(site): why_out_of_reach(site) for site in never if why_out_of_reach(site)},
        "not_reached": [str(site) for site in never if not why_out_of_reach(site)],
        "ill": ill[:MOST_TOLD],
    }
    shown = table("filter let go", "requests", "times reached", "leaks", rows=rows)
    unreached = [Text(f"reached by no request: {site} ({why_out_of_reach(site) or 'unexplained'})") for site in never]
    return Told(facts=facts, shown=Group(shown, *unreached, *map(Text, ill[:MOST_TOLD])), ok=not ill)


def _shown(facts: Mapping[str, Any], ill: list[str]) -> RenderableType:
    return lines(facts, then=ill[:MOST_TOLD] or ["nothing was heard that was for somebody else"])
