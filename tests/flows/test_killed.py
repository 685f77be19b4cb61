"""The hunt over killed deeds, small: whatever is killed wherever, two workers end it as if nothing had happened."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from pytest_django import DjangoDbBlocker

from greywind_site.hunting.continuity.hunt import ContinuityReport, hunt_continuity
from greywind_site.hunting.scratch import nobody_woken
from sessions import handoff_api
from tests.databases import put_back

pytestmark = pytest.mark.slow
FEW, FEWEST = 12, 100  # words between two kills; by command: manage.py continuity_hunt --step 1


@pytest.fixture(autouse=True)
def undisturbed(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with put_back(django_db_blocker), nobody_woken():
        yield


def hunted(deed: str, *, step: int) -> ContinuityReport:
    return hunt_continuity([deed], step=step, tell=len)


def test_a_killed_deed_ends_as_if_nothing_had_happened() -> None:
    report = hunted("resume", step=FEW)
    assert (report.wrong, report.killed > 1) == ([], True)


def test_a_deed_that_is_done_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def each_time(_request: Any, _acting: Any, act: Callable[[], HttpResponse]) -> HttpResponse:
        return act()

    monkeypatch.setattr(handoff_api, "once", each_time)
    assert hunted("resume", step=FEWEST).wrong
