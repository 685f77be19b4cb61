"""The hunt over two connections, small: it finds nothing, and it would find a scope that outlives its transaction."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from governance import scope
from greywind_site.hunting.borrowing import ACCIDENTS, KINDS
from greywind_site.hunting.pool import PoolReport, hunt_pool
from tests.databases import put_back

pytestmark = pytest.mark.slow
REQUESTS = 600  # by command: manage.py pool_hunt --requests 50000 --pool 2


@pytest.fixture(scope="module")
def report(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[PoolReport]:
    with put_back(django_db_blocker):
        yield hunt_pool(REQUESTS, pool=2, seed=7)


def test_over_two_connections_nobody_reads_what_is_anothers(report: PoolReport) -> None:
    assert (report.wrong, report.unexpected) == ([], [])


def test_every_kind_of_request_and_of_accident_took_place(report: PoolReport) -> None:
    assert (set(report.kinds), set(report.accidents)) == (set(KINDS), set(ACCIDENTS))


def test_requests_were_disturbed_and_completed(report: PoolReport) -> None:
    assert report.completed + report.disturbed == REQUESTS
    assert min(report.completed, report.disturbed) > REQUESTS / 5
    assert report.cancelled > 0


def test_a_scope_that_outlives_its_transaction_is_found(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope, "ENTER", scope.ENTER.replace("true", "false"))
    assert hunt_pool(60, pool=2, seed=7).wrong
