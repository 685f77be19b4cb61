"""The hunt over replays, small: every packet comes out as it was answered, or the parts that are gone are named."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import DjangoDbBlocker

from greywind_site.hunting.replays.hunt import Hunted, ReplayReport, judged, made
from greywind_site.hunting.replays.later import WRITES
from greywind_site.hunting.replays.oracle import Tables
from sessions import receipts
from tests.databases import put_back

pytestmark = pytest.mark.slow
PACKETS, WRITES_AFTER, SEED = 10, 40, 7  # by command: manage.py replay_hunt --packets 1000 --writes 10000


@pytest.fixture(scope="module")
def hunted(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Hunted]:
    with put_back(django_db_blocker):
        yield made(PACKETS, writes=WRITES_AFTER, seed=SEED)


@pytest.fixture(scope="module")
def report(hunted: Hunted) -> ReplayReport:
    return judged(hunted)


def test_every_packet_comes_out_as_it_was_or_names_what_is_gone(report: ReplayReport) -> None:
    assert (report.wrong, sum(report.verdicts.values())) == ([], PACKETS)


def test_some_are_the_same_and_some_have_lost_parts(report: ReplayReport) -> None:
    assert set(report.verdicts) == {"identical", "parts_lost"}
    assert "erased" in report.lost


def test_renames_revisions_and_corrections_took_place(report: ReplayReport) -> None:
    assert {"renamed", "corrected", "envisioned"} <= set(report.written) <= set(WRITES)
    assert report.erased["contextpacket"] > 0


def test_a_replay_that_calls_a_thread_what_it_is_called_now_is_found(
    hunted: Hunted, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = receipts.thread_in
    monkeypatch.setattr(receipts, "thread_in", lambda receipt: replace(then(receipt), title="renamed"))
    assert "no part is named" in "".join(judged(hunted).wrong)


def test_a_packet_that_is_shown_although_a_part_is_gone_is_found(
    hunted: Hunted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_is_there(*_: object, **__: object) -> bool:
        return True

    monkeypatch.setattr(Tables, "lack", nothing_is_there)
    assert "is gone" in "".join(judged(hunted).wrong)
