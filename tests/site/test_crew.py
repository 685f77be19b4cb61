"""When agents were last at work, told by their latest attempts."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from governance.scope import project_scope
from greywind_site.console.crew import _attempts_of, agent_facts, crew_of, last_seen
from sessions.lifecycle import LEASE
from sessions.models import Attempt
from tests.api.asking import make_thread, open_session
from tests.cast import Cast, make_cast

NOW = timezone.now()


@pytest.fixture
def cast(db: None) -> Cast:
    cast = make_cast()
    for days, last in ((3, 1), (2, 2)):  # begun and last heard of, days ago
        session = open_session(cast.dev, make_thread(cast.dev, f"tides {days}"), role="dev")
        cast.dev.client().post(f"/sessions/{session}/attempts", {})
        began, heard = (NOW - timedelta(days=one) for one in (days, last))
        with project_scope(cast.owner.acting):
            latest = Attempt.objects.filter(session__thread__title=f"tides {days}")
            latest.update(started_at=began, lease_until=heard + timedelta(seconds=LEASE))
    return cast


def test_an_agent_was_last_seen_where_it_was_heard_of_last(cast: Cast) -> None:
    agent, heard = cast.dev.actor.public_id, NOW - timedelta(days=1)
    with project_scope(cast.owner.acting):
        told = [(one.agent_id, one.seen) for one in last_seen(cast.owner.acting)]
    assert (told, agent_facts(cast.owner.acting, agent, now=NOW).line.seen) == ([(agent, heard)], heard)


def test_one_that_never_worked_was_never_seen(cast: Cast) -> None:
    seen = {line.agent.pk: line.seen for line in crew_of(cast.owner.acting, now=NOW)}
    assert (seen[cast.tester.actor.pk], seen[cast.dev.actor.pk]) == (None, NOW - timedelta(days=1))


def test_its_latest_attempt_is_found_without_sorting_all_of_them(cast: Cast) -> None:
    with project_scope(cast.owner.acting), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")  # where no index has the order it is sorted all the same
        plan = _attempts_of(cast.dev.actor.pk)[:1].explain()
    assert ("attempt_by_actor" in plan, "Sort Key" in plan) == (True, False)
