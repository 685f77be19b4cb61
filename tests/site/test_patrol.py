"""The rounds that a worker walks by itself."""

import pytest
from structlog.testing import capture_logs

from governance import tasks
from greywind_site.celery import walk_round


def test_a_round_that_fails_is_told_and_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise RuntimeError("what a job is about")

    monkeypatch.setattr(tasks, "do_jobs", fail)
    with capture_logs() as told:
        walk_round()
    assert [(line["event"], line["cause"]) for line in told] == [("round_left_out", "RuntimeError")]
