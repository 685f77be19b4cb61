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
from sessions.models import Session, WorkSummary
from sessions.summaries import writing
from tests.api.asking import make_thread, ok, open_session
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
