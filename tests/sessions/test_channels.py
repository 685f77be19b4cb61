"""A personal agent in a group channel: what it was told alone stays out, and is at hand where it is alone."""

import pytest

from greywind_site.hunting.channels import CANARY, hunt_channels

pytestmark = pytest.mark.django_db


def test_nothing_private_is_in_a_group_channel() -> None:
    report = hunt_channels(12, seed=7)
    assert (report.wrong, report.told_alone) == ([], 2)
    assert report.remembered
    assert report.withheld


def test_the_hunt_notices_a_private_thread_that_is_let_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.context.compiler.for_readers", lambda material: material)
    assert any(CANARY in line for line in hunt_channels(4, seed=7).wrong)
