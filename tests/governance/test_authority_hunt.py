"""The hunt over who may do what, small: SQL, the explaining code and the oracle agree, and each would be missed."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from greywind_site.hunting.authority import oracle
from greywind_site.hunting.authority.hunt import hunt_authority
from greywind_site.hunting.authority.tally import ACCESS, ACTIONS, AuthorityReport, wanted_cells
from tests.databases import put_back

pytestmark = pytest.mark.slow
CASES = 400  # by command: manage.py authority_hunt --cases 50000


@pytest.fixture(scope="module")
def emptied(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with put_back(django_db_blocker):
        yield


@pytest.fixture(scope="module")
def report(emptied: None) -> AuthorityReport:
    return hunt_authority(CASES, seed=11)


def test_sql_code_and_oracle_agree_on_every_case(report: AuthorityReport) -> None:
    assert not report.wrong, "\n".join(report.wrong)
    assert (report.cases, report.share > 0.3, report.by_verb > 0) == (CASES, True, True)
    assert set(report.actions) == {*ACTIONS, *ACCESS}


def test_an_oracle_that_forgot_the_levels_is_contradicted(emptied: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "deciders", lambda matter: {each.name for each in matter.humans})
    assert hunt_authority(150, seed=12).wrong


def test_an_oracle_that_forgot_the_audience_is_contradicted(emptied: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "reads", lambda who, place: who is not None and who.project == place.project)
    assert hunt_authority(60, seed=13).wrong


def test_every_cell_that_is_noted_is_one_that_can_be(report: AuthorityReport) -> None:
    assert report.met - wanted_cells() == set()
    assert len(report.met) > len(wanted_cells()) / 3
