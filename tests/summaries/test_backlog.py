"""More entries than one version takes: worked off version by version, in rounds that leave room for others."""

from typing import Any

import pytest

from governance.jobs import Held, progress
from governance.models import Job
from governance.scope import project_scope
from governance.working import Shift
from greywind_site.benching.consolidation import fill
from sessions import consolidation_due
from sessions.consolidation_due import ask_for_summary
from sessions.context.vocabulary import SummarySection
from sessions.models import Session, WorkSummary
from sessions.summaries import writing
from tests.api.asking import append, event, make_thread, ok, open_session
from tests.cast import Cast, make_cast

ENTRIES, AT_ONCE = 26, 20  # of which 21 are read, so that one version does not take all of them


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def session(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(writing, "MOST_READ", AT_ONCE)
    open_session(cast.dev, make_thread(cast.dev))
    with project_scope(cast.dev.acting):
        session: Session = Session.objects.get()
        fill(cast.dev.acting, session, ENTRIES)
        return session


@pytest.fixture
def chatter(cast: Cast, session: Session) -> Session:
    """A window in which nothing is said for longer than a version reads, and then a decision is made."""
    api, other = cast.dev.client(), open_session(cast.dev, make_thread(cast.dev, "weather"))
    append(api, other, *(event(f"The {n}th gauge is fine.", client_id=f"n{n}", role="assistant") for n in range(45)))
    append(api, other, event("Use one transaction for each file.", client_id="d", attested=True))
    with project_scope(cast.dev.acting):
        found: Session = Session.objects.exclude(pk=session.pk).get()
        return found


def covered(cast: Cast) -> list[int]:
    with project_scope(cast.dev.acting):
        return list(WorkSummary.objects.order_by("version").values_list("to_seq", flat=True))


def test_a_worker_says_how_far_it_is(cast: Cast, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int | None]] = []

    def heard(held: Held, done: int, whole: int | None) -> None:
        progress(held, done, whole)
        told.append((done, whole))

    monkeypatch.setattr(consolidation_due, "progress", heard)
    with project_scope(cast.dev.acting):
        session.refresh_from_db()
        ask_for_summary(cast.dev.acting, session)
    assert Shift().work()["done"] == 1
    assert (told, covered(cast)) == ([(covered(cast)[0], ENTRIES)], [covered(cast)[0], ENTRIES])


def test_a_checkpoint_writes_one_version_and_leaves_the_rest_to_a_worker(cast: Cast, session: Session) -> None:
    answer: dict[str, Any] = ok(cast.dev.client().post(f"/sessions/{session.public_id}/checkpoint", {}))
    assert (answer["more_queued"], len(covered(cast))) == (True, 1)
    assert Shift().work()["done"] == 1
    with project_scope(cast.dev.acting):
        assert (covered(cast)[-1], Job.objects.get().state) == (ENTRIES, "done")


def test_a_round_that_is_long_makes_room_for_others(
    cast: Cast, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consolidation_due, "ROUND_SECONDS", -1.0)
    with project_scope(cast.dev.acting):
        session.refresh_from_db()
        ask_for_summary(cast.dev.acting, session)
    assert (Shift().work()["done"], covered(cast)[-1]) == (2, ENTRIES)


def test_what_is_not_worth_keeping_is_covered_and_said_to_be_nothing(cast: Cast, chatter: Session) -> None:
    answer: dict[str, Any] = ok(cast.dev.client().post(f"/sessions/{chatter.public_id}/checkpoint", {}))
    assert (answer["published"], answer["problems"], answer["more_queued"]) == (True, [], True)
    assert answer["summary"]["covers"] == f"event://{chatter.public_id}/1-{AT_ONCE}"
    assert set(answer["summary"]["sections"]) == set(SummarySection)
    assert not any(answer["summary"]["sections"].values())


def test_a_decision_after_long_chatter_is_reached(cast: Cast, chatter: Session) -> None:
    ok(cast.dev.client().post(f"/sessions/{chatter.public_id}/checkpoint", {}))
    assert Shift().work()["done"] == 1
    answer = ok(cast.dev.client().get(f"/sessions/{chatter.public_id}/summary"))
    assert answer["covers"] == f"event://{chatter.public_id}/1-46"
    assert "Use one transaction for each file" in str(answer["sections"])
