"""The leak hunt, small: nobody hears what is not for them, everybody hears their own, and a missing wall is noticed."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from governance.visibility import Placement, may_read
from greywind_site.console.throttle import one_attempt
from greywind_site.hunting.leaks.aiming import How
from greywind_site.hunting.leaks.asking import Answer, Ask, send
from greywind_site.hunting.leaks.coverage import Coverage, covered
from greywind_site.hunting.leaks.filters import OUT_OF_REACH, Site, sites
from greywind_site.hunting.leaks.form_asks import filled_ask, shown_on
from greywind_site.hunting.leaks.ground import tables_with_project
from greywind_site.hunting.leaks.hunter import Hunter
from greywind_site.hunting.leaks.marks import Mints, Place, marks_in, place_of
from greywind_site.hunting.leaks.meeting import Met
from greywind_site.hunting.leaks.people import Principal
from greywind_site.hunting.leaks.removing import _opened, watched
from greywind_site.hunting.leaks.report import Report
from greywind_site.hunting.leaks.sabotage import let_filters_go, open_policies, reading_policies
from greywind_site.hunting.leaks.telling import counts_apart
from greywind_site.hunting.leaks.world import World, make_world
from tests.databases import put_back
from tests.governance.rawsql import owner

pytestmark = pytest.mark.slow
PROJECTS, REQUESTS, SEED = 3, 2_000, 7  # by command: manage.py leak_hunt --requests 100000, with eight projects
PER_OPERATION = 1
SOME_FILTERS = 6


@dataclass(frozen=True, slots=True)
class Hunted:
    world: World
    report: Report
    coverage: Coverage


@pytest.fixture(scope="module")
def hunted(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Hunted]:
    with put_back(django_db_blocker):
        logging.disable(logging.CRITICAL)
        try:
            world = make_world(PROJECTS)
            report = Hunter(world, seed=SEED).run(REQUESTS)
            yield Hunted(world, report, covered(world, report))
        finally:
            logging.disable(logging.NOTSET)


def test_nobody_hears_what_is_not_for_them(hunted: Hunted) -> None:
    assert (hunted.report.requests >= REQUESTS, hunted.report.leaks) == (True, [])


def test_a_foreign_id_is_answered_like_a_random_one(hunted: Hunted) -> None:
    assert (hunted.report.pairs > REQUESTS / 100, hunted.report.oracles) == (True, [])


def test_nothing_fails_on_the_way(hunted: Hunted) -> None:
    assert hunted.report.failures == []


def test_what_is_stored_for_few_is_stored_nowhere_for_many(hunted: Hunted) -> None:
    assert hunted.world.ground.at_rest == []


def test_everybody_together_hears_all_that_is_theirs(hunted: Hunted) -> None:
    assert hunted.report.walked
    assert (hunted.coverage.unheard, hunted.coverage.unread) == ([], [])


def test_every_table_of_a_project_holds_a_row_in_every_project(hunted: Hunted) -> None:
    assert hunted.coverage.unmarked == []


def test_every_documented_call_and_every_page_is_asked(hunted: Hunted) -> None:
    hunter = Hunter(hunted.world, seed=SEED)
    by = hunted.world.principals
    agent, human = next(each for each in by if each.is_agent), next(each for each in by if each.cookie)
    names = {hunter.random_ask(who, How.OWN).operation for who in (agent, human) for _ in range(2_500)}
    wanted = {one.name for one in hunter.calls} | {f"page {one.name}" for one in hunter.pages}
    assert wanted - names == set()


def test_every_open_policy_is_noticed(hunted: Hunted) -> None:
    opened = open_policies(
        hunted.world, hunted.report, seed=SEED, policies=reading_policies(), tell=_silently, each=PER_OPERATION
    )
    assert [str(one.policy) for one in opened if not one.red] == []
    assert any(one.by_requests for one in opened)


def test_the_policies_are_those_of_every_table_that_is_read(hunted: Hunted) -> None:
    with owner() as link:
        tables = set(tables_with_project(link)) - {"governance_audithead"}  # it may be read by nobody at all
    assert {one.table for one in reading_policies()} == tables | {"governance_project"}


def test_without_one_filter_of_the_application_nothing_is_heard_all_the_same(hunted: Hunted) -> None:
    chosen = sites()[:: max(1, len(sites()) // SOME_FILTERS)]
    done, _ = let_filters_go(hunted.world, Hunter(hunted.world, seed=SEED), chosen=chosen, requests=150, tell=_silently)
    assert [each for one in done for each in [*one.leaks, *one.failures]] == []


def test_a_filter_that_is_let_go_filters_nothing(hunted: Hunted) -> None:
    """The twin of the test above: what was taken away is really gone, and comes back."""
    reached: list[int] = []
    [site] = [one for one in sites() if one.module == "governance.visibility" and "project_id" in one.text]
    [crew, other] = hunted.world.crews[:2]
    foreign = Placement(project_id=other.project_id)
    with watched([site], reached.append, let_go=True):
        during = may_read(crew.owner.acting, foreign)
    assert (during, may_read(crew.owner.acting, foreign), reached) == (True, False, [site.number])


def test_every_filter_can_be_counted_and_a_condition_let_go() -> None:
    with watched(sites(), lambda _number: None, let_go=False):
        assert _opened("SELECT FROM t s WHERE s.audience = 'project'", "audience = 'project'").endswith("WHERE TRUE")


def test_a_leak_is_noticed(hunted: Hunted) -> None:
    """A mark of another project, said by a page, is a leak; one's own is not."""
    hunter = Hunter(hunted.world, seed=SEED)
    by = next(each for each in hunted.world.principals if each.is_agent)
    [number] = by.seats
    foreign = next(mark for mark in hunted.world.ground.marks if place_of(mark).project != number)
    ask = Ask(operation="GET /api/v1/key", method="GET", path="/api/v1/key")
    hunter._judge(ask, send(ask, by, look=lambda _answer: None), by)
    assert hunter.report.leaks == []
    hunter._judge(ask, _saying(foreign), by)
    assert [leak.what for leak in hunter.report.leaks] == [foreign] * len(hunter.report.leaks) != []


def _saying(text: str) -> Any:
    return Answer("200 OK", (("X-Note", text),), "")


def _silently(_text: str) -> None:
    """Tell nobody."""


def test_the_hunt_counts_tries_by_itself_where_no_server_does() -> None:
    """Without its own counts every confirmation would be a 503, which the hunt takes for a failure."""
    before, away = caches["default"], RedisCache("unix:///nowhere/valkey.sock", {})
    caches["default"] = away
    try:
        with counts_apart(), one_attempt("somebody", "", now=timezone.now()) as attempt:
            attempt.succeeded = True
        assert caches["default"] is away
    finally:
        caches["default"] = before


def test_a_mark_says_where_it_belongs() -> None:
    mints = Mints()
    places = [Place(0), Place(7, "r", 3), Place(2, "o", 9)]
    said = [mints.of(place).say("灯塔 lights,") for place in places]
    assert [{place_of(mark) for mark in marks_in(text)} for text in said] == [{place} for place in places]


@pytest.mark.parametrize(
    ("place", "reads"),
    [
        (Place(0), True),
        (Place(0, "r", 1), True),
        (Place(0, "r", 2), False),
        (Place(0, "o", 9), False),
        (Place(1), False),
    ],
)
def test_the_hunts_own_rule_is_the_written_one(hunted: Hunted, place: Place, reads: bool) -> None:
    agent = hunted.world.crews[0].agents["dev"]
    assert Principal(name="dev", seats={0: agent}).may_read(place) is reads


def test_the_filters_of_a_source_are_found() -> None:
    found: Sequence[Site] = sites()
    assert {one.kind for one in found} == {"keyword", "comparison", "match", "statement"}
    assert len(found) > 40


def test_what_explains_a_filter_out_of_reach_is_about_one_that_is_there() -> None:
    told = [
        [one for one in sites() if one.module == module and one.text.startswith(text)] for module, text in OUT_OF_REACH
    ]
    assert all(told)


PAGE = """
<a href="/account/security">s</a> <a href="https://elsewhere.example/">e</a> <a href="#top">t</a>
<form method="post" action="/account/confirm"><input type="hidden" name="v" value="3"><input type="date" name="day">
<select name="kind"><option value="">any</option><option value="one">1</option></select>
<textarea name="t">kept</textarea>
<button name="verb" value="approve">a</button></form>
<form action="/inbox"><input name="q"></form>
"""


def filled(number: int) -> Ask:
    aim: Any = SimpleNamespace(
        dice=SimpleNamespace(random=lambda: 0.0, choice=lambda some: some[0]), word=lambda _: "w"
    )
    at = Ask(operation="page x", method="GET", path="/account/")
    return filled_ask("x", shown_on(PAGE).found[number], aim, at=at)


def test_a_form_is_filled_in_as_its_reader_would() -> None:
    ask = filled(0)
    assert (ask.method, ask.path) == ("POST", "/account/confirm")
    assert ask.body == {"v": "3", "day": "2027-01-05", "kind": "one", "t": "kept", "verb": "approve"}


def test_a_form_that_only_asks_becomes_an_address() -> None:
    assert (filled(1).method, filled(1).path) == ("GET", "/inbox?q=harbour+w")


def test_links_of_ones_own_site_are_followed_once_and_forms_are_filled_in_by_whoever_saw_them() -> None:
    met, by = Met(alone=frozenset()), Principal(name="somebody")
    at = Ask(operation="page x", method="GET", path="/account/")
    for _ in range(2):
        met.learn(PAGE, at=at, by=by, owns=False)
    assert [ask.path for ask, _ in met.links] == ["/account/security"]
    assert [name for name, *_ in met.forms] == ["confirm", "inbox"] * 2
