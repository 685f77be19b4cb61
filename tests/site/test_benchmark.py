"""The benchmark of a compile: its arithmetic, and that each figure is of what it says; never how fast anything is."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.test import TransactionTestCase

from governance.scope import project_scope
from greywind_site.benching.compile import run
from greywind_site.benching.compile_bare import Work, ask_again, bare_link, captured
from greywind_site.benching.compile_cost import Touched, pages_of, plans_of
from greywind_site.benching.compile_kinds import ASKS, LONG_ON, ON, PROBE, SHORT_ON, Run, Sizes
from greywind_site.benching.compile_runs import Kind, measured, ratio_of
from greywind_site.benching.compile_telling import told
from greywind_site.benching.compile_texts import entry, memory, question
from greywind_site.benching.compile_tokens import metered
from greywind_site.benching.intervals import bootstrap
from greywind_site.benching.peer_site import served_here
from sessions.context.tokens import encode
from sessions.models import ContextPacket
from tests.api.asking import ask, make_thread, ok
from tests.api.conftest import cast  # noqa: F401 - a fixture
from tests.cast import Cast

TINY = Sizes(events=60, short=20, memories=12, blocks=2, calls=2, warm_up=1, turns=2)


@pytest.fixture(scope="module")
def done(django_db_setup: None, django_db_blocker: Any) -> Iterator[Run]:
    """A whole run at a size of seconds; nobody may change anything in it."""
    with django_db_blocker.unblock():
        yield run(TINY, [].append, serve=served_here)
        TransactionTestCase()._fixture_teardown()


@pytest.fixture
def work(cast: Cast) -> Work:  # noqa: F811
    """What a request on a thread that is worked on already asks of the database."""
    api = cast.dev.client()
    body = ask("keep the comments", thread_id=make_thread(api))
    ok(api.post("/context", body))
    return captured(lambda: ok(api.post("/context", body)))


@pytest.mark.slow
def test_a_run_calls_each_kind_as_often_as_it_says(done: Run) -> None:
    assert {one.name: one.n for one in done.figures if one.name in {PROBE, ASKS, LONG_ON}} == dict.fromkeys(
        (PROBE, ASKS, LONG_ON), TINY.blocks * TINY.calls
    )


def test_each_ratio_that_has_a_goal_says_whether_it_holds(done: Run) -> None:
    goals = {one.name: (one.least, one.most) for one in done.ratios if one.holds is not None}
    assert goals[f"{ON} / {PROBE}"] == (None, 8)
    assert goals[f"pages: {LONG_ON} / {SHORT_ON}"] == (0.95, 1.05)


def test_a_session_that_goes_on_is_answered_alike_every_time(done: Run) -> None:
    assert {one.name: one.answers for one in done.figures}[ON] == 1


def test_a_long_session_has_the_plans_of_a_short_one(done: Run) -> None:
    assert done.costs[LONG_ON].plans.keys() == done.costs[SHORT_ON].plans.keys()


def test_a_run_is_told_in_full(done: Run) -> None:
    facts = json.loads(json.dumps(told(done).facts))
    assert {"figures", "ratios", "costs", "flips", "load", "idle_us", "tokenised", "machine"} <= facts.keys()


def test_a_machine_that_changed_is_no_good_news(done: Run) -> None:
    assert not told(replace(done, idle_us=(40.0, 60.0))).ok


def test_the_bare_driver_gets_what_the_request_got(work: Work) -> None:
    with bare_link() as link:
        again = ask_again(link, work)
    assert [call.rows for call in again.calls] == [call.rows for call in work.calls]
    # A moment's text is a digit shorter where it ends in a nought.
    assert max(abs(one.size - other.size) for one, other in zip(again.calls, work.calls, strict=True)) < 9


def test_the_bare_driver_commits_a_packet_of_its_own(cast: Cast, work: Work) -> None:  # noqa: F811
    with bare_link() as link:
        ask_again(link, work)
    with project_scope(cast.owner.acting):
        assert ContextPacket.objects.count() == 3


def test_what_the_counting_touches_is_not_counted(transactional_db: None) -> None:
    with bare_link() as link, link.transaction():
        touched = Touched(link)
        with touched():
            pass
        assert touched.pages == 0


def test_what_is_read_is_counted(work: Work) -> None:
    with bare_link() as link:
        touched = Touched(link)
        ask_again(link, work, touched)
    assert touched.pages > 0


def test_packets_of_before_are_not_unpacked_for_the_next(work: Work) -> None:
    with bare_link() as link:
        few = pages_of(link, work)  # each repetition leaves a packet behind
        many = pages_of(link, work)
    assert many <= 1.1 * few


def test_a_plan_has_one_name_and_one_shape(work: Work) -> None:
    with bare_link() as link:
        plans = plans_of(link, work)
        assert plans == plans_of(link, work)
    assert len(plans) == len(work.calls)


def test_all_that_is_tokenised_is_weighed() -> None:
    with metered() as meter:
        encode("o200k_base", "ab灰")
    assert meter.bytes == 5


def test_a_goal_is_met_by_a_whole_interval() -> None:
    assert ratio_of("calm", [7.0, 7.2, 7.1], most=8).holds
    assert not ratio_of("wild", [7.0, 9.2, 7.1], most=8).holds
    assert ratio_of("open", [7.0]).holds is None


def test_each_block_is_put_right_before_its_calls() -> None:
    called: list[str] = []
    kind = Kind(lambda n: called.append(str(n)) or b"", before=lambda: called.append("before"))
    measured({"one": kind}, blocks=2, calls=2, tell=called.append)
    assert called == ["before", "0", "1", "block 1 of 2", "before", "2", "3", "block 2 of 2"]


def test_the_interval_of_equal_ratios_is_that_ratio() -> None:
    assert bootstrap([5.0] * 9) == (5.0, 5.0)


def test_the_interval_lies_within_what_was_measured() -> None:
    low, high = bootstrap([4.0, 5.0, 9.0, 5.5, 5.1, 4.9, 5.0])
    assert 4.0 <= low < high <= 9.0


def test_the_texts_are_of_two_languages_and_no_two_alike() -> None:
    texts = [make(n) for make in (memory, question) for n in range(1_000)]
    assert len(set(texts)) == len(texts)
    assert {entry(n)["text"].isascii() for n in (0, 4)} == {True, False}
